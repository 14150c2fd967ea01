/// An error for a person: what, where, what to do. Printed as one line `FILE:LINE: what; remedy`.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exit status that a failure leads to, as `sysexits.h` has them.
  public enum Code: Int32, Hashable, Sendable, CaseIterable {
    /// What was asked about is not so; sysexits.h has no word for it.
    case conditionFails = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cantCreate = 73
    case io = 74
    case tryAgain = 75
    case noPermission = 77
    case config = 78
  }

  /// The exit status.
  public var code: Code
  /// The file it is about, as the user named it; nil where it is about none.
  public var file: String?
  /// The line in the file, from 1; nil where it is about none.
  public var line: Int?
  /// What is wrong.
  public var what: String
  /// What to do about it; nil where that is plain.
  public var remedy: String?

  public init(_ code: Code, file: String? = nil, line: Int? = nil, what: String, remedy: String? = nil) {
    self.code = code
    self.file = file
    self.line = line
    self.what = what
    self.remedy = remedy
  }

  /// No subscriber, region or other thing is called so.
  ///
  /// - Parameters:
  ///   - names: of those there are; the nearest is what was meant.
  ///   - command: lists them.
  package static func unknown(
    _ kind: String, _ name: String, among names: [String] = [], see command: String
  ) -> Failure {
    Failure(
      .conditionFails, what: "no \(kind) is called \"\(name)\"",
      remedy: NearestWord.to(name, among: names).map { "did you mean \($0)?" } ?? "\(command) lists them")
  }

  /// No region is called so.
  package static func unknownRegion(_ id: String, among ids: [String] = []) -> Failure {
    unknown("region", id, among: ids, see: "locwatch regions list")
  }

  /// No subscriber is called so.
  package static func unknownSubscriber(_ name: String, among names: [String] = []) -> Failure {
    unknown("subscriber", name, among: names, see: "locwatch subscribers list")
  }

  /// What to do about text in another encoding.
  package static let encodingRemedy = "save the file as UTF-8"
  /// What to do where there is no memory left.
  package static let memoryRemedy = "end other programs, or add memory"

  /// The system starts no thread.
  package static let noThread = Failure(
    .tryAgain, what: "no thread left",
    remedy: "end other programs, or raise the limit of tasks (TasksMax, ulimit -u)")

  /// One line, whatever the parts contain.
  public var description: String {
    var text = ""
    if let file {
      text += file.isEmpty ? "\"\"" : file
      if let line { text += ":\(line)" }
      text += ": "
    }
    // What it quotes of a file may be as long as the file.
    text += what.utf8.count <= Self.mostBytes ? what : what.prefix(Self.mostBytes / 4) + "…"
    if let remedy { text += "; \(remedy)" }
    return TextTable.cell(text)
  }

  private static let mostBytes = 1_000
}
