import LocationCore
import LocationFormats
import Testing

@Suite("Hostile and odd GPX")
struct HostileGPXTests {
  static let root = #"<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">"#

  static func point(_ second: Int, _ inside: String = "") -> String {
    #"<trkpt lat="47.\#(second)" lon="8"><time>2024-05-01T10:00:0\#(second)Z</time>\#(inside)</trkpt>"#
  }

  static func track(_ points: String) -> String { "\(root)<trk><trkseg>\(points)</trkseg></trk></gpx>" }

  /// What is read of a document, and how its failure begins behind the file's name.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var document: String
    var fixes: Int
    var failure: String?

    init(_ name: String, _ document: String, fixes: Int, failure: String? = nil) {
      testDescription = name
      self.document = document
      self.fixes = fixes
      self.failure = failure
    }
  }

  static let wellFormed = [
    Case(
      "CDATA in a time",
      track(#"<trkpt lat="1" lon="2"><time><![CDATA[2024-05-01T10:00:00Z]]></time></trkpt>"#), fixes: 1),
    Case(
      "markup in CDATA is text",
      "\(root)<trk><name><![CDATA[<trkpt lat='1' lon='2'/>]]></name><trkseg>\(point(0))</trkseg></trk></gpx>",
      fixes: 1),
    Case(
      "comment and instruction in a time",
      track(#"<trkpt lat="1" lon="2"><time>2024-05-<!-- x -->01T10:<?p q?>00:00Z</time></trkpt>"#), fixes: 1),
    Case(
      "character references",
      track(#"<trkpt lat="4&#55;.5" lon="&#x38;"><time>2&#48;24-05-01T10:00:00Z</time></trkpt>"#), fixes: 1),
    Case(
      "prefixed root",
      #"<g:gpx version="1.1" xmlns:g="http://www.topografix.com/GPX/1/0"><g:trk><g:trkseg><g:trkpt lat="1" lon="2"><g:time>2024-05-01T10:00:00Z</g:time></g:trkpt></g:trkseg></g:trk></g:gpx>"#,
      fixes: 1),
    Case("no namespace, no version", "<gpx><trk><trkseg>\(point(0))</trkseg></trk></gpx>", fixes: 1),
    Case("unbound prefix", track(point(0, "<extensions><x:hr>70</x:hr></extensions>")), fixes: 1),
    Case(
      "unbound prefix on everything",
      "<q:gpx><q:trk><q:trkseg><q:trkpt lat='1' lon='2'><q:time>2024-05-01T10:00:00Z</q:time></q:trkpt></q:trkseg></q:trk></q:gpx>",
      fixes: 1),
    Case(
      "foreign points and times in extensions",
      track(
        point(
          0,
          #"<extensions><z:trkpt xmlns:z="urn:z" lat="0" lon="0"><z:time>1999-01-01T00:00:00Z</z:time></z:trkpt></extensions>"#
        )), fixes: 1),
    Case(
      "foreign default namespace",
      track(
        point(0) + #"<x xmlns="urn:z"><trkpt lat="0" lon="0"/></x>"#
          + #"<trkpt xmlns="urn:z" lat="0" lon="0"/>"# + point(1)), fixes: 2),
    Case(
      "points outside a segment and outside a track",
      "\(root)\(point(0))<trk>\(point(1))<trkseg>\(point(2))</trkseg></trk></gpx>", fixes: 3),
    Case(
      "an external DTD is not fetched",
      #"<!DOCTYPE gpx SYSTEM "http://127.0.0.1:9/x.dtd">"# + track(point(0)), fixes: 1),
    Case(
      "defaults from a DTD are not attributes",
      #"<!DOCTYPE gpx [<!ATTLIST trkpt lat CDATA "1" lon CDATA "2">]>"# + track("<trkpt/>" + point(0)),
      fixes: 2),
    Case(
      "latitude 91 and nonsense are delivered",
      track(#"<trkpt lat="91" lon="NaN"/><trkpt lat="" lon="0x1"/><trkpt/>"# + point(0)), fixes: 4),
    Case(
      "white space in attributes",
      track("<trkpt lat=' 47.5 ' lon='\n8'><time> 2024-05-01T10:00:00Z\n</time></trkpt>"), fixes: 1),
    Case(
      "a name of megabytes",
      "\(root)<trk><name>\(String(repeating: "A", count: 3_000_000))</name><trkseg>\(point(0))</trkseg></trk></gpx>",
      fixes: 1),
  ]

  static let refused = [
    Case("empty", "", fixes: 0, failure: "1: empty file"),
    Case("white space only", " \n\n ", fixes: 0, failure: "1: empty file (white space only)"),
    Case(
      "declaration only", "<?xml version='1.0'?>\n", fixes: 0,
      failure: "2: not well-formed XML: the file is cut off"),
    Case(
      "cut in a tag", "\(root)<trk><trkseg>\(point(0))<trkpt lat=\"4", fixes: 1,
      failure: "1: not well-formed XML: the file is cut off"),
    Case(
      "cut between points", "\(root)\n<trk><trkseg>\n\(point(0))\n\(point(1))\n", fixes: 2,
      failure: "5: not well-formed XML: the file is cut off"),
    Case(
      "cut in a time", "\(root)<trk><trkseg>\(point(0))<trkpt lat=\"4\" lon=\"5\"><time>2024", fixes: 1,
      failure: "1: not well-formed XML"),
    Case(
      "an entity, even unused", "<!DOCTYPE gpx [<!ENTITY a \"x\">]>" + track(point(0)), fixes: 0,
      failure: "1: declares the entity \"a\""),
    Case(
      "a bomb of entities",
      "<!DOCTYPE gpx [<!ENTITY a \"0123456789\">\n<!ENTITY b \"&a;&a;&a;\">]>\(root)<trk><name>&b;</name></trk></gpx>",
      fixes: 0, failure: "1: declares the entity"),
    Case(
      "a parameter entity",
      "<!DOCTYPE gpx [<!ENTITY % p SYSTEM \"file:///etc/passwd\"> %p;]>" + track(point(0)), fixes: 0,
      failure: "1: declares the entity"),
    Case(
      "a file as an entity",
      "<!DOCTYPE gpx [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\(root)<trk><name>&x;</name></trk></gpx>",
      fixes: 0, failure: "1: declares the entity"),
    Case("an undeclared entity", track(point(0) + "&x;"), fixes: 1, failure: "1: not well-formed XML"),
    Case(
      "mismatched tags", "\(root)\n<trk><trkseg>\(point(0))</trk></gpx>", fixes: 1,
      failure: "2: not well-formed XML"),
    Case(
      "the same attribute twice", track("<trkpt lat='1' lat='2' lon='3'/>"), fixes: 0,
      failure: "1: not well-formed XML"),
    Case("two roots", track(point(0)) + "\n" + root, fixes: 1, failure: "2: not well-formed XML"),
    Case("a NUL", track(point(0) + "\u{0}"), fixes: 1, failure: "1: not well-formed XML"),
    Case(
      "space before the declaration", "\n<?xml version='1.0'?>" + track(point(0)), fixes: 0,
      failure: "2: not well-formed XML"),
    Case(
      "an encoding of nobody", "<?xml version='1.0' encoding='x-klingon'?>" + track(point(0)), fixes: 0,
      failure: "1: the encoding"),
    Case(
      "KML", "<?xml version='1.0'?>\n<kml xmlns='http://www.opengis.net/kml/2.2'/>", fixes: 0,
      failure: "2: no position in it"),
    Case("capitals", "<GPX VERSION='1.1'/>", fixes: 0, failure: "1: the root element is \"GPX\""),
    Case("nothing in it", root + "</gpx>", fixes: 0, failure: "1: no track points; it has no track at all"),
    Case(
      "empty tracks", root + "<trk/><trk><trkseg/></trk></gpx>", fixes: 0,
      failure: "1: no track points; its tracks are empty"),
    Case(
      "no time",
      root + "<trk><trkseg>\n<trkpt lat='1' lon='2'/><trkpt lat='1' lon='2'/></trkseg></trk></gpx>", fixes: 2,
      failure: "2: no track point has a time like 2026-05-01T06:00:00Z; give --interval"),
    Case(
      "no coordinates", track("<trkpt latitude='1' longitude='2'/>"), fixes: 1,
      failure: "1: no point has a latitude and a longitude"),
    Case(
      "nesting", track("<trkpt lat='1' lon='2'>" + String(repeating: "<e>", count: 2000)), fixes: 0,
      failure: "1: elements are nested deeper than 1000"),
    Case(
      "namespaces", "<gpx " + (0..<300).map { "xmlns:a\($0)='u' " }.joined() + ">", fixes: 0,
      failure: "1: too many namespace declarations"),
    Case(
      "JSON", "{\"type\":\"FeatureCollection\",\"features\":[]}", fixes: 0, failure: "1: GeoJSON, not a track"
    ),
    Case(
      "JSON over lines", "{\n  \"features\": [{\n  \"geometry\": {\"coordinates\": [11, 48]}}]}", fixes: 0,
      failure: "1: GeoJSON, not a track"
    ),
  ]

  @Test("what has a plain meaning is read", arguments: wellFormed)
  func reads(_ example: Case) throws {
    let reading = try Reading(example.document)
    #expect(reading.failure == nil)
    #expect(reading.fixes.count == example.fixes)
    #expect(reading.fixes.last?.time?.rfc3339.hasPrefix("2024-05-01T10:00:0") == true)
  }

  @Test("anything else fails in one line with its line, after what is whole", arguments: refused)
  func fails(_ example: Case) throws {
    let file = TemporaryFile(Array(example.document.utf8))
    let reading = Reading(path: file.path)
    #expect(reading.fixes.count == example.fixes)
    let failure = try #require(reading.failure)
    #expect(failure.code == .data)
    #expect(failure.description.hasPrefix("\(file.path):\(example.failure ?? "")"), "\(failure)")
    #expect(!failure.description.contains("\n"))
  }

  @Test("generous readings are said aloud")
  func notes() throws {
    func notes(_ document: String) throws -> [String] { try Reading(document).notes }
    #expect(try notes(Self.track(Self.point(0))) == [])
    #expect(
      try notes("<gpx>\(Self.point(0))</gpx>") == [
        "no namespace", "no version (read as GPX 1.1)", "track points outside a segment",
      ])
    #expect(
      try notes("<g:gpx version='2' xmlns:g='urn:x'/>") == [
        "unknown namespace (taken as GPX)", "prefixed root g:gpx", "version \"2\" (read as GPX 1.1)",
      ])
    #expect(
      try notes(Self.track(Self.point(0, "<extensions><x:a/><x:b/><y:c/></extensions>"))) == [
        "unbound prefix x (taken as an extension)", "unbound prefix y (taken as an extension)",
      ])
  }

  @Test("more names than any file needs are refused before they fill the memory")
  func names() throws {
    let long = String(repeating: "x", count: 700)
    let names = (0..<40_000).map { "<e \(long)\($0)=''/>" }.joined()
    let reading = try Reading(Self.track(Self.point(0) + names))
    #expect(reading.fixes.count == 1)
    #expect(reading.failure?.what == "takes more than 24 MiB to parse")
  }

  @Test("a tag of a hundred megabytes is given up after a few")
  func hugeAttribute() throws {
    let pipe = try NamedPipe()
    pipe.write { write in
      _ = write(Array("\(Self.root)<trk><trkseg>\(Self.point(0))<trkpt lat=\"47.".utf8))
      let digits = [UInt8](repeating: UInt8(ascii: "0"), count: 1 << 16)
      for _ in 0..<1600 where !write(digits) { return }
    }
    var items: [TrackItem] = []
    var bytesRead = 0
    let failure = #expect(throws: Failure.self) {
      var reader = try TrackReader(path: pipe.path)
      var batch: [TrackItem] = []
      defer { bytesRead = reader.bytesRead }
      while try reader.read(into: &batch) { items += batch }
    }
    #expect(items.count == 1)
    #expect(failure?.what == "a tag, attribute or comment is longer than 1 MiB")
    #expect(bytesRead < 4 << 20)
  }

  @Test(
    "every encoding that XML allows here gives the same points",
    arguments: [
      "utf-8", "utf-8 bom", "utf-16le", "utf-16be", "utf-16le bare", "iso-8859-1", "windows-1252", "gbk",
    ])
  func encodings(name: String) throws {
    let body = Self.track("<!-- \u{e9} -->" + Self.point(0))
    var bytes: [UInt8] = []
    switch name {
    case "utf-8": bytes = Array(("<?xml version='1.0' encoding='UTF-8'?>" + body).utf8)
    case "utf-8 bom": bytes = [0xEF, 0xBB, 0xBF] + Array(body.utf8)
    case "utf-16le": bytes = [0xFF, 0xFE] + body.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case "utf-16be": bytes = [0xFE, 0xFF] + body.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case "utf-16le bare":
      bytes = ("<?xml version='1.0' encoding='UTF-16LE'?>" + body).utf16.flatMap {
        [UInt8($0 & 0xFF), UInt8($0 >> 8)]
      }
    default:
      bytes = ("<?xml version='1.0' encoding='\(name)'?>" + body).unicodeScalars.map { UInt8($0.value) }
    }
    let reading = try Reading(bytes)
    #expect(reading.failure == nil)
    #expect(reading.fixes.map(\.latitude) == [47.0])
  }
}
