import Foundation
import TestSupport
import Testing

/// Rule I5 in a replay.
@Suite struct IssueReplayTests {
  private static let scenario = """
    steps:
      - {at: +1,  push: reader, payload: {issue: nov}}
      - {at: +2,  transfer: reader, session: nov, bytes: 1000, seconds: 30}
      - {at: +20, exit: reader}
      - {at: +60, push: reader, payload: {issue: dec, alert: There is more}}
    """

  @Test func `I5 an issue starts its program, its end does so again, and another has to wait a day`()
    async throws
  {
    let folder = TemporaryFolder()
    let manifest = folder.write(
      "reader.yaml",
      "name: reader\nservices: []\nmodes: [newsstand-content]\n"
        + "issues: {url: \"https://example.net/latest\", every_s: 86400}\n")
    let run = try await Binary.run([
      "replay", PackageRoot.file("Tracks/walk-around-the-block.gpx"), "--subscriber", manifest,
      "--scenario", folder.write("s.yaml", Self.scenario), "--format", "ndjson",
    ])
    #expect(run.status == 0, "\(run.stderr)")
    let lines = run.stdout.split(separator: "\n")
    func told(_ words: String) -> Bool { lines.contains { $0.contains(words) } }
    #expect(told(#""kind":"issue","reason":"issue_wanted","issue":"nov""#), "\(run.stdout)")
    #expect(told(#""action":"relaunch","rule":"I5""#) && told(#""reason":"issue_wanted""#))
    #expect(told(#""reason":"issue_done""#))
    #expect(told(#""action":"drop","rule":"I5""#) && told(#""reason":"issue_limit""#))
    #expect(!run.stdout.contains("example.net"))
  }

  @Test(arguments: ["", "protect_until_first_unlock: false\n", "protect_until_first_unlock: true\n"])
  func `A8 a scenario that says whether a boot waits for the unlock wins over the settings`(key: String)
    async throws
  {
    let steps = "steps:\n  - {at: +1, reboot: true}\n  - {at: +2, push: reader, payload: {issue: nov}}\n"
    let folder = TemporaryFolder()
    let manifest = folder.write(
      "reader.yaml",
      "name: reader\nservices: []\nmodes: [newsstand-content]\n"
        + "issues: {url: \"https://example.net/latest\", every_s: 86400}\n")
    for isSet in [true, false] {
      let run = try await Binary.run([
        "replay", PackageRoot.file("Tracks/walk-around-the-block.gpx"), "--subscriber", manifest,
        "--scenario", folder.write("s.yaml", key + steps), "--format", "ndjson",
        "--config", folder.write("c.yaml", "policy: {protect_until_first_unlock: \(isSet)}\n"),
      ])
      #expect(run.status == 0, "\(run.stderr)")
      let protects = key.isEmpty ? isSet : key.contains("true")
      #expect(run.stdout.contains(#""action":"relaunch","rule":"I5""#) == !protects, "\(run.stdout)")
    }
  }

  @Test(
    arguments: [
      ("issues: {url: \"https://example.net\", every_s: 86400}", "has no meaning without the mode"),
      ("modes: [newsstand-content]\nissues: {url: \"http://example.net\", every_s: 86400}", "is no address"),
      ("modes: [newsstand-content]\nissues: {url: \"https://example.net\", every_s: 86399}", "86400"),
      ("modes: [newsstand-content]\nissues: {url: \"https://example.net\"}", "every_s"),
    ])
  func `a wrong manifest is refused with its line`(text: String, words: String) async throws {
    let folder = TemporaryFolder()
    let manifest = folder.write("reader.yaml", "name: reader\n\(text)\n")
    let run = try await Binary.run([
      "replay", PackageRoot.file("Tracks/walk-around-the-block.gpx"), "--subscriber", manifest,
    ])
    #expect(run.status == 65)
    #expect(run.stderr.contains(words) && run.stderr.contains("reader.yaml:"), "\(run.stderr)")
  }
}
