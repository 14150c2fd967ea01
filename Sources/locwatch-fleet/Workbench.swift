import Glibc
import LocationFormats

/// A folder for the `locwatch` beside this program to work in, which is gone afterwards.
struct Workbench: ~Copyable {
  private let folder: String

  init() throws(Failure) {
    let root = EnvironmentVariable.value("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var path = Array("\(root)/locwatch-fleet-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&path) != nil else {
      throw Failure(.cantCreate, what: "no folder can be made in TMPDIR: \(SystemReason.text(errno))")
    }
    folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = SiblingProgram.run("/bin/rm", ["-rf", "--", folder]) }

  /// A file of it.
  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Makes a file in it that only its owner reads.
  func write(_ name: String, _ text: String) throws(Failure) {
    try OutputFile(path: path(name), isPrivate: true).write(Array(text.utf8))
  }

  /// Goes there: messages then name the files without the folder, which is gone when they are read.
  func enter() throws(Failure) {
    guard unsafe chdir(folder) == 0 else {
      throw Failure(.io, file: folder, what: "can't be entered: \(SystemReason.text(errno))")
    }
  }

  /// Runs locwatch; its exit status.
  static func run(_ arguments: [String], isSilent: Bool = false) throws(Failure) -> Int32 {
    let path = SiblingProgram.path("locwatch") ?? "locwatch"
    let status = SiblingProgram.run(path, arguments, isSilent: isSilent)
    guard status != 127 else {
      throw Failure(
        .unavailable, what: "\(path) can't be started", remedy: "install locwatch beside locwatch-fleet")
    }
    return status
  }
}
