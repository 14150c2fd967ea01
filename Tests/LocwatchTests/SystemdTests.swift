import Foundation
import TestSupport
import Testing

/// The units in `Examples/systemd`, judged by systemd's own program.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
struct SystemdTests {
  private let folder = TemporaryFolder()

  private func copy(_ name: String, to path: String) throws {
    let text = try String(contentsOfFile: PackageRoot.file("Examples/systemd/" + name), encoding: .utf8)
    _ = folder.write(path, text)
  }

  /// What `systemd-analyze security` says of the unit in our folder.
  private func security(_ threshold: String) async throws -> Binary.Result {
    try await Binary.run(
      ["security", "--offline=true", "--no-pager", "--threshold=\(threshold)", folder("locwatch.service")],
      executable: "/usr/bin/systemd-analyze")
  }

  @Test(arguments: [
    "locwatch-serve.service", "locwatch-bus.service", "locwatch-battery.service", "locwatch-mains.service",
  ])
  func `the other units are exposed by 2.5 at most as well`(name: String) async throws {
    try copy(name, to: name)
    let judged = try await Binary.run(
      ["security", "--offline=true", "--no-pager", "--threshold=25", folder(name)],
      executable: "/usr/bin/systemd-analyze")
    #expect(judged.status == 0, "\(judged.stdout.split(separator: "\n").last ?? "") \(judged.stderr)")
  }

  @Test func `the hardened unit is exposed by 2.5 at most`() async throws {
    try copy("locwatch.service", to: "locwatch.service")
    // The threshold counts tenths.
    #expect(try await security("25").status != 0)
    try FileManager.default.createDirectory(
      atPath: folder("locwatch.service.d"), withIntermediateDirectories: true)
    try copy("locwatch-hardened.conf", to: "locwatch.service.d/hardened.conf")
    let judged = try await security("25")
    #expect(judged.status == 0, "\(judged.stdout.split(separator: "\n").last ?? "") \(judged.stderr)")
  }

  /// The name of a worker may have no dot, and the name of a host may.
  @Test func `a worker of a fleet is called after its host without the domain`() throws {
    let path = PackageRoot.file("Examples/fleet/locwatch-fleet-worker@.service")
    let unit = try String(contentsOfFile: path, encoding: .utf8)
    #expect(unit.contains("\nExecStart=/usr/bin/locwatch-fleet worker --name %l-%i\n"))
  }
}
