import Glibc
import LocationFormats

/// A folder for files that `locwatch` is given, which is gone afterwards.
struct TemporaryFolder: ~Copyable {
  private let path: String

  init() throws(Failure) {
    let root = EnvironmentVariable.value("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array("\(root)/locwatch-fleet-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw Failure(.cantCreate, what: "no folder can be made in TMPDIR: \(SystemReason.text(errno))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = SiblingProgram.run("/bin/rm", ["-rf", "--", path]) }

  /// A file of it.
  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a file in it that only its owner reads.
  func write(_ name: String, _ text: String) throws(Failure) {
    try OutputFile(path: self(name), isPrivate: true).write(Array(text.utf8))
  }

  /// Goes there: messages then name the files without the folder, which is gone when they are read.
  func enter() throws(Failure) {
    guard unsafe chdir(path) == 0 else {
      throw Failure(.io, file: path, what: "can't be entered: \(SystemReason.text(errno))")
    }
  }
}
