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

  @Test(arguments: [["--speed", "1000000"], ["--jobs", "2"], ["--format", "ndjson"]])
  func howItIsRunChangesNoByte(_ options: [String]) async throws {
    let track = try #require(ShippedTrack.all.first { $0.slug == "tunnel" })
    let run = try await Binary.run(track.arguments + options)
    Golden.expect(track.golden, run.stdout)
  }

  @Test func tracksSideBySideArePrintedInTheOrderOfTheArguments() async throws {
    let tracks = ShippedTrack.all.filter { !$0.slug.hasPrefix("day") }.map(\.track)
    let one = try await Binary.run(["replay"] + tracks)
    let two = try await Binary.run(["replay", "--jobs", "2"] + tracks)
    #expect(one.status == 0, "\(one.stderr)")
    #expect(one.stdoutBytes == two.stdoutBytes)
  }
}
