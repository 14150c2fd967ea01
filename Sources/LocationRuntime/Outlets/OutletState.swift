package import LocationFormats

/// An outlet and how it fares, as one line of NDJSON or a row of a table.
package struct OutletState: Hashable, Sendable {
  /// As it was added.
  package var settings: OutletSettings
  /// The id of the last event that is done with.
  package var cursor = 0
  /// Events that it wants and has not accepted yet.
  package var waiting = 0
  /// Events that it was not offered, because too many waited.
  package var skipped = 0
  /// Failures since it last accepted something.
  package var attempts = 0
  /// Why the last attempt failed; nil where it did not.
  package var trouble: String?
  /// Whether it gets no more events until it is enabled.
  package var isDisabled = false

  /// `ok`, `retrying` or `disabled`.
  package var word: String { isDisabled ? "disabled" : trouble == nil ? "ok" : "retrying" }

  /// What to do once what stops it is put right; nil where nothing does.
  package var remedy: String? {
    trouble.map { _ in "locwatch outlets enable \(CommandText.word(settings.name)) tries at once" }
  }

  /// One JSON object; nothing in it is secret.
  package var tree: JSONTree {
    .object([
      "name": .string(settings.name), "kind": .string(settings.kind.rawValue),
      "to": .string(settings.place), "state": .string(word), "waiting": .integer(waiting),
      "skipped": .integer(skipped), "cursor": .integer(cursor),
      "attempts": trouble.map { _ in .integer(attempts) }, "reason": trouble.map { .string($0) },
    ])
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
}
