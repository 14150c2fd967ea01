import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Fixes to GeoClue and from it.
@Suite struct GeoClueTests {
  @Test func `the receiver is on while somebody reads fixes, and each is a sentence`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "far", "--circle", "52,11.5,150"]).status == 0)
    let settings = run.folder.write(
      "c.yaml", "sampling: {mode: adaptive, power_off_s: 0, longest_s: 3600, latency_s: 1}\n")
    try await run.add("program", manifest: "services: [regions]")
    let path = run.folder("nmea.sock")
    try run.start(["--config", settings, "--nmea-socket", path], isSimulated: false)
    run.say(48)
    try await run.waitForRelease()
    var reader: StreamSocket? = try StreamSocket(path: path)
    // Somebody wants fixes.
    try await run.waitForSearch()
    var text = ""
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while !text.contains("\r\n"), ContinuousClock.now < end {
      run.say(48)
      text += String(decoding: reader?.receive(seconds: 0.2) ?? [], as: UTF8.self)
    }
    #expect(text.hasPrefix("$GPGGA,") && text.contains(",4800.00000,N,01130.00000,E,1,08,"), "\(text)")
    reader = nil
    let events = try run.journaled().map { "\($0.event)" }
    #expect(events.contains { $0.contains("audience") })
    // Nobody reads any more: the next fix is the last for now.
    try await run.wait("the release") {
      run.say(48)
      return run.gpsd.waitForRelease(seconds: 0.2)
    }
    #expect(await run.end() == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `what lies at the socket's path and is no socket stays`() async throws {
    let run = try DaemonRun()
    let path = run.folder.write("file", "mine")
    let started = try await run.command(["run", "--nmea-socket", path])
    #expect(started.status == 73 && started.stderr.contains("no socket"), "\(started.stderr)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test(arguments: [("run", "--nmea-socket", ""), ("serve", "--listen", "unix:")])
  func `a socket at which another server listens stays its own`(
    command: String, option: String, prefix: String
  ) async throws {
    let run = try DaemonRun()
    let path = run.folder("x.sock")
    let other = try Listener(path: path)
    let started = try await run.command([command, option, prefix + path])
    #expect(
      started.status == 73 && started.stderr.contains("another server listens there"), "\(started.stderr)")
    #expect(FileManager.default.fileExists(atPath: path))
    withExtendedLifetime(other) {}
  }

  /// GeoClue on a bus of its own, with settings of its own: only root can have both.
  private static let canRun =
    getuid() == 0
    && ["/usr/libexec/geoclue", "/usr/bin/dbus-run-session", "/usr/bin/unshare"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: $0)
    }

  @Test(.enabled(if: canRun, "apt-get install geoclue-2.0 dbus; needs root"))
  func `fixes of one daemon reach another through a real GeoClue`() async throws {
    let run = try DaemonRun()
    let path = run.folder("nmea.sock")
    try run.start(["--nmea-socket", path], isSimulated: false)
    let settings = run.folder.write(
      "geoclue.conf",
      """
      [agent]
      whitelist=geoclue-demo-agent
      [network-nmea]
      enable=true
      nmea-socket=\(path)
      [3g]
      enable=false
      [cdma]
      enable=false
      [modem-gps]
      enable=false
      [wifi]
      enable=false
      [compass]
      enable=false

      """)
    let script = run.folder.write(
      "chain.sh",
      """
      mount --bind \(settings) /etc/geoclue/geoclue.conf || exit 3
      export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS
      /usr/libexec/geoclue > \(run.folder("geoclue.log")) 2>&1 &
      for i in $(seq 2000); do
        busctl --user status org.freedesktop.GeoClue2 > /dev/null 2>&1 && break
        sleep 0.1
      done
      \(Binary.path) watch --source geoclue -n 3 -x 250 --format ndjson
      status=$?
      kill %1
      exit $status

      """)
    let watching = try LiveProcess(
      "/usr/bin/unshare", ["-m", "/usr/bin/dbus-run-session", "--", "/bin/sh", script])
    let end = ContinuousClock.now + .seconds(2 * TestPatience.seconds)
    var latitude = 48.1371
    while watching.status == nil, ContinuousClock.now < end {
      run.say(latitude)
      latitude += 1e-6
      try await Task.sleep(for: .milliseconds(500))
    }
    let log = (try? String(contentsOfFile: run.folder("geoclue.log"), encoding: .utf8)) ?? ""
    #expect(watching.status == 0, "\(watching.stderr) \(watching.stdout) \(log)")
    #expect(watching.stdout.contains(#""type":"fix.accepted""#), "\(watching.stdout)")
    #expect(watching.stdout.contains(#""lat":48.137"#), "\(watching.stdout)")
    #expect(watching.stdout.contains(#""name":"GeoClue""#), "\(watching.stdout)")
    #expect(await run.end() == 0)
  }

  @Test func `without a bus the reason is told`() async throws {
    let watched = try await Binary.run(
      ["watch", "--source", "geoclue", "-n", "1"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"])
    #expect(watched.status == 69)
    #expect(watched.stderr.contains("there is no bus of the machine; install dbus"), "\(watched.stderr)")
  }
}
