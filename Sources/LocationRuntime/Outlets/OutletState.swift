package import LocationFormats

/// An outlet and how it fares, as one line of NDJSON or a row of a table.
package struct OutletState: Hashable, Sendable {
  /// As it was added.
  package var settings: OutletSettings
  /// The id of the last event that is done with.
  package var cursor = 0
  /// Events of its types that it has not accepted yet.
  package var waiting = 0
  /// Events that it was not offered, because too many waited.
  package var skipped = 0
  /// Failures since it last accepted something.
  package var attempts = 0
  /// Why the last attempt failed; nil where it did not.
  package var trouble: String?
  /// Whether it gets no more events until it is enabled.
  package var isDisabled = false

  init(settings: OutletSettings) { self.settings = settings }

  /// `ok`, `retrying` or `disabled`.
  package var word: String { isDisabled ? "disabled" : trouble == nil ? "ok" : "retrying" }

  /// One JSON object; nothing in it is secret.
  package var tree: JSONTree {
    var members = [
      JSONTree.Member(key: "name", value: .string(settings.name)),
      .init(key: "kind", value: .string(settings.kind.rawValue)),
      .init(key: "to", value: .string(settings.place)),
      .init(key: "state", value: .string(word)),
      .init(key: "waiting", value: .number("\(waiting)")),
      .init(key: "skipped", value: .number("\(skipped)")),
      .init(key: "cursor", value: .number("\(cursor)")),
    ]
    if let trouble {
      members.append(.init(key: "attempts", value: .number("\(attempts)")))
      members.append(.init(key: "reason", value: .string(trouble)))
    }
    return .object(members)
  }

  /// The head of a table of ``row``s.
  package static let header = ["NAME", "KIND", "TO", "STATE", "WAITING", "TYPES"]

  /// The cells of ``header``.
  package var row: [String] {
    [
      settings.name, settings.kind.rawValue, settings.place,
      word + (trouble.map { ": \($0)" } ?? ""), "\(waiting)",
      settings.types.map { $0.joined(separator: ", ") } ?? "all",
    ]
  }

  /// What is said where there is none of that name.
  package static func unknown(_ name: String, among outlets: [OutletSettings]) -> Failure {
    let near = NearestWord.to(name, among: outlets.map(\.name))
    return Failure(
      .conditionFails, what: "no outlet is called \"\(name)\"",
      remedy: near.map { "did you mean \($0)?" } ?? "locwatch outlets list lists them")
  }
}
