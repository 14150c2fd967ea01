package import Glibc

extension sockaddr_un {
  /// The address of a Unix socket (unix(7)). Of a path that is too long, what there is room for.
  package init(path: some Collection<UInt8>) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &sun_path) { unsafe $0.copyBytes(from: path.prefix($0.count - 1)) }
  }
}
