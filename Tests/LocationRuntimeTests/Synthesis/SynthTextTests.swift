import LocationCore
import Testing

@testable import LocationLab

@Suite struct SynthTextTests {
  static let crossing = """
    name: "Ferry & <co>"
    about: Across the antimeridian.
    start: 2026-05-04T23:59:58.500Z
    interval_s: 1
    seed: 3
    noise: {sigma_m: 0, speed_sigma_mps: 0}
    steps:
      - at: [-16.5, 179.99999, 2.5]
      - stop_s: 1
      - new_segment: true
      - at: [-16.5, -179.99999, 2.5]
    """

  static func text(_ source: String, _ format: SynthFormat) throws -> String {
    String(decoding: SynthText.whole(try scenario(source), as: format), as: UTF8.self)
  }

  @Test func `GPX is what its schema asks for`() throws {
    #expect(
      try Self.text(Self.crossing, .gpx) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="locwatch" xmlns="http://www.topografix.com/GPX/1/1" xmlns:lw="urn:locwatch:gpx:1">
        <metadata>
        <name>Ferry &amp; &lt;co&gt;</name>
        <desc>Across the antimeridian. Made by locwatch synth, seed 3.</desc>
        <time>2026-05-04T23:59:58.500Z</time>
        </metadata>
        <trk>
        <name>Ferry &amp; &lt;co&gt;</name>
        <trkseg>
        <trkpt lat="-16.5000000" lon="179.9999900"><ele>2.5</ele><time>2026-05-04T23:59:58.500Z</time><hdop>0.09</hdop><extensions><lw:accuracy>1.00</lw:accuracy><lw:speed>0.00</lw:speed></extensions></trkpt>
        </trkseg>
        <trkseg>
        <trkpt lat="-16.5000000" lon="-179.9999900"><ele>2.5</ele><time>2026-05-04T23:59:59.500Z</time><hdop>0.09</hdop><extensions><lw:accuracy>1.00</lw:accuracy><lw:speed>0.00</lw:speed></extensions></trkpt>
        </trkseg>
        </trk>
        </gpx>

        """)
  }

  @Test func `GPX times have milliseconds only where there are some`() throws {
    let text = try Self.text(
      "start: 2026-05-04T00:00:00Z\ninterval_s: 0.5\nsteps: [at: [1, 2], stop_s: 1]", .gpx)
    #expect(text.contains("<time>2026-05-04T00:00:00Z</time><hdop>"))
    #expect(text.contains("<time>2026-05-04T00:00:00.500Z</time><hdop>"))
  }

  @Test(arguments: [
    ("[accuracy]", "<extensions><lw:accuracy>6.06</lw:accuracy></extensions></trkpt>"),
    ("[hdop]", "Z</time><hdop>0.52</hdop></trkpt>"),
    ("[]", "Z</time></trkpt>"),
    ("[speed]", "Z</time><extensions><lw:speed>0."),
  ])
  func `only the fields asked for are written`(fields: String, expected: String) throws {
    let text = try Self.text("start: 2026-05-04T00:00:00Z\nwrite: \(fields)\nsteps: [at: [1, 2, 3]]", .gpx)
    #expect(text.contains(expected) && !text.contains("<ele>"), "\(text)")
  }

  @Test func `NDJSON is the minimal form`() throws {
    #expect(
      try Self.text(Self.crossing, .ndjson) == """
        {"time":"2026-05-04T23:59:58.500Z","lat":-16.5000000,"lon":179.9999900,"acc_m":1.00}
        {"time":"2026-05-04T23:59:59.500Z","lat":-16.5000000,"lon":-179.9999900,"acc_m":1.00}

        """)
    let bare = try Self.text("write: []\n" + Self.crossing, .ndjson)
    #expect(bare.hasPrefix(#"{"time":"2026-05-04T23:59:58.500Z","lat":-16.5000000,"lon":179.9999900}"#))
  }

  @Test func `NMEA has the sentences of a receiver`() throws {
    let lines = try Self.text(Self.crossing, .nmea).split(separator: "\r\n")
    #expect(
      lines == [
        "$GPRMC,235958.500,A,1630.000000,S,17959.999400,E,0.000,,040526,,,A*57",
        "$GPGGA,235958.500,1630.000000,S,17959.999400,E,1,08,0.09,2.5,M,0.0,M,,*48",
        "$GPRMC,235959.500,A,1630.000000,S,17959.999400,W,0.000,,040526,,,A*44",
        "$GPGGA,235959.500,1630.000000,S,17959.999400,W,1,08,0.09,2.5,M,0.0,M,,*5B",
      ])
  }

  @Test func `every NMEA checksum holds and every position is that of the GPX`() throws {
    let source = """
      start: 2026-05-04T00:00:00Z
      by: car
      steps: [at: [0.0001, -0.0001], to: [-0.002, 0.002]]
      """
    let fixes = Array(SynthTrack(try scenario(source)))
    let lines = try Self.text(source, .nmea).split(separator: "\r\n")
    #expect(lines.count == 2 * fixes.count)
    for (index, line) in lines.enumerated() {
      let parts = line.dropFirst().split(separator: "*")
      #expect(parts[0].utf8.reduce(0, ^) == UInt8(parts[1], radix: 16))
      let fields = parts[0].split(separator: ",", omittingEmptySubsequences: false)
      let first = fields[0] == "GPRMC" ? 3 : 2
      let latitude = Self.degrees(fields[first], wholeDigits: 2) * (fields[first + 1] == "S" ? -1 : 1)
      let longitude = Self.degrees(fields[first + 2], wholeDigits: 3) * (fields[first + 3] == "W" ? -1 : 1)
      #expect(abs(latitude - fixes[index / 2].coordinate.latitude) < 1e-9)
      #expect(abs(longitude - fixes[index / 2].coordinate.longitude) < 1e-9)
    }
  }

  private static func degrees(_ text: Substring, wholeDigits: Int) -> Double {
    Double(text.prefix(wholeDigits))! + Double(text.dropFirst(wholeDigits))! / 60
  }

  @Test(arguments: [
    (0.0, 2, "0.00"), (-0.0, 2, "0.00"), (-0.004, 2, "0.00"), (0.005, 2, "0.01"), (-0.005, 2, "-0.01"),
    (1.5, 0, "2"), (-179.9999999, 7, "-179.9999999"), (12.3, 1, "12.3"), (0.0000001, 7, "0.0000001"),
    (1234.5678, 2, "1234.57"),
  ])
  func `numbers have fixed decimals`(value: Double, decimals: Int, text: String) {
    var bytes: [UInt8] = []
    FixedPoint.append(value, decimals: decimals, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test(arguments: [
    ("a.gpx", SynthFormat.gpx), ("a.b.GPX", .gpx), ("/x.y/a.ndjson", .ndjson), ("a.nmea", .nmea),
    ("gpx", nil),
    ("a.gpx.gz", nil), ("-", nil),
  ])
  func `the name of a file tells its format`(name: String, format: SynthFormat?) {
    #expect(SynthFormat(fileName: name) == format)
  }

  @Test func `text comes in pieces that make up the whole`() throws {
    let long = try scenario("start: 2026-05-04T00:00:00Z\nsteps: [at: [1, 2], stop_s: 2000]")
    var text = SynthText(long, as: .ndjson)
    var pieces: [Int] = []
    var bytes: [UInt8] = []
    text.write { piece in
      pieces.append(piece.count)
      bytes += copy piece
    }
    #expect(pieces.count == 3 && pieces.allSatisfy { $0 < 1 << 17 })
    #expect(bytes == SynthText.whole(long, as: .ndjson) && text.fixCount == 2001)
  }
}

extension SynthText {
  /// The whole text.
  static func whole(_ scenario: SynthScenario, as format: SynthFormat) -> [UInt8] {
    var text = SynthText(scenario, as: format)
    var bytes: [UInt8] = []
    text.write { piece in bytes += copy piece }
    return bytes
  }
}
