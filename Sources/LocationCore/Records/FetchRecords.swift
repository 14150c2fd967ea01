/// What came of a good moment to fetch, and how that changed the score (rule G3).
public struct FetchRecord: Hashable, Sendable, Codable {
  /// Who fetched.
  public var subscriber: String
  /// What the program said; nil where it said nothing.
  public var result: FetchResult?
  /// Seconds from the call to the answer.
  public var seconds: Double
  /// Bytes received; nil where nobody counts them.
  public var bytes: Int?
  /// The score from now on, 0 to 1.
  public var score: Double
  /// Seconds from this call to the next, at least.
  public var nextSeconds: Double
}

extension FetchRecord: SingleTypeRecord {
  package static let name = "fetch"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "who fetched")
    visitor.text(
      "result", result?.rawValue ?? "none", "`newData`, `noData`, `failed`, or `none` if no answer came")
    visitor.number("seconds", seconds, .seconds, "from the call to the answer")
    visitor.count("bytes", bytes, "bytes received; absent if nobody counts them")
    visitor.number("score", score, .probability, "the score from now on")
    visitor.number("next_s", nextSeconds, .seconds, "from this call to the next, at least")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let result: String =
      switch fields.code("result", FetchResult.self) {
      case .newData: "new data"
      case .noData: "nothing new"
      case .failed: "failed"
      case nil: "no answer"
      }
    let score = Wording.number(fields.number("score") ?? 0, 2)
    return TextRecord(
      fields.text("subscriber"),
      "fetched: \(result); score \(score), next in \(Wording.duration(fields.number("next_s") ?? 0)) or later"
    )
  }

  package static var samples: [Record.Body] {
    [
      .fetch(
        FetchRecord(
          subscriber: "a", result: .newData, seconds: 2, bytes: 4096, score: 0.6, nextSeconds: 2728))
    ]
  }
}
