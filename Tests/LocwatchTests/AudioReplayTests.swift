import TestSupport
import Testing

/// Rule F4 in a replay.
@Suite struct AudioReplayTests {
  private static let scenario = """
    steps:
      - {at: +1,  launch: radio}
      - {at: +2,  begin_audio: radio, kind: play}
      - {at: +3,  background: radio}
      - {at: +20, interrupt: true}
      - {at: +30, interrupt: false}
    """

  @Test func `F4 a call that names nobody interrupts what sounds in the background and gives it back`()
    async throws
  {
    let folder = TemporaryFolder()
    let run = try await Binary.run([
      "replay", PackageRoot.file("Tracks/walk-around-the-block.gpx"), "--subscriber",
      folder.write("radio.yaml", "name: radio\nservices: []\nmodes: [audio]\n"), "--scenario",
      folder.write("s.yaml", Self.scenario), "--format", "ndjson",
    ])
    #expect(run.status == 0, "\(run.stderr)")
    let told = run.stdout.split(separator: "\n").compactMap {
      $0.firstMatch(of: /"reason":"(audio_(?:interrupted|resumed))"/)?.1
    }
    #expect(told == ["audio_interrupted", "audio_resumed"], "\(run.stdout)")
  }
}
