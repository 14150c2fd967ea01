import Foundation
import TestSupport
import Testing

/// NMEA 0183 without a gpsd: a serial line and datagrams.
@Suite struct NMEALiveTests {
  private func hasFixes(_ lines: [Substring]) -> Bool {
    lines.count(where: { $0.contains(#""type":"fix.accepted""#) }) >= 3
  }

  @Test func `a receiver on a serial line is watched, and the recording replays the same`() async throws {
    let folder = TemporaryFolder()
    let line = try PseudoTerminal()
    let recording = folder("line.journal")
    let watch = try LiveProcess(
      Binary.path,
      ["watch", "--source", "nmea:\(line.path):9600", "--record", recording, "--format", "ndjson"])
    var isEnough = false
    for _ in 0..<1_200 where !isEnough {
      _ = line.send(ReceiverText.epoch())
      isEnough = await watch.wait(seconds: 0.25, until: hasFixes)
    }
    #expect(isEnough, "\(watch.stdout)\(watch.stderr)")
    watch.signal(SIGTERM)
    #expect(await watch.finish() == 143)
    let replay = try await Binary.run(["replay", recording, "--format", "ndjson"])
    #expect(replay.stdout == watch.stdout, "\(replay.stderr)")
  }

  /// Sends each text as a datagram to a port of this machine.
  private func send(_ texts: [String], to port: String) async throws {
    let program = """
      import socket, sys
      other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      for text in sys.argv[2:]: other.sendto(text.encode(), ("127.0.0.1", int(sys.argv[1])))
      """
    let run = try await Binary.run(["python3", "-c", program, port] + texts, executable: "/usr/bin/env")
    #expect(run.status == 0, "\(run.stderr)")
  }

  @Test func `datagrams are watched, also without an end of line`() async throws {
    let port = "\(try Listener.freePort())"
    let watch = try LiveProcess(
      Binary.path, ["watch", "--source", "udp:127.0.0.1:\(port)", "--format", "ndjson"])
    var isEnough = false
    for _ in 0..<1_200 where !isEnough {
      let sentences = ReceiverText.epoch().split(whereSeparator: \.isNewline).map(String.init)
      try await send(sentences, to: port)
      isEnough = await watch.wait(seconds: 0.25, until: hasFixes)
    }
    #expect(isEnough, "\(watch.stdout)\(watch.stderr)")
    watch.signal(SIGTERM)
    #expect(await watch.finish() == 143)
  }

  @Test(arguments: [
    (
      "nmea:/dev/no-such-device:9600", 69,
      "nmea:/dev/no-such-device:9600: No such file or directory; check the device"
    ),
    ("nmea:/dev/null", 69, "nmea:/dev/null: it is no serial line; check the device"),
    ("nmea:/etc", 69, "nmea:/etc: it is no serial line; check the device"),
    ("nmea:/dev/ttyACM0:1234", 64, "is no source: speeds are 4800, 9600"),
    ("udp::99999", 64, "is no source: a port is 1 to 65535"),
    ("tcp:10110", 64, "is no source: it names no port"),
  ])
  func `a source that is none is told with its remedy`(source: String, status: Int32, text: String)
    async throws
  {
    let run = try await Binary.run(["watch", "--source", source, "--format", "ndjson"])
    #expect(run.status == status, "\(run.stderr)")
    #expect(run.stderr.contains(text), "\(run.stderr)")
  }

  @Test func `a daemon tells why it can't read its source, as watch does, and goes on`() async throws {
    let folder = TemporaryFolder()
    let source = "nmea:/dev/no-such-device"
    let daemon = try LiveProcess(
      Binary.path, ["run", "--source", source, "--state", folder("s.db")])
    let text = "\(source): No such file or directory; check the device with ls -l /dev/no-such-device"
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while !daemon.stderr.contains(text), daemon.status == nil, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(daemon.stderr.contains(text), "\(daemon.stderr)")
    daemon.signal(SIGTERM)
    #expect(await daemon.finish() == 0)
  }
}
