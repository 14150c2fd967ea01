/// The programs that are installed beside this one.
enum SiblingProgram {
  /// The full path of a program of that name; nil where nobody knows where this program is. It need not be there.
  static func path(_ name: String) -> String? {
    guard let own = KernelFile.target("/proc/self/exe"), let slash = own.lastIndex(of: "/") else {
      return nil
    }
    return own[...slash] + name
  }
}
