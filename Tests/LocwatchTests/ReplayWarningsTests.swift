import Foundation
import TestSupport
import Testing

/// What a replay says on standard error without failing.
@Suite struct ReplayWarningsTests {
  @Test func `a region that can't be watched is told`() async throws {
    let regions = """
      {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": "home", "geometry": {"type": "MultiPoint", "coordinates": [[8.6, 46.7]]}},
        {"type": "Feature", "id": "door", "properties": {"radius_m": 50},
         "geometry": {"type": "Point", "coordinates": [8.6, 46.7]}}]}
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "locwatch-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try regions.write(to: file, atomically: true, encoding: .utf8)
    let run = try await Binary.run(["replay", "Tracks/tunnel.gpx", "--regions", file.path])
    #expect(run.status == 0)
    #expect(run.stderr.contains("home"))
    #expect(run.stderr.contains("MultiPoint"))
  }

  @Test func `a file without regions is told`() async throws {
    let folder = TemporaryFolder()
    let file = folder.write("none.geojson", #"{"type":"FeatureCollection","features":[]}"#)
    let run = try await Binary.run(["replay", "Tracks/tunnel.gpx", "-r", file])
    #expect(run.status == 0, "\(run)")
    #expect(run.stderr == "locwatch: warning: \(file): no regions in it\n")
    #expect(try await Binary.run(["regions", "check", file]).status == 1)
  }

  /// A file with these lines, and the run of a replay of it.
  private static func replay(_ text: String, _ arguments: [String] = []) async throws -> Binary.Result {
    let file = FileManager.default.temporaryDirectory.appending(path: "locwatch-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    return try await Binary.run(["replay", file.path, "--format", "ndjson"] + arguments)
  }

  @Test func `a replay of which nothing was believed says so`() async throws {
    let line = #"{"time":"2026-05-01T06:00:00Z","lat":48.1,"lon":11.5,"acc_m":5000}"#
    let run = try await Self.replay(line + "\n" + line.replacing("06:00:00", with: "06:00:01") + "\n")
    #expect(run.status == 1)
    #expect(run.stderr.contains("nothing of this track was believed: 2 inaccurate"), "\(run.stderr)")
  }

  @Test func `a comparison of which nothing was believed says so`() async throws {
    let folder = TemporaryFolder()
    let line = #"{"time":"2026-05-01T06:00:00Z","lat":48.1,"lon":11.5,"acc_m":5000}"#
    let track = folder.write("a.ndjson", line + "\n")
    let run = try await Binary.run(["compare", track])
    #expect(run.status == 1 && run.stdout.isEmpty, "\(run)")
    #expect(run.stderr.contains("nothing of this track was believed: 1 inaccurate"), "\(run.stderr)")
    let both = try await Binary.run(["compare", "Tracks/tunnel.gpx", track])
    #expect(both.status == 1 && both.stdout.contains("continuous"), "\(both)")
  }

  @Test func `a part of a track without a fix says so`() async throws {
    let part = ["--format", "text", "--from", "2026-05-07T10:00:00Z"]
    let run = try await Binary.run(["replay", "Tracks/tunnel.gpx"] + part)
    #expect(run.status == 1, "\(run)")
    #expect(!run.stdout.contains("believed"), "\(run.stdout)")
    #expect(run.stderr.contains("there is no fix between --from and --to"), "\(run.stderr)")
  }

  @Test func `a region that a manifest names and no file has is told, and two manifests of one name`()
    async throws
  {
    let folder = TemporaryFolder()
    let logger = folder.write("a.yaml", "name: logger\nservices: [regions]\nregions: [pas, pass]\n")
    let replay = ["replay", "Tracks/tunnel.gpx", "-r", "Tracks/tunnel.regions.geojson", "-s", logger]
    let run = try await Binary.run(replay)
    #expect(run.status == 0, "\(run)")
    #expect(
      run.stderr == "locwatch: warning: logger: no region is called \"pas\"; did you mean pass?\n", "\(run)")
    let twice = try await Binary.run(replay + ["-s", logger])
    #expect(twice.status == 65 && twice.stdout.isEmpty, "\(twice)")
    #expect(twice.stderr.contains("another manifest is called \"logger\" too"), "\(twice)")
  }

  @Test func `an option that has no effect on a track is told of in its summary`() async throws {
    func notes(_ words: [String]) async throws -> String {
      let run = try await Binary.run(["replay", "--format", "ndjson"] + words)
      #expect(run.status == 0, "\(run.stderr)")
      return run.stdout.split(separator: "\n").last.map(String.init) ?? ""
    }
    let interval = ["--interval", "5"]
    let timed = try await notes(["Tracks/tunnel.gpx"] + interval)
    #expect(timed.contains("the fixes have times: --interval has no effect"), "\(timed)")
    let recording = "Examples/incident.journal"
    let all = interval + ["--assume-accuracy", "5", "--each-segment", "--no-programs"]
    let told = try await notes([recording] + all)
    for option in all where option.hasPrefix("--") {
      #expect(told.contains("a recording is replayed as it was: \(option) has no effect"), "\(told)")
    }
    #expect(try await !notes([recording]).contains("has no effect"))
  }

  @Test func `how many points have no time is told where some have one`() async throws {
    let point = #""lat":48.1,"lon":11.5}"# + "\n"
    let text = "{\(point){\(point){\"time\":\"2026-05-01T06:00:00Z\",\(point)"
    let run = try await Self.replay(text, ["--interval", "5"])
    #expect(
      run.stdout.contains(
        "2 of 3 points have no time: they stand 5.0 s apart from 2000-01-01T00:00:00.000Z"), "\(run)")
  }

  @Test func `explain says when a receiver that is off is on again`() async throws {
    let folder = TemporaryFolder()
    let fixes = (0..<60).map { minute in
      #"{"time":"2026-05-01T06:\#(minute < 10 ? "0" : "")\#(minute):00Z","lat":48,"lon":11.5,"acc_m":5}"#
    }
    let track = folder.write("a.ndjson", fixes.joined(separator: "\n") + "\n")
    let settings = folder.write("c.yaml", "sampling: {mode: adaptive}\n")
    let run = try await Binary.run([
      "explain", "--track", track, "--config", settings, "--at", "2026-05-01T06:30:30Z", "--format", "text",
    ])
    let line = run.stdout.split(separator: "\n").first { $0.contains("the receiver is off") }
    #expect(line?.contains("the receiver is off, on again at 2026-05-01T06:3") == true, "\(run)")
  }

  @Test(arguments: [
    ["replay"], ["compare"], ["power", "predict"], ["explain", "--track"],
    ["on", "move", "--dry-run", "--track"],
  ])
  func `a track without times is read where --interval says how far apart they are`(
    words: [String]
  ) async throws {
    let folder = TemporaryFolder()
    let points = (100..<200).map { #"{"lat":48.\#($0),"lon":11.5}"# }
    let track = folder.write("a.ndjson", points.joined(separator: "\n") + "\n")
    let rest = words[0] == "on" ? ["--state", folder("s.db"), "--", "true"] : []
    let refused = try await Binary.run(words + [track] + rest)
    #expect(refused.status == 65 && refused.stderr.contains("; give --interval SECONDS"), "\(refused)")
    #expect(refused.stderr.contains("(and --start TIME)") == (words[0] != "on"), "\(refused)")
    let run = try await Binary.run(words + [track, "--interval", "10"] + rest)
    #expect(run.status == 0, "\(run)")
  }

  @Test(arguments: [
    ["--leaflet", "folder"], ["--private"], ["--batch", "--tiles", "a.mbtiles"], ["--radius", "50m"],
    ["--speed", "2", "--jobs", "2"], ["--start", "2026-05-01T06:00:00Z"],
  ])
  func `an option that needs another, or excludes it, is refused`(words: [String]) async throws {
    let run = try await Binary.run(["replay", "Tracks/tunnel.gpx"] + words)
    #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
    #expect(run.stderr.contains(words.last { $0.hasPrefix("--") } ?? "?"), "\(run.stderr)")
  }

  @Test(arguments: ["--no-programs", "--batch"])
  func `adaptive sampling without a program is refused`(option: String) async throws {
    let folder = TemporaryFolder()
    let settings = folder.write("adaptive.yaml", "sampling: {mode: adaptive}\n")
    let tracks = folder.write("tracks.txt", "Tracks/tunnel.gpx\n")
    let replay = ["replay", option == "--batch" ? tracks : "Tracks/tunnel.gpx", option, "--format", "ndjson"]
    for words in [["--sampling", "adaptive"], ["--config", settings]] {
      let run = try await Binary.run(replay + words)
      #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
      #expect(run.stderr.contains("adaptive sampling needs a program"), "\(run)")
      #expect(run.stderr.hasSuffix("; write --sampling continuous, or leave out \(option)\n"), "\(run)")
    }
    let continuous = try await Binary.run(replay + ["--config", settings, "--sampling", "continuous"])
    #expect(continuous.status == 0, "\(continuous)")
  }

  @Test(arguments: [("night-of-the-clocks", true), ("tunnel", false)])
  func `a track with too few fixes for adaptive sampling is told of`(track: String, isTold: Bool) async throws
  {
    let replay = ["replay", "Tracks/\(track).gpx", "--format", "ndjson", "--sampling"]
    let adaptive = try await Binary.run(replay + ["adaptive"])
    #expect(
      adaptive.stdout.contains("most fixes of the track are 90 s or more apart") == isTold, "\(adaptive)")
    #expect(try await !Binary.run(replay + ["continuous"]).stdout.contains("most fixes"))
  }

  @Test(arguments: [20, 2]) func `reports out of the order of time are told of where they are many`(
    count: Int
  ) async throws {
    let lines = (0..<60).map { second -> String in
      let isOdd = second > 10 && second.isMultiple(of: 2) && second <= 10 + 2 * count
      let hour = isOdd ? 5 : 6
      let clock = "0\(hour):00:\(second < 10 ? "0" : "")\(second)"
      return #"{"time":"2026-05-01T\#(clock)Z","lat":48.1,"lon":11.5}"#
    }
    let run = try await Self.replay(lines.joined(separator: "\n") + "\n")
    #expect(run.status == 0)
    let note = "20 of 60 reports are dated before or long after those around them; --explain shows each"
    #expect(run.stdout.contains(note) == (count == 20), "\(run.stdout)")
  }

  @Test func `each segment of a file can be replayed alone`() async throws {
    func segment(_ minute: Int) -> String {
      let points = (0..<5).map { second in
        #"<trkpt lat="48" lon="11"><time>2026-05-01T06:0\#(minute):0\#(second)Z</time></trkpt>"#
      }
      return "<trkseg>\(points.joined())</trkseg>"
    }
    let text = "<gpx><trk>\(segment(1))\(segment(1))\(segment(0))</trk></gpx>"
    let whole = try await Self.replay(text, [])
    #expect(whole.stdout.contains("\"segments overlap in time; --each-segment replays each alone\""))
    let run = try await Self.replay(text, ["--each-segment"])
    #expect(run.status == 0, "\(run.stderr)")
    for number in 1...3 { #expect(run.stdout.contains("#\(number)\"")) }
    #expect(!run.stdout.contains("\"late\""))
  }
}
