import LocationCore
import TestSupport
import Testing

@testable import LocationFormats

/// What a JSON text says, for comparison.
indirect enum PlainJSON: Equatable {
  case object([Member])
  case array([PlainJSON])
  case string(String)
  case number(Double)
  case boolean(Bool)
  case null

  struct Member: Equatable {
    var key: String
    var value: PlainJSON
  }

  init(_ text: String) throws {
    var reader = JSONReader(Array(text.utf8))
    try self.init(&reader)
    try reader.end()
  }

  private init(_ reader: inout JSONReader) throws {
    switch try reader.peek() {
    case .object:
      var members: [Member] = []
      try reader.openObject()
      while let key = try reader.nextKey() {
        members.append(Member(key: reader.decoded(key), value: try PlainJSON(&reader)))
      }
      self = .object(members)
    case .array:
      var elements: [PlainJSON] = []
      try reader.openArray()
      while try reader.nextElement() { elements.append(try PlainJSON(&reader)) }
      self = .array(elements)
    case .string: self = .string(try reader.string())
    case .number: self = .number(try reader.number())
    case .boolean: self = .boolean(try reader.boolean())
    case .null:
      try reader.skip()
      self = .null
    }
  }

  subscript(key: String) -> PlainJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }
}

@Suite struct RegionFeatureTests {
  static func feature(_ text: String, options: RegionFile.Options = .init()) throws -> RegionFeature {
    try RegionFile.read(bytes: Array(text.utf8), name: "f", options: options).feature(at: 0)
  }

  @Test func `keeps every property, foreign members and all digits`() throws {
    let text = """
      { "type" : "Feature", "bbox": [1, 2, 3, 4], "id": "h\\u00f6me",
        "properties": {"radius_m": 120.10, "note": "a \\"b\\" \\n c", "nested": {"x": [1e-7, null, true]}},
        "geometry": {"type": "Point", "coordinates": [11.575400000000001, 48.13710000000000001, 5e2]},
        "x-owner": {} }
      """
    let feature = try Self.feature(text)
    #expect(feature.region.id == "höme")
    #expect(try PlainJSON(feature.geoJSON) == PlainJSON(text))
    #expect(!feature.geoJSON.contains("\n"))
    #expect(feature.geoJSON.contains("[11.575400000000001,48.13710000000000001,5e2]"))
  }

  @Test func `an id that was made up is written down`() throws {
    let feature = try Self.feature(
      #"{"geometry":{"type":"Point","coordinates":[1,2]},"type":"Feature","properties":{"name":"A \"b\"","radius_m":5}}"#
    )
    #expect(
      feature.geoJSON
        == #"{"type":"Feature","id":"A \"b\"","geometry":{"type":"Point","coordinates":[1,2]},"#
        + #""properties":{"name":"A \"b\"","radius_m":5}}"#)
    #expect(try Self.feature(feature.geoJSON) == feature)
  }

