import Foundation
import TestSupport
import Testing

/// Rule K6 in a replay.
@Suite struct ServiceReplayTests {
  private static let scenario = """
    steps:
      - {at: +1,  launch: web}
      - {at: +2,  advertise: web, type: _http._tcp, port: 8080}
      - {at: +3,  background: web}
      - {at: +60, foreground: web}
      - {at: +61, advertise: web, type: _http._tcp, port: 0}
    """

  @Test func `K6 a service is published, withdrawn at the suspension and published again`() async throws {
    let folder = TemporaryFolder()
    let arguments = [
      "replay", PackageRoot.file("Tracks/walk-around-the-block.gpx"), "--subscriber",
      folder.write("web.yaml", "name: web\nservices: []\n"), "--scenario",
      folder.write("s.yaml", Self.scenario), "--format",
    ]
    let run = try await Binary.run(arguments + ["ndjson"])
    #expect(run.status == 0, "\(run.stderr)")
    let told = run.stdout.split(separator: "\n").compactMap { line -> Substring? in
      if line.contains(#""type":"service""#) { return line.firstMatch(of: /"event":"(\w+)"/)?.1 }
      return line.contains(#""action":"suspend""#) ? "suspend" : nil
    }
    #expect(told == ["publish", "withdraw", "suspend", "publish", "withdraw"])
    #expect(run.stdout.contains(#""service":4"#), "the summary counts them")
    let text = try await Binary.run(arguments + ["text"])
    #expect(text.stdout.contains("service _http._tcp at port 8080 is published"), "\(text.stdout)")
  }

  @Test func `K6 a step with what is no type of a service is refused with its line`() async throws {
    let folder = TemporaryFolder()
    let run = try await Binary.run([
      "replay", PackageRoot.file("Tracks/walk-around-the-block.gpx"), "--subscriber",
      folder.write("web.yaml", "name: web\nservices: []\n"), "--scenario",
      folder.write("s.yaml", "steps:\n  - {at: +1, advertise: web, type: http, port: 80}\n"),
    ])
    #expect(run.status == 65)
    #expect(run.stderr.contains("s.yaml:2"), "\(run.stderr)")
    #expect(run.stderr.contains("is no type of a service"), "\(run.stderr)")
  }
}
