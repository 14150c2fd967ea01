import FoundationEssentials
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// Whatever a text holds that comes from a user, a program or a file: it is read, or refused with one line for a person.
/// `LOCWATCH_FULL=1` tries 500,000 mutations of each kind of text.
@Suite struct TextMutationTests {
  enum Kind: String, CaseIterable, Sendable {
    case manifest, scenario, settings, profile, synthesis, geoJSON, kml, ownTracks, waypoints, recording,
      journalLine
    case answer, time, place, json

    /// Good texts to begin with.
    var seeds: [String] {
      switch self {
      case .manifest:
        [
          shipped("subscriber.yaml"),
          """
          name: logger
          command: [/usr/local/bin/logger, --quiet]
          style: oneshot
          services: [significant-change, regions, visits, standard]
          modes: [location]
          authorization: whenInUse
          accuracy: reduced
          distance_filter_m: 10
          user: nobody
          memory_max: 67108864
          regions: [home, "office: 2"]
          """,
        ]
      case .scenario:
        [
          shipped("scenario.yaml"),
          """
          protect_until_first_unlock: true
          steps:
            - {at: +0, launch: logger}
            - {at: 2026-05-01T06:00:00Z, background: logger}
            - {at: +900, begin_task: logger, task: upload, seconds: 45}
            - {at: +1200, memory_pressure: critical}
            - {at: +1300, authorization: logger, value: denied}
          """,
        ]
      case .settings:
        [
          "significant_change:\n  distance_m: 500\nsampling:\n  mode: adaptive\nstate:\n  journal_rows: 1000\n"
        ]
      case .profile: [file("Profiles/pinephone.yaml"), file("Profiles/iphone-class.yaml")]
      case .synthesis: [shipped("synth.yaml")]
      case .geoJSON:
        [
          shipped("regions.geojson"),
          #"{"type":"Feature","id":"p","geometry":{"type":"Polygon","coordinates":[[[11,48],[11.1,48],[11.1,48.1],[11,48]]]},"properties":{"notify":["enter"],"dwell_s":60,"name":"P"}}"#,
          #"{"type":"Feature","id":"l","geometry":{"type":"LineString","coordinates":[[11,48],[11.1,48.05]]},"properties":{"buffer_m":25}}"#,
        ]
      case .kml:
        [
          #"<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>A</name><Polygon><outerBoundaryIs><LinearRing><coordinates>11,48 11.1,48 11.1,48.1 11,48</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>"#
        ]
      case .ownTracks:
        [
          #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"home","lat":48.1,"lon":11.5,"rad":100,"tst":1700000000,"rid":"a1"}]}"#,
          #"{"_type":"configuration","waypoints":[{"_type":"waypoint","desc":"b","lat":1,"lon":2,"rad":5,"tst":1}]}"#,
        ]
      case .waypoints:
        [
          #"<gpx version="1.1"><wpt lat="48.1" lon="11.5"><name>home</name></wpt><wpt lat="1" lon="2"/></gpx>"#
        ]
      case .recording: [String(file("Examples/incident.journal").prefix { !$0.isNewline })]
      case .journalLine: [file("Examples/incident.journal")]
      case .answer:
        [
          #"{"ack":17}"#, #"{"begin_task":"upload"}"#, #"{"start":"significant-change"}"#, #"{"locate":30}"#,
          #"{"register":"name","signal":true}"#, #"{"preserve":"text \u00e9 \ud83d\ude00"}"#,
          #"{"state_of":"home"}"#,
        ]
      case .time: ["2026-05-01T06:00:12.123Z", "2026-05-01T08:00:12+02:00", "1970-01-01T00:00:00Z"]
      case .place: ["48.1371,11.5754,120", "-90,180,1000"]
      case .json: [#"{"a":[1,2.5e-3,true,null,{"b":"\u0041\n"}],"c":{}}"#, "[[[[1]]]]"]
      }
    }

    /// Reads a text as what it is.
    func read(_ bytes: [UInt8], path: String) throws {
      func stored() throws -> String {
        try Data(bytes).write(to: URL(filePath: path))
        return path
      }
      switch self {
      case .manifest: _ = try SubscriberManifest.read(path: stored())
      case .scenario: _ = try Scenario(path: stored(), subscribers: ["logger", "commute-logger"])
      case .settings:
        var settings = DaemonSettings()
        try Settings.read(path: stored(), into: &settings)
      case .profile: _ = try PowerProfileFile.read(path: stored())
      case .synthesis: _ = try SynthScenario(yaml: bytes, file: "f")
      case .geoJSON, .kml, .ownTracks, .waypoints:
        _ = try RegionFile.read(bytes: bytes, name: "f", options: .init(defaultRadiusMeters: 50))
      case .recording:
        do throws(JournalLine.Trouble) { _ = try JournalLine.header(in: bytes) } catch {
          try TextMutationTests.oneLine(error.what)
        }
      case .journalLine:
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(20) {
          do throws(JournalLine.Trouble) {
            _ = try JournalLine.stamped(in: Array(line))
          } catch {
            try TextMutationTests.oneLine(error.what)
          }
        }
      case .answer: _ = SubscriberAnswer(line: bytes)
      case .time: _ = UTCTime(rfc3339: String(decoding: bytes, as: UTF8.self))
      case .place: _ = try PlaceText.circle(String(decoding: bytes, as: UTF8.self))
      case .json:
        var reader = JSONReader(bytes)
        do throws(JSONError) { _ = try LocationFormats.JSONTree(&reader) } catch {
          try TextMutationTests.oneLine(error.what)
        }
      }
    }

    private func shipped(_ ending: String) -> String { file("Tracks/commute-with-stops.\(ending)") }
    private func file(_ path: String) -> String {
      (try? String(contentsOfFile: PackageRoot.file(path), encoding: .utf8)) ?? ""
    }
  }

