import Testing

@testable import LocationCore
@testable import LocationFormats

/// Regions from where people have them already: Home Assistant, tables, Google, drawing programs.
@Suite struct RegionSourcesTests {
  private func read(_ text: String, radius: Double? = nil) throws -> RegionFile {
    var options = RegionFile.Options(defaultRadiusMeters: radius)
    options.prefersNames = true
    return try RegionFile.read(bytes: Array(text.utf8), name: "f", options: options)
  }

  private func complaint(_ text: String) -> String {
    do {
      _ = try read(text)
      return ""
    } catch {
      return "\(error)"
    }
  }

  private func circle(_ region: Region?) -> [Double] { RegionImportTests.circle(region) }

  // MARK: - Home Assistant

  @Test(arguments: [
    """
    default_config:
    zone:
      - name: School
        latitude: 32.8773367
        longitude: -117.2494053
        radius: 250
        icon: mdi:school
    automation: !include automations.yaml
    """,
    """
    - name: School
      latitude: 32.8773367
      longitude: -117.2494053
      radius: 250
      icon: mdi:school
    """,
    "\u{FEFF}zone:\n- name: School\n  latitude: 32.8773367\n  longitude: -117.2494053\n  radius: 250\n  icon: mdi:school\n",
    "\u{FEFF}- name: School\n  latitude: 32.8773367\n  longitude: -117.2494053\n  radius: 250\n  icon: mdi:school\n",
    "zone mine:\n  name: School\n  latitude: 32.8773367\n  longitude: -117.2494053\n  radius: 250\n  icon: mdi:school\n",
  ])
  func `a zone of Home Assistant's configuration is a region`(text: String) throws {
    let file = try read(text)
    #expect(file.regions.map(\.id) == ["School"])
    #expect(circle(file.regions.first) == [32.8773367, -117.2494053, 250])
    #expect(try file.feature(at: 0).geoJSON.contains(#""icon":"mdi:school""#))
  }

