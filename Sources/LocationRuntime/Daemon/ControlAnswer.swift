import LocationFormats

/// What the daemon answers, as both sides have it.
enum ControlAnswer {
  /// What went wrong.
  static func tree(_ failure: Failure) -> JSONTree {
    var members = [
      JSONTree.Member(key: "code", value: .number("\(failure.code.rawValue)")),
      JSONTree.Member(key: "what", value: .string(failure.what)),
    ]
    if let file = failure.file { members.append(.init(key: "file", value: .string(file))) }
    if let remedy = failure.remedy { members.append(.init(key: "remedy", value: .string(remedy))) }
    return .object([.init(key: "v", value: .number("1")), .init(key: "error", value: .object(members))])
  }

  /// What went wrong, where that is the answer.
  static func failure(in tree: JSONTree) -> Failure? {
    guard let error = tree["error"] else { return nil }
    let code = error["code"]?.integer.flatMap { Failure.Code(rawValue: Int32(clamping: $0)) }
    return Failure(
      code ?? .software, file: error["file"]?.string,
      what: error["what"]?.string ?? "no reason",
      remedy: error["remedy"]?.string)
  }
}
