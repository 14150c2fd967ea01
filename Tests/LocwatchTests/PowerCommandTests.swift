import FoundationEssentials
import LocationCore
import LocationFormats
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

  @Test(arguments: [
    (["power", "--profile", "pinephone"], 0, "no energy recorded yet"),
    (["power", "--profile", "pinephon"], 64, "did you mean \"pinephone\"?"),
    (["power", "--profile", "pinephone", "--by-day"], 64, "exclude each other"),
    (["power", "--profile", "pinephone", "profiles"], 0, "pinephone"),
    (["power", "--profile", "pinephone", "show"], 0, "receiver_acquire_mw"),
    (["power", "show", "--profile", "pinephone"], 0, "receiver_acquire_mw"),
    (["power", "show", "pinephone", "--profile", "pinephone"], 64, "name one profile"),
    (["power", "show"], 64, "name one profile"),
    (["power", "plan", "--profile", "pinephone", "--step-j", "3.6"], 0, "tracking"),
    (["power", "--profile", "pinephone", "calibrate", "/no.yaml", "--log", "/no", "-o", "-"], 66, "/no"),
  ])
  func `each command takes the profile by its option`(words: [String], status: Int32, text: String)
    async throws
  {
    let folder = TemporaryFolder()
    let run = try await Binary.run(words + ["--state", folder("none.db")])
    #expect(run.status == status, "\(run)")
    #expect((run.stdout + run.stderr).contains(text), "\(run)")
  }

  @Test(arguments: ["continuous", "adaptive"])
  func `the device draws its base for as long as the receiver may be on`(sampling: String) async throws {
    let folder = TemporaryFolder()
    let lines = [(0, 5), (10, 5), (110, 900)].map { second, accuracy in
      let time = "2026-05-01T06:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
      return #"{"time":"\#(time)","lat":48,"lon":11,"acc_m":\#(accuracy)}"#
    }
    let track = folder.write("track.ndjson", lines.joined(separator: "\n") + "\n")
    let run = try await Binary.run([
      "replay", track, "--profile", "rpi4-ublox-m8", "--sampling", sampling,
    ])
    let summary = try JSONTree(Array((run.stdout.split(separator: "\n").last ?? "").utf8))
    let device = try #require(summary["device_j"]?.double)
    let services = try #require(summary["energy_j"]?.double)
    // 1.6 W for 110 s, though the last 100 s bring a refused report only.
    #expect(abs(device - services - 176) < 0.01, "\(run.stdout)")
  }

  @Test(arguments: [["power", "predict"], ["power", "--profile", "pinephone", "predict"]])
  func `a prediction goes by the profile that is named`(words: [String]) async throws {
    let named = words.contains("--profile") ? [] : ["--profile", "pinephone"]
    let run = try await Binary.run(words + ["Tracks/tunnel.gpx", "--json"] + named)
    #expect(run.status == 0 && run.stdout.contains(#""profile":"pinephone""#), "\(run)")
    let unknown = try await Binary.run(["power", "predict", "Tracks/tunnel.gpx", "--profile", "pinephon"])
    #expect(unknown.status == 64 && unknown.stderr.contains("did you mean \"pinephone\"?"), "\(unknown)")
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

/// `locwatch power calibrate` and `plan` through the built binary.
@Suite struct PowerCalibrateCommandTests {
  @Test func aLogAndItsBlocksGiveAProfileThatReplayTakes() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    // 1.8 W idle, 1.9 W tracking, in blocks of 300 s: A B B A.
    let watts = [1.8, 1.9, 1.9, 1.8]
    let rows = (0..<1200).map { "\($0),\(Int(watts[$0 / 300] * 1e6))" }.joined(separator: "\n")
    try Data("seconds,power1_input\n\(rows)\n1200,1800000\n".utf8).write(to: URL(filePath: path("ina.csv")))
    let blocks = """
      name: my-pi
      about: a Pi
      like: rpi4-ublox-m8
      device: Pi 4 no. 3
      meter: INA226
      blocks:
        - {from_s: 0, to_s: 299}
        - {from_s: 300, to_s: 599, states: [tracking]}
        - {from_s: 600, to_s: 899, states: [tracking]}
        - {from_s: 900, to_s: 1199}
      """
    try Data(blocks.utf8).write(to: URL(filePath: path("blocks.yaml")))
    let run = try await Binary.run([
      "power", "calibrate", path("blocks.yaml"), "--log", path("ina.csv"), "-o", path("mine.yaml"),
    ])
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stdout.contains("4 windows"))
    let show = try await Binary.run(["power", "show", path("mine.yaml")])
    #expect(show.stdout.contains("calibrated on Pi 4 no. 3 against INA226"))
    #expect(show.stdout.contains("fitted to INA226"))
    #expect(show.stdout.firstMatch(of: /x\/÷ 1\.\d\d of the fit/) != nil, "\(show.stdout)")
    func again(as name: String) async throws -> Binary.Result {
      try await Binary.run(
        ["power", "calibrate", "blocks.yaml", "--log", "ina.csv", "-o", name], directory: folder.path)
    }
    #expect(try await again(as: "mine.txt").status == 0)
    let text = try await Binary.run(["power", "show", "mine.txt"], directory: folder.path)
    #expect(text.stdout.contains("calibrated on Pi 4 no. 3 against INA226"), "\(text)")
    let taken = try await again(as: "pinephone")
    #expect(taken.status == 64 && taken.stdout.isEmpty, "\(taken)")
    #expect(taken.stderr.hasSuffix("; name the file pinephone.yaml\n"), "\(taken)")
    let replay = try await Binary.run([
      "replay", "Tracks/tunnel.gpx", "--format", "text", "--profile", path("mine.yaml"),
    ])
    #expect(replay.status == 0)
    #expect(replay.stdout.contains("profile my-pi, calibrated against INA226 on Pi 4 no. 3"))
  }

  @Test(arguments: [
    ("", "blocks.yaml: it has no blocks"),
    (
      "{from_s: 10, to_s: 20}",
      "blocks.yaml: the block on line 7 (10 to 20 s) is left out: without a break the log covers only 0 to 3 s"
    ),
    ("{from_s: 1, to_s: 2}", "blocks.yaml: the block on line 7 is left out: the meter shows no energy in it"),
  ])
  func blocksThatTellNothingAreAnErrorThatSaysWhy(_ block: String, _ complaint: String) async throws {
    let folder = TemporaryFolder()
    let head = "name: a\nabout: a\nlike: pinephone\ndevice: a\nmeter: INA226\n"
    _ = folder.write("blocks.yaml", head + (block.isEmpty ? "blocks: []\n" : "blocks:\n  - \(block)\n"))
    _ = folder.write("log.csv", "seconds,power1_input\n0,0\n1,0\n2,0\n3,0\n")
    let run = try await Binary.run(
      ["power", "calibrate", "blocks.yaml", "--log", "log.csv", "-o", "-"], directory: folder.path)
    #expect(run.status == 65, "\(run)")
    #expect(run.stderr == "locwatch: \(complaint)\n")
  }

  @Test(arguments: [
    ["predict", "a.yaml", "-r", "b.geojson"], ["predict", "a.yaml", "--sampling", "adaptive"],
    ["predict", "a.yaml", "--interval", "5"],
    ["validate", "a.yaml", "--log", "l", "--begins", "5"],
    ["validate", "a.gpx", "--log", "l", "--begins", "nan"],
  ])
  func optionsThatWouldBeIgnoredAreRefused(_ words: [String]) async throws {
    let run = try await Binary.run(["power"] + words)
    #expect(run.status == 64, "\(run)")
    #expect(run.stderr.contains("for a track") || run.stderr.contains("--begins needs"), "\(run.stderr)")
  }

  @Test func planTellsHowLong() async throws {
    let run = try await Binary.run(["power", "plan", "rpi4-ublox-m8", "--step-j", "3.6"])
    #expect(run.status == 0)
    #expect(run.stdout.contains("tracking"))
    #expect(try await Binary.run(["power", "plan", "rpi4-ublox-m8", "--step-j", "0"]).status == 64)
  }

  @Test func aLogThatIsNotThereIsSaid() async throws {
    let run = try await Binary.run(["power", "calibrate", "/no/blocks.yaml", "--log", "/no/log", "-o", "-"])
    #expect(run.status == 66)
  }
}
