import Foundation
import TestSupport
import Testing

/// The scanners are fast and know little; the parsers know everything. Nobody may see which of them read.
@Suite("Scanners and parsers agree")
struct ScannerTests {
  static let tracks = ["day-at-home", "motorway-drive", "ferry-across-the-antimeridian", "tunnel"]

  /// Documents with everything that a point may have, plain and not.
  static let documents = [
    // Apple's and Garmin's extensions, CR LF, two segments, self-closed points, other quotes and orders.
    "<?xml version='1.0'?>\r\n<gpx version='1.1' xmlns='http://www.topografix.com/GPX/1/1' xmlns:g='urn:g'>\r\n"
      + "<trk><trkseg>\r\n <trkpt lat='1' lon='2'/>\r\n"
      + " <trkpt lon=\"-2.5\" lat=\"1.25\" >\r\n<ele>-0.0</ele>\r\n<time>2024-02-29T23:59:59.123456Z</time>"
      + "<fix>3d</fix><hdop>1.5</hdop><src> network</src><sat>7</sat>\r\n<extensions><g:TrackPointExtension><g:speed>1.50</g:speed>"
      + "<g:course>359.9</g:course><g:hr>60</g:hr></g:TrackPointExtension></extensions></trkpt>\r\n"
      + " <trkpt lat=' 3 ' lon='4'><extensions><hAcc>7</hAcc><speed>-1</speed></extensions></trkpt>\r\n"
      + "</trkseg><trkseg>\r\n<trkpt lat='+5.' lon='.5'><time>2024-05-01T10:00:00+02:00</time><ele/></trkpt>"
      + "<trkpt lat='5' lon='abc'></trkpt>\r\n</trkseg></trk></gpx>\r\n",
    // On one line, with unbound prefixes, GPX 1.0's own fields and foreign elements in the point.
    "<gpx version='1.0' xmlns='http://www.topografix.com/GPX/1/0'><trk><trkseg><trkpt lat='1' lon='1'/>"
      + "<trkpt lat='1.5' lon='1'><speed>3</speed><course>90</course><x:acc>4</x:acc></trkpt>"
      + "<trkpt lat='1.6' lon='1'><y:a><x:bearing>12</x:bearing></y:a><name>a b</name></trkpt>"
      + "<trkpt lat='1.7' lon='1'><desc>]] ></desc><cmt>\u{e9}</cmt><hdop>2<b/>3</hdop></trkpt>"
      + "<trkpt lat='12345678901234567890.5' lon='0.1234567890123456789'><ele>1e3</ele></trkpt>"
      + "</trkseg></trk></gpx>",
  ]

  /// What mutations put in.
  static let snippets = [
    "<trkpt lat='1' lon='2'>", "</trkpt>", "<trkpt lat='9' lon='9'/>", "</trkseg>", "<trkseg>", "<ele>",
    "</ele>",
    "<ele>5</ele>", "<x:speed>2</x:speed>", "<extensions>", "</extensions>", "<!-- - -->", "<?pi a?>",
    "<![CDATA[",
    "]]>", "]]", "&amp;", "&#49;", "&x;", " xmlns='urn:other'", " xmlns=''", " xmlns:x='urn:x'", " lat='3'",
    "\r",
    "\r\n", "\n", "\t", "'", "\"", "<", ">", "/", "=", "\u{0}", "\u{e9}", "\u{7f}", "\u{1}", "-", "+", ".",
    "0",
    "123456789012345678901", "1e5", "Z", "T24:00:00", ":60", "+01:00", "<time>2024-05-01T10:00:00Z</time>",
    " ",
    "<!DOCTYPE gpx>", ",", ",,", "{", "}", "}\n", "{}\n", "null", "\\u0041", "\"lat\":", "\"lat\":1",
    "\"mode\":2",
    "\"class\":\"TPV\"", "\"time\":\"2024-05-01T10:00:00Z\"", "\"acc_m\":5",
  ]

