import LocationCore

/// The summaries of several tracks, added up.
package struct SummaryTotal {
  /// The power profile's name.
  package let profile: String
  /// The sum so far; nil before the first summary.
  package private(set) var sum: Summary?

  package init(profile: String) { self.profile = profile }

  /// Adds a track's summary, if it has one.
  package mutating func add(_ summary: Summary?) {
    guard let summary else { return }
    guard var sum else {
      self.sum = summary
      return
    }
    sum.add(summary)
    self.sum = sum
  }
}

extension Summary {
  /// Adds another track's figures; its notes are its own.
  fileprivate mutating func add(_ other: Summary) {
    tally.add(other.tally)
    modes.add(other.modes)
    energy.value += other.energy.value
    energy.low += other.energy.low
    energy.high += other.energy.high
    deviceJoules += other.deviceJoules
    receiverOnSeconds += other.receiverOnSeconds
    durationSeconds += other.durationSeconds
    time = [time, other.time].compactMap(\.self).max()
    id += other.id
    notes = []
  }
}
