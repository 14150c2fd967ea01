import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// What a replay of a recording answers when a part of it is replaced.
@Suite struct RecordingReplayTests {
  private static let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 200))
  private static let subscriber = Subscriber(name: "app")
  private let folder = TemporaryFolder()
  private var path: String { folder("a.journal") }

  /// Records a stay at home and a drive away, with a program that acknowledges each event as soon as it has it.
  ///
  /// - Parameter fromSnapshot: whether region and program are in a snapshot, as of a daemon that had them before.
  private func record(fromSnapshot: Bool) throws {
    var engine = Engine(configuration: EngineConfiguration())
    var effects: [Effect] = []
    let begin = [
      Stamped(at: Drive.instant(0), .addRegion(Self.home)),
      Stamped(at: Drive.instant(0), .addSubscriber(Self.subscriber, .notRunning)),
    ]
    if fromSnapshot { for event in begin { engine.handle(event, into: &effects) } }
    let writer = try JournalWriter(
      path: path, configuration: engine.configuration, snapshot: fromSnapshot ? engine.snapshot : nil)
    func take(_ stamped: Stamped) throws {
      engine.handle(stamped, into: &effects)
      try writer.append(stamped)
    }
    if !fromSnapshot { for event in begin { try take(event) } }
    for second in 1...300 {
      let at = Drive.instant(Double(second))
      try take(Stamped(at: at, .fix(Drive.report(Double(second), east: Double(max(0, second - 120)) * 20))))
      while !effects.isEmpty {
        let taken = effects
        effects = []
        for case .perform(.deliver(let name, let event, _)) in taken {
          try take(
            Stamped(at: at, .subscriber(name: name, .acknowledged(event: event, coreSeconds: 0.01))))
        }
      }
    }
    try writer.flush()
  }

  private func replay(_ adjust: (inout ReplayRequest) -> Void = { _ in }) async throws -> String {
    var request = ReplayRequest()
    request.format = .ndjson
    request.keepsRecordedConfiguration = true
    request.hasDefaultSubscribers = true
    request.subscribers = [Subscriber(name: "replay")]
    adjust(&request)
    let (text, code) = try await ReplayTests.replay([path], request)
    #expect(code == nil)
    return text
  }

  /// Types and actions that are told, but for the energy and the summary.
  private static func told(_ text: String) -> [String] {
    text.split(separator: "\n").dropLast().compactMap { line in
      guard let tree = try? LocationFormats.JSONTree(Array(line.utf8)) else { return nil }
      let type = tree["action"]?.string ?? tree["type"]?.string
      return type == "power" ? nil : type
    }
  }

  private static func regionEvents(_ text: String) -> [String] {
    told(text).filter { $0.hasPrefix("region.") }
  }

  @Test(arguments: [false, true])
  func `what replaces a part of a recording leaves the others`(fromSnapshot: Bool) async throws {
    try record(fromSnapshot: fromSnapshot)
    let asRecorded = try await replay()
    let expected = Self.regionEvents(asRecorded)
    #expect(expected.contains("region.exit"))

    let phone = try #require(PowerProfile.builtIn(named: "pinephone"))
    let profiles = try await replay {
      $0.hasOwnProfile = true
      $0.configuration.profile = phone
    }
    #expect(Self.told(profiles) == Self.told(asRecorded))
    #expect(profiles.contains("\"profile\":\"pinephone\""))

    let others = try await replay {
      $0.hasDefaultSubscribers = false
      $0.subscribers = [Subscriber(name: "other")]
    }
    #expect(Self.regionEvents(others) == expected)
    #expect(!others.contains("\"subscriber\":\"app\""))

    let nobody = try await replay {
      $0.hasDefaultSubscribers = false
      $0.subscribers = []
    }
    #expect(nobody == asRecorded)

    let work = try await replay {
      $0.regions = [Region(id: "work", shape: .circle(center: Drive.origin, radiusMeters: 100))]
    }
    #expect(Self.regionEvents(work) == expected)
    #expect(!work.contains("\"region\":\"home\"") && work.contains("\"subscriber\":\"app\""))
  }

  /// The recorded acknowledgments name events of the recording: with others no program may be taken to hang.
  @Test(arguments: [false, true])
  func `programs answer what other settings lead to`(fromSnapshot: Bool) async throws {
    try record(fromSnapshot: fromSnapshot)
    let requests: [(inout ReplayRequest) -> Void] = [
      { $0.regions = [Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100))] },
      {
        $0.keepsRecordedConfiguration = false
        $0.configuration.significant.distanceMeters = 300
        $0.configuration.significant.windowSeconds = 60
      },
      { $0.from = UTCTime(microseconds: Drive.instant(60).microseconds) },
      { $0.to = UTCTime(microseconds: Drive.instant(200).microseconds) },
    ]
    for request in requests {
      let text = try await replay(request)
      let told = Self.told(text)
      #expect(
        told.contains("relaunch") && !told.contains("terminate") && !told.contains("throttle"), "\(told)")
      #expect(text.contains("the recorded programs are modelled"))
    }
    #expect(try await !replay().contains("modelled,"))
  }

  @Test func `what happened before the snapshot is not counted again`() async throws {
    let first = folder("first.journal")
    let second = folder("second.journal")
    var engine = Engine(configuration: EngineConfiguration())
    var effects: [Effect] = []
    var writer = try JournalWriter(path: first, configuration: engine.configuration)
    for number in 0..<200 {
      if number == 100 {
        try writer.flush()
        writer = try JournalWriter(
          path: second, configuration: engine.configuration, snapshot: engine.snapshot)
      }
      let report = Drive.report(Double(number), east: 10 * Double(number))
      let stamped = Stamped(at: Drive.instant(Double(number)), .fix(report))
      engine.handle(stamped, into: &effects)
      try writer.append(stamped)
    }
    try writer.flush()
    var request = ReplayRequest()
    request.format = .ndjson
    request.keepsRecordedConfiguration = true
    var joules = 0.0
    for path in [first, second] {
      let (text, _) = try await ReplayTests.replay([path], request)
      let summary = try JSONTree(Array(try #require(text.split(separator: "\n").last).utf8))
      #expect(summary["fixes"]?.integer == 100)
      #expect(summary["duration_s"]?.double == 99)
      joules += try #require(summary["energy_j"]?.double)
    }
    engine.handle(Stamped(at: engine.instant, .end), into: &effects)
    #expect(abs(joules - engine.ledger.joules) < 0.1)
  }

  @Test func `nothing is told of what comes after the part`() async throws {
    try record(fromSnapshot: false)
    let end = UTCTime(microseconds: Drive.instant(100).microseconds)
    let text = try await replay { $0.to = end }
    for line in text.split(separator: "\n") {
      let time = try JSONTree(Array(line.utf8))["time"]?.string.flatMap { UTCTime(rfc3339: $0) }
      #expect(try #require(time) <= end, "\(line)")
    }
    #expect(!text.contains("region.exit"))
  }
}
