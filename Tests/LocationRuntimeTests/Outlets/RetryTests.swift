import GRDB
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// When an outlet is tried again, and when no more.
@Suite struct RetryTests {
  /// Fails as it is told to, and accepts as far as it is told to.
  private final class Toy: Outlet {
    let name = "toy"
    let filter = EventFilter()
    var limits: OutletPump.Limits {
      var limits = OutletPump.Limits()
      limits.retrySteps = [5, 300, 1_800]
      return limits
    }
    var failure: OutletFailure?
    var offered: [[Int]] = []
    /// What it says next of how far it has come.
    var progress: [Int] = []
    var isGone = false
    var rests = 0
    var reaps = 0
    var hasConnected = false

    func takeConnection() -> Bool {
      defer { hasConnected = false }
      return hasConnected
    }
    func offer(_ events: [LoggedEvent]) throws(OutletFailure) {
      offered.append(events.map(\.id))
      if let failure { throw failure }
    }
    func accepted() throws(OutletFailure) -> Int? {
      if !progress.isEmpty { return progress.removeFirst() }
      if let failure { throw failure }
      return nil
    }
    func hasLeft() -> Bool { isGone }
    func rest(isFailure: Bool) { rests += 1 }
    func reap() { reaps += 1 }
  }

  private let folder = TemporaryFolder()

  private func database() throws -> StateDatabase { try StateDatabase.open(path: folder("state.db")) }

  private func log(_ ids: some Sequence<Int>) throws {
    var batch = StoreBatch()
    for id in ids {
      batch.events.append(
        StoreBatch.EventRow(
          id: id, type: "significant", time: UTCTime(microseconds: 0), line: #","id":\#(id)}"#))
    }
    _ = try database().store(batch)
  }

  private func at(_ seconds: Double) -> EngineInstant { Drive.instant(seconds) }

  /// The wait after the failure that the pump has just had; nil where it is not tried again.
  private func wait(_ pump: OutletPump, after now: Double) -> Double? {
    pump.retryAt.map { at(now).seconds(to: $0) }
  }

  @Test func `after the last of its waits an outlet is disabled, across restarts, until it is enabled`()
    throws
  {
    let toy = Toy()
    toy.failure = OutletFailure("HTTP 500")
    var pump = try OutletPump(toy, try database())
    try log([1])
    var waits: [Double?] = []
    var now = 0.0
    var notes: [String] = []
    for _ in 0..<2 {
      notes += pump.pump(at: at(now))
      waits.append(wait(pump, after: now))
      now += 10_000
    }
    // What was counted outlives the process. The attempt at a start is not one of the schedule.
    pump = try OutletPump(toy, try database())
    for _ in 0..<3 {
      notes += pump.pump(at: at(now))
      waits.append(wait(pump, after: now))
      now += 10_000
    }
    #expect(waits == [5, 300, 300, 1_800, nil])
    #expect(pump.isDisabled)
    #expect(notes.last?.contains("it is disabled until locwatch outlets enable toy") == true)
    let offers = toy.offered.count
    pump = try OutletPump(toy, try database())
    #expect(pump.pump(at: at(now)).isEmpty)
    #expect(toy.offered.count == offers)
    toy.failure = nil
    toy.progress = [1]
    #expect(try database().enableOutlet("toy"))
    pump = try OutletPump(toy, try database())
    #expect(pump.pump(at: at(now)).isEmpty)
    #expect(pump.cursor == 1)
  }

  /// Its process ends a moment after it was told to, and wakes the daemon until that is noted.
  @Test func `the end of its process is noted while an outlet waits`() throws {
    let toy = Toy()
    toy.failure = OutletFailure("HTTP 500")
    var pump = try OutletPump(toy, try database())
    try log([1])
    _ = pump.pump(at: at(0))
    #expect(toy.rests == 1 && toy.reaps == 0)
    _ = pump.pump(at: at(0.1))
    #expect(toy.rests == 1 && toy.reaps == 1)
  }

  @Test func `an attempt without a network does not count, and a wait that is asked for is kept`() throws {
    let toy = Toy()
    toy.failure = OutletFailure("no network")
    toy.failure?.isCounted = false
    var pump = try OutletPump(toy, try database())
    try log([1])
    var now = 0.0
    let expected: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    for seconds in expected {
      _ = pump.pump(at: at(now))
      #expect(wait(pump, after: now) == seconds)
      now += seconds
    }
    #expect(try database().outletProgress("toy")?.attempts == 0)
    toy.failure = OutletFailure("HTTP 429")
    toy.failure?.waitSeconds = 77
    _ = pump.pump(at: at(now))
    #expect(wait(pump, after: now) == 77)
    toy.failure = OutletFailure("HTTP 410")
    toy.failure?.isFinal = true
    _ = pump.pump(at: at(now + 77))
    #expect(pump.isDisabled)
  }

  @Test func `what went wrong is forgotten with the first success, also by the next daemon`() throws {
    let toy = Toy()
    toy.failure = OutletFailure("no network")
    toy.failure?.isCounted = false
    var pump = try OutletPump(toy, try database())
    try log([1])
    _ = pump.pump(at: at(0))
    #expect(try database().outletProgress("toy")?.isTroubled == true)
    toy.failure = nil
    toy.progress = [1]
    pump = try OutletPump(toy, try database())
    _ = pump.pump(at: at(1))
    #expect(try database().outletProgress("toy")?.isTroubled == false)
    // A connection says as much, though there is nothing to send; the next wait is as long all the same.
    try log([2])
    for seconds in [1.0, 2, 4] {
      toy.failure = OutletFailure("broken")
      toy.failure?.isCounted = false
      _ = pump.pump(at: at(100 * seconds))
      #expect(wait(pump, after: 100 * seconds) == seconds)
      #expect(try database().outletProgress("toy")?.isTroubled == true)
      toy.failure = nil
      toy.hasConnected = true
      let told = pump.pump(at: at(100 * seconds + seconds), newest: 1)
      #expect(told == ["outlet toy: it is connected again"])
      #expect(try database().outletProgress("toy")?.isTroubled == false)
    }
  }

  @Test func `a connection is no success where events were sent and none was accepted`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    try log([1])
    for (attempt, told) in [["outlet toy: broken; it is tried again"], [], []].enumerated() {
      toy.hasConnected = true
      #expect(pump.pump(at: at(Double(attempt) * 100)).isEmpty)
      toy.failure = OutletFailure("broken")
      toy.failure?.isCounted = false
      #expect(pump.pump(at: at(Double(attempt) * 100 + 1)) == told)
      toy.failure = nil
      #expect(try database().outletProgress("toy")?.isTroubled == true)
    }
    toy.hasConnected = true
    toy.progress = [1]
    #expect(pump.pump(at: at(400)) == ["outlet toy: events are accepted again"])
    #expect(try database().outletProgress("toy")?.isTroubled == false)
  }

  @Test func `a connection that lasted is as good as a success`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    try log([1])
    var now = 0.0
    for (lasts, seconds) in [(299.0, 1.0), (299, 2), (300, 4), (299, 1), (86_400, 2), (0, 1)] {
      toy.failure = OutletFailure("broken")
      toy.failure?.isCounted = false
      _ = pump.pump(at: at(now))
      #expect(wait(pump, after: now) == seconds)
      toy.failure = nil
      toy.hasConnected = true
      now += seconds
      _ = pump.pump(at: at(now))
      now += lasts
    }
  }

