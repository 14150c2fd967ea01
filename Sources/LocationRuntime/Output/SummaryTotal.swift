import LocationCore

/// The summaries of several tracks, added up.
struct SummaryTotal {
  let profile: String
  private(set) var sum: Summary?

  init(profile: String) { self.profile = profile }

  mutating func add(_ summary: Summary?) {
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
    energy.joules += other.energy.joules
    energy.lowJoules += other.energy.lowJoules
    energy.highJoules += other.energy.highJoules
    deviceJoules += other.deviceJoules
    receiverOnSeconds += other.receiverOnSeconds
    durationSeconds += other.durationSeconds
    id += other.id
    notes = []
  }
}
