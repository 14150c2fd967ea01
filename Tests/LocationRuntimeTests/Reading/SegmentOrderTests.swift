import LocationCore
import LocationFormats
import Testing

/// The segments of a file are put into the order of time, where there is one.
@Suite struct SegmentOrderTests {
  /// A GPX file with a segment for each range of minutes, a point a minute; each track has one segment.
  private static func gpx(
    _ segments: [ClosedRange<Int>], isTrackEach: Bool = false, isNewestFirst: Bool = false
  ) -> String {
    let texts = segments.map { minutes in
      (isNewestFirst ? minutes.reversed() : Array(minutes)).map { minute in
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(minute / 60)):\(two(minute % 60)):00Z"
        return "<trkpt lat=\"48\" lon=\"11.\(1000 + minute)\"><time>2026-05-01T\(clock)</time></trkpt>"
      }.joined()
    }
    let between = isTrackEach ? "</trkseg></trk><trk><trkseg>" : "</trkseg><trkseg>"
    return "<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>"
      + texts.joined(separator: between) + "</trkseg></trk></gpx>"
  }

  private static func read(_ text: String, _ order: TrackOptions.Order = .segments) throws -> Reading {
    var options = TrackOptions()
    options.order = order
    return try Reading(text, options: options)
  }

  private static func isInOrder(_ reading: Reading) -> Bool {
    let times = reading.fixes.compactMap(\.time)
    return zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
  }

  @Test(arguments: [false, true])
  func `the newest first become the oldest first`(isTrackEach: Bool) throws {
    let text = Self.gpx([600...629, 300...329, 0...29], isTrackEach: isTrackEach)
    let reading = try Self.read(text)
    #expect(Self.isInOrder(reading))
    #expect(reading.fixes.count == 90)
    #expect(reading.items.filter { $0 == .segmentBreak }.count == 2)
    #expect(reading.notes.contains("segments put into the order of time"))
    let asWritten = try Self.read(text, .asWritten)
    #expect(!Self.isInOrder(asWritten))
    #expect(asWritten.notes == [])
  }

  @Test(arguments: ["table", "objects", "gpx"])
  func `points with the newest first are turned round`(kind: String) throws {
    let minutes = Array((0..<30).reversed())
    let text =
      switch kind {
      case "table": "time,lat,lon\n" + minutes.map { "\(1_777_600_000 + 60 * $0),48,11.5\n" }.joined()
      case "objects":
        minutes.map { "{\"time\":\(1_777_600_000 + 60 * $0),\"lat\":48,\"lon\":11.5}\n" }.joined()
      default:
        "<gpx version='1.1' xmlns='http://www.topografix.com/GPX/1/1'><trk><trkseg>"
          + minutes.map { "<trkpt lat='48' lon='11'><time>2026-05-01T00:\($0 + 10):00Z</time></trkpt>" }
          .joined()
          + "</trkseg></trk></gpx>"
      }
    let reading = try Self.read(text)
    #expect(Self.isInOrder(reading))
    #expect(reading.fixes.count == 30)
    #expect(reading.notes == ["points stood with the newest first; put into the order of time"])
    #expect(try !Self.isInOrder(Self.read(text, .asWritten)))
  }

  @Test func `behind a long segment in order nothing is put into order, and a long one is turned round`()
    throws
  {
    func gpx(_ seconds: [[Int]]) -> String {
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let segments = seconds.map { seconds in
        let points = seconds.map { second in
          let clock = "\(two(second / 3600 % 24)):\(two(second / 60 % 60)):\(two(second % 60))Z"
          return "<trkpt lat='48' lon='11'><time>2026-05-\(two(1 + second / 86_400))T\(clock)</time></trkpt>"
        }
        return "<trkseg>" + points.joined() + "</trkseg>"
      }
      return "<gpx version='1.1' xmlns='http://www.topografix.com/GPX/1/1'><trk>" + segments.joined()
        + "</trk></gpx>"
    }
    let long = Array(1_000...102_500)
    let asWritten = try Self.read(gpx([long, Array(0...100)]))
    #expect(asWritten.fixes.count == 101_602)
    #expect(asWritten.notes == [] && !Self.isInOrder(asWritten))
    let turned = try Self.read(gpx([long.reversed()]))
    #expect(turned.fixes.count == 101_501)
    #expect(Self.isInOrder(turned))
    let short = try Self.read(gpx([Array(1_000...50_000), Array(0...100)]))
    #expect(Self.isInOrder(short))
  }

  @Test func `pages of a list with the newest first are put into the order of time`() throws {
    let minutes = Array((30..<60).reversed()) + Array((0..<20).reversed()) + Array((20..<30).reversed())
    let text = minutes.map { "{\"time\":\(1_777_600_000 + 60 * $0),\"lat\":48,\"lon\":11.5}\n" }.joined()
    let reading = try Self.read(text)
    #expect(Self.isInOrder(reading))
    #expect(reading.fixes.count == 60)
    #expect(reading.notes == ["points stood with the newest first; put into the order of time"])
  }

  @Test(arguments: ["objects", "gpx"])
  func `what comes through a pipe is put into the order of time too`(kind: String) throws {
    let minutes = Array((0..<600).reversed())
    let text =
      kind == "gpx"
      ? Self.gpx([600...629, 300...329, 0...29])
      : minutes.map { "{\"time\":\(1_777_600_000 + 60 * $0),\"lat\":48,\"lon\":11.5}\n" }.joined()
    let pipe = try NamedPipe()
    pipe.write { write in _ = write(Array(text.utf8)) }
    var options = TrackOptions()
    options.order = .segments
    var reader = try TrackReader(path: pipe.path, options: options)
    var batch: [TrackItem] = []
    var times: [UTCTime] = []
    while try reader.read(into: &batch) {
      for case .fix(let report) in batch { times.append(try #require(report.time)) }
    }
    #expect(times.count == (kind == "gpx" ? 90 : 600))
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(reader.notes.count == 1)
  }

  /// A list of more than 16 MiB is handed on as it comes: nobody keeps what a pipe goes on to tell.
  @Test func `a pipe that tells more than is kept is read in its own order`() throws {
    let pipe = try NamedPipe()
    let count = 4500
    pipe.write { write in
      let note = String(repeating: "x", count: 4000)
      for line in 0..<count {
        let text = "{\"time\":\(1_777_600_000 - line),\"lat\":48.5,\"lon\":11.5,\"note\":\"\(note)\"}\n"
        guard write(Array(text.utf8)) else { return }
      }
    }
    var options = TrackOptions()
    options.order = .segments
    var reader = try TrackReader(path: pipe.path, options: options)
    var batch: [TrackItem] = []
    var fixes = 0
    var first: UTCTime?
    while try reader.read(into: &batch) {
      for case .fix(let report) in batch {
        first = first ?? report.time
        fixes += 1
      }
    }
    #expect(fixes == count)
    #expect(first == UTCTime(microseconds: 1_777_600_000_000_000))
    #expect(reader.notes == [])
  }

  @Test func `a segment too short to tell is turned round beside one that is`() throws {
    let reading = try Self.read(Self.gpx([50...59, 40...42, 30...31, 20...20], isNewestFirst: true))
    #expect(Self.isInOrder(reading))
    #expect(reading.fixes.count == 16)
    // By itself it may be a clock that was set back.
    let alone = try Self.read(Self.gpx([30...31], isNewestFirst: true))
    #expect(!Self.isInOrder(alone) && alone.notes == [])
  }

  /// The first batch of a file tells nothing of what stands behind it.
  @Test func `tracks of a KML file far behind its beginning are put into the order of time`() throws {
    func track(_ seconds: [Int]) -> String {
      let whens = seconds.map {
        "<when>\(UTCTime(microseconds: Int64(1_777_600_000 + $0) * 1_000_000).rfc3339)</when>"
      }
      let coords = seconds.map { "<gx:coord>11.\(10_000 + $0) 48 0</gx:coord>" }
      return "<Placemark><gx:Track>\((whens + coords).joined())</gx:Track></Placemark>"
    }
    let later = Array(5_000..<8_000)
    for earlier in [Array(0..<3_000), (0..<3_000).reversed()] {
      let reading = try Self.read(
        "<kml xmlns=\"http://www.opengis.net/kml/2.2\" xmlns:gx=\"http://www.google.com/kml/ext/2.2\"><Document>"
          + track(later) + track(earlier) + "</Document></kml>")
      #expect(reading.failure == nil)
      #expect(reading.fixes.count == 6_000)
      #expect(Self.isInOrder(reading))
    }
  }

  @Test func `one clock that is set back turns nothing round`() throws {
    let seconds = Array(0..<20) + Array(-100 ..< -80)
    let text = seconds.map { "{\"time\":\(1_777_600_000 + $0),\"lat\":48,\"lon\":11.5}\n" }.joined()
    let reading = try Self.read(text)
    #expect(
      reading.fixes.map { ($0.time?.microseconds ?? 0) / 1_000_000 - 1_777_600_000 }
        == seconds.map(Int64.init))
    #expect(reading.notes == [])
  }

  @Test func `what is in order stays, and is not told`() throws {
    let reading = try Self.read(Self.gpx([0...9, 10...19, 60...69]))
    #expect(Self.isInOrder(reading))
    #expect(reading.notes == [])
  }

  @Test func `segments that overlap stay as they are`() throws {
    let text = Self.gpx([0...29, 10...39])
    let reading = try Self.read(text)
    #expect(!Self.isInOrder(reading))
    #expect(reading.notes == ["segments overlap in time"])
    var options = TrackOptions()
    options.order = .segments
    options.overlapRemedy = "--each-segment replays each alone"
    #expect(
      try Reading(text, options: options).notes
        == ["segments overlap in time; --each-segment replays each alone"])
  }

  @Test func `the points of each segment can be put into the order of time alone`() throws {
    let reading = try Self.read(Self.gpx([10...39, 0...29], isNewestFirst: true), .points)
    #expect(reading.notes == ["points stood with the newest first; put into the order of time"])
    let minutes = reading.items.split(separator: .segmentBreak).map { segment in
      segment.compactMap { item in
        if case .fix(let report) = item { report.time.map { $0.microseconds / 60_000_000 % 60 } } else { nil }
      }
    }
    #expect(minutes == [Array(10...39), Array(0...29)])
  }

  @Test func `trouble at the end comes after the points before it`() throws {
    let text = Self.gpx([60...69, 0...9]).replacing("</gpx>", with: "<gpx>")
    let reading = try Self.read(text)
    #expect(reading.fixes.count == 20)
    #expect(Self.isInOrder(reading))
    #expect(reading.failure != nil)
  }

  @Test(arguments: [("<!-- ", " -->"), ("<extensions><![CDATA[", "]]></extensions>")])
  func `points in a long comment or CDATA are none, and take no longer than their bytes`(
    begin: String, end: String
  ) throws {
    let point = "<trkpt lat=\"45.0\" lon=\"9.7\">\n</trkpt>\n"
    let hidden = begin + String(repeating: point, count: 25_000) + end
    let text = Self.gpx([0...9]).replacing("</trkseg>", with: hidden + "</trkseg>")
    let reading = try Self.read(text)
    #expect(reading.fixes.count == 10)
    #expect(reading.failure == nil)
  }
}
