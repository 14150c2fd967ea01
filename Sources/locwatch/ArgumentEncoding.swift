import Glibc
import LocationCore
import LocationFormats

/// Finds an argument that is not UTF-8.
///
/// Swift puts U+FFFD in the place of its bytes. It would name another file than the one that was meant: one that is not
/// there, or one that is made.
enum ArgumentEncoding {
  /// What is wrong with the arguments of this process; nil where all are UTF-8.
  static var failure: Failure? {
    let words = unsafe CommandLine.unsafeArgv
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = unsafe words[index], unsafe String(validatingCString: word) == nil else { continue }
      let length = unsafe strlen(word)
      let bytes = unsafe Array(UnsafeRawBufferPointer(start: word, count: length))
      // The word with `\xFF` for each byte that is not ASCII.
      let shown = String(escaping: bytes, with: "\\x") { (0x20..<0x7F).contains($0) }
      return Failure(
        .usage, what: "argument \(index), \(shown), is not UTF-8",
        remedy: "rename the file, or write the word as UTF-8")
    }
    return nil
  }
}
