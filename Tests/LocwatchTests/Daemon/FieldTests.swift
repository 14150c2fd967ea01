import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// `locwatch run` as in the field: a real gpsd, the machine's clock, systemd's socket; and what is taken home of it.
@Suite struct FieldTests {
  @Test(.enabled(if: GPSFake.isInstalled))
  func `what a drive that gpsfake plays tells is, to the byte, what its recording and its journal replay`()
    async throws
  {
    let run = try DaemonRun()
    let places = run.folder.write("places.geojson", ShortDrive.places)
    let settings = run.folder.write("c.yaml", ShortDrive.settings)
    #expect(try await run.command(["regions", "import", places]).status == 0)
    let fake = try GPSFake(
      log: ShortDrive.log(startingAt: ShortDrive.now, in: run.folder),
      secondsBetweenSentences: ShortDrive.secondsBetweenSentences)
    let recording = run.folder("a.journal")
    let daemon = try LiveProcess.command(
      [
        Binary.path, "run", "--gpsd", fake.address, "--state", run.state, "--record", recording, "--config",
        settings,
      ])
    try await run.wait("the enter") {
      try await run.events().contains { $0.contains(#""type":"region.enter""#) }
    }
    daemon.signal(SIGTERM)
    #expect(await daemon.finish() == 0, "\(daemon.stderr)")
    let told = try await run.events()
    #expect(try await DaemonRun.replay(recording) == told)
    #expect(try await run.replayJournal() == told)
  }

  @Test(
    .enabled(if: GPSFake.isInstalled && Corpus.isPresent),
    arguments: Corpus.isFull
      ? [
        "Example__Tests__GPXTest-TrackPointOnly", "liverpool_route14", "src__test__resources__gpx__bikeride",
        "test_files__korita-zbevnica", "tests__fixtures__garmin-activity", "tests__gpx_files__big",
        "unimodal_tri_ios-1_1564274247_1564282291",
      ] : ["test_files__korita-zbevnica"])
  func `a real track that gpsfake plays tells what its recording replays`(log: String) async throws {
    let path = try #require(Corpus.path("nmea-from-gpx/\(log).nmea"))
    let run = try DaemonRun()
    let fake = try GPSFake(log: path, secondsBetweenSentences: 0.005)
    let recording = run.folder("a.journal")
    let daemon = try LiveProcess.command([
      Binary.path, "run", "--gpsd", fake.address, "--state", run.state, "--record", recording, "--simulated",
    ])
    // It is over when gpsfake takes the receiver away, or gpsd with it; at first there may be none either.
    try await run.wait("the end of the log") {
      let told = try await run.events()
      guard let significant = told.lastIndex(where: { $0.contains(#""type":"significant""#) }) else {
        return false
      }
      return told[significant...].contains { event in
        event.contains(#""type":"stale""#)
          && (event.contains(#""reason":"lost""#) || event.contains(#""reason":"no_device""#))
      }
    }
    daemon.signal(SIGTERM)
    #expect(await daemon.finish() == 0, "\(daemon.stderr)")
    let told = try await run.events()
    #expect(told.count { $0.contains(#""type":"significant""#) } >= 2)
    #expect(try await DaemonRun.replay(recording) == told)
  }

  @Test func `the source keeps its name in the status when a backlog is dropped`() async throws {
    let run = try DaemonRun()
    try run.start(isSimulated: false)
    // In one piece, as after a pause. The last one ends the epoch before.
    run.gpsd.say(
      [0, 20, 21].map { ScriptedGPSD.report(second: $0, latitude: 40) }.joined(separator: "\r\n"))
    try await run.wait("the gap") {
      try await run.events().contains { $0.contains(#""reason":"dropped""#) }
    }
    let status = try await run.command(["status", "--json"])
    #expect(status.stdout.contains(#""source":{"state":"found","name":"gpsd 3.22"}"#), "\(status.stdout)")
    #expect(await run.end() == 0)
  }

  @Test func `the log says that the receiver is gone, and that it is there again`() async throws {
    let run = try DaemonRun()
    try run.start(isSimulated: false)
    func lines(_ text: String) -> Int {
      run.process?.stderr.split(separator: "\n").count { $0.contains(text) } ?? 0
    }
    try await run.wait("gpsd") { lines(": fixes from gpsd 3.22") == 1 }
    run.gpsd.say(#"{"class":"DEVICES","devices":[]}"#)
    try await run.wait("the news") { lines("has no receiver") == 1 }
    run.say(40)
    try await run.wait("the fix") { lines(": fixes from gpsd 3.22") == 2 }
    #expect(await run.end() == 0)
  }

  @Test func `killed again and again with the machine's clock, it tells what its whole journal replays`()
    async throws
  {
    let run = try DaemonRun()
    for place in 1...4 {
      _ = try await run.command(["regions", "add", "p\(place)", "--circle", "48.00\(place),11.5,60"])
    }
    let settings = run.folder.write(
      "c.yaml", "significant_change: {distance_m: 30, window_s: 0}\nfix: {max_age_s: 600}\n")
    try run.start(["--config", settings], isSimulated: false)
    // Ten a second, 30 m/s; as quick as they are taken.
    let count = 120
    let start = Date().timeIntervalSince1970 - Double(count) / 10
    for index in 0..<count {
      let time = UTCTime(microseconds: Int64((start + Double(index) / 10) * 1e6)).rfc3339
      run.gpsd.say(
        #"{"class":"TPV","device":"/dev/ttyTEST","mode":3,"time":"\#(time)","eph":5.0,"lon":11.5,"#
          + #""lat":\#(48 + 0.00003 * Double(index)),"speed":30.0}"#)
      guard index % 20 == 19 else { continue }
      // The last one is held for a moment, because more may come of its time.
      try await run.waitForFixes(index - 1)
      #expect(await run.end(SIGKILL) == 137)
      try run.start(["--config", settings], isSimulated: false)
    }
    #expect(await run.end() == 0)
    let told = try await run.events()
    #expect(told.count { $0.contains(#""type":"significant""#) } >= 5)
    #expect(try await run.replayJournal() == told)
  }

  @Test func `a journal begins where the settings were changed last`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["journal"]).status == 1)
    let settings = run.folder.write("c.yaml", "significant_change: {distance_m: 100, window_s: 0}\n")
    func say(_ range: Range<Int>) async throws {
      for index in range {
        run.gpsd.say(ScriptedGPSD.report(second: index, latitude: 48 + 0.0002 * Double(index)))
      }
      try await run.waitForFixes(range.upperBound)
    }
    try run.start(["--config", settings])
    try await say(0..<40)
    _ = run.folder.write("c.yaml", "significant_change: {distance_m: 50, window_s: 0}\n")
    run.process?.signal(SIGHUP)
    try await run.wait("the snapshot") {
      try StateDatabase.openToRead(path: run.state)?.snapshot()?.number ?? 0 > 0
    }
    let before = try await run.events().count
    try await say(40..<80)
    #expect(await run.end() == 0)
    let journal = run.folder("a.journal")
    let written = try await run.command(["journal", "-o", journal])
    #expect(written.stderr.contains("events; locwatch replay "), "\(written.stderr)")
    func id(_ line: Substring) -> Substring { line.drop { $0 != "," }.dropFirst().drop { $0 != "," } }
    // What was told since then; a source that was silent meanwhile may have been counted as told before.
    let replayed = try await DaemonRun.replay(journal).map(id)
    let kept = try await run.events().map(id)
    #expect(replayed[...] == kept.suffix(replayed.count) && replayed.count >= kept.count - before)
    let mode = try FileManager.default.attributesOfItem(atPath: journal)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a socket that systemd hands over is used, found by commands, and left`() async throws {
    let run = try DaemonRun()
    let path = run.folder("handed")
    // As systemd does: descriptor 3, with the number of the process that it is for.
    let starter = """
      import os, socket, sys
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen()
      os.dup2(listener.fileno(), 3)
      os.set_inheritable(3, True)
      os.environ["LISTEN_FDS"] = "1"
      os.environ["LISTEN_PID"] = str(os.getpid())
      os.execv(sys.argv[2], sys.argv[2:])
      """
    try run.start(through: ["/usr/bin/env", "python3", "-c", starter, path])
    let status = try await run.command(["status", "--json"])
    #expect(status.stdout.contains(#""daemon":{"pid":"#), "\(status.stdout) \(status.stderr)")
    #expect(!FileManager.default.fileExists(atPath: run.state + ".control"))
    #expect(await run.end() == 0)
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