  @Test(arguments: [
    (
      #"{"type":"Point","coordinates":[1,2]}"#,
      #"{"type":"Feature","id":"region-1","properties":{"radius_m":12.5},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    ),
    (
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":null,"id":3}"#,
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius_m":12.5},"id":3}"#
    ),
    (
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"id":"x"}"#,
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"id":"x","properties":{"radius_m":12.5}}"#
    ),
    (
      #"{"type":"Feature","id":"x","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius_m":null,"a":1}}"#,
      #"{"type":"Feature","id":"x","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius_m":12.5,"a":1}}"#
    ),
  ])
  func `a radius that was assumed is written down`(text: String, expected: String) throws {
    let feature = try Self.feature(text, options: .init(defaultRadiusMeters: 12.5))
    #expect(feature.geoJSON == expected)
    #expect(try PlainJSON(feature.geoJSON)["properties"]?["radius_m"] == .number(12.5))
    #expect(try Self.feature(feature.geoJSON).region == feature.region)
  }

  @Test func `reads tags, and leaves other people's alone`() throws {
    func tags(_ json: String) throws -> [String] {
      try Self.feature(
        #"{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius_m":1,"tags":\#(json)}}"#
      ).tags
    }
    #expect(try tags(#"["a","b"]"#) == ["a", "b"])
    #expect(try tags("[]") == [])
    #expect(try tags(#"{"a":1}"#) == [])
    #expect(try tags(#"["a",1]"#) == [])
    #expect(try tags("null") == [])
  }

  @Test func `tags that are no list of words are told of once`() throws {
    let feature =
      #"{"type":"Feature","id":"ID","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius_m":1,"tags":"x"}}"#
    let text = feature.replacing("ID", with: "a") + "\n" + feature.replacing("ID", with: "b")
    let file = try RegionFile.read(bytes: Array(text.utf8), name: "f")
    #expect(
      file.warnings == [
        "f:1: feature 1: \"tags\" is no list of words, so that no region is found by it"
      ])
  }

  @Test(arguments: [
    (0.1, "0.1"), (120, "120"), (-33.8, "-33.8"), (1e-7, "1e-07"), (1e22, "1e+22"), (-0.0, "-0.0"),
    (9_007_199_254_740_992, "9007199254740992.0"), (Double.leastNonzeroMagnitude, "5e-324"),
  ])
  func `numbers are written so that they read back`(value: Double, text: String) throws {
    #expect(JSONText.number(value) == text)
    var reader = JSONReader(Array(text.utf8))
    #expect(try reader.number().bitPattern == value.bitPattern)
  }

  @Test func `what is read, written and read again is the same`() throws {
    var random = SeededRandom(20_260_501)
    for _ in 0..<300 {
      let text = Self.randomFeature(&random)
      let feature = try Self.feature(text, options: .init(defaultRadiusMeters: 77.7))
      let again = try Self.feature(feature.geoJSON)
      #expect(again == feature, "\(random) \(text)")
      let (was, now) = (try PlainJSON(text), try PlainJSON(feature.geoJSON))
      #expect(now["geometry"] == was["geometry"], "\(random) \(text)")
      if case .object(let members)? = was["properties"] {
        for member in members where member.value != .null || member.key != "radius_m" {
          #expect(now["properties"]?[member.key] == member.value, "\(random) \(text)")
        }
      }
    }
  }

  private static func randomFeature(_ random: inout SeededRandom) -> String {
    let space = random.chance(0.3) ? " \n\t" : ""
    var members = ["\"type\":\(space)\"Feature\""]
    let longitude = JSONText.number(random.uniform(in: -180...180))
    let latitude = JSONText.number(random.uniform(in: -90...90))
    var geometry = [
      "\"type\":\"Point\"",
      "\"coordinates\":[\(longitude),\(space)\(latitude)\(random.chance(0.2) ? ",3" : "")]",
    ]
    if random.chance(0.5) { geometry.reverse() }
    members.append("\"geometry\":{\(geometry.joined(separator: ","))}")
    if random.chance(0.7) {
      members.append(
        "\"id\":\(random.chance(0.5) ? "\"é\(random.next() % 100)\"" : "\(random.next() % 100)")")
    }
    var properties: [String] = []
    if random.chance(0.7) {
      properties.append("\"radius_m\":\(JSONText.number(random.uniform(in: 0.001...1e6)))")
    }
    if random.chance(0.5) { properties.append("\"name\":\"N\\u00e9\\n\\\"\(random.next() % 5)\"") }
    if random.chance(0.5) {
      properties.append("\"colour\":[{\"a b\":\(JSONText.number(random.normal(sigma: 1e9)))}]")
    }
    if random.chance(0.3) { properties.append("\"dwell_s\":\(random.next() % 1000)") }
    if random.chance(0.3) { properties.append("\"tags\":[\"x\",\"y z\"]") }
    switch random.next() % 10 {
    case 0: members.append("\"properties\":null")
    case 1: break
    default: members.append("\"properties\":{\(properties.joined(separator: "," + space))}")
    }
    if random.chance(0.5) { members.reverse() }
    return "{" + members.joined(separator: space + ",") + "}"
  }
}
