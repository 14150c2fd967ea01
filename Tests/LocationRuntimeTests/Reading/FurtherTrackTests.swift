import Foundation
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats

/// Tracks that are neither GPX nor JSON lines of ours.
@Suite struct FurtherTrackTests {
  private func times(_ reading: Reading) -> [String?] { reading.fixes.map { $0.time?.rfc3339 } }

  /// Adds the checksum of NMEA 0183.
  private func sentence(_ body: String) -> String {
    let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
    let digits = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n"
  }

  // MARK: NMEA 0183

  @Test func `the sentences of one time are one fix, with the accuracy of its dilution`() throws {
    let log =
      sentence("GPGGA,235959.00,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
      + sentence("GPRMC,235959.00,A,4807.038,N,01131.000,E,022.4,084.4,230394,,")
      + sentence("GPGGA,000000.00,4807.040,S,01131.000,W,2,08,0.9,545.4,M,46.9,M,,")
      + sentence("GPRMC,000000.00,A,4807.040,S,01131.000,W,022.4,084.4,240394,,")
      + sentence("GPRMC,000001.00,V,,,,,,,240394,,")
    let reading = try Reading(log)
    #expect(reading.failure == nil)
    // The first GGA comes before any date.
    #expect(reading.notes == ["1 position before the first date, left out"])
    #expect(
      times(reading) == [
        "1994-03-23T23:59:59.000Z", "1994-03-24T00:00:00.000Z", "1994-03-24T00:00:01.000Z",
      ])
    let first = try #require(reading.fixes.first)
    #expect(abs(first.latitude - 48.1173) < 1e-9 && abs(first.longitude - 11.516_666_667) < 1e-9)
    #expect(abs((first.speedMetersPerSecond ?? 0) - 11.5235) < 1e-3 && first.courseDegrees == 84.4)
    #expect(first.altitudeMeters == 545.4)
    // 0.9 x 19 m with 95 %.
    #expect(abs(first.accuracy.radiusMeters - Accuracy.from95Percent(17.1).radiusMeters) < 1e-9)
    #expect(reading.fixes[1].latitude < 0 && reading.fixes[1].longitude < 0)
    #expect(reading.fixes[2].mode == .noFix && reading.fixes[2].latitude.isNaN)
  }

  /// A chart plotter writes `$GPZDA,195719,16,04,14,-02,00`: every second report was of the year 14.
  @Test(arguments: ["94", "1994"]) func `the year of a date has two digits or four`(year: String) throws {
    let log = (0..<3).map {
      sentence("GPGGA,12000\($0),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
        + sentence("GPRMC,12000\($0),A,4807.038,N,01131.000,E,0,0,230394,,")
        + sentence("GPZDA,12000\($0),23,03,\(year),00,00")
    }.joined()
    let reading = try Reading(log)
    #expect(
      times(reading) == (0..<3).map { "1994-03-23T12:00:0\($0).000Z" })
  }

  @Test func `damaged sentences, ships and a logger's own words are passed over`() throws {
    let good = sentence("GPRMC,120000,A,4807.038,N,01131.000,E,0,0,230394,,")
    let log =
      "# a comment\n!AIVDM,1,1,1,,13aI8e?P00PGpU:NR6s00?vT2000,0,0*1C\n" + good
      + "$GPRMC,120001,A,4807.039,N,01131.000,E,0,0,230394,,*00\n"
      + "1609459200.123;" + sentence("GPRMC,120002,A,4807.040,N,01131.000,E,0,0,230394,,")
    let reading = try Reading(log)
    #expect(reading.failure == nil)
    #expect(times(reading) == ["1994-03-23T12:00:00.000Z", "1994-03-23T12:00:02.000Z"])
    #expect(reading.notes == ["1 damaged sentence, skipped"])
  }

