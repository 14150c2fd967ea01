import Foundation
import LocationLab
import TestSupport
import Testing

/// `locwatch watch` with a real gpsd, whose receiver the test plays.
@Suite(.enabled(if: GPSDServer.isInstalled)) struct WatchCommandTests {
  private let folder = TemporaryFolder()

  private static let regions = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","id":"start","properties":{"radius_m":150},"geometry":{"type":"Point","coordinates":[13.3777,52.5163]}},
    {"type":"Feature","id":"end","properties":{"radius_m":150},"geometry":{"type":"Point","coordinates":[13.3694,52.5351]}}
    ]}
    """

  /// A drive of about four minutes, as a receiver tells it.
  private static func drive(_ format: SynthFormat) throws -> [UInt8] {
    let scenario = """
      start: 2026-05-04T06:30:00Z
      seed: 7
      by: car
      steps: [at: [52.5163, 13.3777], stop_s: 60, to: [52.5351, 13.3694], stop_s: 60]
      """
    var text = SynthText(try SynthScenario(yaml: Array(scenario.utf8), file: "drive.yaml"), as: format)
    var bytes: [UInt8] = []
    text.write { bytes += $0 }
    return bytes
  }

  private func watch(_ arguments: [String]) throws -> LiveProcess {
    try LiveProcess(Binary.path, ["watch"] + arguments)
  }

  private func count(_ type: String, in lines: [Substring]) -> Int {
    lines.count { $0.contains("\"type\":\"\(type)\"") }
  }

  private func tells(_ type: String, _ reason: String, in lines: [Substring]) -> Bool {
    lines.contains { $0.contains("\"type\":\"\(type)\"") && $0.contains("\"reason\":\"\(reason)\"") }
  }

  /// Sends epochs until so many fixes have come.
  private func sendUntil(_ fixes: Int, _ receiver: Connection, _ watch: LiveProcess) async -> Bool {
    for _ in 0..<1_200 {
      guard receiver.send(ReceiverText.epoch()) else { return false }
      if await watch.wait(seconds: 0.25, until: { count("fix.accepted", in: $0) >= fixes }) { return true }
    }
    return false
  }

  @Test func `what it shows of a log that gpsd plays is, to the byte, what a replay of its recording shows`()
    async throws
  {
    let gpsd = try GPSDServer()
    let recording = folder("drive.journal")
    let places = folder.write("places.geojson", Self.regions)
    let watch = try watch([
      gpsd.address, "--simulated", "-r", places, "--record", recording, "--format", "ndjson",
    ])
    let receiver = try #require(gpsd.connectReceiver())
    #expect(receiver.send(try Self.drive(.nmea)))
    // gpsd keeps the last epoch open until there is another.
    #expect(await watch.wait { count("region.enter", in: $0) == 1 }, "\(watch.stderr)")
    watch.signal(SIGINT)
    #expect(await watch.finish() == 130)

    let replay = try await Binary.run(["replay", recording, "--format", "ndjson"])
    #expect(replay.status == 0, "\(replay.stderr)")
    #expect(replay.stdout == watch.stdout)

    // The same places and moves as the track itself gives.
    let track = folder.write("drive.ndjson", String(decoding: try Self.drive(.ndjson), as: UTF8.self))
    let plain = try await Binary.run(["replay", track, "-r", places, "--format", "ndjson"])
    func story(_ text: String) -> [String] {
      text.split(separator: "\n").compactMap { line in
        guard line.contains(#""type":"region."#) || line.contains(#""type":"significant""#) else {
          return nil
        }
        let words = line.split(separator: ",").filter {
          $0.hasPrefix(#""type""#) || $0.hasPrefix(#""region""#)
        }
        return words.joined(separator: " ")
      }
    }
    #expect(story(watch.stdout) == story(plain.stdout))
    #expect(story(watch.stdout).count >= 5)

    // Other regions than the recorded ones, and its settings changed: a different story, without an error.
    let what = try await Binary.run([
      "replay", recording, "-r", folder.write("one.geojson", Self.regions.replacing("end", with: "other")),
    ])
    #expect(what.stdout.contains(#""region":"other""#) && !what.stdout.contains(#""region":"end""#))
  }

  @Test func `gpsd may end and come back: that is told, and the recording replays to the same bytes`()
    async throws
  {
    let gpsd = try GPSDServer()
    let recording = folder("restart.journal")
    _ = folder.write("restart.journal", "that of another day\n")
    let watch = try watch([gpsd.address, "--record", recording, "--format", "ndjson"])
    let first = try #require(gpsd.connectReceiver())
    #expect(await sendUntil(5, first, watch), "\(watch.stdout) \(watch.stderr)")
    gpsd.stop()
    #expect(await watch.wait { tells("stale", "lost", in: $0) })
    try gpsd.start()
    let second = try #require(gpsd.connectReceiver())
    #expect(await watch.wait { count("source", in: $0) == 2 })
    #expect(await sendUntil(10, second, watch), "\(watch.stdout) \(watch.stderr)")
    watch.signal(SIGTERM)
    #expect(await watch.finish() == 143)
    // What is there already is kept.
    #expect(watch.stderr.contains("\(recording) is there already: recording to \(recording).1"))
    #expect(try String(contentsOfFile: recording, encoding: .utf8) == "that of another day\n")
    let replay = try await Binary.run(["replay", recording + ".1", "--format", "ndjson"])
    #expect(replay.stdout == watch.stdout, "\(replay.stderr)")
  }

  @Test func `silence is told after five seconds`() async throws {
    let gpsd = try GPSDServer()
    let watch = try watch([gpsd.address, "--format", "ndjson"])
    let receiver = try #require(gpsd.connectReceiver())
    #expect(await sendUntil(3, receiver, watch))
    #expect(await watch.wait { tells("stale", "silent", in: $0) })
    let told = watch.lines.first { $0.contains(#""type":"stale""#) } ?? ""
    #expect(told.contains(#""seconds":5.000"#), "\(told)")
  }

  @Test(.enabled(if: Corpus.isFull))
  func `a receiver that vanished is missed when the connection is renewed`()
    async throws
  {
    let gpsd = try GPSDServer()
    let watch = try watch([gpsd.address, "--format", "ndjson"])
    let receiver = try #require(gpsd.connectReceiver())
    #expect(await sendUntil(3, receiver, watch))
    receiver.finish()
    #expect(await watch.wait { tells("stale", "no_fix", in: $0) })
    let again = try #require(gpsd.connectReceiver())
    #expect(await sendUntil(6, again, watch))
  }

  @Test func `-n ends after so many fixes, -x after so long`() async throws {
    let gpsd = try GPSDServer()
    let watch = try watch([gpsd.address, "-n", "4", "--format", "text"])
    let receiver = try #require(gpsd.connectReceiver())
    for _ in 0..<1_200 where await watch.finish(seconds: 0.25) == nil { receiver.send(ReceiverText.epoch()) }
    #expect(await watch.finish() == 0)
    #expect(
      watch.stdout.split(separator: "\n").count { $0.contains("  fix         52.51630, 13.37770 ±") } == 4)
    #expect(watch.stdout.contains("Summary\n  fixes       "))
    let brief = try await Binary.run(["watch", gpsd.address, "-x", "0.5"])
    #expect(brief.status == 0)
    #expect(brief.stdout.contains(#""type":"summary""#))
  }

  @Test func `another device than the wanted one is not listened to`() async throws {
    let gpsd = try GPSDServer()
    let wrong = try await Binary.run(["watch", gpsd.address + ":/dev/none"])
    #expect(wrong.status == 69)
    #expect(wrong.stderr.contains("gpsd has no such device"))
    let watch = try watch([gpsd.address + ":" + gpsd.device, "-n", "1", "--format", "ndjson"])
    let receiver = try #require(gpsd.connectReceiver())
    #expect(await sendUntil(1, receiver, watch))
    #expect(await watch.finish() == 0)
  }

  @Test func `capabilities names gpsd and its receiver without opening it`() async throws {
    let gpsd = try GPSDServer()
    let run = try await Binary.run(["capabilities", "--gpsd", gpsd.address, "--json"])
    #expect(run.status == 0)
    #expect(run.stdout.contains(#"{"name":"gpsd","works":"yes","detail":"gpsd 3"#), "\(run.stdout)")
    #expect(
      run.stdout.contains(#"{"name":"live-fixes","works":"yes","detail":"\#(gpsd.device)"#), "\(run.stdout)")
  }
}

/// `locwatch watch` and its neighbours without a gpsd.
@Suite struct WatchUsageTests {
  private let folder = TemporaryFolder()

  @Test func `A6 capabilities tells what is not on a bus that does not answer`() async throws {
    let nowhere = "unix:path=\(folder("no-bus"))"
    let run = try await Binary.run(
      ["capabilities", "--gpsd", folder("none.sock"), "--json"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": nowhere, "DBUS_SESSION_BUS_ADDRESS": nowhere])
    #expect(run.status == 0 && run.stderr.isEmpty, "\(run.stderr)")
    for (name, works, detail) in [
      ("screen-lock", "partly", "reported by locwatch lock and unlock; there is no logind to ask"),
      (
        "notifications", "partly",
        "local notifications (D) wait: the session has no service that shows them now"
      ),
      ("bluetooth", "no", "Bluetooth (J3): BlueZ is not on the bus of the machine"),
      ("advertised-services", "no", "services of programs (K6): Avahi is not on the bus of the machine"),
    ] {
      let row = #"{"name":"\#(name)","works":"\#(works)","detail":"\#(detail)","remedy":""#
      #expect(run.stdout.contains(row), "\(run.stdout)")
    }
  }

  @Test func `without a gpsd it ends at once with a remedy`() async throws {
    let run = try await Binary.run(["watch", "localhost:\(try Listener.freePort())"])
    #expect(run.status == 69)
    #expect(run.stdout == "")
    #expect(run.stderr.contains("gpsd is not there") && run.stderr.contains("start it"))
    #expect(run.stderr.split(separator: "\n").count == 1)
  }

  @Test(
    arguments: [
      (["watch", "localhost:99999"], 64), (["watch", "-n", "0"], 64), (["watch", "-x", "-1"], 64),
      (["watch", "--format", "xml"], 64), (["watch", "--profile", "none"], 64),
      (["watch", "-r", "/nonexistent"], 66), (["watch", "--config", "/nonexistent"], 66),
      (["watch", "/nonexistent.sock", "--record", "/nonexistent/x"], 73),
      (["watch", "--record", "/dev/full", "/nonexistent.sock"], 74),
      (["capabilities", "--gpsd", "[::1"], 64), (["config", "check", "/nonexistent"], 66),
    ] as [([String], Int32)])
  func `what can't be done has its exit status`(arguments: [String], status: Int32) async throws {
    let run = try await Binary.run(arguments)
    #expect(run.status == status, "\(run.stderr)")
  }

  @Test func `config shows and checks`() async throws {
    let good = folder.write("good.yaml", "fix: {max_age_s: 20}\n")
    let bad = folder.write("bad.yaml", "\nfix: {max_agee_s: 20}\n")
    let shown = try await Binary.run(["config", "show", "--config", good])
    let rows = shown.stdout.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first { $0[0] == "fix.max_age_s" }?[1...3] == ["20", "s", "\(good):1"], "\(shown.stdout)")
    let checked = try await Binary.run(["config", "check", good])
    #expect(checked.status == 0 && checked.stdout == "\(good): 1 setting, all good\n")
    for text in ["", "# nothing yet\n", "---\n# fix: {max_age_s: 20}\n"] {
      let none = try await Binary.run(["config", "check", folder.write("none.yaml", text)])
      #expect(none.status == 0 && none.stdout.hasSuffix(": 0 settings, all good\n"), "\(none)")
    }
    let named = try await Binary.run(["config", "check", "--config", good])
    #expect(named.status == 0 && named.stdout == checked.stdout, "\(named)")
    let gone = folder.write(
      "gone.yaml", "transfers: {ca_file: /gone.pem}\nnotifications: {notify_hook: [/gone]}\n")
    let warned = try await Binary.run(["config", "check", gone])
    #expect(warned.status == 0 && warned.stdout.hasSuffix("good but for what is missing on this machine\n"))
    #expect(warned.stderr.contains("warning: transfers.ca_file: /gone.pem: No such file or directory"))
    #expect(warned.stderr.contains("warning: notifications.notify_hook: "), "\(warned)")
    let defaults = try await Binary.run(["config", "check"])
    #expect(defaults.status == 0 && defaults.stdout == "no settings file: 0 settings, all good\n")
    let refused = try await Binary.run(["config", "check", bad])
    #expect(refused.status == 78)
    #expect(refused.stderr.contains("\(bad):2: fix: unknown key \"max_agee_s\"; did you mean \"max_age_s\"?"))
    let beyond = folder.write("beyond.yaml", "policy:\n  throttle_s: 100\n  throttle_limit_s: 50\n")
    let line = "\(beyond):2: policy.throttle_s: 100 is above policy.throttle_limit_s, which is 50; "
    let state = folder("s.db")
    for arguments in [["config", "check", beyond], ["run", "--config", beyond, "--state", state]] {
      let refused = try await Binary.run(arguments)
      #expect(refused.status == 78 && refused.stderr.contains(line), "\(arguments): \(refused.stderr)")
    }
  }
}
