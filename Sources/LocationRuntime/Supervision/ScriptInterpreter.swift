import Glibc

/// The program that runs a script: the first line of the script names it.
enum ScriptInterpreter {
  /// Why a script can't be executed though it is there: its interpreter is not. Nil where that is there, or none is named.
  static func objection(to path: String) -> String? {
    guard let start = KernelFile.readPlain(path, atMost: lineBytes), start.hasPrefix("#!") else { return nil }
    let line = Array(start.utf8).dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    var name = line.drop { blanks.contains($0) }.prefix { !blanks.contains($0) }
    guard !name.isEmpty, unsafe access(String(decoding: name, as: UTF8.self), F_OK) != 0 else { return nil }
    let isOfWindows = name.last == UInt8(ascii: "\r")
    if isOfWindows { name.removeLast() }
    let text = String(decoding: name, as: UTF8.self)
    return isOfWindows
      ? "its lines end as on Windows, so that it asks for \"\(text)\\r\""
      : "its interpreter \(text) is not there"
  }

  /// Linux reads no more of the line (execve(2)).
  private static let lineBytes = 255
}