  @Test func `sentences whose lines have lost their ends are read, and one that is cut off is told`() throws {
    let two = (0..<2).map { sentence("GPRMC,12000\($0),A,4807.038,N,01131.000,E,0,0,230394,,") }
      .joined().replacing("\r", with: "").replacing("\n", with: "")
    let reading = try Reading(two + "\r\n$GPG")
    #expect(times(reading) == ["1994-03-23T12:00:00.000Z", "1994-03-23T12:00:01.000Z"])
    #expect(reading.notes == ["1 damaged sentence, skipped"])
  }

  @Test(arguments: [false, true]) func `a log whose checksums are all wrong says so`(hasTime: Bool) throws {
    let bad = (0..<3).map { "$GPRMC,12000\($0),A,4807.038,N,01131.000,E,0,0,230394,,*00\n" }.joined()
    let reading = try Reading((hasTime ? sentence("GPZDA,115959,23,03,1994,00,00") : "") + bad)
    #expect(reading.failure?.code == .data)
    #expect(reading.failure?.what == "no position in it, but 3 sentences with a wrong checksum")
  }

  /// A Magellan without a fix writes its last position, and the mode in place of the status.
  @Test(arguments: [
    ("", FixMode.unknown), (",A", .unknown), (",A,A", .unknown), (",A,D", .unknown), (",V", .noFix),
    (",V,N", .noFix), (",N,V", .noFix), (",A,N", .noFix),
  ])
  func `a position is one by its status and its mode`(end: String, mode: FixMode) throws {
    let date = sentence("GPZDA,115959,23,03,1994,00,00")
    let reading = try Reading(date + sentence("GPGLL,4807.038,N,01131.000,E,120000\(end)"))
    #expect(reading.fixes.map(\.mode) == [mode])
  }

  @Test(arguments: [("A", FixMode.unknown), ("D", .unknown), ("", .unknown), ("N", .noFix)])
  func `a position with a status is none where its mode says so`(mode: String, fix: FixMode) throws {
    let reading = try Reading(
      sentence("GPRMC,120000,A,4807.038,N,01131.000,E,0,0,230394,,,\(mode)"))
    #expect(reading.fixes.map(\.mode) == [fix])
  }

