import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite struct ExactCodingTests {
  /// Something of every kind that can be encoded.
  private struct Everything: Codable, Equatable {
    var text = "a \"b\" \\ \n\u{1} ü 日本"
    var flag = true
    var doubles = [
      0.0, -0.0, 0.1, 1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
    ]
    var float: Float = 0.1
    var bytes: [UInt8] = [0, 255]
    var extremes: [Int64] = [.min, .max]
    var huge = UInt64.max
    var nothing: Int?
    var something: Int? = 3
    var nested: [[Double]] = [[], [1, 2]]
    var empty: [String: Int] = [:]
    var one = ["k\"ey": 1]
    var mode: FixMode = .threeD
    var event: SubscriberEvent = .acknowledged(event: 3, coreSeconds: 0.25)
  }

  private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    let text = try ExactEncoder.tree(of: value).text
    var reader = JSONReader(Array(text.utf8))
    let tree = try LocationFormats.JSONTree(&reader)
    try reader.end()
    #expect(tree.text == text)
    return try ExactDecoder.value(Value.self, of: tree)
  }

  @Test func `everything comes back as it was`() throws {
    let back = try roundTrip(Everything())
    #expect(back == Everything())
    #expect(back.doubles.map(\.bitPattern) == Everything().doubles.map(\.bitPattern))
    #expect(try roundTrip([Double.nan]).first?.isNaN == true)
  }

  @Test func `any double comes back bit for bit`() throws {
    var random = SeededRandom(1)
    let values = (0..<2_000).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
    #expect(try roundTrip(values).map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test func `an engine's configuration and its snapshot come back as they were`() throws {
    var drive = Drive()
    drive.add(0, .addRegion(Region(id: "a", shape: .circle(center: Drive.origin, radiusMeters: 50))))
    drive.add(0, .addSubscriber(Subscriber(name: "s"), .suspended))
    for second in 0..<60 { drive.fix(Double(second) * 10, east: Double(second) * 40) }
    var engine = Engine()
    var effects: [Effect] = []
    for event in drive.events { engine.handle(event, into: &effects) }
    #expect(try roundTrip(EngineConfiguration()) == EngineConfiguration())
    let tree = try SnapshotFormat.tree(of: engine.snapshot)
    #expect(try SnapshotFormat.snapshot(of: tree, configuration: engine.configuration) == engine.snapshot)
  }

  @Test func `a value of another kind is refused`() throws {
    for (json, type) in [("\"x\"", "number"), ("1.5", "whole"), ("300", "range"), ("{}", "array")] {
      var reader = JSONReader(Array(json.utf8))
      let tree = try LocationFormats.JSONTree(&reader)
      #expect(throws: (any Error).self, "\(type)") { try ExactDecoder.value(UInt8.self, of: tree) }
    }
  }

  @Test func `what lies over something else changes what it names`() throws {
    func tree(_ json: String) throws -> LocationFormats.JSONTree {
      var reader = JSONReader(Array(json.utf8))
      return try LocationFormats.JSONTree(&reader)
    }
    let over = try tree(#"{"a":{"x":2},"c":[1]}"#).over(tree(#"{"a":{"x":1,"y":1},"b":1,"c":[2,3]}"#))
    #expect(over.text == #"{"a":{"x":2,"y":1},"b":1,"c":[1]}"#)
  }
}
