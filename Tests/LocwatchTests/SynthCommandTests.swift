import ArgumentParser
import Foundation
import Testing

@testable import locwatch

@Suite struct SynthCommandTests {
  static let scenario = """
    start: 2026-05-04T06:30:00Z
    steps: [at: [52.5, 13.4], stop_s: 3]
    """

  /// Runs the command in a folder of its own, with `s.yaml` in it; gives the exit status and the folder.
  func run(_ arguments: [String], scenario: String = Self.scenario) async throws -> (
    status: Int32, folder: URL
  ) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try scenario.write(to: folder.appending(path: "s.yaml"), atomically: true, encoding: .utf8)
    do {
      let full = arguments.map { $0.replacing("@", with: folder.path + "/") }
      try await Synth.parse(full).run()
      return (0, folder)
    } catch {
      return (Locwatch.exitCode(for: error).rawValue, folder)
    }
  }

  @Test(arguments: [
    (["@s.yaml", "-o", "@t.gpx"], "t.gpx", "<?xml version"),
    (["@s.yaml", "--output", "@t.ndjson"], "t.ndjson", #"{"time":"2026-05-04T06:30:00.000Z","#),
    (["@s.yaml", "-o", "@t.nmea"], "t.nmea", "$GPRMC,063000.000,A,"),
    (["@s.yaml", "-o", "@t.txt", "--format", "nmea"], "t.txt", "$GPRMC"),
  ])
  func `the format follows from the name or the option`(
    arguments: [String], file: String, start: String
  ) async throws {
    let (status, folder) = try await run(arguments)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(status == 0)
    #expect(try String(contentsOf: folder.appending(path: file), encoding: .utf8).hasPrefix(start))
  }

  @Test func `a gap that leaves no fix is an error`() async throws {
    let scenario = "start: 2026-05-04T06:30:00Z\nsteps: [at: [1, 2], gap_s: 100, stop_s: 10]"
    let (status, folder) = try await run(["@s.yaml", "-o", "@t.gpx"], scenario: scenario)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(status == 65)
  }

  @Test func `another seed is another track`() async throws {
    var texts: Set<String> = []
    for arguments in [[], ["--seed", "1"], ["--seed", "2"]] {
      let (status, folder) = try await run(["@s.yaml", "-o", "@t.ndjson"] + arguments)
      defer { try? FileManager.default.removeItem(at: folder) }
      #expect(status == 0)
      texts.insert(try String(contentsOf: folder.appending(path: "t.ndjson"), encoding: .utf8))
    }
    #expect(texts.count == 2)
  }

  @Test(
    arguments: [
      (["@s.yaml"], 64), (["@s.yaml", "-o", "@t.kml"], 64), (["@s.yaml", "-o", "@t.gpx", "--seed", "x"], 64),
      (["@none.yaml", "-o", "@t.gpx"], 66), (["@s.yaml", "-o", "@none/t.gpx"], 73),
      (["@s.yaml", "-o", "/dev/full", "--format", "gpx"], 74),
    ] as [([String], Int32)])
  func `what can't be done has its exit status`(arguments: [String], expected: Int32) async throws {
    let (status, folder) = try await run(arguments)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(status == expected)
  }

  @Test(arguments: ["1979-12-31T23:59:59Z", "2079-12-31T23:59:58Z"])
  func `a date that NMEA can't name is refused`(start: String) async throws {
    let scenario = Self.scenario.replacing("2026-05-04T06:30:00Z", with: start)
    for (name, wanted) in [("t.nmea", 65), ("t.gpx", 0)] as [(String, Int32)] {
      let (status, folder) = try await run(["@s.yaml", "-o", "@\(name)"], scenario: scenario)
      defer { try? FileManager.default.removeItem(at: folder) }
      #expect(status == wanted)
    }
  }

  @Test func `a mistake in the scenario is bad data and creates nothing`() async throws {
    let (status, folder) = try await run(["@s.yaml", "-o", "@t.gpx"], scenario: Self.scenario + "\nsede: 4")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(status == 65)
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "t.gpx").path))
  }
}
