import Foundation
import TestSupport
import Testing

/// The page of `replay --report`, as it is written.
@Suite struct ReportPageTests {
  private static func page(_ arguments: [String], _ folder: TemporaryFolder) async throws -> String {
    let run = try await Binary.run(
      ["replay"] + arguments + ["--report", folder("page.html"), "--format", "ndjson"])
    #expect(run.status == 0, "\(run.stderr)")
    return try String(contentsOfFile: folder("page.html"), encoding: .utf8)
  }

  @Test(arguments: [[], ["--sampling", "adaptive"]])
  func `the same replay writes the same bytes`(options: [String]) async throws {
    let folder = TemporaryFolder()
    let arguments = ["Tracks/walk-with-teleports.gpx", "-r", "Tracks/walk-with-teleports.regions.geojson"]
    let one = try await Self.page(arguments + options, folder)
    let other = try await Self.page(arguments + options, folder)
    #expect(one == other)
  }

  @Test func `the page asks for nothing`() async throws {
    let folder = TemporaryFolder()
    let whole = try await Self.page(["Tracks/tunnel.gpx"], folder)
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\""
    #expect(whole.contains(policy))
    // Leaflet has addresses in its comments and could fetch tiles; the policy keeps it from that.
    let page = try await Self.page(["Tracks/tunnel.gpx", "--leaflet", folder("none")], folder)
    #expect(page.contains(policy))
    for word in ["http:", "https:", "src=", "href=", "url(", "fetch(", "import(", "XMLHttpRequest"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test func `a page changes nothing of what is printed`() async throws {
    let folder = TemporaryFolder()
    let arguments = ["replay", "Tracks/tunnel.gpx", "--sampling", "adaptive", "--format", "ndjson"]
    let plain = try await Binary.run(arguments)
    let with = try await Binary.run(arguments + ["--report", folder("page.html")])
    #expect(plain.stdoutBytes == with.stdoutBytes)
  }

  @Test func `the tables need no script`() async throws {
    let page = try await Self.page(
      ["Tracks/tunnel.gpx", "-r", "Tracks/tunnel.regions.geojson"], TemporaryFolder())
    let body = try #require(page.components(separatedBy: "<script").first)
    for word in ["receiver tracking", "fixed 120 s", "region.enter", "Fixes taken"] {
      #expect(body.contains(word), "\(word)")
    }
  }

  @Test func `a page says at its top what adaptive sampling would find and use`() async throws {
    let page = try await Self.page(
      ["Tracks/tunnel.gpx", "-r", "Tracks/tunnel.regions.geojson"], TemporaryFolder())
    let header = try #require(page.components(separatedBy: "</header>").first)
    #expect(header.contains("<p class=\"verdict\">both, adaptive: finds "))
    #expect(header.contains(" of the receiver's energy; "))
  }

  @Test func `a page with tiles of a server may load pictures from there and from nowhere else`() async throws
  {
    let address = "https://tile.example/{z}/{x}/{y}.png"
    let page = try await Self.page(["Tracks/tunnel.gpx", "--tiles", address], TemporaryFolder())
    #expect(page.contains("; img-src https://tile.example\""))
    #expect(page.contains(#""url":"\#(address)""#))
    #expect(page.contains("The page fetches the tiles of its map from tile.example"))
  }

  @Test(arguments: [
    (["--tiles", "https://tile.example/"], 64, "is no address of tiles"),
    (["--tiles", "Tracks/tunnel.gpx"], 65, "neither an MBTiles nor a PMTiles file"),
    (["--tiles", "no/such/file"], 66, "no such file"),
  ])
  func `what is no map is refused in one line`(options: [String], status: Int32, text: String) async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run(
      ["replay", "Tracks/tunnel.gpx", "--format", "ndjson", "--report", folder("page.html")] + options)
    #expect(run.status == status && run.stderr.contains(text), "\(run.status) \(run.stderr)")
    #expect(run.stderr.split(separator: "\n").count == 1)
  }

  @Test func `a page has nothing that only a server can do`() async throws {
    let page = try await Self.page(["Tracks/tunnel.gpx"], TemporaryFolder())
    for word in [
      #"id="draw""#, #"id="add""#, #"id="editor""#, #"id="login""#, "RegionEditor", "/api/", "{{",
      "<!-- only",
    ] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test func `names can't become markup`() async throws {
    let folder = TemporaryFolder()
    let file = folder.write("regions.geojson", hostileRegions)
    let page = try await Self.page(["Tracks/tunnel.gpx", "-r", file], folder)
    let count = FileManager.default.fileExists(atPath: "/usr/share/javascript/leaflet") ? 4 : 3
    #expect(page.components(separatedBy: "<script").count == count)
    #expect(page.components(separatedBy: "</script").count == count)
    #expect(!page.contains("<img"))
  }

  @Test func `a recording has a page too, with its own regions and programs`() async throws {
    let run = try DaemonRun()
    try await run.add("logger")
    #expect(try await run.command(["regions", "add", "hut", "--circle", "48.001,11.5,60"]).status == 0)
    let recording = run.folder("a.journal")
    try run.start(["--record", recording])
    for second in 0..<30 {
      run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48 + 0.0001 * Double(second)))
    }
    try await run.waitForFixes(30)
    #expect(await run.end() == 0)
    let page = try await Self.page([recording], run.folder)
    let body = try #require(page.components(separatedBy: "<script").first)
    for word in ["a.journal", "hut", "logger", "region.enter", "Fixes taken"] {
      #expect(body.contains(word), "\(word)")
    }
    // The fixes of a recording can't be asked for under another policy.
    #expect(!page.contains("Other policies"))
  }

  @Test func `a track from a pipe has a page without other policies`() async throws {
    let folder = TemporaryFolder()
    let page = try await Self.page(["Tracks/tunnel.gpx"], folder)
    #expect(page.contains("Other policies"))
    let piped = try await Binary.run(
      ["replay", "-", "--report", folder("piped.html")],
      stdin: Data(contentsOf: URL(filePath: PackageRoot.file("Tracks/tunnel.gpx"))))
    #expect(piped.status == 0)
    let text = try String(contentsOfFile: folder("piped.html"), encoding: .utf8)
    #expect(text.contains("<title>standard input - locwatch"))
    #expect(!text.contains("Other policies"))
  }

  @Test(arguments: [
    (["Tracks/tunnel.gpx", "Tracks/tunnel.gpx", "--report", "x.html"], 64 as Int32, "one track"),
    (["Tracks/tunnel.gpx", "--report", "-"], 64, "name of a file"),
    (["Tracks/tunnel.gpx", "--report", "/nonexistent/x.html"], 73, "/nonexistent/x.html"),
  ])
  func `a page that can't be is refused`(arguments: [String], status: Int32, word: String) async throws {
    let run = try await Binary.run(["replay"] + arguments)
    #expect(run.status == status)
    #expect(run.stderr.contains(word))
  }
}

/// Names that would break out of an element, an attribute or a string.
let hostileRegions = #"""
  {"type": "FeatureCollection", "features": [
    {"type": "Feature", "id": "</script><script>throw 1//", "properties": {"radius_m": 500, "initial": "event",
      "name": "<img src=x onerror=throw(2)> & \"quotes\" '"},
     "geometry": {"type": "Point", "coordinates": [8.6, 46.7]}}]}
  """#
