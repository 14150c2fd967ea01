import Foundation

@testable import LocationCore
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
    case "transfer.start", "transfer.wait", "transfer.auth", "transfer.done", "transfer.failed":
      "transfer.start"
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
  private static let accuracy = Accuracy(radiusMeters: 5, source: .reported)

  static let bodies = Record.families.flatMap { $0.samples }

  private static let summary: WireSample = {
    var engine = Engine()
    var effects: [Effect] = []
    let report = FixReport(time: time, latitude: 48, longitude: 11, accuracy: accuracy)
    engine.handle(Stamped(at: instant, .fix(report)), into: &effects)
    var encoder = RecordEncoder(format: .ndjson, track: "t.gpx")
    var summary = Summary(of: engine, notes: ["gzip"])
    summary.calibration = "a meter on a device"
    return WireSample(line: encoder.encode(summary) ?? [])
  }()
}
