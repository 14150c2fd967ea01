import FoundationEssentials
import LocationCore
import TestSupport
import Testing

/// `locwatch power` through the built binary.
@Suite struct PowerCommandTests {
  @Test func profilesListsTheBuiltInOnes() async throws {
    let run = try await Binary.run(["power", "profiles"])
    #expect(run.status == 0, "\(run.stderr)")
    for profile in PowerProfile.builtIn { #expect(run.stdout.contains(profile.name)) }
    let json = try await Binary.run(["power", "profiles", "--json"])
    #expect(json.stdout.split(separator: "\n").count == PowerProfile.builtIn.count)
  }

  @Test func showTellsEveryNumberItsMarkAndItsSource() async throws {
    let run = try await Binary.run(["power", "show", "rpi4-ublox-m8"])
    #expect(run.status == 0, "\(run.stderr)")
    for parameter in PowerParameter.allCases { #expect(run.stdout.contains(parameter.rawValue)) }
    #expect(run.stdout.contains("UBX-16012619"))
    let json = try await Binary.run(["power", "show", "rpi4-ublox-m8", "--json"])
    #expect(
      json.stdout.contains(
        #""receiver_track_strong_mw":{"value":87.0000,"spread":1.1500,"mark":"V","source""#))
  }

  @Test func whatShowWritesAsYAMLReplayTakes() async throws {
    let yaml = try await Binary.run(["power", "show", "pinephone", "--yaml"])
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("mine.yaml").path
    try Data(yaml.stdout.replacing("name: \"pinephone\"", with: "name: mine").utf8).write(
      to: URL(filePath: file))
    let run = try await Binary.run(["replay", "Tracks/tunnel.gpx", "--format", "ndjson", "--profile", file])
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stdout.contains(#""profile":"mine""#))
    let builtIn = try await Binary.run([
      "replay", "Tracks/tunnel.gpx", "--format", "ndjson", "--profile", "pinephone",
    ])
    #expect(builtIn.stdout == run.stdout.replacing(#""profile":"mine""#, with: #""profile":"pinephone""#))
  }

  @Test func aWrongNameIsAUsageErrorThatSuggestsTheNearest() async throws {
    for arguments in [
      ["power", "show", "pinephon"], ["replay", "Tracks/tunnel.gpx", "--profile", "pinephon"],
    ] {
      let run = try await Binary.run(arguments)
      #expect(run.status == 64)
      #expect(run.stderr.contains("did you mean \"pinephone\"?"))
    }
  }
}
