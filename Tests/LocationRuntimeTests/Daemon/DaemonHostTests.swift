import LocationFormats
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// What the daemon's engine is told beside what programs and receivers say.
@Suite struct DaemonHostTests {
  private let folder = TemporaryFolder()

  private func reading(_ second: Double) -> ClockReading {
    let utc = UTCTime(microseconds: 1_777_000_000_000_000 + Int64(second * 1_000_000))
    return ClockReading(instant: EngineInstant(microseconds: utc.microseconds), utc: utc)
  }

  /// A program that watches a region far away, and a device that rests for some seconds.
  private func host(_ configuration: EngineConfiguration, restsFor seconds: Int = 20) throws -> DaemonHost {
    let database = try StateDatabase.open(path: folder("s.db"))
    _ = try database.put(
      [try StateDatabaseTests.file(StateDatabaseTests.feature("home", radius: 150))], changing: true)
    var host = try DaemonHost(
      database, configuration: configuration, retention: Retention(), timing: .clock)
    try host.handle(.addSubscriber(Subscriber(name: "a", services: .regions), .notRunning), at: reading(0))
    for second in 0..<seconds {
      let report = FixReport(
        time: reading(Double(second)).utc, latitude: 48.9, longitude: 11.5,
        accuracy: Accuracy(radiusMeters: 5, source: .reported))
      try host.handle(.fix(report), at: reading(Double(second)))
    }
    try host.commit(at: reading(Double(seconds)))
    return host
  }

  @Test func `what changes of regions before the first fix gives time counts`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    var host = try DaemonHost(
      database, configuration: EngineConfiguration(), retention: Retention(), timing: .fixes)
    func put(_ id: String, _ radius: Int) throws {
      _ = try database.put(
        [try StateDatabaseTests.file(StateDatabaseTests.feature(id, radius: radius))], changing: true)
      try host.applyRegions([id], of: database, at: reading(0))
    }
    func remove(_ id: String) throws {
      _ = try database.remove(.ids([id]))
      try host.applyRegions([id], of: database, at: reading(0))
    }
    try put("gone", 100)
    try remove("gone")
    try put("back", 100)
    try remove("back")
    try put("back", 200)
    try put("moved", 100)
    try put("moved", 300)
    try host.applyRegions(nil, of: database, at: reading(0))
    #expect(host.regionCount == 2)
    try host.handle(
      .fix(
        FixReport(
          time: reading(0).utc, latitude: 48, longitude: 11,
          accuracy: Accuracy(radiusMeters: 5, source: .reported))), at: reading(0))
    try host.commit(at: reading(0))
    #expect(host.engine.regionIDs.sorted() == ["back", "moved"])
    for (id, radius) in [("back", 200), ("moved", 300)] {
      #expect(host.engine.region(id) == (try database.storedRegions(.ids([id])).first?.region), "\(radius)")
    }
  }

  @Test func `while the machine sleeps it is neither awake nor receives`() throws {
    var configuration = EngineConfiguration()
    configuration.profile = try #require(PowerProfile.builtIn.first { $0.name == "pinephone" })
    var host = try host(configuration)
    try host.bookSleep(of: 7_200, at: reading(7_220))
    try host.handle(.time, at: reading(7_225))
    let seconds = Dictionary(
      grouping: host.engine.ledger.settled(at: host.engine.instant).entries, by: \.component
    ).mapValues { $0.reduce(0) { $0 + $1.seconds } }
    let receiving = [.receiverTracking, .receiverAcquiring].reduce(0.0) { $0 + (seconds[$1] ?? 0) }
    #expect(20...40 ~= receiving, "\(seconds)")
    #expect(15...40 ~= seconds[.machineAwake] ?? 0, "\(seconds)")
  }

  @Test func `a receiver that is gone does not search because the machine slept`() throws {
    var configuration = EngineConfiguration()
    configuration.profile = try #require(PowerProfile.builtIn.first { $0.name == "pinephone" })
    var host = try host(configuration)
    try host.handle(.source(.stale(.noDevice, seconds: 0)), at: reading(25))
    try host.bookSleep(of: 100, at: reading(200))
    try host.handle(.time, at: reading(5_000))
    let acquiring = host.engine.ledger.settled(at: host.engine.instant).entries.filter {
      $0.component == .receiverAcquiring
    }
    #expect(acquiring.reduce(0) { $0 + $1.seconds } < 30)
  }

  @Test(arguments: [false, true])
  func `what is booked has the prices of the profile in force`(isStart: Bool) throws {
    var configuration = EngineConfiguration()
    configuration.profile = try #require(PowerProfile.builtIn.first { $0.name == "pinephone" })
    var host = try host(configuration)
    let database = try StateDatabase.open(path: folder("s.db"))
    configuration.profile = try #require(PowerProfile.builtIn.first { $0.name == "rpi4-ublox-m8" })
    if isStart {
      host = try DaemonHost(
        database, configuration: configuration, retention: Retention(), timing: .clock)
    } else {
      try host.change(to: configuration, at: reading(20))
    }
    let booked = try database.energy()
    let joules = host.engine.ledger.settled(at: host.engine.instant).joules
    #expect(abs(booked.reduce(0) { $0 + $1.joules } - joules) < 1e-6 && joules > 1, "\(booked)")
    #expect(booked.allSatisfy { $0.joules >= 0 })
  }

  @Test(arguments: [false, true])
  func `other numbers of sampling count for a pause that is under way`(isStart: Bool) throws {
    var configuration = EngineConfiguration()
    configuration.sampling.mode = .adaptive
    var host = try host(configuration)
    let before = try #require(host.engine.receiver.dueAt)
    #expect(before > reading(400).instant)
    configuration.sampling.longestSeconds = 60
    if isStart {
      let database = try StateDatabase.open(path: folder("s.db"))
      host = try DaemonHost(
        database, configuration: configuration, retention: Retention(), timing: .clock)
    } else {
      try host.change(to: configuration, at: reading(30))
    }
    try host.handle(.machine(.lowPower(false)), at: reading(30))
    let receiver = host.engine.receiver
    #expect(receiver.isOn || receiver.dueAt.map { $0 <= reading(80).instant } ?? false)
  }
}
