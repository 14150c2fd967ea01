import LocationCore
import LocationFormats
import Testing

@Suite("Reading GPX")
struct GPXReadingTests {
  static func read(_ inside: String, options: TrackOptions = TrackOptions()) throws -> FixReport {
    let point = "<trkpt lat='48.1' lon='11.5'><time>2024-05-01T10:00:00Z</time>\(inside)</trkpt>"
    let reading = try Reading(HostileGPXTests.track(point), options: options)
    return try #require(reading.fixes.first)
  }

  @Test("a point gives time, place, altitude, speed and course")
  func fields() throws {
    let fix = try Self.read(
      "<ele>520.5</ele><speed>1.5</speed><course>90</course><fix>3d</fix><hdop>2</hdop>")
    #expect(
      fix
        == FixReport(
          time: UTCTime(microseconds: 1_714_557_600_000_000), latitude: 48.1, longitude: 11.5,
          accuracy: .fromHDOP(2), mode: .threeD, speedMetersPerSecond: 1.5, courseDegrees: 90,
          altitudeMeters: 520.5))
  }

  @Test(
    "accuracy is metres in extensions, else hdop, else what the caller assumes, else typical",
    arguments: [
      (
        "<extensions><accuracy>65</accuracy></extensions><hdop>1</hdop>", nil,
        Accuracy(radiusMeters: 65, source: .reported)
      ),
      (
        "<extensions><hAcc>1.8</hAcc><vAcc>9</vAcc></extensions>", nil,
        Accuracy(radiusMeters: 1.8, source: .reported)
      ),
      (
        "<extensions><a:b xmlns:a='u'><a:accuracy_horizontal>7</a:accuracy_horizontal></a:b></extensions>",
        nil, Accuracy(radiusMeters: 7, source: .reported)
      ),
      ("<o:acc xmlns:o='u'>4</o:acc>", nil, Accuracy(radiusMeters: 4, source: .reported)),
      ("<extensions><accuracy>-1</accuracy></extensions><hdop>1.5</hdop>", 50, Accuracy.fromHDOP(1.5)),
      ("<hdop>0</hdop>", 50, Accuracy(radiusMeters: 50, source: .assumed)),
      ("<hdop>INF</hdop>", nil, Accuracy.assumed(.unknown)),
      ("<fix>2d</fix>", nil, Accuracy.assumed(.twoD)),
    ] as [(String, Double?, Accuracy)])
  func accuracy(inside: String, assumed: Double?, expected: Accuracy) throws {
    #expect(try Self.read(inside, options: TrackOptions(assumeAccuracyMeters: assumed)).accuracy == expected)
  }

  @Test(
    "the kind of fix is what the point says",
    arguments: [
      ("none", FixMode.noFix), ("2d", .twoD), (" 3d\n", .threeD), ("dgps", .threeD), ("pps", .threeD),
      ("3D", .unknown), ("", .unknown),
    ])
  func mode(text: String, mode: FixMode) throws {
    #expect(try Self.read("<fix>\(text)</fix>").mode == mode)
  }

  @Test(
    "speed and course come from GPX 1.0 or from extensions; negative ones are unknown",
    arguments: [
      ("<extensions><speed>2</speed><course>10</course></extensions>", 2, 10),
      (
        "<extensions><t:T xmlns:t='u'><t:speed>2</t:speed><t:bearing>20</t:bearing></t:T></extensions>", 2, 20
      ),
      ("<extensions><t:T><t:bearing>20</t:bearing><t:course>10</t:course></t:T></extensions>", nil, 10),
      ("<speed>-1</speed><course>-1</course>", nil, nil),
      ("<speed>x</speed><course>361</course>", nil, nil),
      ("<course>360.0</course>", nil, 0),
    ] as [(String, Double?, Double?)])
  func motion(inside: String, speed: Double?, course: Double?) throws {
    let fix = try Self.read(inside)
    #expect(fix.speedMetersPerSecond == speed && fix.courseDegrees == course)
  }

  @Test(
    "a source that is a network makes a fix from Wi-Fi and cells, good to 100 m where it states nothing else",
    arguments: [
      ("<src>network</src>", .network, 100), ("<src> network\n</src>", .network, 100),
      ("<src>network</src><hdop>1</hdop>", .network, Accuracy.fromHDOP(1).radiusMeters),
      ("<src>network</src><fix>none</fix>", .noFix, Accuracy.assumed(.noFix).radiusMeters),
      ("<src>gps</src><fix>2d</fix>", .twoD, Accuracy.assumed(.twoD).radiusMeters),
      ("<src/>", .unknown, Accuracy.assumed(.unknown).radiusMeters),
      ("<extensions><src>network</src></extensions>", .unknown, Accuracy.assumed(.unknown).radiusMeters),
    ] as [(String, FixMode, Double)])
  func source(inside: String, mode: FixMode, radiusMeters: Double) throws {
    let fix = try Self.read(inside)
    #expect(fix.mode == mode && fix.accuracy.radiusMeters == radiusMeters)
  }

  @Test(
    "text that is not the field's own does not count",
    arguments: [
      "<extensions><ele>1</ele><time>1999-01-01T00:00:00Z</time><lat>1</lat></extensions>",
      "<link href='x'><time>1999-01-01T00:00:00Z</time></link>",
      "<ele><b>1</b></ele>", "<name>1</name>", "<ele/>", "<z:ele xmlns:z='u'>1</z:ele>",
      "<ele>\(String(repeating: "1", count: 2000))</ele>",
    ])
  func strangers(inside: String) throws {
    let fix = try Self.read(inside)
    #expect(fix.altitudeMeters == nil && fix.latitude == 48.1)
    #expect(fix.time?.rfc3339 == "2024-05-01T10:00:00.000Z")
  }

  @Test("borders of segments and tracks are breaks between points, never first, last or double")
  func breaks() throws {
    let point = HostileGPXTests.point(0)
    let segment = "<trkseg>\(point)</trkseg>"
    let reading = try Reading(
      HostileGPXTests.root
        + "<trk><trkseg/>\(segment)<trkseg/>\(segment)</trk><trk/><trk>\(segment)</trk><trk><trkseg/></trk></gpx>"
    )
    let isBreak = reading.items.map { $0 == .segmentBreak }
    #expect(isBreak == [false, true, false, true, false])
  }

  @Test("routes count only where there is no track, waypoints only where there is no route")
  func routesAndWaypoints() throws {
    let time = "<time>2024-05-01T10:00:00Z</time>"
    let waypoint = "<wpt lat='1' lon='1'>\(time)</wpt>"
    let route = "<rte><rtept lat='2' lon='2'>\(time)</rtept><rtept lat='3' lon='3'/></rte>"
    let track = "<trk><trkseg>\(HostileGPXTests.point(0))</trkseg></trk>"
    func latitudes(_ inside: String) throws -> [Double?] {
      let reading = try Reading(HostileGPXTests.root + inside + "</gpx>")
      #expect(reading.failure == nil)
      return reading.items.map { if case .fix(let fix) = $0 { fix.latitude } else { nil } }
    }
    #expect(try latitudes(waypoint + route + track) == [47])
    #expect(try latitudes(track + route + waypoint) == [47])
    #expect(try latitudes(waypoint + route + route) == [2, 3, nil, 2, 3])
    #expect(try latitudes(waypoint + waypoint) == [1, 1])
  }

  @Test("more waypoints than are kept are refused, but not where a track follows")
  func manyWaypoints() throws {
    let waypoints = String(repeating: "<wpt lat='1' lon='1'/>", count: GPXAssembler.maximumHeldPoints + 1)
    let alone = try Reading(HostileGPXTests.root + waypoints + "</gpx>")
    #expect(alone.failure?.what == "no track, and more than 100000 route points or waypoints")
    let before = try Reading(
      HostileGPXTests.root + waypoints + "<trk><trkseg>\(HostileGPXTests.point(0))</trkseg></trk></gpx>")
    #expect(before.failure == nil && before.fixes.count == 1)
  }

  @Test("a track without times gets them on demand, from a start and an interval")
  func interval() throws {
    let points = "<trkpt lat='1' lon='1'/><trkpt lat='2' lon='1'/>" + HostileGPXTests.point(3)
    let document = HostileGPXTests.track(points + "<trkpt lat='4' lon='1'/>")
    func times(_ options: TrackOptions) throws -> [String?] {
      try Reading(document, options: options).fixes.map { $0.time?.rfc3339 }
    }
    #expect(
      try times(TrackOptions(intervalSeconds: 0.5, start: UTCTime(rfc3339: "2024-01-01T00:00:00Z")))
        == [
          "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.500Z", "2024-05-01T10:00:03.000Z",
          "2024-01-01T00:00:01.500Z",
        ])
    let late = TrackOptions(intervalSeconds: 3600, start: UTCTime(rfc3339: "9999-12-31T22:30:00Z"))
    #expect(
      try times(late) == [
        "9999-12-31T22:30:00.000Z", "9999-12-31T23:30:00.000Z", "2024-05-01T10:00:03.000Z", nil,
      ])
    #expect(try Reading(document, options: late).failure?.what == "the track ends after the year 9999")
    #expect(try times(TrackOptions(intervalSeconds: 1)).first == "2000-01-01T00:00:00.000Z")
    #expect(try times(TrackOptions()) == [nil, nil, "2024-05-01T10:00:03.000Z", nil])
    let timedFirst = HostileGPXTests.track(HostileGPXTests.point(3) + points)
    let reading = try Reading(timedFirst, options: TrackOptions(intervalSeconds: 1))
    #expect(reading.fixes.map { $0.time == nil } == [false, true, true, false])
    #expect(
      reading.notes.contains("the first fix has a time: --interval gives none to the 2 points without one"))
  }
}
