import LocationCore
import TestSupport
import Testing

@testable import LocationFormats

/// Polygons, multipolygons and corridors from files.
@Suite struct RegionShapeTests {
  static func read(_ geometry: String, _ properties: String = "{}") throws -> RegionFile {
    let text = #"{"type":"Feature","id":"a","properties":\#(properties),"geometry":\#(geometry)}"#
    return try RegionFile.read(bytes: Array(text.utf8), name: "f")
  }

  static func place(_ longitude: Double, _ latitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)!
  }

  static let square = "[[10,50],[11,50],[11,51],[10,51],[10,50]]"
  static let hole = "[[10.4,50.4],[10.6,50.4],[10.6,50.6],[10.4,50.6],[10.4,50.4]]"

  @Test func `reads polygons with holes, multipolygons and corridors`() throws {
    let shell = [place(10, 50), place(11, 50), place(11, 51), place(10, 51), place(10, 50)]
    let hole = [
      place(10.4, 50.4), place(10.6, 50.4), place(10.6, 50.6), place(10.4, 50.6), place(10.4, 50.4),
    ]
    #expect(
      try Self.read(#"{"type":"Polygon","coordinates":[\#(Self.square),\#(Self.hole)]}"#).regions.first?.shape
        == .polygon(Region.Polygon(shell: shell, holes: [hole])))
    let other = "[[20,50],[21,50],[21,51],[20,50]]"
    #expect(
      try Self.read(#"{"coordinates":[[\#(Self.square)],[\#(other)]],"type":"MultiPolygon"}"#).regions.first?
        .shape
        == .multiPolygon([
          Region.Polygon(shell: shell),
          Region.Polygon(shell: [place(20, 50), place(21, 50), place(21, 51), place(20, 50)]),
        ]))
    #expect(
      try Self.read(#"{"type":"LineString","coordinates":[[1,2,9],[3,4]]}"#, #"{"buffer_m":25}"#).regions
        .first?.shape
        == .corridor(line: [place(1, 2), place(3, 4)], bufferMeters: 25))
  }

  private func place(_ longitude: Double, _ latitude: Double) -> Coordinate {
    Self.place(longitude, latitude)
  }

  @Test(arguments: [
    (
      #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#,
      "a ring that is not closed: it begins at [0, 0] and ends at [0, 1]; repeat the first position at its end"
    ),
    (
      #"{"type":"Polygon","coordinates":[[[0,0],[10,10],[10,0],[0,10],[0,0]]]}"#,
      "not a valid outline: Self-intersection at [5, 5]; draw it anew there"
    ),
    (
      #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}"#,
      "a ring of less than four positions, at [0, 0]; repeat the first position at its end"
    ),
    (#"{"type":"Polygon","coordinates":[[]]}"#, "an empty ring; give it its positions, or remove it"),
    (
      #"{"type":"Polygon","coordinates":[]}"#,
      "a Polygon without a ring; give it a ring, or remove the feature"
    ),
    (
      #"{"type":"MultiPolygon","coordinates":[]}"#,
      "a MultiPolygon without polygons; give it one, or remove it"
    ),
    (
      #"{"type":"Polygon","coordinates":[\#(Self.square),[[20,20],[22,20],[22,22],[20,20]]]}"#,
      "not a valid outline: Hole lies outside shell at [20, 20]; draw it anew there"
    ),
    (
      #"{"type":"Polygon","coordinates":[[[50,100],[51,100],[51,101],[50,100]]]}"#,
      "latitude 100 is not within -90 to 90; swapped?; GeoJSON has longitude first: [100, 50]"
    ),
    (
      #"{"type":"Polygon","coordinates":[[[500,1],[501,1],[501,2],[500,1]]]}"#,
      "longitude 500 is not within -180 to 180; write 140"
    ),
    (
      #"{"type":"Polygon","coordinates":[[0,0],[1,0],[1,1],[0,0]]}"#,
      "a number where a position is expected; a position is [longitude, latitude]"
    ),
    (
      #"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#,
      "a LineString without a buffer; add \"buffer_m\" (metres) to its properties"
    ),
  ])
  func `bad outlines are refused with reason and place`(geometry: String, message: String) {
    let thrown = #expect(throws: Failure.self) { try Self.read(geometry) }
    #expect(thrown?.code == .data)
    #expect(thrown?.description == "f:1: feature 1 (\"a\"): \(message)")
  }

  @Test(arguments: [
    #"{"type":"LineString","coordinates":[[1,2]]}"#, #"{"type":"LineString","coordinates":[[1,2],[1,2]]}"#,
  ])
  func `lines that are none are refused`(geometry: String) {
    #expect(throws: Failure.self) { try Self.read(geometry, #"{"buffer_m":5}"#) }
  }

  @Test func `longitudes from 180 to 360 are turned, and written back as they were`() throws {
    let text = #"{"type":"Polygon","coordinates":[[[170,0],[190,0],[190,10],[170,10],[170,0]]]}"#
    let file = try Self.read(text)
    #expect(
      file.regions.first?.shape
        == .polygon(
          Region.Polygon(shell: [
            place(170, 0), place(-170, 0), place(-170, 10), place(170, 10), place(170, 0),
          ])))
    #expect(try file.feature(at: 0).geoJSON.contains(text))
  }

  @Test func `reads KML polygons with inner boundaries, and geometries of several`() throws {
    func boundary(_ kind: String, _ coordinates: String) -> String {
      "<\(kind)BoundaryIs><LinearRing><coordinates>\(coordinates)</coordinates></LinearRing></\(kind)BoundaryIs>"
    }
    let outer = boundary("outer", "10,50,0 11,50,0 11,51,0 10,51,0 10,50,0")
    let inner = boundary("inner", "10.4,50.4 10.6,50.4 10.6,50.6 10.4,50.6 10.4,50.4")
    let second = boundary("outer", "20,50 21,50 21,51 20,50")
    let text = RegionImportTests.kml(
      """
      <Placemark><name>A</name><Polygon>\(outer)\(inner)</Polygon></Placemark>
      <Placemark><name>B</name><MultiGeometry><Polygon>\(outer)</Polygon><Polygon>\(second)</Polygon>
       <Point><coordinates>1,2</coordinates></Point></MultiGeometry></Placemark>
      <Placemark><name>C</name><ExtendedData><Data name="buffer_m"><value>30</value></Data></ExtendedData>
       <LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark>
      """)
    let file = try RegionImportTests.read(text)
    let polygon = try Self.read(#"{"type":"Polygon","coordinates":[\#(Self.square),\#(Self.hole)]}"#)
    #expect(file.regions.map(\.id) == ["A", "B", "C"])
    #expect(file.regions[0].shape == polygon.regions[0].shape)
    #expect(file.regions[1].shape.polygons.count == 2)
    #expect(file.regions[2].shape == .corridor(line: [place(1, 2), place(3, 4)], bufferMeters: 30))
    #expect(file.leftOut == ["f: placemark 2 (\"B\"): its points and lines, beside its polygons"])
    for index in file.regions.indices {
      let text = try file.feature(at: index).geoJSON
      let again = try RegionFile.read(bytes: Array(text.utf8), name: "g")
      #expect(again.regions == [file.regions[index]])
    }
  }

  // MARK: The corpus

  @Test(.enabled(if: Corpus.isPresent)) func `countries are read and written without losing a digit`() throws
  {
    let path = try #require(Corpus.path("regions/polygons.geojson"))
    let file = try RegionFile.read(path: path)
    #expect(file.regions.count == 50)
    #expect(file.leftOut == [] && file.warnings == [])
    let text = String(decoding: try FileBytes.read(path: path), as: UTF8.self)
    guard case .array(let features)? = try PlainJSON(text)["features"] else { return }
    for (index, feature) in features.enumerated() {
      let made = try file.feature(at: index)
      #expect(try PlainJSON(made.geoJSON) == feature)
      let again = try RegionFile.read(bytes: Array(made.geoJSON.utf8), name: "g")
      #expect(again.regions == [file.regions[index]])
    }
  }

  @Test(.enabled(if: Corpus.isPresent)) func `countries hold the places that they should`() throws {
    let file = try RegionFile.read(path: try #require(Corpus.path("regions/polygons.geojson")))
    var locator = try RegionLocator(file.regions)
    var answer = RegionLocator.Answer()
    var wrong = 0
    for (number, row) in try Self.rows("regions/points_truth.csv").enumerated()
    where Corpus.isFull || number % 20 == 0 {
      let place = Self.place(try #require(Double(row[3])), try #require(Double(row[4])))
      locator.locate(place, into: &answer)
      for (index, truth) in row[5].enumerated() where truth != "B" {
        guard answer.inside.contains(index) != (truth == "1") else { continue }
        let edge = try ShapeGeometry(file.regions[index].shape).edgeMeters(at: place)
        if abs(edge) > 1 {
          wrong += 1
          Issue.record("\(file.regions[index].id) \(place) \(truth) \(edge)")
        }
      }
      if wrong > 10 { return }
    }
  }

  @Test(.enabled(if: Corpus.isPresent))
  func `outlines with defects are refused, those that look odd are not`() throws {
    let path = try #require(Corpus.path("regions/invalid.geojson"))
    let (file, problems) = try RegionFile.examine(path: path)
    // Clockwise, hole of the same winding, repeated vertices, altitude, the world, a polar cap, uncut boxes.
    #expect(file.regions.map(\.id) == ["2", "3", "9", "17", "20", "21", "22", "23"])
    #expect(problems.count == 52 - 8)
    for problem in problems {
      #expect(problem.code == .data)
      #expect(problem.what.hasPrefix("feature "))
    }
    #expect(throws: Failure.self) { try RegionFile.read(path: path) }
  }

  @Test(.enabled(if: Corpus.isPresent))
  func `outlines across the antimeridian hold their places, cut or not`() throws {
    let bytes = try FileBytes.read(path: try #require(Corpus.path("regions/antimeridian_uncut.geojson")))
    guard case .array(let features)? = try PlainJSON(String(decoding: bytes, as: UTF8.self))["features"]
    else {
      return
    }
    var points: [String: [(place: Coordinate, isInside: Bool)]] = [:]
    for row in try Self.rows("regions/antimeridian_uncut_truth.csv") {
      let place = Self.place(try #require(Double(row[1])), try #require(Double(row[2])))
      points[row[0], default: []].append((place, row[3] == "1"))
    }
    // Each feature by itself, because the file has several of an id.
    var reader = JSONReader(bytes)
    var count = 0
    try reader.openObject()
    while let key = try reader.nextKey() {
      guard reader.equals(key, "features") else {
        try reader.skip()
        continue
      }
      try reader.openArray()
      while try reader.nextElement() {
        let first = reader.offset
        try reader.skip()
        let region = try #require(
          try RegionFile.read(bytes: Array(bytes[first..<reader.offset]), name: "f").regions.first)
        let shape = try ShapeGeometry(region.shape)
        for (place, isInside) in try #require(points[region.id]) {
          let edge = shape.edgeMeters(at: place)
          #expect((edge <= 0) == isInside || abs(edge) <= 1, "\(count) \(region.id) \(place) \(edge)")
        }
        count += 1
      }
    }
    #expect(count == features.count)
  }

  /// The rows of a table without quotes, without its header.
  static func rows(_ path: String) throws -> [[String]] {
    let text = String(decoding: try FileBytes.read(path: try #require(Corpus.path(path))), as: UTF8.self)
    let rows = text.split(whereSeparator: \.isNewline).dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    try #require(rows.count > 1000)
    return rows
  }
}
