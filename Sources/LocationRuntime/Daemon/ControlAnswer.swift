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
      code ?? .software, file: error["file"]?.text(or: nil),
      what: error["what"]?.text(or: nil) ?? "no reason",
      remedy: error["remedy"]?.text(or: nil))
  }
}

extension JSONTree {
  /// The string it is.
  func text(or other: String?) -> String? { if case .string(let text) = self { text } else { other } }

  /// The whole number it is.
  var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  /// The strings of the list it is; nil where it is none, or holds anything else.
  var strings: [String]? {
    guard case .array(let elements) = self else { return nil }
    var strings: [String] = []
    for element in elements {
      guard case .string(let text) = element else { return nil }
      strings.append(text)
    }
    return strings
  }
}
