import LocationCore
import LocationFormats
import TestSupport

@testable import LocationRuntime

/// The faults of the disk, and how the daemon comes back.
extension Simulation {
  mutating func toggleDisk() {
    isFull.toggle()
    if isFull { counts.fullDisks += 1 }
    if isNoted { note(isFull ? "the disk is full" : "the disk has room") }
    disk.limit(bytes: isFull ? Int.random(in: 0...20_000, using: &random) : nil)
  }

  /// The daemon ends at one of the next writes, wherever that is, or a few steps on.
  mutating func endSoon(isLossOfPower: Bool) {
    guard end == nil else { return }
    end = End(isLossOfPower: isLossOfPower, steps: Int.random(in: 0...6, using: &random))
    if random.chance(0.8) { disk.stop(afterWrites: Int.random(in: 1...60, using: &random)) }
  }

  /// Begins a daemon on what is left of the disk. Its programs, orders and reports are gone with the one before.
  mutating func restart() throws {
    let isLossOfPower = end?.isLossOfPower ?? false
    if isLossOfPower { counts.powerLosses += 1 } else { counts.kills += 1 }
    if isNoted { note(isLossOfPower ? "loss of power" : "kill") }
    end = nil
    orders = []
    reports = []
    for name in programs.keys { programs[name] = Program() }
    isFull = false
    try open(powerSeed: isLossOfPower ? random.next() : nil)
    try promises.checkRestart(database, host.engine, keepsAll: retention == Retention())
    try addSubscribers()
    for view in host.engine.subscribers where view.state != .notRunning {
      try host.handle(.subscriber(name: view.subscriber.name, .orphaned), at: reading)
    }
    try host.applyRegions(nil, of: database, at: reading)
  }

  /// Opens what is left. Now and then the daemon ends while it starts, or the disk is full then.
  private mutating func open(powerSeed: UInt64?) throws {
    disk = disk.left(powerSeed: powerSeed)
    switch random.unit() {
    case ..<0.1: disk.stop(afterWrites: Int.random(in: 1...10, using: &random))
    case ..<0.15: disk.limit(bytes: 0)
    default: break
    }
    do {
      try begin()
    } catch let failure as Failure where failure.code == .io || failure.code == .cantCreate {
      if isNoted { note("ended as it started: \(failure.what)") }
      disk = disk.left(powerSeed: powerSeed == nil ? nil : random.next())
      try begin()
    }
    if disk.isStopped { end = End(isLossOfPower: powerSeed != nil, steps: 0) }
  }
}
