import Foundation
import TestSupport
import Testing

/// The shipped tracks through the built binary.
@Suite struct ShippedTracksTests {
  @Test func thereAreTracks() { #expect(ShippedTrack.all.count >= 8) }

  @Test(arguments: ShippedTrack.all) func theReplayIsTheGolden(_ track: ShippedTrack) async throws {
    let run = try await Binary.run(track.arguments)
    #expect(run.status == 0, "\(run.stderr)")
    Golden.expect(track.golden, run.stdout)
  }

  @Test(arguments: ShippedTrack.all) func `the summary counts the events of the stream`(_ track: ShippedTrack)
    async throws
  {
    let run = try await Binary.run(track.arguments)
    let records = try run.stdout.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let told = try #require(records.last?["events"] as? [String: Int])
    var counted: [String: Int] = [:]
    let untold = ["subscriber.", "program.", "summary", "power", "advice", "source", "receiver", "clock"]
    for type in records.compactMap({ $0["type"] as? String }) {
      if !untold.contains(where: { type.hasPrefix($0) }) { counted[type, default: 0] += 1 }
    }
    #expect(told == counted)
    let text = try await Binary.run(track.arguments + ["--format", "text"]).stdout
    for type in ["notification", "call", "push", "fetch"] {
      if let count = told[type] { #expect(text.contains(", \(count) \(type)"), "\(text)") }
    }
  }

  @Test(arguments: [["--speed", "1000000"], ["--jobs", "2"], ["--format", "ndjson"]])
  func howItIsRunChangesNoByte(_ options: [String]) async throws {
    let track = try #require(ShippedTrack.all.first { $0.slug == "tunnel" })
    let run = try await Binary.run(track.arguments + options)
    Golden.expect(track.golden, run.stdout)
  }

  /// The second fix is three seconds after the first: nothing is told of it before. That the machine is slow makes it
  /// no earlier.
  @Test func `a paced replay tells of a fix at its time`() async throws {
    let folder = TemporaryFolder()
    let fixes = ["00", "03", "03.1"].map {
      "{\"time\":\"2026-05-01T06:00:\($0)Z\",\"lat\":48,\"lon\":11,\"acc_m\":5}\n"
    }
    let track = folder.write("paced.ndjson", fixes.joined())
    let options = ["--speed", "1", "--explain", "--format", "ndjson"]
    let start = ContinuousClock.now
    let program = try LiveProcess(Binary.path, ["replay", track] + options)
    #expect(await program.wait { $0.contains { $0.contains("2026-05-01T06:00:03.000Z") } })
    #expect(ContinuousClock.now - start >= .seconds(3))
  }

  @Test func tracksSideBySideArePrintedInTheOrderOfTheArguments() async throws {
    let tracks = ShippedTrack.all.filter { !$0.slug.hasPrefix("day") }.map(\.track)
    let one = try await Binary.run(["replay"] + tracks)
    let two = try await Binary.run(["replay", "--jobs", "2"] + tracks)
    #expect(one.status == 0, "\(one.stderr)")
    #expect(one.stdoutBytes == two.stdoutBytes)
  }

  @Test func `the summary of all tracks has the latest of their times`() async throws {
    let tracks = ["commute-with-stops", "tunnel"].map { PackageRoot.file("Tracks/\($0).gpx") }
    for order in [tracks, tracks.reversed()] {
      let run = try await Binary.run(["replay", "--format", "ndjson"] + order)
      let times = run.stdout.split(separator: "\n").filter { $0.contains("\"type\":\"summary\"") }
        .compactMap { $0.firstMatch(of: /"time":"([^"]*)"/)?.output.1 }
      #expect(times.count == 3 && times.last == times.dropLast().max(), "\(times)")
    }
  }
}
