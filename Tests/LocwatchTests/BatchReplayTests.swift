import Foundation
import TestSupport
import Testing

/// Many tracks through one process.
struct BatchReplayTests {
  let folder = TemporaryFolder()

  /// A walk around a place, in a way of writing that changes from line to line.
  private static func lines(_ track: String, start: Int) -> [String] {
    (0..<1_500).map { index in
      let angle = Double(index) / 40
      let latitude = 48.1 + 0.004 * sin(angle)
      let longitude = 11.5 + 0.004 * cos(angle * 1.3)
      let place = "\"lat\":\(latitude),\"lon\":\(longitude)"
      let seconds = start + index * 10
      switch index % 50 {
      case 7: return "{\(place),\"acc_m\":5,\"track\":\(track),\"time\":\(seconds)}"
      case 19: return " { \"track\" : \(track), \(place), \"acc_m\" : 5, \"ts\" : \(seconds) } "
      case 20..<40:
        return
          "{\"track\":\(track),\"_type\":\"location\",\"tid\":\"x\",\(place),\"acc\":5,\"vel\":4,\"tst\":\(seconds)}"
      default:
        let time = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
        return "{\"track\":\(track),\"time\":\"\(time)\",\(place),\"acc_m\":5}"
      }
    }
  }

  private static let places = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","id":"north","properties":{"radius_m":150},"geometry":{"type":"Point","coordinates":[11.5,48.104]}},
    {"type":"Feature","id":"south","properties":{"radius_m":200},"geometry":{"type":"Point","coordinates":[11.502,48.097]}}]}
    """

  /// The lines of an output without the track's name.
  private static func nameless(_ text: Substring) -> String {
    String(text).replacing(/"track":"(?:[^"\\]|\\.)*",/, with: "")
  }

  @Test func `tracks as lines or as files give what each gives alone`() async throws {
    let regions = folder.write("places.geojson", Self.places)
    // The last two are the same to Unicode.
    let names = [#""a""#, #""b/c""#, #""d\"e""#, "\"\u{FC}\"", "\"u\u{308}\""]
    let tracks = names.enumerated().map { Self.lines($1, start: 1_700_000_000 + $0 * 86_400) }
    let files = tracks.enumerated().map { folder.write("\($0).ndjson", $1.joined(separator: "\n") + "\n") }
    var alone: [String] = []
    for file in files {
      let run = try await Binary.run(["replay", "--no-programs", "--format", "ndjson", "-r", regions, file])
      #expect(run.status == 0, "\(run.stderr)")
      alone += run.stdout.split(separator: "\n").map { Self.nameless($0) }
    }
    #expect(alone.count { $0.contains("region.enter") } > 20)

    func number(_ lines: [String]) -> [String] {
      lines.map { $0.replacing(/"seq":\d+,/, with: "") }
    }
    let text = tracks.map { $0.joined(separator: "\n") + "\n" }.joined()
    let whole = try await Binary.run(["replay", "--batch", "-r", regions], stdin: text)
    #expect(whole.status == 0, "\(whole.stderr)")
    let ofLines = whole.stdout.split(separator: "\n")
    #expect(number(ofLines.map { Self.nameless($0) }) == number(alone))
    for name in names { #expect(ofLines.contains { $0.contains("\"track\":\(name)") }) }

    let paths = try await Binary.run(
      ["replay", "--batch", "-r", regions], stdin: files.joined(separator: "\n") + "\n")
    #expect(number(paths.stdout.split(separator: "\n").map { Self.nameless($0) }) == number(alone))
    let together = try await Binary.run(
      ["replay", "--no-programs", "--format", "ndjson", "--jobs", "2", "-r", regions] + files)
    let total = together.stdout.split(separator: "\n").map { Self.nameless($0) }
    #expect(number(Array(total.dropLast())) == number(alone))
  }

  @Test func `what can't be used is told with its line, and the others go on`() async throws {
    let lines = Self.lines(#""a""#, start: 1_700_000_000)
    let text =
      lines[..<8].joined(separator: "\n") + "\n\n{nonsense\r\n" + lines[8...].joined(separator: "\n")
      + "\n" + String(repeating: "y", count: 1_100_000) + "\n{\"lat\":1,\"lon\":2}\n/nowhere.gpx"
    let run = try await Binary.run(["replay", "--batch"], stdin: text)
    #expect(run.status != 0)
    #expect(run.stderr.contains("10"), "\(run.stderr)")
    #expect(run.stderr.contains("1503: the line is too long; at most 1048576 bytes"), "\(run.stderr)")
    #expect(run.stderr.contains("1504: a fix without"), "\(run.stderr)")
    #expect(run.stderr.contains("/nowhere.gpx"), "\(run.stderr)")
    #expect(run.stdout.contains("\"fixes\":1500"), "\(run.stdout.suffix(500))")
  }

  @Test(arguments: ["Tracks/tunnel.gpx", "Tracks/day-with-commute.gpx.gz", "Examples/incident.journal"])
  func `a track itself is no list of tracks`(track: String) async throws {
    let run = try await Binary.run(["replay", "--batch", track])
    #expect(run.status == 65 && run.stdout.isEmpty, "\(run)")
    let remedy = "leave out --batch, or give the file's name as a line"
    #expect(run.stderr == "locwatch: \(track):1: a track, not lines that name tracks; \(remedy)\n")
  }

  /// Each with what is said of it, and the exit status.
  private static let useless: [(lines: String, options: [String], told: String, status: Int32)] = [
    (
      #"{"track":"a","lat":48.1,"lon":11.5}"#, [],
      "a: no track point has a time like 2026-05-01T06:00:00Z; give --interval SECONDS (and --start TIME)", 65
    ),
    (
      #"{"track":"a","time":"2026-05-01T06:00:00Z","lat":99,"lon":11.5}"#, [],
      "a: nothing of this track was believed: 1 out_of_range; a latitude is -90 to 90, a longitude -180 to 180; are they swapped?",
      1
    ),
    (
      #"{"track":"a","time":"2026-05-01T06:00:00Z","lat":48,"lon":11.5}"#,
      ["--from", "2026-05-02T00:00:00Z"],
      "there is no fix between --from and --to; check both times, and whether they need --utc", 1
    ),
  ]

  @Test(arguments: useless)
  func `lines of which nothing can be used are told`(
    batch: (lines: String, options: [String], told: String, status: Int32)
  ) async throws {
    let run = try await Binary.run(["replay", "--batch"] + batch.options, stdin: batch.lines + "\n")
    #expect(run.status == batch.status && run.stderr == "locwatch: \(batch.told)\n", "\(run)")
    guard batch.options.isEmpty else { return }
    let before = batch.lines.replacing(#""a""#, with: #""b""#)
    let good = #"{"track":"c","time":"2026-05-01T06:00:00Z","lat":48.1,"lon":11.5}"#
    let several = try await Binary.run(
      ["replay", "--batch"], stdin: [before, batch.lines, "Tracks/tunnel.gpx", good].joined(separator: "\n"))
    #expect(several.status == batch.status && several.stdout.contains(#""track":"c""#), "\(several)")
    #expect(several.stderr.split(separator: "\n").count == 2, "\(several.stderr)")
  }

  @Test(arguments: [["-", "-"], ["-", "-r", "-"], ["--batch", "-r", "-"]])
  func `standard input is read only once`(arguments: [String]) async throws {
    let run = try await Binary.run(["replay"] + arguments)
    #expect(run.status == 64 && run.stderr.contains("standard input can be read only once"), "\(run)")
  }

  @Test func `lines without times get them with an interval`() async throws {
    let line = #"{"track":"a","lat":48.1,"lon":11.5}"#
    let run = try await Binary.run(
      ["replay", "--batch", "--interval", "600", "--start", "2026-05-01T06:00:00Z"], stdin: line + "\n" + line
    )
    #expect(run.status == 0 && run.stdout.contains("\"accepted\":2"), "\(run)")
    #expect(run.stdout.contains("stand 600.0 s apart from 2026-05-01T06:00:00.000Z"), "\(run.stdout)")
  }

  @Test func `an assumed accuracy holds for lines too`() async throws {
    let line = #"{"track":"a","time":"2026-05-01T06:00:00Z","lat":48.1,"lon":11.5}"#
    let run = try await Binary.run(
      ["replay", "--batch", "--assume-accuracy", "33"], stdin: line + "\n" + line)
    #expect(run.stdout.contains("\"acc_m\":33"), "\(run.stdout)")
  }
}
