import LocationFormats

/// What the daemon answers, as both sides have it.
enum ControlAnswer {
  /// What went wrong.
  static func tree(_ failure: Failure) -> JSONTree {
    .object([
      "v": .integer(1),
      "error": .object([
        "code": .integer(failure.code.rawValue), "what": .string(failure.what),
        "file": failure.file.map { .string($0) }, "remedy": failure.remedy.map { .string($0) },
      ]),
    ])
  }

  /// What went wrong, where that is the answer.
  static func failure(in tree: JSONTree) -> Failure? {
    guard let error = tree["error"] else { return nil }
    let code = error["code"]?.integer.flatMap { Failure.Code(rawValue: Int32(clamping: $0)) }
    return Failure(
      code ?? .software, file: error["file"]?.string, what: error["what"]?.string ?? "no reason",
      remedy: error["remedy"]?.string)
  }
}
