import LocationCore
import Testing

@testable import LocationFormats

@Suite struct RegionFileTests {
  static func read(_ text: String, options: RegionFile.Options = .init()) throws -> RegionFile {
    try RegionFile.read(bytes: Array(text.utf8), name: "f.geojson", options: options)
  }

  static func feature(
    id: String? = "\"a\"", properties: String = #"{"radius_m":100}"#, point: String = "[11.5,48.25]"
  ) -> String {
    #"{"type":"Feature",\#(id.map { "\"id\":\($0)," } ?? "")"properties":\#(properties),"#
      + #""geometry":{"type":"Point","coordinates":\#(point)}}"#
  }

  static func collection(_ features: String...) -> String {
    "{\"type\":\"FeatureCollection\",\"features\":[\n" + features.joined(separator: ",\n") + "\n]}"
  }

  @Test func `reads every property`() throws {
    let file = try Self.read(
      Self.collection(
        Self.feature(
          id: "\"home\"",
          properties: #"{"radius_m":120.5,"name":"Home é","notify":["enter","cross"],"dwell_s":60,"#
            + #""exit_delay_s":30.5,"max_latency_s":900,"initial":"event","colour":"red"}"#)))
    #expect(
      file.regions == [
        Region(
          id: "home", name: "Home é",
          shape: .circle(center: Coordinate(latitude: 48.25, longitude: 11.5)!, radiusMeters: 120.5),
          notify: [.enter, .cross], dwellSeconds: 60, exitDelaySeconds: 30.5, maxLatencySeconds: 900,
          initial: .event)
      ])
    #expect(file.leftOut == [])
    #expect(file.warnings == [])
  }

  @Test(arguments: [
    (#"{"radius_m":100}"#, 100), (#"{"radius":50}"#, 50), (#"{"MBX_GEOFENCE_POINT_RADIUS":70}"#, 70),
    (#"{"rad":80}"#, 80), (#"{"rad":80,"radius":50,"radius_m":9}"#, 9),
    (#"{"radius":2,"radius_units":"km"}"#, 2000),
    (#"{"radius_units":"miles","radius":1}"#, 1609.344), (#"{"radius_m":null,"radius":5}"#, 5),
    (#"{"radius_m":7,"radius":"wide"}"#, 7),
  ])
  func `reads the radius under its several names`(properties: String, meters: Double) throws {
    let region = try #require(try Self.read(Self.feature(properties: properties)).regions.first)
    guard case .circle(_, let radius) = region.shape else { return }
    #expect(radius == meters)
  }

  @Test func `asking for a dwell time is asking to be told`() throws {
    func notify(_ properties: String) throws -> Region.Notify? {
      try Self.read(Self.feature(properties: properties)).regions.first?.notify
    }
    #expect(try notify(#"{"radius_m":9}"#) == [.enter, .exit])
    #expect(try notify(#"{"radius_m":9,"MBX_GEOFENCE_DWELL_TIME":2}"#) == [.enter, .exit, .dwell])
    #expect(try notify(#"{"radius_m":9,"dwell_s":2}"#) == [.enter, .exit, .dwell])
    #expect(try notify(#"{"radius_m":9,"dwell_s":2,"notify":["exit"]}"#) == [.exit])
    let file = try Self.read(Self.feature(properties: #"{"radius_m":9,"MBX_GEOFENCE_DWELL_TIME":2}"#))
    #expect(file.regions.first?.dwellSeconds == 120)
  }

  @Test(
    arguments: [
      ("\"x\"", #"{"radius_m":1}"#, "x", 0), ("7", #"{"radius_m":1}"#, "7", 0),
      (nil, #"{"radius_m":1,"id":"p"}"#, "p", 0), (nil, #"{"radius_m":1,"id":12}"#, "12", 0),
      ("\"x\"", #"{"radius_m":1,"id":"p"}"#, "x", 0), (nil, #"{"radius_m":1,"name":"Home"}"#, "Home", 1),
      (nil, #"{"radius_m":1}"#, "region-1", 1), ("null", #"{"radius_m":1}"#, "region-1", 1),
    ] as [(String?, String, String, Int)])
  func `finds the id`(id: String?, properties: String, expected: String, warnings: Int) throws {
    let file = try Self.read(Self.collection(Self.feature(id: id, properties: properties)))
    #expect(file.regions.map(\.id) == [expected])
    #expect(file.warnings.count == warnings)
  }

  @Test func `features of the same name and without an id are told apart`() throws {
    let one = Self.feature(id: nil, properties: #"{"radius_m":1,"name":"Home"}"#)
    #expect(try Self.read(Self.collection(one, one, one)).regions.map(\.id) == ["Home", "Home-2", "Home-3"])
  }

  @Test(arguments: [
    Self.collection(Self.feature()), Self.feature(), Self.feature() + "\n",
    "\u{1E}" + Self.feature() + "\n\u{1E}",
    #"{"features":[\#(Self.feature())],"type":"FeatureCollection"}"#,
    #"{"geometry":{"coordinates":[11.5,48.25],"type":"Point"},"properties":{"radius_m":100},"id":"a","type":"Feature"}"#,
    #"{"type":"FeatureCollection","bbox":[1,2,3,4],"features":[\#(Self.feature(point: "[11.5,48.25,520.1]"))],"x":{}}"#,
    #"{"type":"FeatureCollection","crs":{"properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"features":[\#(Self.feature())]}"#,
    "\u{FEFF}" + Self.feature(),
  ])
  func `reads GeoJSON in every order and packing`(text: String) throws {
    #expect(try Self.read(text).regions == (try Self.read(Self.feature()).regions))
  }

  @Test func `reads texts one after the other`() throws {
    let text = Self.feature(id: "1") + "\n" + Self.feature(id: "2") + "\n"
    #expect(try Self.read(text).regions.map(\.id) == ["1", "2"])
  }

  @Test func `an empty collection holds no regions`() throws {
    #expect(try Self.read(Self.collection()).regions == [])
  }

  @Test func `a point alone takes the radius that was asked for`() throws {
    let text = #"{"type":"Point","coordinates":[1,2]}"#
    #expect(throws: Failure.self) { try Self.read(text) }
    let file = try Self.read(text, options: .init(defaultRadiusMeters: 30))
    #expect(file.regions.map(\.id) == ["region-1"])
  }

  @Test(arguments: [
    (#"{"dwel_s":1,"radius_m":1}"#, "dwell_s"), (#"{"dwell":1,"radius_m":1}"#, "dwell_s"),
    (#"{"exitDelayS":1,"radius_m":1}"#, "exit_delay_s"),
    (#"{"exit-delay-s":1,"radius_m":1}"#, "exit_delay_s"),
    (#"{"notfy":1,"radius_m":1}"#, "notify"), (#"{"Radius_M":1,"radius_m":1}"#, "radius_m"),
    (#"{"max_latency":1,"radius_m":1}"#, "max_latency_s"), (#"{"inital":1,"radius_m":1}"#, "initial"),
  ])
  func `warns of a slip in a property`(properties: String, meant: String) throws {
    let file = try Self.read(
      Self.collection(Self.feature(properties: properties), Self.feature(id: "2", properties: properties)))
    #expect(file.warnings.count == 1)
    #expect(file.warnings.first?.hasPrefix("f.geojson:2: feature 1: ") == true)
    #expect(file.warnings.first?.hasSuffix("did you mean \"\(meant)\"?") == true)
  }

  @Test func `an option counts also for a property that a feature has twice`() throws {
    let text = Array(
      #"{"type":"Feature","properties":{"a":1,"notify":1,"b":2,"notify":2},"geometry":null}"#.utf8)
    let changes = FeatureText.Changes(id: nil, properties: [(key: "notify", json: "3")])
    #expect(
      String(decoding: try FeatureText.make(from: text[...], changes, isBare: false), as: UTF8.self)
        == #"{"type":"Feature","properties":{"a":1,"notify":3,"b":2},"geometry":null}"#)
  }

  @Test func `warns of a property that a feature has twice, once, and takes the last`() throws {
    let twice = #"{"radius_m":100,"radius_m":300}"#
    let file = try Self.read(
      Self.collection(Self.feature(properties: twice), Self.feature(id: "2", properties: twice)))
    #expect(file.warnings == [#"f.geojson:2: feature 1: "radius_m" stands twice; the last one counts"#])
    guard case .circle(_, let radius) = file.regions[0].shape else { throw Failure(.data, what: "no circle") }
    #expect(radius == 300)
    // A table has null for what is not there.
    #expect(try Self.read(Self.feature(properties: #"{"radius_m":null,"radius_m":1}"#)).warnings == [])
  }

  @Test(arguments: [
    "colour", "note", "status", "marker-color", "radial", "no", "latency", "date", "notes",
  ])
  func `an owner's own property is nobody's business`(key: String) throws {
    #expect(try Self.read(Self.feature(properties: #"{"radius_m":1,"\#(key)":1}"#)).warnings == [])
  }

  static let bad: [(String, Int, String)] = [
    (
      feature(properties: "{}"), 2,
      "feature 1 (\"a\"): a Point without a radius; add \"radius_m\" (metres) to its properties, or import it with --radius METRES"
    ),
    (
      feature(properties: #"{"radius_m":0}"#), 2,
      "feature 1 (\"a\"): radius_m: 0 is no radius; write more than 0 metres"
    ),
    (
      feature(properties: #"{"radius_m":-5}"#), 2,
      "feature 1 (\"a\"): radius_m: -5 is no radius; write more than 0 metres"
    ),
    (
      feature(properties: #"{"radius_m":"50"}"#), 2,
      "feature 1 (\"a\"): radius_m: a string where a number is expected"
    ),
    (
      feature(properties: #"{"radius":"50"}"#), 2,
      "feature 1 (\"a\"): radius: a string where a number is expected; write metres, without quotes"
    ),
    (
      feature(properties: #"{"radius":-1}"#), 2,
      "feature 1 (\"a\"): radius: -1 is no radius; write more than 0 metres"
    ),
    (
      feature(properties: #"{"radius":1,"radius_units":"cubits"}"#), 2,
      "feature 1 (\"a\"): radius_units is \"cubits\"; write radius_m, in metres"
    ),
    (feature(properties: #"{"radius_m":NaN}"#), 2, "feature 1: 'N' where a value is expected"),
    (
      feature(properties: #"{"radius_m":1e999}"#), 2,
      "feature 1 (\"a\"): radius_m: '1e999' is too large a number"
    ),
    (
      feature(properties: #"{"radius_m":1,"notify":["enter","leave"]}"#), 2,
      "feature 1 (\"a\"): notify: \"leave\" is no event of a region; did you mean exit?"
    ),
    (
      feature(properties: #"{"radius_m":1,"notify":"enter"}"#), 2,
      "feature 1 (\"a\"): notify: a string where a list is expected; write [\"enter\"]"
    ),
    (
      feature(properties: #"{"radius_m":1,"dwell_s":-1}"#), 2,
      "feature 1 (\"a\"): dwell_s: -1 is no duration; write 0 or more seconds"
    ),
    (
      feature(properties: #"{"radius_m":1,"initial":"inside"}"#), 2,
      "feature 1 (\"a\"): initial: \"inside\" is no such word; write state, event or silent"
    ),
    (
      feature(point: "[35.6,139.7]"), 2,
      "feature 1 (\"a\"): latitude 139.7 is not within -90 to 90; swapped?; GeoJSON has longitude first: [139.7, 35.6]"
    ),
    (feature(point: "[190,10]"), 2, "feature 1 (\"a\"): longitude 190 is not within -180 to 180; write -170"),
    (feature(point: "[1000,2000]"), 2, "feature 1 (\"a\"): latitude 2000 is not within -90 to 90"),
    (
      feature(point: "[1]"), 2,
      "feature 1 (\"a\"): a position with less than two numbers; a position is [longitude, latitude]"
    ),
    (
      feature(point: "[\"1\",2]"), 2,
      "feature 1 (\"a\"): a string in a position; a position is [longitude, latitude]"
    ),
    (feature(id: "[1]"), 2, "feature 1: an array for an id; an id is a string or a number"),
    (feature(id: "\"\""), 2, "feature 1 (\"\"): an empty id; give it a name"),
    (
      feature(id: "\"a\\nb\""), 2,
      "feature 1 (\"a?b\"): an id with a control character; use letters, digits and - _ ."
    ),
    (feature() + ",\n" + feature(), 3, "feature 2 (\"a\"): the id of feature 1 again; ids are unique"),
    (
      feature(id: "7") + ",\n" + feature(id: "\"7\""), 3,
      "feature 2 (\"7\"): the id of feature 1 again; ids are unique"
    ),
    (
      "{\"type\":\"Feature\",\n\"geometry\":{\"type\":\"Pont\",\"coordinates\":[]}}", 3,
      "feature 1: a geometry of type \"Pont\"; did you mean Point?"
    ),
    ("7", 2, "feature 1: a number where a Feature is expected"),
    (feature() + "\n" + feature(id: "2"), 3, "feature 1: '{' where a comma or the end is expected"),
  ]

  @Test(arguments: bad)
  func `bad data is refused with its place`(features: String, line: Int, message: String) {
    let thrown = #expect(throws: Failure.self) { try Self.read(Self.collection(features)) }
    #expect(thrown?.code == .data)
    #expect(thrown?.description == "f.geojson:\(line): \(message)")
  }

  @Test(arguments: [
    ("[]", "f.geojson:1: an array where a GeoJSON object is expected"),
    ("{}", "f.geojson:1: an object without \"type\"; GeoJSON has a FeatureCollection here"),
    (#"{"type":"Topology"}"#, "f.geojson:1: \"type\" is \"Topology\"; GeoJSON has a FeatureCollection here"),
    (#"{"type":"FeatureCollection"}"#, "f.geojson:1: a FeatureCollection without \"features\""),
    (#"{"type":"FeatureCollection","features":{}}"#, "f.geojson:1: an object where an array is expected"),
    (
      #"{"type":"FeatureCollection","crs":{"name":"EPSG:3857"},"features":[]}"#,
      "f.geojson:1: \"crs\" names coordinates other than WGS 84; convert the file to EPSG:4326"
    ),
  ])
  func `a file that is something else is refused`(text: String, message: String) {
    let thrown = #expect(throws: Failure.self) { try Self.read(text) }
    #expect(thrown?.description == message)
  }

  @Test func `tells how many problems there are`() {
    let bad = Self.feature(properties: "{}")
    let thrown = #expect(throws: Failure.self) {
      try Self.read(Self.collection(Self.feature(id: "1"), bad, bad, Self.feature(id: "2"), bad))
    }
    #expect(thrown?.line == 3)
    #expect(
      thrown?.remedy
        == "add \"radius_m\" (metres) to its properties, or import it with --radius METRES (and 2 more problems)"
    )
  }

  @Test func `what no region is made of is named`() throws {
    let file = try Self.read(
      Self.collection(
        #"{"type":"Feature","id":"n","geometry":null,"properties":null}"#,
        #"{"type":"Feature","id":"m","geometry":{"type":"MultiPoint","coordinates":[[1,2]]},"properties":{}}"#,
        #"{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[]},"properties":{}}"#,
        Self.feature()))
    #expect(
      file.leftOut == [
        "f.geojson: feature 1 (\"n\"): it has no geometry",
        "f.geojson: feature 2 (\"m\"): no region is made of a MultiPoint",
        "f.geojson: feature 3: no region is made of a GeometryCollection",
      ])
    #expect(file.regions.map(\.id) == ["a"])
  }

  @Test func `a file that is not there is told as such`() {
    let thrown = #expect(throws: Failure.self) { try RegionFile.read(path: "/nonexistent/x.geojson") }
    #expect(thrown?.code == .noInput)
    let folder = #expect(throws: Failure.self) { try RegionFile.read(path: "/tmp") }
    #expect(folder?.code == .noInput)
  }

  @Test func `a file cut anywhere is refused, and never read in part`() {
    let text = Array(Self.collection(Self.feature(), Self.feature(id: "\"b\"")).utf8)
    for end in 0..<text.count {
      #expect(throws: Failure.self) { try RegionFile.read(bytes: Array(text[..<end]), name: "f") }
    }
  }
}
