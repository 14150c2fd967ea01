import GRDB
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// A consumer of the event log, with an outlet that fails when it is told to.
@Suite struct OutletTests {
  /// Keeps what it was offered, unless it fails.
  private final class Toy: Outlet {
    let name = "toy"
    var filter = EventFilter()
    /// How often it still fails.
    var failures = 0
    /// Why it fails, and why it does each second time.
    let reason = "nobody is there"
    var otherReason = "nobody is there"
    /// Whether it accepts what it was offered.
    var answers = true
    var offered: [Int] = []
    var lines: [String] = []
    private var last: Int?

    func offer(_ events: [LoggedEvent]) throws(OutletFailure) {
      if failures > 0 {
        failures -= 1
        throw OutletFailure(failures.isMultiple(of: 2) ? otherReason : reason)
      }
      offered += events.map(\.id)
      lines += events.map(\.line)
      last = events.last?.id
    }

    func accepted() throws(OutletFailure) -> Int? {
      guard answers else { return nil }
      defer { last = nil }
      return last
    }
  }

  private let folder = TemporaryFolder()

  private func database() throws -> StateDatabase { try StateDatabase.open(path: folder("state.db")) }

  private func log(_ ids: some Sequence<Int>, type: String = "significant", region: String? = nil) throws {
    var batch = StoreBatch()
    for id in ids {
      let about = region.map { #","region":"\#($0)""# } ?? ""
      batch.events.append(
        StoreBatch.EventRow(
          id: id, type: type, time: UTCTime(microseconds: 0), line: #","id":\#(id)\#(about)}"#))
    }
    _ = try database().store(batch)
  }

  private func at(_ seconds: Double) -> EngineInstant { Drive.instant(seconds) }

  @Test func `a new outlet begins with what comes, in order, with the lines of the log`() throws {
    try log(1...3)
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    #expect(pump.pump(at: at(0)).isEmpty)
    #expect(toy.offered.isEmpty)
    try log([5, 9])
    #expect(pump.pump(at: at(1)).isEmpty)
    #expect(toy.offered == [5, 9])
    #expect(toy.lines == [#"{"v":1,"seq":4,"id":5}"#, #"{"v":1,"seq":5,"id":9}"#])
    #expect(pump.pump(at: at(2)).isEmpty)
    #expect(toy.offered == [5, 9])
  }

  @Test func `what fails is tried again after waits that grow, and said once`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    try log([1])
    toy.failures = 3
    var notes: [String] = []
    var tries: [Double] = []
    for tenth in 0..<200 {
      let before = toy.failures
      notes += pump.pump(at: at(Double(tenth) / 10))
      if toy.failures != before { tries.append(Double(tenth) / 10) }
    }
    #expect(tries == [0, 1, 3])
    #expect(toy.offered == [1])
    #expect(
      notes == [
        "outlet toy: nobody is there; it is tried again", "outlet toy: events are accepted again",
      ])
  }

  @Test func `each reason is said once, until it accepts events again`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    toy.otherReason = "it is not who it says"
    var notes: [String] = []
    for round in 0..<2 {
      try log([1 + round])
      toy.failures = 6
      for second in 0..<100 { notes += pump.pump(at: at(Double(100 * round + second))) }
    }
    #expect(
      Array(notes.prefix(3)) == [
        "outlet toy: nobody is there; it is tried again",
        "outlet toy: it is not who it says; it is tried again", "outlet toy: events are accepted again",
      ])
    #expect(notes.count == 6 && notes.prefix(3) == notes.suffix(3), "\(notes)")
  }

  @Test func `the longest wait is bounded`() throws {
    let toy = Toy()
    var limits = OutletPump.Limits()
    limits.longestRetrySeconds = 4
    var pump = try OutletPump(toy, try database(), limits: limits)
    try log([1])
    toy.failures = 50
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<8 {
      _ = pump.pump(at: at(now))
      let next = try #require(pump.retryAt)
      waits.append(at(now).seconds(to: next))
      now += waits[waits.count - 1]
    }
    #expect(waits == [1, 2, 4, 4, 4, 4, 4, 4])
  }

  @Test func `the cursor outlives the process, and what was not accepted comes again`() throws {
    let first = Toy()
    var pump = try OutletPump(first, try database())
    try log([1, 2])
    _ = pump.pump(at: at(0))
    try log([3, 4])
    first.answers = false
    _ = pump.pump(at: at(1))
    #expect(first.offered == [1, 2, 3, 4])
    #expect(pump.cursor == 2)
    // As after a kill: nothing but the file is left.
    let second = Toy()
    var next = try OutletPump(second, try database())
    #expect(next.cursor == 2)
    _ = next.pump(at: at(2))
    #expect(second.offered == [3, 4])
    #expect(try database().outletProgress("toy")?.cursor == 4)
  }

  @Test func `while it sends it is offered nothing`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    toy.answers = false
    try log([1])
    _ = pump.pump(at: at(0))
    try log([2])
    _ = pump.pump(at: at(1))
    #expect(toy.offered == [1])
    toy.answers = true
    _ = pump.pump(at: at(2))
    #expect(toy.offered == [1, 2])
  }

  @Test func `of more than may wait the oldest are skipped, counted and told`() throws {
    let toy = Toy()
    var limits = OutletPump.Limits()
    limits.waitingEvents = 5
    limits.offeredEvents = 2
    var pump = try OutletPump(toy, try database(), limits: limits)
    try log(1...12)
    #expect(
      pump.pump(at: at(0)) == ["outlet toy: 7 events were skipped, because more than 5 waited"])
    #expect(toy.offered == [8, 9, 10, 11, 12])
    let skipped = try database().read { try Int.fetchOne($0, sql: "SELECT skipped FROM outlets") }
    #expect(skipped == 7)
    try log(13...17)
    #expect(pump.pump(at: at(1)).isEmpty)
    #expect(toy.offered == Array(8...17))
  }

  /// There is always something on its way to it.
  @Test func `the bound also holds for an outlet that is slow`() throws {
    let toy = Toy()
    var limits = OutletPump.Limits()
    limits.waitingEvents = 5
    var pump = try OutletPump(toy, try database(), limits: limits)
    toy.answers = false
    try log(1...3)
    #expect(pump.pump(at: at(0), newest: 3).isEmpty)
    try log(4...2_000)
    #expect(pump.pump(at: at(1), newest: 2_000).isEmpty)
    toy.answers = true
    let notes = pump.pump(at: at(2), newest: 2_000)
    #expect(notes == ["outlet toy: 1992 events were skipped, because more than 5 waited"])
    #expect(toy.offered == [1, 2, 3] + Array(1_996...2_000))
  }

  @Test func `what it accepts while the daemon ends is not sent again`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    toy.answers = false
    try log(1...3)
    #expect(pump.pump(at: at(0)).isEmpty)
    try log(4...6)
    pump.beginStop()
    pump.settle(at: at(1))
    #expect(!pump.hasSettled && pump.cursor == 0)
    toy.answers = true
    pump.settle(at: at(2))
    #expect(pump.hasSettled && toy.offered == [1, 2, 3])
    #expect(try OutletPump(toy, try database()).cursor == 3)
  }

  @Test func `what an outlet does not want neither pushes out what waits for it, nor is kept for it`() throws
  {
    var settings = OutletSettings(name: "toy", kind: .webhook, instance: "00ff")
    settings.types = ["region.enter"]
    settings.regions = ["home"]
    try database().put(settings, replacing: false)
    let toy = Toy()
    toy.filter = EventFilter(types: ["region.enter"], regions: ["home"])
    var limits = OutletPump.Limits()
    limits.waitingEvents = 2
    var pump = try OutletPump(toy, try database(), limits: limits)
    try log([1], type: "region.enter", region: "home")
    try log(2...18)
    try log([19], type: "region.enter", region: "office")
    try log([20], type: "region.exit", region: "home")
    toy.failures = 1
    #expect(pump.pump(at: at(0)) == ["outlet toy: nobody is there; it is tried again"])
    let state = try #require(try database().outletStates().first)
    #expect(state.waiting == 1 && state.skipped == 0, "\(state)")
    var retention = Retention()
    retention.eventRows = 1
    _ = try database().store(
      snapshotOf: Engine(), at: at(0), keeping: retention, utc: UTCTime(microseconds: 0))
    // What it waits for, and the newest.
    #expect(try database().counts().events == 2)
    #expect(pump.pump(at: at(1)) == ["outlet toy: events are accepted again"])
    #expect(toy.offered == [1])
    try log(21...25, type: "region.enter", region: "home")
    try log(26...30)
    #expect(
      pump.pump(at: at(2)) == ["outlet toy: 3 events were skipped, because more than 2 waited"])
    #expect(toy.offered == [1, 24, 25])
    #expect(try database().outletStates().first?.skipped == 3)
  }

  @Test func `what came of a region before it was renamed is still wanted`() throws {
    var settings = OutletSettings(name: "toy", kind: .webhook, instance: "00ff")
    settings.regions = ["home"]
    settings.formerRegions = [FormerRegion(id: "house", through: 2)]
    try database().put(settings, replacing: false)
    let toy = Toy()
    toy.filter = EventFilter(regions: ["home"], formerRegions: settings.formerRegions ?? [])
    var pump = try OutletPump(toy, try database())
    for id in 1...3 { try log([id], type: "region.enter", region: id == 1 ? "office" : "house") }
    try log([4], type: "region.enter", region: "home")
    toy.failures = 1
    #expect(pump.pump(at: at(0)).count == 1)
    #expect(try database().outletStates().first?.waiting == 2)
    _ = pump.pump(at: at(1))
    #expect(toy.offered == [2, 4])
  }

  @Test func `an outlet that is gone is forgotten, and one that is there keeps its events`() throws {
    let toy = Toy()
    var pump = try OutletPump(toy, try database())
    toy.failures = 2
    try log(1...10)
    #expect(pump.pump(at: at(0)).count == 1)
    #expect(pump.nextDeadline == at(1))
    var retention = Retention()
    retention.eventRows = 1
    func discard() throws {
      _ = try database().store(
        snapshotOf: Engine(), at: at(0), keeping: retention, utc: UTCTime(microseconds: 0))
    }
    try discard()
    #expect(try database().counts().events == 10)
    try database().forgetOutlets(except: [])
    #expect(try database().outletProgress("toy")?.cursor == nil)
    try discard()
    #expect(try database().counts().events == 1)
  }

  @Test func `a filter chooses by type and region, and the cursor passes over the rest`() throws {
    let toy = Toy()
    toy.filter = EventFilter(types: ["region.enter"], regions: ["home"])
    var pump = try OutletPump(toy, try database())
    try log([1], type: "region.enter", region: "home")
    try log([2], type: "region.enter", region: "office")
    try log([3], type: "region.exit", region: "home")
    try log([4])
    try log([5], type: "region.enter", region: "home")
    try log([6])
    _ = pump.pump(at: at(0))
    #expect(toy.offered == [1, 5])
    #expect(pump.cursor == 6)
  }
}

/// What toys leave out.
extension Outlet {
  var limits: OutletPump.Limits { OutletPump.Limits() }
  var readable: Int32 { -1 }
  var writable: Int32 { -1 }
  var hasEnded: Bool { true }
  mutating func hasLeft() -> Bool { false }
  mutating func reap() {}
  mutating func rest(isFailure: Bool) {}
  mutating func close() {}
  mutating func tend() throws(OutletFailure) {}
  mutating func takeConnection() -> Bool { false }
  var wantsScene: Bool { false }
  mutating func noteRegions() {}
  mutating func take(_ scene: OwnTracksOutlet.Scene) {}
  var hasRequests: Bool { false }
  mutating func takeRequests() -> [OutletRequest] { [] }
  mutating func noteTaken(_ number: Int) {}
  mutating func noteStored() {}
  mutating func say(_ line: JSONTree) {}
}
