import Foundation
import LocationCore
import TestSupport
import Testing

/// `locwatch watch` with a gpsd that reads a serial line, or that gpsfake feeds.
@Suite(.enabled(if: GPSDServer.isInstalled)) struct WatchLiveTests {
  private let folder = TemporaryFolder()

  private func count(_ type: String, in lines: [Substring]) -> Int {
    lines.count { $0.contains("\"type\":\"\(type)\"") }
  }

  private func stale(_ reason: String, in lines: [Substring]) -> Bool {
    lines.contains { $0.contains(#""type":"stale""#) && $0.contains("\"reason\":\"\(reason)\"") }
  }

  @Test(.enabled(if: GPSFake.isInstalled))
  func `live events of a drive that gpsfake plays are, to the byte, those of a replay of the recording`()
    async throws
  {
    let fake = try GPSFake(
      log: ShortDrive.log(startingAt: ShortDrive.now, in: folder),
      secondsBetweenSentences: ShortDrive.secondsBetweenSentences)
    let recording = folder("drive.journal")
    let watch = try LiveProcess(
      Binary.path,
      [
        "watch", fake.address, "-r", folder.write("places.geojson", ShortDrive.places), "--record", recording,
        "--format", "ndjson", "--config", folder.write("c.yaml", ShortDrive.settings),
      ])
    #expect(await watch.wait { count("region.enter", in: $0) == 1 }, "\(watch.stdout)\(watch.stderr)")
    watch.signal(SIGINT)
    #expect(await watch.finish() == 130)
    #expect(watch.stderr == "")
    for jobs in ["1", "2"] {
      let replay = try await Binary.run(["replay", recording, "--format", "ndjson", "--jobs", jobs])
      #expect(replay.stdout == watch.stdout, "\(replay.stderr)")
    }
    let enter = try #require(watch.lines.first { $0.contains(#""type":"region.enter""#) })
    #expect(enter.contains(#""region":"end""#))
  }

  @Test(.enabled(if: GPSFake.isInstalled))
  func `a log of another day is refused, and one line says what to do`() async throws {
    let then = UTCTime(microseconds: Drive.epoch)
    // Five times as fast as it was: one that keeps pace with the system's clock would be believed.
    let fake = try GPSFake(
      log: ShortDrive.log(startingAt: then, in: folder),
      secondsBetweenSentences: ShortDrive.secondsBetweenSentences / 5)
    let watch = try LiveProcess(Binary.path, ["watch", fake.address, "--format", "ndjson"])
    #expect(await watch.wait { count("fix.rejected", in: $0) >= 5 }, "\(watch.stdout)\(watch.stderr)")
    watch.signal(SIGTERM)
    #expect(await watch.finish() == 143)
    #expect(watch.stderr.hasPrefix("locwatch: the fixes are of 2026-05-01, "))
    #expect(watch.stderr.contains("--simulated takes those of a log (gpsfake)"))
    #expect(watch.stderr.split(separator: "\n").count == 1)
  }

  /// Sends epochs on a line until so many fixes have come.
  private func send(_ fixes: Int, on line: PseudoTerminal, to watch: LiveProcess) async -> Bool {
    for _ in 0..<1_200 {
      guard line.send(ReceiverText.epoch()) else { return false }
      if await watch.wait(seconds: 0.25, until: { count("fix.accepted", in: $0) >= fixes }) { return true }
    }
    return false
  }

  @Test func `a receiver that is unplugged is missed after five seconds, and the recording replays the same`()
    async throws
  {
    let line = try PseudoTerminal()
    let gpsd = try GPSDServer(line: line.path)
    let recording = folder("unplugged.journal")
    let watch = try LiveProcess(
      Binary.path, ["watch", gpsd.address, "--record", recording, "--format", "ndjson"])
    #expect(await send(4, on: line, to: watch), "\(watch.stdout)\(watch.stderr)")
    line.hangUp()
    #expect(await watch.wait { stale("silent", in: $0) || stale("no_device", in: $0) })
    watch.signal(SIGTERM)
    #expect(await watch.finish() == 143)
    let replay = try await Binary.run(["replay", recording, "--format", "ndjson"])
    #expect(replay.stdout == watch.stdout, "\(replay.stderr)")
  }

  /// The whole way takes a minute and a half.
  @Test(.enabled(if: Corpus.isFull))
  func `a receiver that stays unplugged is told to be gone, and gpsd is asked anew`() async throws {
    let line = try PseudoTerminal()
    let gpsd = try GPSDServer(line: line.path)
    let watch = try LiveProcess(Binary.path, ["watch", gpsd.address, "--format", "ndjson"])
    #expect(await send(4, on: line, to: watch), "\(watch.stdout)\(watch.stderr)")
    line.hangUp()
    #expect(await watch.wait { stale("no_device", in: $0) }, "\(watch.stdout)")
    watch.signal(SIGTERM)
    #expect(await watch.finish() == 143)
  }

  /// gpsd keeps everything for a client that does not read.
  @Test(.enabled(if: Corpus.isFull))
  func `a watch that was stopped for a while goes on with the newest fix and says what it left out`()
    async throws
  {
    let line = try PseudoTerminal()
    let gpsd = try GPSDServer(line: line.path)
    let watch = try LiveProcess(Binary.path, ["watch", gpsd.address, "--format", "ndjson"])
    #expect(await send(4, on: line, to: watch), "\(watch.stdout)\(watch.stderr)")
    watch.signal(SIGSTOP)
    for _ in 0..<80 {
      line.send(ReceiverText.epoch())
      try await Task.sleep(for: .milliseconds(250))
    }
    watch.signal(SIGCONT)
    #expect(await watch.wait { $0.contains { $0.contains(#""type":"gap""#) } }, "\(watch.stdout)")
    let told = watch.lines.first { $0.contains(#""type":"gap""#) } ?? ""
    #expect(told.contains(#""reason":"dropped""#), "\(told)")
    #expect(await send(count("fix.accepted", in: watch.lines) + 3, on: line, to: watch))
  }
}
