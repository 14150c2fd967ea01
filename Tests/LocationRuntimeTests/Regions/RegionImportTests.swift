import LocationCore
import Testing

@testable import LocationFormats

/// Regions from files that are not GeoJSON.
@Suite struct RegionImportTests {
  static func read(_ text: String, radius: Double? = nil) throws -> RegionFile {
    try RegionFile.read(
      bytes: Array(text.utf8), name: "f", options: .init(defaultRadiusMeters: radius))
  }

  static func circle(_ region: Region?) -> [Double] {
    guard let region, case .circle(let center, let radius) = region.shape else { return [] }
    return [center.latitude, center.longitude, radius]
  }

  // MARK: OwnTracks

  static let waypoints = """
    {"_type":"waypoints","_creator":"x","waypoints":[
     {"_type":"waypoint","desc":"Café","lat":"48.87069","lon":2.34916,"rad":"50","tst":1385997757,"rid":"f7676c"},
     {"_type":"waypoint","desc":"Peak","lat":47.5,"lon":11.25,"rad":0,"tst":1385997758},
     {"_type":"waypoint","desc":"Kitchen:CA271EAE-5FA8-4E80-8F08-2A302A95A959:1:2","lat":0,"lon":0,"tst":1},
     {"_type":"waypoint","desc":"Café","lat":1,"lon":2,"rad":30.5}
    ]}
    """

