import Foundation

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// One record of each type with everything it can have, as it is written.
struct WireSample: CustomStringConvertible, Sendable {
  var type: String
  var keys: Set<String>

  var description: String { type }

  /// The table that describes it; several types may share one.
  var heading: String {
    switch type {
    case "region.enter", "region.exit", "region.dwell", "region.cross": "region.enter"
    case "visit.arrive", "visit.depart", "visit.provisional": "visit.arrive"
    case "paused", "resumed": "paused"
    default: type
    }
  }

  static let all: [WireSample] = bodies.map { WireSample(Record(id: 7, time: time, body: $0)) } + [summary]

  private init(_ record: Record) {
    var encoder = RecordEncoder(format: .ndjson, track: "t.gpx")
    self.init(line: encoder.encode(record) ?? [])
  }

  private init(line: [UInt8]) {
    let bytes = Array("{\"v\":1,\"seq\":1".utf8) + line
    let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
    type = object["type"] as? String ?? ""
    keys = Set(object.keys)
  }

  private static let time = UTCTime(microseconds: 1_777_615_200_000_000)
  private static let instant = EngineInstant(microseconds: 1_777_615_200_000_000)
  private static let place = Coordinate(latitude: 48, longitude: 11)!
  private static let accuracy = Accuracy(radiusMeters: 5, source: .reported)
  private static let fix = Fix(
    time: time, instant: instant, coordinate: place, accuracy: accuracy, speedMetersPerSecond: 1,
    courseDegrees: 1)

  static let bodies: [Record.Body] = {
    let report = FixReport(time: time, latitude: 48, longitude: 11, accuracy: accuracy)
    let change = SignificantChange.Change(
      fix: fix, instant: instant, previous: fix, movedMeters: 1, sinceSeconds: 1, suppressed: 1,
      reason: .moved)
    var inputs = Decision.Inputs()
    inputs.authorization = .always
    let decision = Decision(
      subscriber: "a", action: .wake, rule: .significantChange, before: .suspended, after: .background,
      event: 1, reason: .suspended, task: 1, inputs: inputs)
    let entry = PowerLedger.Entry(
      component: .wake, subscriber: "a", rule: .significantChange, joules: 1, seconds: 1)
    return [
      .significant(change), region(.enter), region(.exit), region(.dwell), region(.cross),
      region(.state(.inside)), visit(.provisional), visit(.arrive), visit(.depart),
      visit(.depart, departed: nil),
      .gap(seconds: 1, .silence), .fixAccepted(fix, [verdict]), .fixRejected(.speed, report),
      .source(.found(name: "a")), .source(.switched(to: "a")), .source(.stale(.lost, seconds: 1)),
      .source(.dropped(reports: 1, seconds: 1)),
      .decision(decision),
      .subscriberState(StateMove(subscriber: "a", before: .active, after: .notRunning, cause: .exit)),
      .location(LocationUpdate(fix, .update)),
      .pause(PauseEvent(subscriber: "a", pauses: true, reason: .resting)),
      .pause(PauseEvent(subscriber: "a", pauses: false, reason: .moved)),
      .advice(Advice(subscriber: "a", rule: .standard, cheaper: .significantChange, updates: 1, joules: 1)),
      .power(entry), .receiver(.off(seconds: 60, .rest)), .refused(what: "a", reason: "b"),
    ]
  }()

  /// Names every kind of body, so that a new one does not compile until it has a sample above.
  static func isSampled(_ body: Record.Body) -> Bool {
    switch body {
    case .significant, .region, .visit, .location, .pause, .gap, .source, .fixAccepted, .fixRejected,
      .decision,
      .subscriberState, .power, .advice, .receiver, .refused:
      true
    }
  }

  private static func region(_ kind: RegionEvent.Kind) -> Record.Body {
    .region(
      RegionEvent(
        kind: kind, region: "home", visit: 1, instant: instant, coordinate: place, accuracy: accuracy,
        edgeMeters: 1, confidence: 1, reason: .clear, insideSeconds: kind == .exit ? 1 : nil,
        passage: kind == .cross ? RegionEvent.Passage(entered: instant, left: instant) : nil))
  }

  private static let verdict = RegionVerdict(
    region: "home", before: .outside, after: .outside, edgeMeters: 1, sigmaMeters: 1, probabilityInside: 0,
    clearMeters: 1, heldMeters: 1, clearFixes: 0, heldSeconds: 0, reason: .agrees)

  private static func visit(_ kind: VisitEvent.Kind, departed: UTCTime? = time) -> Record.Body {
    .visit(
      VisitEvent(
        kind: kind, visit: 1, instant: instant, coordinate: place, radiusMeters: 1, arrived: time,
        departed: departed, seen: time, reason: .stayed))
  }

  private static let summary: WireSample = {
    var engine = Engine()
    var effects: [Effect] = []
    let report = FixReport(time: time, latitude: 48, longitude: 11, accuracy: accuracy)
    engine.handle(Stamped(at: instant, .fix(report)), into: &effects)
    var encoder = RecordEncoder(format: .ndjson, track: "t.gpx")
    return WireSample(line: encoder.encode(Summary(of: engine, notes: ["gzip"])) ?? [])
  }()
}