  /// A start makes its first attempt before it is due, so that a failure of it is not counted.
  @Test func `a failure after a connection that lasted counts, also after a start`() throws {
    let toy = Toy()
    toy.failure = OutletFailure("HTTP 500")
    var pump = try OutletPump(toy, try database(), limits: .init())
    try log([1])
    _ = pump.pump(at: at(0))
    toy.failure = nil
    toy.hasConnected = true
    pump = try OutletPump(toy, try database(), limits: .init())
    _ = pump.pump(at: at(1))
    toy.failure = OutletFailure("HTTP 500")
    _ = pump.pump(at: at(400))
    #expect(pump.failures == 1)
    #expect(wait(pump, after: 400) == 1)
  }

  @Test func `what was accepted before a failure is not offered again`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    try log(1...5)
    _ = pump.pump(at: at(0))
    #expect(pump.cursor == 0)
    toy.progress = [2, 3]
    _ = pump.pump(at: at(1))
    #expect(pump.cursor == 3)
    #expect(toy.offered == [[1, 2, 3, 4, 5]])
    toy.failure = OutletFailure("gone")
    _ = pump.pump(at: at(2))
    toy.failure = nil
    toy.progress = [5]
    _ = pump.pump(at: at(7))
    #expect(toy.offered == [[1, 2, 3, 4, 5], [4, 5]])
    #expect(pump.cursor == 5)
    #expect(try database().outletProgress("toy")?.cursor == 5)
  }

  @Test func `what was accepted while the state file is locked is not sent again, and is stored later`()
    throws
  {
    let toy = Toy()
    let database = try database()
    database.setPatience(seconds: 0)
    toy.failure = OutletFailure("no network")
    var pump = try OutletPump(toy, database)
    try log(1...2)
    _ = pump.pump(at: at(0))
    toy.failure = nil
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder("state.db"), configuration: configuration)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    toy.progress = [1]
    #expect(pump.pump(at: at(5)) == ["outlet toy: events are accepted again"])
    toy.progress = [2]
    #expect(pump.pump(at: at(6)).isEmpty)
    #expect(toy.offered == [[1, 2], [1, 2]])
    #expect(toy.rests == 1 && pump.cursor == 2)
    #expect(pump.nextDeadline == at(15))
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try database.outletProgress("toy")?.cursor == 0)
    #expect(pump.pump(at: at(15)).isEmpty)
    let progress = try database.outletProgress("toy")
    #expect(progress?.cursor == 2 && progress?.isTroubled == false)
    #expect(pump.nextDeadline == at(66))
  }

  @Test func `an outlet that does not answer has failed, and one without events rests`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    try log([1])
    _ = pump.pump(at: at(0))
    #expect(pump.nextDeadline == at(120))
    #expect(pump.pump(at: at(120)) == ["outlet toy: no answer for 120 s; it is tried again"])
    #expect(toy.rests == 1)
    toy.progress = [1]
    #expect(pump.pump(at: at(125)) == ["outlet toy: events are accepted again"])
    #expect(pump.nextDeadline == at(185))
    _ = pump.pump(at: at(185))
    #expect(toy.rests == 2)
    #expect(pump.nextDeadline == nil)
  }

  @Test func `an outlet that ends between two events is at rest`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    try log([1])
    toy.isGone = true
    _ = pump.pump(at: at(0))
    toy.isGone = false
    toy.progress = [1]
    #expect(pump.pump(at: at(1)).isEmpty)
    #expect(toy.rests == 1 && pump.nextDeadline == at(61))
    toy.isGone = true
    #expect(pump.pump(at: at(2)).isEmpty)
    #expect(toy.rests == 2 && pump.nextDeadline == nil && pump.failures == 0)
  }

  @Test func `where nothing is new nothing is read`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    try log([1])
    _ = pump.pump(at: at(0), newest: 0)
    #expect(toy.offered.isEmpty)
    _ = pump.pump(at: at(0), newest: 1)
    #expect(toy.offered == [[1]])
  }
}