  @Test(arguments: [
    ("AN", FixMode.unknown), ("NA", .unknown), ("NNAN", .unknown), ("D", .unknown), ("NE", .unknown),
    ("N", .noFix), ("NN", .noFix), ("", .noFix),
  ])
  func `a fix of any constellation is one`(modes: String, mode: FixMode) throws {
    let log =
      sentence("GPZDA,120000,23,03,1994,00,00")
      + sentence("GNGNS,120000,4807.038,N,01131.000,E,\(modes),08,0.9,545.4,46.9,,")
    let reading = try Reading(log)
    #expect(reading.fixes.map(\.mode) == [mode])
    let usual = Accuracy.fromHDOP(0.9).radiusMeters
    let wanted = modes == "NE" ? 2 * usual : usual
    if mode == .unknown { #expect(abs((reading.fixes.first?.accuracy.radiusMeters ?? 0) - wanted) < 1e-9) }
  }

  @Test func `a log without a date needs an interval`() throws {
    let log = (0..<3).map { sentence("GPGGA,12000\($0),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,") }
      .joined()
    #expect(try Reading(log).failure?.what == "no track point has a time like 2026-05-01T06:00:00Z")
    let assigned = try Reading(log, options: TrackOptions(intervalSeconds: 1))
    #expect(assigned.failure == nil && assigned.fixes.count == 3)
  }

  @Test func `a log without a date that is longer than what waits for one keeps its order`() throws {
    let log = (0..<36_002).map { number in
      let (hours, minutes, seconds) = (number / 3600, number / 60 % 60, number % 60)
      let time = [hours, minutes, seconds].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
      let fraction = String(String(100_000 + number).dropFirst())
      return sentence("GPGGA,\(time),4807.\(fraction),N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
    }
    let reading = try Reading(log.joined(), options: TrackOptions(intervalSeconds: 1))
    #expect(reading.failure == nil && reading.fixes.count == 36_002)
    let latitudes = reading.fixes.map(\.latitude)
    #expect(zip(latitudes, latitudes.dropFirst()).allSatisfy { $0 < $1 })
  }

  // MARK: Tables

  @Test func `a quote within a field of a table, or one that is not closed, is a character`() throws {
    let reading = try Reading(
      """
      name,time,lat,lon
      12" pipe,2026-05-04T06:00:00Z,48.1,11.5
      "a ""b"", c",2026-05-04T06:00:01Z,48.2,11.5
      "d,2026-05-04T06:00:02Z,48.3,11.5

      """)
    #expect(reading.failure == nil)
    #expect(reading.fixes.map(\.latitude) == [48.1, 48.2, 48.3])
  }

  @Test func `a table is read by the names of its columns`() throws {
    let reading = try Reading(
      "Time,Latitude,Longitude,Speed (km/h),HDOP,name\n"
        + "2026-05-04T06:30:00Z,48.1,11.5,36,1,\"a, b\"\n2026-05-04T06:30:01Z,,,,,\n")
    #expect(reading.failure == nil)
    #expect(times(reading) == ["2026-05-04T06:30:00.000Z"])
    #expect(reading.fixes.first?.speedMetersPerSecond == 10)
    #expect(reading.fixes.first?.accuracy == .fromHDOP(1))
    #expect(reading.notes == ["1 line without a latitude and a longitude, skipped"])
  }

  @Test func `columns that were meant to be read, and are not, are told`() throws {
    let row = "2026-05-04T06:30:00Z,48.1,11.5,12,50\n"
    let repeated = try Reading("time,lat,lon,lat,acc_m\n" + row)
    #expect(repeated.fixes.map(\.latitude) == [48.1])
    #expect(repeated.notes == [#"the column "lat" stands twice; the first one counts"#])
    let feet = try Reading("time,lat,lon,accuracy (ft),speed (furlong/h)\n" + row)
    #expect(
      feet.notes == [
        #"the column "accuracy (ft)" is not read: it is not in metres"#,
        #"the column "speed (furlong/h)" is not read: it is not in m/s, km/h, kn or mph"#,
      ])
    let slips = try Reading("time,lat,lon,acuracy,sped\n" + row)
    #expect(
      slips.notes == [
        #"the column "acuracy" is not read; did you mean "acc_m"?"#,
        #"the column "sped" is not read; did you mean "speed"?"#,
      ])
    let lack = try #require(try Reading("Time;Latitude;Longtitude\n" + row).failure)
    #expect(
      "\(lack)".hasSuffix(
        "1: the first line names no longitude; \"Longtitude\" is none; name the columns: time,lat,lon,acc_m"))
    let both = try Reading("time,lat,lon,acc_m,accuracy_vertical\n" + row)
    #expect(both.notes.isEmpty)
  }

  @Test func `a table without a position that can be read says where it begins`() throws {
    let failure = try #require(
      try Reading("time,lat,lon\n\n1777874400,\"48,1\",\"11,5\"\n1777874401,\"48,1\",\"11,5\"\n").failure)
    #expect(
      failure.what == "no line has a latitude and a longitude in degrees, with points; the first is line 3")
  }

  @Test(arguments: ["\"two\nlines, \"\"and\"\" a quote\"", "\"\"", "5\" wide", "5\"\" wide", "\"open"])
  func `a quoted field may have line breaks, and a stray quote spoils nothing`(name: String) throws {
    let rows = ["first", name, "last"].enumerated().map { "177787440\($0),\($1),48.1,11.5\n" }.joined()
    let reading = try Reading("time,name,lat,lon\n" + rows)
    #expect(reading.failure == nil)
    #expect(reading.fixes.count == 3)
  }

  @Test(arguments: ["unix", "ts", "Unix time"]) func `seconds since 1970 are a time`(name: String) throws {
    let reading = try Reading("\(name),lat,lon\n1777874400.5,48.1,11.5\n")
    #expect(times(reading) == ["2026-05-04T06:00:00.500Z"])
  }

  @Test func `a provider that is a network makes a fix from Wi-Fi and cells`() throws {
    let reading = try Reading(
      "time,lat,lon,provider\n1777876200,48.1,11.5,network\n1777876201,48.1,11.5,gps\n")
    #expect(reading.fixes.map(\.mode) == [.network, .unknown])
    #expect(reading.fixes.map(\.accuracy) == [.assumed(.network), .assumed(.unknown)])
  }

  @Test func `semicolons, decimal commas, and a date beside the time`() throws {
    let reading = try Reading("date;time;lat;lon;acc_m\n2026-05-04;06:30:00;48,1;11,5;7,5\n")
    #expect(times(reading) == ["2026-05-04T06:30:00.000Z"])
    #expect(reading.fixes.first?.latitude == 48.1)
    #expect(reading.fixes.first?.accuracy == Accuracy(radiusMeters: 7.5, source: .reported))
  }

  @Test func `a number of seconds may have a decimal comma where semicolons separate`() throws {
    let reading = try Reading("unix;lat;lon\n1777615200,5;48,5;11,5\n")
    #expect(times(reading) == ["2026-05-01T06:00:00.500Z"])
  }

  @Test(arguments: [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
  func `text in UTF-16 that is no XML is told as such`(mark: [UInt8]) throws {
    let isLittle = mark[0] == 0xFF
    let text = "time,lat,lon\n2026-05-01T06:00:00Z,48,11\n".utf16.flatMap {
      isLittle ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)]
    }
    let failure = try Reading(mark + text).failure
    #expect(failure?.what == "text in UTF-16" && failure?.remedy == "save the file as UTF-8")
  }

  /// Each with the time that it means.
  private static let spelledTimes: [(header: String, value: String, time: String)] = [
    // As gpsbabel writes it (unicsv).
    ("Date,Time", "2026/05/04,05:35:00.250", "2026-05-04T05:35:00.250Z"),
    ("Date/Time", "2026-05-04 05:35:00", "2026-05-04T05:35:00.000Z"),
    ("Date", "2026-05-04T05:35:00Z", "2026-05-04T05:35:00.000Z"),
    ("date,timestamp", "2026-05-04,2026-05-04T05:35:00Z", "2026-05-04T05:35:00.000Z"),
    ("time", "2026/05/04 05:35:00", "2026-05-04T05:35:00.000Z"),
    ("time", "2026-05-01 06:00:00 +0200", "2026-05-01T04:00:00.000Z"),
    ("time", "2026-05-01T06:00:00 -03:30", "2026-05-01T09:30:00.000Z"),
    ("time", "2026-05-01 06:00:00.5 UTC", "2026-05-01T06:00:00.500Z"),
  ]

  @Test(arguments: spelledTimes)
  func `a time of a table that has only one meaning is read`(
    spelling: (header: String, value: String, time: String)
  ) throws {
    let reading = try Reading("\(spelling.header),lat,lon\n\(spelling.value),48.1,11.5\n")
    #expect(reading.failure == nil && reading.notes.isEmpty)
    #expect(times(reading) == [spelling.time])
  }

  private static let unreadableTimes: [(header: String, value: String, told: String)] = [
    ("Date/Time", "01.05.2026 06:00:00", #""Date/Time" has no time that can be read: "01.05.2026 06:00:00""#),
    ("time", "05/06/2026 06:00", #""time" has no time that can be read: "05/06/2026 06:00""#),
    ("Date,Time", "20260501,060000", #""Date" has no time that can be read: "20260501""#),
    ("Date,Time", "2026/05/01,6 am", #""Time" has no time that can be read: "6 am""#),
    ("date", "2026-05-01", #""date" has no time that can be read: "2026-05-01""#),
    ("time", "2026-05-01 06:00:00 CEST", #""time" has no time that can be read: "2026-05-01 06:00:00 CEST""#),
  ]

  /// `--interval` would throw the real times away.
  @Test(arguments: unreadableTimes)
  func `a time of a table that can't be read is told with its column`(
    spelling: (header: String, value: String, told: String)
  ) throws {
    let row = "\(spelling.value),48.1,11.5\n"
    let failure = try #require(try Reading("\(spelling.header),lat,lon\n" + row + row).failure)
    #expect(failure.what == "the column " + spelling.told && failure.line == 2)
    #expect(failure.remedy == "write it as 2026-05-01T06:00:00Z, or in seconds since 1970")
  }

  @Test func `a table of which some times can't be read is read, with a note`() throws {
    let reading = try Reading("time,lat,lon\n2026-05-04T05:35:00Z,48.1,11.5\nnoon,48.1,11.5\n,48.1,11.5\n")
    #expect(reading.failure == nil)
    #expect(times(reading) == ["2026-05-04T05:35:00.000Z", nil, nil])
    #expect(reading.notes == [#"1 line with a time that can't be read, such as "noon" in "time""#])
  }

  @Test func `accuracies with a unit are told`() throws {
    let reading = try Reading(
      "time,lat,lon,accuracy\n2026-05-04T05:35:00Z,48.1,11.5,5m\n1777872901,48.1,11.5,-\n")
    #expect(reading.fixes.count == 2)
    #expect(
      reading.notes == [
        #"1 line with an accuracy that can't be read, such as "5m": write metres as a plain number"#
      ])
  }

  @Test func `the days of a spreadsheet are told`() throws {
    let days = try Reading("time,lat,lon\n46143.25,48.1,11.5\n46143.26,48.1,11.5\n")
    #expect(
      days.notes == [
        #"times such as "46143.25" are read as seconds since 1970; "#
          + "write the days of a spreadsheet as 2026-05-01T06:00:00Z"
      ])
    #expect(try Reading("time,lat,lon\n0,48.1,11.5\n46143.25,48.1,11.5\n").notes == [])
  }

  @Test(arguments: ["time,lat,acc\n1,2,3\n", "when;y;x\n1;2;3\n", "a\tb\tc\n"])
  func `a table without a place says so`(text: String) throws {
    let what = try #require(try Reading(text).failure?.what)
    #expect(what.hasPrefix("the first line names no"), "\(what)")
    #expect(
      try Reading("Dear friend, this is a letter, not a track\n").failure?.what
        == "neither XML nor JSON lines")
  }

  // MARK: KML and KMZ

  private let kml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>
    <Placemark><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark>
    <Placemark><gx:Track><when>2026-05-04T06:30:00Z</when><when>2026-05-04T06:30:01Z</when>
    <gx:coord>11.5 48.1 500</gx:coord><gx:coord>11.6 48.2 501</gx:coord></gx:Track></Placemark>
    <Placemark><TimeStamp><when>2026-05-04T06:40:00Z</when></TimeStamp>
    <Point><coordinates>11.7,48.3</coordinates></Point></Placemark>
    </Document></kml>
    """

  @Test func `the tracks of KML count, and what else it has does not`() throws {
    let reading = try Reading(kml)
    #expect(reading.failure == nil)
    #expect(times(reading) == ["2026-05-04T06:30:00.000Z", "2026-05-04T06:30:01.000Z"])
    #expect(reading.fixes.map(\.latitude) == [48.1, 48.2])
    let line = try Reading(
      "<kml><Placemark><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark></kml>",
      options: TrackOptions(intervalSeconds: 1))
    #expect(line.failure == nil && line.fixes.map(\.latitude) == [2, 4])
  }

  /// Python's ElementTree writes the prefix `ns0`.
  @Test func `KML is told by its root, whatever its prefix, its encoding and what stands before it`() throws {
    let prefixed = kml.replacing("<kml ", with: "<ns0:kml ").replacing("</kml>", with: "</ns0:kml>")
      .replacing("xmlns=", with: "xmlns:ns0=")
    let comment = "<!-- a <b> c -->" + String(repeating: "<!-- <gpx> <-->\n", count: 200)
    for text in [prefixed, kml.replacing("<kml ", with: comment + "<kml ")] {
      let reading = try Reading(text)
      #expect(reading.failure == nil && reading.fixes.map(\.latitude) == [48.1, 48.2], "\(text)")
    }
    let wide = kml.replacing("UTF-8", with: "UTF-16").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try Reading([0xFF, 0xFE] + wide).fixes.map(\.latitude) == [48.1, 48.2])
  }

  @Test func `numbers of KML may have an exponent, and any white space between them`() throws {
    let reading = try Reading(kml.replacing("11.5 48.1 500", with: "\n\t-5.1e-05\n51.5\t5E1 "))
    #expect(reading.failure == nil && reading.notes.isEmpty)
    #expect(reading.fixes.map(\.longitude) == [-0.000051, 11.6])
    #expect(reading.fixes.map(\.altitudeMeters) == [50, 501])
  }

  @Test func `each place of a KML track has the time of its own number`() throws {
    let whens = (0...3).map { "<when>2026-05-04T06:30:0\($0)Z</when>" }.joined()
    let coords =
      "<gx:coord>1 10</gx:coord><gx:coord/><gx:coord>none</gx:coord><gx:coord>1 13</gx:coord><gx:coord>1 14</gx:coord>"
    let reading = try Reading("<kml><Placemark><gx:Track>" + whens + coords + "</gx:Track></Placemark></kml>")
    #expect(reading.failure == nil && reading.fixes.map(\.latitude) == [10, 13])
    #expect(times(reading) == ["2026-05-04T06:30:00.000Z", "2026-05-04T06:30:03.000Z"])
    #expect(reading.notes == ["3 points of tracks without a place or a time, skipped"])
  }

  private func kmlTrack(_ latitude: Int) -> String {
    "<Placemark><gx:Track><when>2026-05-04T06:30:00Z</when><gx:coord>1 \(latitude)</gx:coord></gx:Track></Placemark>"
  }

  private func kmlMark(_ latitude: Int) -> String {
    "<Placemark><TimeStamp><when>2026-05-04T06:30:0\(latitude)Z</when></TimeStamp>"
      + "<Point><coordinates>1,\(latitude)</coordinates></Point></Placemark>"
  }

  private let kmlLine =
    "<Placemark><LineString><coordinates>1,8 1,9</coordinates></LineString></Placemark>"

  /// gpsbabel writes each fix twice: as a placemark and in a track.
  @Test func `timed placemarks of KML are read where no track is, before them or behind`() throws {
    let documents: [(String, latitudes: [Double], breaks: Int)] = [
      (kmlMark(1) + kmlMark(2), [1, 2], 0),
      (kmlMark(1) + kmlLine + kmlMark(2), [1, 2], 0),
      (kmlMark(1) + kmlMark(2) + kmlTrack(3), [3], 0),
      (kmlTrack(3) + kmlMark(1), [3], 0),
      (kmlMark(1) + kmlTrack(3) + kmlMark(2) + kmlTrack(4) + kmlLine, [3, 4], 1),
      (kmlMark(1) + "<Placemark><gx:Track></gx:Track></Placemark>", [1], 0),
    ]
    for (body, latitudes, breaks) in documents {
      let reading = try Reading("<kml>" + body + "</kml>")
      #expect(reading.failure == nil && reading.notes.isEmpty, "\(body)")
      #expect(reading.fixes.map(\.latitude) == latitudes, "\(body)")
      #expect(reading.items.count(where: { $0 == .segmentBreak }) == breaks, "\(body)")
    }
  }

  @Test func `what is whole of a KML or GPX file that is cut off is read`() throws {
    let pair = { (number: Int) in "<when>2026-05-04T06:30:0\(number)Z</when><gx:coord>1 \(number)</gx:coord>"
    }
    let open = "<Placemark><LineString><coordinates>1,1\n1,2\n1,3"
    let files = [
      "<kml>" + kmlMark(1) + kmlMark(2) + "<Placemark><",
      "<kml><Placemark><gx:Track>" + pair(1) + pair(2) + "<when>2026-05-04T06:30:03Z</when>",
      "<kml>" + open,
      "<kml>\(open.dropLast(4))</coordinates></LineString>",
      "<gpx><rte><rtept lat='1' lon='1'/><rtept lat='2' lon='1'/><rtept lat='3' lon='1'>",
      "<gpx><wpt lat='1' lon='1'/><wpt lat='2' lon='1'/><wpt lat='3' lon='1'>",
    ]
    for file in files {
      let reading = try Reading(file)
      #expect(reading.failure?.what == "not well-formed XML: the file is cut off", "\(file)")
      #expect(reading.fixes.map(\.latitude) == [1, 2], "\(file)")
    }
  }

  @Test func `of KML with more placemarks than wait for a track, the placemarks are read`() throws {
    var track = try KMLTrack(file: "t", assumeAccuracyMeters: nil, maximumHeldPoints: 2)
    let text = "<kml>" + (1...4).map(kmlMark).joined() + kmlTrack(5) + kmlMark(6) + "</kml>"
    var items: [TrackItem] = []
    try track.read(ScanPiece(Array(text.utf8).span), into: &items)
    try track.read(ScanPiece(capacity: 1), into: &items)
    let latitudes = items.map { item -> Double in
      if case .fix(let report) = item { report.latitude } else { -1 }
    }
    #expect(latitudes == [1, 2, 3, 4, 6])
    #expect(track.notes == ["a track after more than 2 placemarks with a time, left out"])
  }

  /// An archive with one file, packed by Python's zipfile.
  private func archive(_ name: String, _ text: String, _ method: String) throws -> [UInt8] {
    let file = TemporaryFile(Array(text.utf8))
    let packed = TemporaryFile([])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1],'w',zipfile.\(method)); z.writestr('a.png','x'); "
        + "z.write(sys.argv[2],sys.argv[3]); z.close()",
      packed.path, file.path, name,
    ]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return Array(try Data(contentsOf: URL(fileURLWithPath: packed.path)))
  }

  @Test(arguments: ["ZIP_STORED", "ZIP_DEFLATED"])
  func `KMZ is unpacked, and damage is told`(method: String) throws {
    let bytes = try archive("doc.kml", kml, method)
    #expect(try Reading(bytes).fixes.map(\.latitude) == [48.1, 48.2])
    for cut in stride(from: 4, to: bytes.count, by: 97) {
      #expect(try Reading(Array(bytes[..<cut])).failure?.what == "a ZIP archive that is cut off")
    }
    var damaged = bytes
    // The directory has the checksum 30 bytes before the name.
    let name = try #require(bytes.ranges(of: Array("doc.kml".utf8)).last?.lowerBound)
    damaged[name - 30] ^= 1
    if method == "ZIP_DEFLATED" {
      for archive in [damaged, try archive("doc.kml", kml, "ZIP_BZIP2")] {
        #expect(try Reading(archive).failure?.what.hasPrefix("a ZIP archive whose KML is damaged") == true)
      }
    }
    let other = try archive("track.txt", kml, method)
    #expect(try Reading(other).failure?.what == "a ZIP archive without KML; unpack it first")
  }

  // MARK: GeoJSON lines

  @Test func `a point with a time, one feature a line`() throws {
    let reading = try Reading(
      #"{"type":"Feature","properties":{"time":"2026-05-04T06:30:00Z","acc_m":5,"provider":"network"},"#
        + #""geometry":{"type":"Point","coordinates":[11.5,48.1,500]}}"# + "\n"
        + #"{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}"#
        + "\n")
    #expect(reading.failure == nil)
    #expect(times(reading) == ["2026-05-04T06:30:00.000Z"])
    #expect(reading.fixes.first?.altitudeMeters == 500)
    #expect(reading.fixes.first?.mode == .network)
    #expect(reading.notes == ["1 object without a position, skipped"])
  }
}