  /// One to four changes.
  static func mutate(_ original: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.removeSubrange(place..<end)
      case 2:
        bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
      case 3: bytes.removeSubrange(place...)
      default: bytes.insert(contentsOf: Array((snippets.randomElement(using: &random) ?? "").utf8), at: place)
      }
    }
    return bytes
  }

  static func pieces(_ random: inout SeededRandom) -> [Int] {
    if random.chance(0.5) { return [100_000] }
    let longest = random.chance(0.5) ? 12 : 700
    return (0..<20).map { _ in Int.random(in: 1...longest, using: &random) }
  }

  static func head(ofTrack slug: String) throws -> [UInt8] {
    let path = PackageRoot.file("Tracks/\(slug).gpx")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").prefix(30)
    return Array((lines.joined(separator: "\n") + "\n</trkseg></trk></gpx>\n").utf8)
  }

  @Test("documents give the same points, notes and lines", arguments: documents)
  func documentsAgree(document: String) throws {
    let bytes = Array(document.utf8)
    for size in [1, 2, 7, 64, 1 << 20] {
      let scanned = try Transcript(gpx: bytes, pieces: [size], scans: true)
      #expect(scanned == (try Transcript(gpx: bytes, pieces: [size], scans: false)), "pieces of \(size)")
      #expect(scanned.items.count >= 5 && scanned.trouble == nil)
    }
  }

  @Test("what fuzzers begin with or have found is read alike", arguments: ["gpx", "lines"])
  func seedsAgree(kind: String) throws {
    let folder = PackageRoot.file("Fuzz/Seeds/\(kind)")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
      for size in [7, 1 << 20] {
        let (scanned, parsed) =
          kind == "gpx"
          ? (
            try Transcript(gpx: bytes, pieces: [size], scans: true),
            try Transcript(gpx: bytes, pieces: [size], scans: false)
          )
          : (
            Transcript(lines: bytes, pieces: [size], scans: true),
            Transcript(lines: bytes, pieces: [size], scans: false)
          )
        #expect(scanned == parsed, "\(name), pieces of \(size)")
      }
    }
  }

  @Test("damaged documents give the same points, notes, and trouble on the same line")
  func damagedDocuments() throws {
    var random = SeededRandom(61)
    var troubled = 0
    let originals = try Self.tracks.map(Self.head) + Self.documents.map { Array($0.utf8) }
    for _ in 0..<(Corpus.isFull ? 100_000 : 600) {
      let original = originals.randomElement(using: &random) ?? []
      let bytes = Self.mutate(original, &random)
      let pieces = Self.pieces(&random)
      let scanned = try Transcript(gpx: bytes, pieces: pieces, scans: true)
      let parsed = try Transcript(gpx: bytes, pieces: pieces, scans: false)
      #expect(scanned == parsed, "\(random) \(pieces)\n\(String(decoding: bytes, as: UTF8.self))")
      if parsed.trouble != nil { troubled += 1 }
    }
    // The test can fail only if some documents are whole and some are not.
    #expect(troubled > 100, "\(random)")
  }

  @Test("damaged lines give the same fixes, notes, and trouble on the same line")
  func damagedLines() {
    var random = SeededRandom(62)
    var fixes = 0
    for _ in 0..<(Corpus.isFull ? 200_000 : 1500) {
      let lines = (0..<8).map { _ in
        random.chance(0.5) ? Self.line(&random) : Self.ownTracksLine(&random)
      }.joined()
      let bytes = random.chance(0.3) ? Array(lines.utf8) : Self.mutate(Array(lines.utf8), &random)
      let pieces = Self.pieces(&random)
      let scanned = Transcript(lines: bytes, pieces: pieces, scans: true)
      let parsed = Transcript(lines: bytes, pieces: pieces, scans: false)
      #expect(scanned == parsed, "\(random) \(pieces)\n\(String(decoding: bytes, as: UTF8.self))")
      fixes += parsed.items.count
    }
    #expect(fixes > 2000, "\(random)")
  }

  /// A line of the minimal form, with numbers and times of every layout.
  private static func line(_ random: inout SeededRandom) -> String {
    let space = random.chance(0.3) ? " " : ""
    var members = ["\"lat\":\(space)\(number(&random))", "\"lon\":\(space)\(number(&random))"]
    if random.chance(0.8) { members.append("\"time\":\(space)\"\(time(&random))\"") }
    for name in ["acc_m", "speed_mps", "course_deg", "alt_m", "mode"] where random.chance(0.4) {
      members.append("\"\(name)\":\(space)\(number(&random))")
    }
    members.shuffle(using: &random)
    return "{" + members.joined(separator: "," + space) + "}" + (random.chance(0.2) ? "\r\n" : "\n")
  }

  /// A line of OwnTracks's with other members between, some of which mean something.
  private static func ownTracksLine(_ random: inout SeededRandom) -> String {
    let space = random.chance(0.2) ? " " : ""
    var members = ["\"lat\":\(space)\(number(&random))", "\"lon\":\(space)\(number(&random))"]
    if random.chance(0.8) { members.append("\"_type\":\(space)\"location\"") }
    if random.chance(0.9) {
      members.append("\"tst\":\(space)\(Int.random(in: 0...2_000_000_000, using: &random))")
    }
    for name in ["acc", "vel", "cog", "alt", "acc_m", "speed_mps", "batt"] where random.chance(0.3) {
      members.append("\"\(name)\":\(space)\(number(&random))")
    }
    let others = [
      #""tid":"ab""#, #""track":"u0/d1""#, #""track":"a\"b""#, #""SSID":"Zuhause ü""#, #""conn": "w""#,
      #""t":null"#,
      #""_type":"lwt""#, #""class":"TPV""#, #""device":"x""#, #""provider":"network""#, #""mode":3"#,
      #""ts":7"#,
      #""timestamp":"2026-05-01T06:00:00Z""#, #""lng":11.5"#, #""time":1700000000"#, #""lat":"1""#,
      #""inregions":["a"]"#,
    ]
    for member in others where random.chance(0.08) { members.append(member) }
    members.shuffle(using: &random)
    return "{" + members.joined(separator: "," + space) + "}" + (random.chance(0.2) ? "\r\n" : "\n")
  }

  private static func number(_ random: inout SeededRandom) -> String {
    let digits = Int.random(in: 1...(random.chance(0.8) ? 3 : 19), using: &random)
    let whole = (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
    let decimals = Int.random(in: 0...(random.chance(0.8) ? 9 : 22), using: &random)
    let fraction = (0..<decimals).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
    let unsigned = whole + (decimals > 0 ? "." + fraction : "")
    return (random.chance(0.3) ? "-" : "") + unsigned + (random.chance(0.05) ? "e2" : "")
  }

  private static func time(_ random: inout SeededRandom) -> String {
    func two(_ range: ClosedRange<Int>) -> String {
      let value = Int.random(in: range, using: &random)
      return value < 10 ? "0\(value)" : "\(value)"
    }
    let date = "\(two(random.chance(0.9) ? 20...20 : 0...99))\(two(0...99))-\(two(0...13))-\(two(0...32))"
    let fraction = random.chance(0.3) ? ".\(Int.random(in: 0...9_999_999, using: &random))" : ""
    let zone = random.chance(0.8) ? "Z" : "+02:00"
    return date + "T\(two(0...24)):\(two(0...60)):\(two(0...60))" + fraction + zone
  }
}

@Suite("Scanners and parsers agree on the corpus", .enabled(if: Corpus.isPresent))
struct ScannerCorpusTests {
  @Test("every GPX file of at most 200 kB, or of any size in a full run")
  func everyFile() throws {
    var count = 0
    for folder in ["gpx", "gpx-derived", "hostile"] {
      let root = try #require(Corpus.url(folder))
      let files = FileManager.default.enumerator(atPath: root.path)
      while let name = files?.nextObject() as? String {
        guard name.hasSuffix(".gpx") else { continue }
        let bytes = [UInt8](try Data(contentsOf: root.appending(path: name)))
        guard Corpus.isFull || bytes.count < 200_000, !bytes.isEmpty else { continue }
        let scanned = try Transcript(gpx: bytes, pieces: [1 << 17], scans: true)
        #expect(scanned == (try Transcript(gpx: bytes, pieces: [1 << 17], scans: false)), "\(folder)/\(name)")
        count += 1
      }
    }
    #expect(count > 150)
  }
}
