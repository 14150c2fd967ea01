import LocationCore

extension Summary {
  /// Adds another track's figures; its notes are its own.
  package mutating func add(_ other: Summary) {
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
