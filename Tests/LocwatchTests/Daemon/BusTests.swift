import Foundation
import TestSupport
import Testing

/// The daemon on a bus of its own, asked by busctl.
@Suite(
  .enabled(
    if: ["/usr/bin/dbus-run-session", "/usr/bin/busctl"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: $0)
    }, "apt-get install dbus systemd"))
struct BusTests {
  private static let helper = Binary.helper("bus")

  /// Runs commands of a shell on a bus with the interface; `ask METHOD …` calls it.
  private func session(_ run: DaemonRun, _ commands: String) async throws -> Binary.Result {
    try await Self.session(script(run, commands))
  }

  private static func session(_ script: String) async throws -> Binary.Result {
    try await Binary.run(["--", "/bin/bash", script], executable: "/usr/bin/dbus-run-session")
  }

  private func script(_ run: DaemonRun, _ commands: String) -> String {
    run.folder.write(
      "session.sh",
      """
      ask() { busctl --user call locwatch.Daemon1 /locwatch locwatch.Daemon1 "$@"; }
      \(Self.helper) serve --session --state \(run.state) &
      until busctl --user status locwatch.Daemon1 > /dev/null 2>&1; do
        kill -0 $! || break
        sleep 0.05
      done
      \(commands)
      kill %1

      """)
  }

  @Test func `status, events and regions are asked for, and who subscribed hears of records`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48.1,11.5,300"]).status == 0)
    try run.start()
    for second in 0..<20 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48.1)) }
    try await run.waitForFixes(20)
    let feature =
      #"{\"type\":\"Feature\",\"id\":\"drawn\",\"properties\":{\"radius_m\":90},\"geometry\":{\"type\":\"Point\",\"coordinates\":[11.5,48.1]}}"#
    let asked = try await session(
      run,
      """
      ask Status
      ask Events tu 0 5
      ask AddRegion s "\(feature)"
      ask AddRegion s "\(feature.replacing(#"\"id\":\"drawn\","#, with: ""))"
      ask AddRegion s nonsense
      ask RemoveRegion s nobody
      ask Nothing
      ask RemoveRegion s drawn
      busctl --user introspect locwatch.Daemon1 /locwatch
      busctl --user get-property locwatch.Daemon1 /locwatch locwatch.Daemon1 Version
      busctl --user get-property locwatch.Daemon1 /locwatch locwatch.Daemon1 Inside
      busctl --user get-property locwatch.Daemon1 /locwatch locwatch.Daemon1 Nothing
      busctl --user set-property locwatch.Daemon1 /locwatch locwatch.Daemon1 LowPower b true
      ask Subscribe 'a{sv}' 2 types as 1 region.enter regions as 1 home
      ask Subscribe 'a{sv}' 1 colour s red
      """)
    #expect(asked.stdout.contains("s \"0.1.0\"") && asked.stdout.contains("as 1 \"home\""), "\(asked.stdout)")
    #expect(
      asked.stdout.contains(".LowPower") && asked.stdout.contains("emits-invalidation"), "\(asked.stdout)")
    #expect(asked.stderr.contains("there is no property locwatch.Daemon1.Nothing"), "\(asked.stderr)")
    #expect(asked.stderr.contains("properties are only read"), "\(asked.stderr)")
    #expect(asked.stderr.contains(#""colour" is no member of a filter"#), "\(asked.stderr)")
    #expect(asked.stdout.contains(#"\"inside\":[\"home\"]"#), "\(asked.stdout) \(asked.stderr)")
    #expect(
      asked.stdout.contains("as 5 ") || asked.stdout.contains("as 2 ") || asked.stdout.contains("as 3 "))
    #expect(asked.stdout.contains(#"s "drawn""#))
    #expect(asked.stdout.contains(".AddRegion") && asked.stdout.contains(".Happened"), "\(asked.stdout)")
    #expect(asked.stderr.contains("no region is called"), "\(asked.stderr)")
    #expect(asked.stderr.contains("the Feature has no id"), "\(asked.stderr)")
    #expect(asked.stderr.contains("there is no such method"))
    #expect(await run.end() == 0)
  }

  @Test func `properties that change are told, and of where the device is only that it changed`() async throws
  {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48.1,11.5,300"]).status == 0)
    try run.start()
    for second in 0..<20 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48.1)) }
    try await run.waitForFixes(20)
    let script = script(
      run,
      """
      busctl --user --json=short monitor locwatch.Daemon1 > \(run.folder("heard")) 2> \(run.folder("begun")) &
      until [ -e \(run.folder("end")) ]; do sleep 0.05; done
      kill %2
      """)
    async let heard = Self.session(script)
    func text(_ file: String) -> String {
      (try? String(contentsOfFile: run.folder(file), encoding: .utf8)) ?? ""
    }
    try await run.wait("the monitor") { text("begun").contains("Monitoring") }
    for second in 20..<60 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48.2)) }
    try await run.wait("the signal") { text("heard").contains("PropertiesChanged") }
    _ = run.folder.write("end", "")
    _ = try await heard
    let line = try #require(text("heard").split(separator: "\n").first { $0.contains("PropertiesChanged") })
    #expect(line.contains(#""data":["locwatch.Daemon1",{},["Inside"]]"#), "\(line)")
    #expect(await run.end() == 0)
  }

  @Test func `another user may not ask`() async throws {
    guard getuid() == 0 else { return }
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48.1,11.5,300"]).status == 0)
    // A bus that lets every user in, as the machine's does.
    let settings = run.folder.write(
      "bus.conf",
      """
      <busconfig><type>system</type><listen>unix:path=\(run.folder("bus"))</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/></policy></busconfig>
      """)
    try #require(unsafe chmod(run.folder.path, 0o755) == 0)
    let bus = try LiveProcess(
      "/usr/bin/dbus-daemon", ["--nofork", "--config-file", settings, "--print-address=1"])
    // It says so when it listens; its socket is there before.
    try #require(await bus.wait { !$0.isEmpty }, "\(bus.stderr)")
    let address = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(run.folder("bus"))"]
    let state = run.state
    let serving = Task {
      try await Binary.run(
        [Self.helper, "serve", "--state", state], environment: address, executable: "/usr/bin/env")
    }
    let call = ["--system", "call", "locwatch.Daemon1", "/locwatch", "locwatch.Daemon1", "Status"]
    try await run.wait("the interface") {
      try await Binary.run(call, environment: address, executable: "/usr/bin/busctl").status == 0
    }
    let refused = try await Binary.run(
      ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/busctl"] + call, environment: address,
      executable: "/usr/bin/setpriv")
    #expect(refused.status != 0)
    #expect(refused.stderr.contains("Access denied"), "\(refused.stderr)")
    bus.signal(SIGTERM)
    #expect(try await serving.value.status == 69)
  }
}
