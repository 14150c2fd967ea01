import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite("Bytes in any pieces")
struct PieceTests {
  static let gpx = Array(
    ("<?xml version='1.0' encoding='UTF-8'?>\r\n<!-- \u{e9}\u{1F600} -->" + HostileGPXTests.root
      + "<trk><name><![CDATA[ ]] > ]]></name><trkseg>"
      + HostileGPXTests.point(0, "<ele> 5&#48;<!-- -->.5 </ele><extensions><x:speed>2</x:speed></extensions>")
      + "</trkseg><trkseg>" + HostileGPXTests.point(1, "<hdop>1.<![CDATA[5]]></hdop>") + "<trkpt lat='1'/>"
      + "</trkseg></trk></gpx>\n").utf8)

  static let lines = Array(
    """
    {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0","driver":"NMEA0183","activated":1}]}\r
    {"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2024-05-01T10:00:00Z","lat":48,"lon":11,"eph":5}\r
    $GPRMC,no JSON\r
    {"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2024-05-01T10:00:00Z","lat":48.5,"lon":11,"eph":5}

    {"time":"2024-05-01T10:00:02Z","lat":49,"lon":11}
    {"time":"2024-05-01T10:00:03Z","lat":50,"lon":11}
    """.utf8)

  /// What comes of bytes that arrive in pieces of those sizes: the items, and the trouble.
  static func read(
    _ bytes: [UInt8], pieces: [Int],
    parse: (Span<UInt8>, _ isFinal: Bool, inout [TrackItem]) throws -> Void
  ) -> (items: [TrackItem], trouble: String?) {
    var items: [TrackItem] = []
    var rest = bytes[...]
    do {
      for size in pieces + [bytes.count] {
        let piece = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
        try parse(piece.span, false, &items)
      }
      try parse([UInt8]().span, true, &items)
    } catch {
      return (items, "\(error)")
    }
    return (items, nil)
  }

  static func readGPX(_ bytes: [UInt8], pieces: [Int]) throws -> (items: [TrackItem], trouble: String?) {
    var track = try GPXTrack(file: "f", assumeAccuracyMeters: nil)
    return read(bytes, pieces: pieces) { piece, isFinal, items in
      if isFinal || !piece.isEmpty { try track.read(ScanPiece(piece), into: &items) }
    }
  }

  static func readLines(_ bytes: [UInt8], pieces: [Int]) -> (items: [TrackItem], trouble: String?) {
    var track = LineTrack(file: "f", assumeAccuracyMeters: nil)
    return read(bytes, pieces: pieces) { piece, isFinal, items in
      if isFinal || !piece.isEmpty { try track.read(ScanPiece(piece), into: &items) }
    }
  }

  @Test("a document gives the same points in whatever pieces it comes")
  func gpxPieces() throws {
    let whole = try Self.readGPX(Self.gpx, pieces: [])
    #expect(whole.items.count == 4 && whole.trouble == nil)
    // Every single cut, then random ones.
    for cut in 0...Self.gpx.count {
      #expect(same(try Self.readGPX(Self.gpx, pieces: [cut]), whole), "cut at \(cut)")
    }
    var random = SeededRandom(31)
    for _ in 0..<50 {
      let pieces = (0..<200).map { _ in Int.random(in: 0...9, using: &random) }
      #expect(same(try Self.readGPX(Self.gpx, pieces: pieces), whole), "\(random)")
    }
  }

  @Test("a damaged document gives the same points and the same trouble in whatever pieces it comes")
  func damagedPieces() throws {
    var random = SeededRandom(32)
    for _ in 0..<100 {
      var bytes = Array(Self.gpx.prefix(Int.random(in: 0...Self.gpx.count, using: &random)))
      if !bytes.isEmpty, random.chance(0.7) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let whole = try Self.readGPX(bytes, pieces: [])
      let pieces = (0..<100).map { _ in Int.random(in: 1...9, using: &random) }
      #expect(same(try Self.readGPX(bytes, pieces: pieces), whole), "\(random)")
    }
  }

  @Test("lines give the same fixes in whatever pieces they come")
  func linePieces() {
    let whole = Self.readLines(Self.lines, pieces: [])
    #expect(whole.items.count == 3 && whole.trouble == nil)
    for cut in stride(from: 0, through: Self.lines.count, by: 3) {
      #expect(same(Self.readLines(Self.lines, pieces: [cut]), whole), "cut at \(cut)")
    }
    var random = SeededRandom(33)
    for _ in 0..<20 {
      let pieces = (0..<100).map { _ in Int.random(in: 0...20, using: &random) }
      #expect(same(Self.readLines(Self.lines, pieces: pieces), whole), "\(random)")
    }
  }

  /// NaN is not equal to itself, so what is printed is compared.
  private func same(
    _ one: (items: [TrackItem], trouble: String?), _ other: (items: [TrackItem], trouble: String?)
  ) -> Bool {
    "\(one)" == "\(other)"
  }
}
