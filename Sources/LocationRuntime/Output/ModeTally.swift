package import LocationCore

/// How many records there were of what the background modes do (rules D to J and K6).
package struct ModeTally: Hashable, Sendable {
  private var counts: [String: Int] = [:]

  /// Nothing yet.
  package init() {}

  /// The types of which there were any, in the order of their names, with their counts.
  package var all: [(type: String, count: Int)] {
    counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Records whose type is `type`, or of that family: `transfer` has `transfer.done`.
  package subscript(_ type: String) -> Int {
    counts.reduce(0) { $0 + ($1.key == type || $1.key.hasPrefix(type + ".") ? $1.value : 0) }
  }

  /// Counts a record, if it is of a background mode.
  package mutating func count(_ record: Record) {
    switch record.body {
    case .call, .notification, .fetch, .push, .transfer, .accessory, .service:
      counts[record.type, default: 0] += 1
    case .significant, .region, .visit, .location, .pause, .gap, .clock, .source, .fixAccepted, .fixRejected,
      .decision, .subscriberState, .program, .power, .advice, .receiver, .refused:
      break
    }
  }

  /// Adds what another counted.
  package mutating func add(_ other: ModeTally) { counts.merge(other.counts, uniquingKeysWith: +) }
}