  @Test func `reads OwnTracks waypoints, numbers as strings too`() throws {
    let file = try Self.read(Self.waypoints)
    #expect(file.regions.map(\.id) == ["Café", "Café-2"])
    #expect(Self.circle(file.regions.first) == [48.87069, 2.34916, 50])
    #expect(Self.circle(file.regions.last) == [1, 2, 30.5])
    #expect(
      file.leftOut == [
        "f: waypoint 2 (\"Peak\"): a Point without a radius; --radius METRES gives it one",
        "f: waypoint 3 (\"Kitchen:CA271EAE-5FA8-4E80-8F08-2A302A95A959:1:2\"): a beacon, not a place",
      ])
    #expect(
      file.warnings.count == 1 && file.warnings[0].hasPrefix("f: waypoint 4 with the name of an earlier"))
    #expect(
      try file.feature(at: 0).geoJSON
        == #"{"type":"Feature","id":"Café","properties":{"name":"Café","radius_m":50,"tst":1385997757,"rid":"f7676c"},"#
        + #""geometry":{"type":"Point","coordinates":[2.34916,48.87069]}}"#)
    #expect(try Self.read(Self.waypoints, radius: 75).regions.map(\.id) == ["Café", "Peak", "Café-2"])
  }

  @Test(arguments: [
    #"{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":3}"#,
    #"[{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":3}]"#,
    #"{"waypoints":[{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":3}],"_type":"configuration","mode":0}"#,
    #"{"_type":"waypoints","waypoints":[{"desc":"a","lat":"1","lon":"2","rad":3.0}]}"#,
    #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":[{"desc":"a","lat":1,"lon":2,"rad":3}]}}"#,
    #"{"_type":"cmd","action":"setConfiguration","configuration":{"_type":"configuration","waypoints":[{"desc":"a","lat":1,"lon":2,"rad":3}]}}"#,
    #"{"_type":"cmd","payload":{"waypoints":[{"desc":"a","lat":1,"lon":2,"rad":3,"uuid":"CA271EAE"}]},"action":"setWaypoints"}"#,
    "\u{FEFF}\n{\"_type\":\"waypoint\",\"rad\":3,\"lon\":2,\"lat\":1,\"desc\":\"a\"}\n{\"_type\":\"lwt\",\"tst\":1}",
  ])
  func `reads OwnTracks in its several packings`(text: String) throws {
    let file = try Self.read(text)
    #expect(file.regions.map(\.id) == ["a"])
    #expect(Self.circle(file.regions.first) == [1, 2, 3])
  }

  private static let radii: [(text: String, meters: Double)] = [
    ("name,lat,lon,radius,radius_units\na,1,2,5,km\n", 5_000),
    ("name,lat,lon,radius,radius_units\na,1,2,5,\n", 5), ("name,lat,lon,radius\na,1,2,5\n", 5),
    ("name,lat,lon,MBX_GEOFENCE_POINT_RADIUS\na,1,2,5\n", 5), ("name,lat,lon,place\na,1,2,b\n", 75),
    (#"{"_type":"waypoint","desc":"a","lat":1,"lon":2,"radius_m":9}"#, 9),
    (
      """
      <kml><Placemark><name>a</name><ExtendedData><Data name="radius"><value>9</value></Data></ExtendedData>
      <Point><coordinates>2,1</coordinates></Point></Placemark></kml>
      """, 9
    ),
  ]

  @Test(arguments: radii)
  func `a radius may have any name, and --radius is for what has none`(text: String, meters: Double) throws {
    let file = try Self.read(text, radius: 75)
    #expect(Self.circle(file.regions.first) == [1, 2, meters])
  }

  @Test(arguments: [
    #"{"_type":"waypoint","tst":1,"desc":"b","uuid":"CA271EAE","major":1,"minor":2}"#,
    #"{"_type":"waypoint","tst":1,"desc":"b","lat":1,"lon":2,"rad":0,"uuid":"CA271EAE"}"#,
  ])
  func `a beacon does not stand in the way of places`(beacon: String) throws {
    let place = #"{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":3}"#
    let file = try Self.read(#"{"_type":"waypoints","waypoints":[\#(beacon),\#(place)]}"#)
    #expect(file.regions.map(\.id) == ["a"])
    #expect(file.leftOut == ["f: waypoint 1 (\"b\"): a beacon, not a place"])
  }

  @Test(arguments: [
    (
      #"{"_type":"waypoint","desc":"a","lat":"x","lon":2,"rad":3}"#,
      "f:1: waypoint 1 (\"a\"): lat: \"x\" is no number"
    ),
    (
      #"{"_type":"waypoint","desc":"a","lon":2,"rad":3}"#,
      "f:1: waypoint 1 (\"a\"): a waypoint without lat and lon; give both, in degrees"
    ),
    (
      #"{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":-3}"#,
      "f:1: waypoint 1 (\"a\"): rad: -3 is no radius; write more than 0 metres"
    ),
    (
      #"{"_type":"waypoint","desc":"a","lat":1,"lon":200,"rad":3}"#,
      "f:1: waypoint 1 (\"a\"): longitude 200 is not within -180 to 180; write -160"
    ),
    (#"{"_type":"location","lat":1,"lon":2}"#, "f: holds no waypoints; export them from OwnTracks"),
    (
      #"{"_type":"waypoints","waypoints":[{"desc":"a""#,
      "f:1: the text ends within an object or array"
    ),
    (
      #"{"_type":"waypoint","desc":"a","lat":1,"lon":2}"#,
      "f: no region can be made of it; waypoint 1 (\"a\"): a Point without a radius; --radius METRES gives it one"
    ),
  ])
  func `bad waypoints are refused with their place`(text: String, message: String) {
    let thrown = #expect(throws: Failure.self) { try Self.read(text) }
    #expect(thrown?.code == .data)
    #expect(thrown?.description == message)
  }

  // MARK: GPX

  static func gpx(_ body: String) -> String {
    #"<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="urn:g">\#(body)</gpx>"#
  }

  @Test func `a waypoint without a name is told of`() throws {
    let body = #"<wpt lat="1" lon="2"><name>B</name></wpt><wpt lat="1" lon="3"/><wpt lat="1" lon="4"/>"#
    let file = try Self.read(Self.gpx(body), radius: 80)
    #expect(file.regions.map(\.id) == ["B", "region-2", "region-3"])
    #expect(
      file.warnings == [
        "f: waypoints 2, 3 without a name: called region- and its number; with a name it keeps that when the"
          + " file changes"
      ])
  }

  @Test func `waypoints of one name are told of`() throws {
    let body = #"<wpt lat="1" lon="2"><name>A</name></wpt><wpt lat="1" lon="3"><name>A</name></wpt>"#
    let file = try Self.read(Self.gpx(body), radius: 80)
    #expect(file.regions.map(\.id) == ["A", "A-2"])
    #expect(
      file.warnings == [
        "f: waypoint 2 with the name of an earlier one: called that and -2, -3 ...; with a name of its own it"
          + " keeps that when the file changes"
      ])
  }

  @Test func `reads GPX waypoints with Garmin's proximity or the radius asked for`() throws {
    let text = Self.gpx(
      """
      <wpt lat="-33.8568" lon="151.2153"><ele>5</ele><name> Opera &amp; House </name><desc>d</desc>
       <extensions><g:WaypointExtension><g:Proximity>120.5</g:Proximity></g:WaypointExtension></extensions></wpt>
      <wpt lat="1" lon="2"><name>B</name></wpt>
      <trk><name>T</name><trkseg><trkpt lat="1" lon="2"/></trkseg></trk><rte/>
      """)
    let file = try Self.read(text)
    #expect(file.regions.map(\.id) == ["Opera & House"])
    #expect(Self.circle(file.regions.first) == [-33.8568, 151.2153, 120.5])
    #expect(
      file.leftOut == [
        "f: waypoint 2 (\"B\"): a Point without a radius; --radius METRES gives it one",
        "f: 1 track: regions come from waypoints", "f: 1 route: regions come from waypoints",
      ])
    #expect(
      try file.feature(at: 0).geoJSON
        == #"{"type":"Feature","id":"Opera & House","properties":{"name":"Opera & House","radius_m":120.5,"ele":"5","desc":"d"},"#
        + #""geometry":{"type":"Point","coordinates":[151.2153,-33.8568]}}"#)
    let all = try Self.read(text, radius: 40)
    #expect(all.regions.map(\.id) == ["Opera & House", "B"])
    #expect(Self.circle(all.regions.last) == [1, 2, 40])
  }

  @Test(arguments: [
    (
      #"<wpt lat="91" lon="2"/>"#,
      "f:1: waypoint 1: latitude 91 is not within -90 to 90; swapped?"
    ),
    (
      #"<wpt lon="2"><name>x</name></wpt>"#,
      "f:1: waypoint 1 (\"x\"): lat or lon is missing or no number; give both, in degrees"
    ),
    (
      #"<wpt lat="1" lon="2"><g:Proximity>far</g:Proximity></wpt>"#,
      "f:1: waypoint 1: Proximity: \"far\" is no number; write metres"
    ),
    ("<trk/>", "f: no region can be made of it; 1 track: regions come from waypoints"),
    (
      "<wpt>",
      "f:1: not well-formed XML at column 106: mismatched tag; mend the line, or write the file anew with the"
        + " program that made it"
    ),
  ])
  func `bad GPX is refused with its place`(body: String, message: String) {
    let thrown = #expect(throws: Failure.self) {
      try Self.read(Self.gpx(body), radius: body.contains("91") ? 5 : nil)
    }
    #expect(thrown?.code == .data)
    #expect(thrown?.description == message)
  }

  // MARK: KML

  static func kml(_ body: String) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>\#(body)</Document></kml>"#
  }

  @Test func `reads KML points`() throws {
    let text = Self.kml(
      """
      <name>Not a placemark</name>
      <Folder><Placemark id="p1"><name>Home &#233;<![CDATA[ & <garden>]]></name><description>x</description>
       <ExtendedData><Data name="radius_m"><value> 120 </value></Data><Data name="dwell_s"><value>60</value></Data>
        <Data name="colour"><value>red</value></Data></ExtendedData>
       <Point><coordinates>
         11.5754,48.1371,520
       </coordinates></Point></Placemark></Folder>
      <Placemark id="p2"><Point><coordinates>1,2</coordinates></Point></Placemark>
      <Placemark><name>Nowhere</name></Placemark>
      <Placemark><name>Ride</name><gx:Track/></Placemark>
      <Placemark><name>Way</name><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark>
      <Placemark><name>Many</name><MultiGeometry><Point><coordinates>1,2</coordinates></Point>
        <Point><coordinates>3,4</coordinates></Point></MultiGeometry></Placemark>
      """)
    let file = try Self.read(text.replacing("gx:Track", with: "Track"))
    #expect(file.regions.map(\.id) == ["Home é & <garden>"])
    #expect(Self.circle(file.regions.first) == [48.1371, 11.5754, 120])
    #expect(file.regions.first?.dwellSeconds == 60)
    #expect(try file.feature(at: 0).geoJSON.contains(#""colour":"red""#))
    #expect(
      file.leftOut == [
        "f: placemark 2 (\"p2\"): a Point without a radius; --radius METRES gives it one",
        "f: placemark 3 (\"Nowhere\"): it has no geometry",
        "f: placemark 4 (\"Ride\"): no region is made of a Track",
        "f: placemark 5 (\"Way\"): a LineString without buffer_m; give it one, its half width in metres",
        "f: placemark 6 (\"Many\"): several points or lines in one placemark",
      ])
    #expect(
      try Self.read(text.replacing("gx:Track", with: "Track"), radius: 9).regions.map(\.id) == [
        "Home é & <garden>", "p2",
      ])
  }

  @Test(arguments: [
    (
      "<Placemark><name>x</name><Point><coordinates>1, 2</coordinates></Point></Placemark>",
      "f:1: placemark 1 (\"x\"): \"1,\" is no position; KML has longitude,latitude with no space between"
    ),
    (
      "<Placemark><Point><coordinates>35,139.7</coordinates></Point></Placemark>",
      "f:1: placemark 1: latitude 139.7 is not within -90 to 90; swapped?; KML has longitude first: 139.7,35"
    ),
    (
      "<Placemark><Polygon><innerBoundaryIs><LinearRing><coordinates>1,1 2,1 2,2 1,1</coordinates></LinearRing>"
        + "</innerBoundaryIs></Polygon></Placemark>",
      "f:1: placemark 1: a Polygon without an outer boundary; add an outerBoundaryIs"
    ),
    (
      "<Placemark><name>x</name></Placemark>",
      "f: no region can be made of it; placemark 1 (\"x\"): it has no geometry"
    ),
  ])
  func `bad KML is refused with its place`(body: String, message: String) {
    let thrown = #expect(throws: Failure.self) { try Self.read(Self.kml(body), radius: 5) }
    #expect(thrown?.code == .data)
    #expect(thrown?.description == message)
  }

  @Test func `entities are not expanded`() {
    let text = "<!DOCTYPE kml [<!ENTITY a \"b\">]><kml><Placemark><name>&a;</name></Placemark></kml>"
    let thrown = #expect(throws: Failure.self) { try Self.read(text) }
    #expect(thrown?.what.contains("entities are never expanded") == true)
  }

  // MARK: Formats

  @Test func `a quoted field of a table may have line breaks`() throws {
    let text = "name,note,lat,lon,radius_m\na,\"two\n\nlines\",51.5,1,60\nb,,51.6,1,60\n"
    let file = try Self.read(text)
    #expect(file.regions.map(\.id) == ["a", "b"])
    let thrown = #expect(throws: Failure.self) { try Self.read(text + "c,\"open,51.7,1,60\nd,,51.8,1,60\n") }
    #expect(thrown?.description == "f:6: row 3: a quoted field does not end; close its quote")
  }

  /// Python, JavaScript and others write small numbers so, as at Greenwich.
  @Test(arguments: [
    "name,lat,lon,radius_m\na,51.5,-5.1e-05,1.2e2\n",
    "Name,Latitude (deg),Longitude (deg),Radius (m)\na,51.5,-5.1e-05,1.2e2\n",
    kml(
      "<Placemark><ExtendedData><Data name='radius_m'><value>1.2e2</value></Data></ExtendedData>"
        + "<Point><coordinates>-5.1E-05,51.5</coordinates></Point></Placemark>"),
  ])
  func `a number may have an exponent`(text: String) throws {
    #expect(Self.circle(try Self.read(text).regions.first) == [51.5, -0.000051, 120])
  }

  @Test(arguments: [
    ("", "f: the file is empty; \(accepted)"),
    ("  \n", "f: the file is empty; \(accepted)"),
    (
      "<html><p>404</p></html>",
      "f: XML with <html>; \(accepted)"
    ),
    (
      "PK\u{3}\u{4}xxx",
      "f: a ZIP archive without KML; unpack it first; \(accepted)"
    ),
    ("id,lat,lon\n", "f: holds no rows"),
    (
      "id,lat,lon,radius_m\nhome,48,13,11,57,50\n",
      "f:2: row 1: 6 fields under 4 names; write numbers with a point, and quotes around a text with a comma"
    ),
    ("id,name\n", "f: neither JSON, XML nor CSV with lat and lon; \(accepted)"),
    ("name: logger\n", "f: neither JSON, XML nor CSV with lat and lon; \(accepted)"),
  ])
  func `what a file is not is told`(text: String, message: String) {
    let thrown = #expect(throws: Failure.self) { try Self.read(text) }
    #expect(thrown?.description == message)
  }

  @Test(
    arguments: [
      ([], "name;lat;lon;radius_m\nHome;48,1;11,5;60\nB\u{E4}r;48,2;11,5;60\n", "f:3: not UTF-8"),
      ([0xFF, 0xFE], "{\0\"\0t\0y\0p\0e\0\"\0", "f: not UTF-8"),
    ] as [([UInt8], String, String)])
  func `a text that is not UTF-8 is refused, with what to do`(mark: [UInt8], text: String, message: String) {
    // Each character is a byte, as in Latin-1.
    let bytes = mark + text.unicodeScalars.map { UInt8($0.value) }
    let thrown = #expect(throws: Failure.self) { try RegionFile.read(bytes: bytes, name: "f") }
    #expect(thrown?.code == .data)
    #expect(thrown?.description == message + "; save the file as UTF-8")
  }

  @Test func `a KML file in UTF-16 is told by its content`() throws {
    let text = Self.kml("<Placemark><name>é</name><Point><coordinates>1,2</coordinates></Point></Placemark>")
      .replacing("UTF-8", with: "UTF-16")
    var bytes: [UInt8] = [0xFF, 0xFE]
    for unit in text.utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let file = try RegionFile.read(bytes: bytes, name: "f", options: .init(defaultRadiusMeters: 5))
    #expect(file.regions.map(\.id) == ["é"])
  }
}

/// The remedy in messages about files of other kinds.
private let accepted =
  "regions come from GeoJSON, OwnTracks waypoints, KML, GPX, CSV or zones of Home Assistant"