  @Test func `zones come out of Home Assistant's storage and out of its states too`() throws {
    let storage = #"""
      {"version": 1, "minor_version": 1, "key": "zone", "data": {"items": [
        {"id": "work", "name": "Work \u00e4", "latitude": 48.1, "longitude": 11.5, "radius": 80, "passive": false}]}}
      """#
    #expect(try read(storage).regions.map(\.id) == ["work"])
    #expect(try read(storage).regions.first?.name == "Work ä")
    let states = #"""
      [{"entity_id": "sun.sun", "state": "above_horizon", "attributes": {"elevation": 30}},
       {"entity_id": "zone.home", "state": "1", "attributes":
        {"latitude": 48.2, "longitude": 11.6, "radius": 100, "friendly_name": "Home"}}]
      """#
    let file = try read(states)
    #expect(file.regions.map(\.id) == ["home"])
    #expect(circle(file.regions.first) == [48.2, 11.6, 100])
  }

  @Test func `the home of the configuration is a region of 100 m`() throws {
    let file = try read(
      "homeassistant:\n  name: Home\n  latitude: 48.2\n  longitude: 11.6\n  unit_system: metric\n")
    #expect(circle(file.regions.first) == [48.2, 11.6, 100])
  }

  @Test func `what of Home Assistant can't be read is told with its line`() {
    #expect(
      complaint("zone:\n  - name: a\n    latitude: !secret lat\n    longitude: 1\n").hasPrefix("f:3: "))
    #expect(complaint("zone: !include zones.yaml\n").contains("import that file"))
    #expect(complaint("zone:\n  - name: a\n").hasPrefix("f:2: zone 1: "))
    #expect(complaint("zone:\n  - {name: a, latitude: 1, longitude: 2, radius: -5}\n").contains("no radius"))
  }

  // MARK: - Tables

  @Test(arguments: [
    "name,lat,lon,radius_m,tags,note\nHome,48.1,11.5,120,\"own, safe\",x\nWork,48.2,11.6,80,,\n",
    "\u{FEFF}name;latitude;longitude;radius;tags;note\r\nHome;48,1;11,5;120;own safe;x\r\n\r\nWork;48,2;11,6;80;;\r\n",
  ])
  func `a row of a table is a region`(text: String) throws {
    let file = try read(text)
    #expect(file.regions.map(\.id) == ["Home", "Work"])
    #expect(circle(file.regions.first) == [48.1, 11.5, 120])
    #expect(file.tags[0] == ["own", "safe"] && file.tags[1] == nil)
    #expect(try file.feature(at: 0).geoJSON.contains(#""note":"x""#))
  }

  @Test func `a row says what a feature can say, and keeps it`() throws {
    let file = try read("id,lat,lon,radius,notify,dwell_s\nh,1,2,30,enter dwell,300\n")
    let region = try #require(file.regions.first)
    #expect(region.id == "h" && region.notify == [.enter, .dwell] && region.dwellSeconds == 300)
    let text = try file.feature(at: 0).geoJSON
    #expect(try read(text).regions == file.regions)
  }

  @Test func `what is wrong in a table is told with its line`() {
    #expect(complaint("name,lat,lon,radius_m\na,1,2,3\nb,x,2,3\n").hasPrefix("f:3: row 2: lat: \"x\""))
    #expect(complaint("name,lat,lon,radius_m\na,99,2,3\n").hasPrefix("f:2: row 1: latitude 99"))
    #expect(complaint("name,lat,lon\na,1,2\n").contains("--radius"))
  }

  @Test(arguments: [
    ("id,lat,lon,radius_m,lat\nh,1,2,30,3\n", #"f:1: the column "lat" stands twice; the last one counts"#),
    (
      "id,lat,lon,radius_m,dwel_s\nh,1,2,30,3\n",
      #"f:1: the column "dwel_s" means nothing to locwatch; did you mean "dwell_s"?"#
    ),
    (
      "id,lat,lon,radius (ft),radius_m\nh,1,2,30,3\n",
      #"f:1: the column "radius (ft)" means nothing to locwatch; did you mean "radius_m"?"#
    ),
    (
      "id,lat,lon,raduis,radius_m\nh,1,2,,30\n",
      #"f:1: the column "raduis" means nothing to locwatch; did you mean "radius_m"?"#
    ),
  ])
  func `a column that is a slip is told`(text: String, warning: String) throws {
    #expect(try read(text).warnings == [warning])
  }

  // MARK: - Our own names in foreign files

  private static func placemark(_ key: String, _ value: String) -> String {
    "<kml><Placemark><name>a</name><ExtendedData><Data name=\"radius_m\"><value>75</value></Data><Data name=\"\(key)\"><value>"
      + "\(value)</value></Data></ExtendedData><Point><coordinates>11.5,48.1</coordinates></Point></Placemark></kml>"
  }

  private static func row(_ key: String, _ value: String) -> String {
    "name,lat,lon,radius_m,\(key)\na,48.1,11.5,75,\(value)\n"
  }

  private static func waypoint(_ member: String) -> String {
    #"{"_type":"waypoint","desc":"a","lat":48.1,"lon":11.5,"rad":75,\#(member)}"#
  }

  @Test(arguments: [
    Self.row("max_latency_s", "60"), Self.row("initial", "event"), Self.row("sensitivity", "early"),
    Self.row("buffer_m", "9"),
    Self.row("MBX_GEOFENCE_DWELL_TIME", "2"), Self.row("radius_units", "km"),
    Self.row("notify", "enter;dwell"),
    Self.placemark("notify", "enter,dwell"), Self.placemark("sensitivity", "certain"),
    Self.placemark("tags", "a b"),
    Self.placemark("max_latency_s", "60"), Self.placemark("radius", "9"), Self.placemark("rad", "far"),
    Self.waypoint(#""radius_m":7"#), Self.waypoint(#""sensitivity":"early""#),
    Self.waypoint(#""dwell_s":60"#),
    Self.waypoint(#""name":"b""#), Self.waypoint(#""id":5"#),
  ])
  func `a property of ours in a foreign file means what it means once it is stored`(text: String) throws {
    let file = try read(text)
    let stored = try read(try file.feature(at: 0).geoJSON)
    #expect(file.regions == stored.regions)
    #expect(file.tags == stored.tags)
  }

  @Test func `numbers and lists of words are read from text`() throws {
    #expect(try read(Self.row("max_latency_s", "60")).regions.first?.maxLatencySeconds == 60)
    #expect(try read(Self.placemark("notify", "enter, dwell")).regions.first?.notify == [.enter, .dwell])
    #expect(try read(Self.placemark("tags", "a b")).tags[0] == ["a", "b"])
    #expect(try read(Self.placemark("sensitivity", "early")).regions.first?.sensitivity == .early)
    let waypoint = try read(Self.waypoint(#""radius_m":7"#))
    #expect(circle(waypoint.regions.first) == [48.1, 11.5, 7])
    #expect(
      try waypoint.feature(at: 0).geoJSON.contains(#""properties":{"name":"a","radius_m":7}"#))
  }

  @Test(arguments: [
    (
      Self.row("initial", "bogus"),
      #"f:2: row 1: initial: "bogus" is no such word; write state, event or silent"#
    ),
    (Self.row("max_latency_s", "x"), "f:2: row 1: max_latency_s: a string where a number is expected"),
    (Self.row("beacon", "x"), "f:2: row 1: beacon: no beacon; write UUID:MAJOR:MINOR"),
    (
      Self.placemark("notify", "leave"),
      #"f:1: placemark 1 ("a"): notify: "leave" is no event of a region; did you mean exit?"#
    ),
    (Self.placemark("sensitivity", "x"), #"f:1: placemark 1 ("a"): sensitivity: "x" is no such word"#),
    (Self.waypoint(#""notify":"x""#), #"f:1: waypoint 1 ("a"): notify: a string where a list is expected"#),
    (Self.waypoint(#""dwell_s":-1"#), #"f:1: waypoint 1 ("a"): dwell_s: -1 is no duration"#),
  ])
  func `a property of ours that can't be read refuses the file`(text: String, message: String) {
    #expect(complaint(text).hasPrefix(message), "\(complaint(text))")
  }

  // MARK: - Google and drawing programs

  @Test func `saved places of Google Takeout are called by their names`() throws {
    let text = #"""
      {"type": "FeatureCollection", "features": [
       {"geometry": {"coordinates": [11.58, 48.14], "type": "Point"}, "properties": {"date": "2024-05-04T06:40:00Z",
        "google_maps_url": "http://maps.google.com/?cid=1", "location": {"address": "x", "name": "Bakery"}}, "type": "Feature"},
       {"geometry": {"coordinates": [0, 0], "type": "Point"}, "properties": {"google_maps_url": "http://x",
        "location": {"name": "Nowhere"}}, "type": "Feature"},
       {"geometry": {"coordinates": [11.5, 48.1], "type": "Point"}, "properties": {"Title": "Old",
        "Google Maps URL": "http://x", "Location": {"Geo Coordinates": {}}}, "type": "Feature"}]}
      """#
    let file = try read(text, radius: 60)
    #expect(file.regions.map(\.id) == ["Bakery", "Old"])
    #expect(circle(file.regions.first) == [48.14, 11.58, 60])
    #expect(file.leftOut == ["f: feature 2 (\"Nowhere\"): a saved place without a position"])
    #expect(complaint(text).contains("--radius"))
  }

  private let numbered = #"""
    {"type": "FeatureCollection", "features": [{"type": "Feature", "id": 0, "properties": {"name": "Gate"},
     "geometry": {"type": "Point", "coordinates": [11.5, 48.1]}}, {"type": "Feature", "id": 1, "properties": {},
     "geometry": {"type": "Point", "coordinates": [11.6, 48.1]}}]}
    """#

  @Test func `a feature that a program numbered is called by its name, where it has one`() throws {
    let file = try read(numbered, radius: 50)
    #expect(file.regions.map(\.id) == ["Gate", "1"])
    #expect(file.warnings == [])
    #expect(try file.feature(at: 0).geoJSON.contains(#""id":"Gate""#))
    // What is stored already keeps its number.
    let stored = try RegionFile.read(
      bytes: Array(numbered.utf8), name: "f", options: .init(defaultRadiusMeters: 50))
    #expect(stored.regions.map(\.id) == ["0", "1"])
  }

  @Test func `a plain marker asks for a radius by the name of the option`() {
    #expect(complaint(numbered).contains("--radius"))
  }

  // MARK: - Findings

  @Test(arguments: [
    ("[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]", true),
    ("[-180,-90],[0,-90],[180,-90],[180,0],[180,90],[-180,90],[-180,-90]", true),
    ("[-180,-10],[180,-10],[180,10],[-180,10],[-180,-10]", false),
    ("[-180,-60],[180,-60],[180,-90],[-180,-90],[-180,-60]", false),
  ])
  func `a polygon that holds the whole Earth is told of, a band or a cap is not`(ring: String, isAll: Bool)
    throws
  {
    let file = try read(
      #"{"type":"Feature","id":"a","properties":{},"geometry":{"type":"Polygon","coordinates":[[\#(ring)]]}}"#
    )
    #expect(RegionFinding.find(in: file).map(\.kind) == (isAll ? [.noEvent] : []))
  }

  @Test(arguments: [
    (#""dwell_s":600,"notify":["enter"]"#, true), (#""dwell_s":300,"notify":["enter"]"#, false),
    (#""dwell_s":600,"notify":["dwell"]"#, false), (#""dwell_s":600"#, false),
  ])
  func `a dwell time that nothing is told after is told of`(properties: String, isTold: Bool) throws {
    let file = try read(
      #"{"type":"Feature","id":"a","properties":{"radius_m":100,\#(properties)},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    )
    let text = "its dwell_s of 10 min does nothing, because its notify list has no dwell"
    #expect(RegionFinding.find(in: file).map(\.text) == (isTold ? [text] : []))
  }

  // MARK: - Swapped

  @Test func `a file whose every place is swapped is found by where the device is`() throws {
    let file = try read(
      #"{"type":"Feature","id":"home","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[48.1,11.5]}}"#
    )
    let berlin = try #require(Coordinate(latitude: 52.5, longitude: 13.367))
    let found = RegionFinding.find(in: file, near: [berlin])
    #expect(found.map(\.kind) == [.swapped])
    #expect(found.first?.text.contains("at 48.10000, 11.50000 it would be near") == true)
    #expect(RegionFinding.find(in: file).isEmpty)
    // Of one who is there it is right.
    let aden = try #require(Coordinate(latitude: 12.75, longitude: 45.2))
    #expect(RegionFinding.find(in: file, near: [berlin, aden]).isEmpty)
  }

  @Test(arguments: [
    ("+5230+01322", 52.5, 13.366_67), ("+404251-0740023", 40.714_17, -74.006_39),
    ("-3352+15113", -33.866_67, 151.216_67),
  ])
  func `places of time zones are read as the database writes them`(
    text: String, latitude: Double, longitude: Double
  ) throws {
    let place = try #require(TimeZonePlace.place(text))
    #expect(abs(place.latitude - latitude) < 1e-4 && abs(place.longitude - longitude) < 1e-4)
  }
}