  struct NotForPeople: Error { var text: String }

  static func oneLine(_ text: String) throws {
    let inner = ["DecodingError", "JSONError(", "Swift.", "Optional(", "Context("]
    guard !text.contains(where: \.isNewline), !text.isEmpty, text.utf8.count < 2_000,
      !inner.contains(where: text.contains)
    else { throw NotForPeople(text: text) }
  }

  @Test(arguments: Kind.allCases) func `it is read, or refused in one line`(kind: Kind) throws {
    let folder = TemporaryFolder()
    let path = folder("f")
    let seeds = kind.seeds.map { Array($0.utf8) }
    #expect(!seeds.contains([]))
    for seed in seeds { try kind.read(seed, path: path) }
    var random = SeededRandom(20_260_501)
    for round in 0..<(Corpus.isFull ? 500_000 : 1_500) {
      let bytes = Self.mutated(seeds, &random)
      do {
        try kind.read(bytes, path: path)
      } catch let failure as Failure {
        try Self.oneLine(failure.description)
      } catch {
        Issue.record("\(random) round \(round): \(error), of \(String(decoding: bytes, as: UTF8.self))")
        return
      }
    }
  }

  /// What breaks readers: numbers at their limits, quotes, brackets without an end, references, other encodings.
  private static let pieces: [[UInt8]] =
    [
      "1e999", "-1", "NaN", "9223372036854775808", "0x10", "\"", "\\", "\\ud800", "{", "}", "[", "]", ":",
      ",", "- ",
      "&a", "*a", "<<: *a", "!!binary ", "<![CDATA[", "]]>", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;",
      "<!--", "\u{0}",
      "\u{FEFF}", "\u{202E}", "😀", "\n", "\t", "null", "~", "1e-400", "18446744073709551616",
      "2026-13-45T25:61:61Z",
    ].map { Array($0.utf8) } + [
      [0xFF, 0xFE], [0xC0, 0x80], Array(repeating: UInt8(ascii: "["), count: 3_000),
    ]

  private static func mutated(_ seeds: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = seeds.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard !bytes.isEmpty else { break }
      let index = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, index + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.removeSubrange(index..<end)
      case 2: bytes.insert(contentsOf: Array(bytes[index..<end]), at: index)
      case 3, 4: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: index)
      case 5:
        let other = seeds.randomElement(using: &random) ?? []
        let from = Int.random(in: 0..<max(1, other.count), using: &random)
        bytes.replaceSubrange(index..<end, with: other[min(from, other.count)..<min(other.count, from + 40)])
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }
}
