import Foundation
import GRDB
import TestSupport
import Testing

/// Pushes through a real mosquitto, which keeps them while the daemon is down.
@Suite(.enabled(if: MosquittoBroker.isInstalled))
struct MQTTPushTests {
  /// - Parameter form: `-s` for one message, `-l` for each line.
  private func publish(_ broker: MosquittoBroker, _ payload: String, as form: String = "-s") async throws {
    let sent = try await Binary.run(
      [
        "-h", "localhost", "-p", "\(broker.port)", "--cafile", broker.folder("cert.pem"), "-u", "anna", "-P",
        "sesame", "-q", "1", "-t", "owntracks/anna/boat/push", form,
      ], stdin: payload, executable: "/usr/bin/mosquitto_pub")
    #expect(sent.status == 0, "\(sent.stderr)")
  }

  private func taken(_ run: DaemonRun) async throws -> [String] {
    try await run.events().compactMap {
      $0.firstMatch(of: /"type":"push".*"push":"([^"]*)"/).map { String($0.1) }
    }
  }

  /// Starts a daemon that takes pushes for the program `a`, and waits until the broker knows it; the program's token.
  private func start(_ run: DaemonRun, _ broker: MosquittoBroker) async throws -> String {
    let reader = try broker.read("owntracks/#", client: "reader")
    try await run.add("a", manifest: "services: []\nmodes: [remote-notification]")
    #expect(try await run.command(["regions", "add", "own", "--circle", "40.0,11.5,300"]).status == 0)
    let secrets = run.folder.write("secrets.yaml", "user: anna\npassword: sesame\n")
    try #require(unsafe chmod(secrets, 0o600) == 0)
    let added = try await run.command([
      "outlets", "add", "boat", "--mqtt", broker.url, "--topic", "owntracks/anna/boat", "--secrets", secrets,
      "--authority", run.folder("cert.pem"), "--pushes",
    ])
    #expect(added.status == 0, "\(added.stderr)")
    try run.start(run.settings())
    run.gpsd.say(ScriptedGPSD.report(second: 0, latitude: 40.02))
    try await run.waitForFixes(1)
    try await run.wait("the connection") { reader.stdout.contains("owntracks/anna/boat/waypoints") }
    let shown = try await run.command(["subscribers", "show", "a", "--format", "ndjson"])
    return String(try #require(shown.stdout.firstMatch(of: /"push_token":"([0-9a-f]{32})"/)).1)
  }

  private func push(_ id: String, _ token: String) -> String {
    #"{"token":"\#(token)","payload":{"content-available":1,"id":"\#(id)","data":"quiet"}}"#
  }

  @Test func `H1 H4 a push waits at the broker through kills of both, and comes once`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let token = try await start(run, broker)
    func push(_ id: String) -> String { self.push(id, token) }
    try await publish(broker, push("m1"))
    try await run.wait("the first") { try await taken(run) == ["m1"] }

    #expect(await run.end(SIGKILL) != 0)
    // The broker would send it at each connection, if nobody took it.
    try await publish(broker, String(repeating: "quiet", count: 80_000))
    try await publish(broker, push("m2"))
    await broker.stop()
    try await broker.start()
    try run.start(run.settings())
    // In simulated time nothing happens before a fix.
    run.gpsd.say(ScriptedGPSD.report(second: 10, latitude: 40.02))
    try await run.wait("the second") { try await taken(run) == ["m1", "m2"] }

    // The same id is taken once, whoever sends it again.
    try await publish(broker, push("m2"))
    try await publish(broker, push("m3").replacing(token, with: String(repeating: "0", count: 32)))
    try await publish(broker, "quiet")
    try await publish(broker, push("m5"))
    try await run.wait("the last") { try await taken(run).last == "m5" }
    #expect(try await taken(run) == ["m1", "m2", "m5"])
    for refusal in [
      "a push was refused: this is no subscriber's token", "a push was refused: it is no JSON",
      "at owntracks/anna/boat/push was refused",
    ] {
      try await run.wait(refusal) { run.process?.stderr.contains(refusal) == true }
    }
    let log = run.process?.stderr ?? ""
    #expect(!log.contains(token) && !log.contains("quiet"), "\(log)")
    #expect(await run.end() == 0)
  }

  @Test func `of many pushes at once none is lost`() async throws {
    let run = try DaemonRun()
    let broker = try await MosquittoBroker(run.folder)
    let settings = try String(contentsOfFile: run.folder("mosquitto.conf"), encoding: .utf8)
    // Without it no more than 20 would be on their way at once.
    _ = run.folder.write("mosquitto.conf", settings + "\nmax_inflight_messages 0\n")
    try await broker.start()
    let token = try await start(run, broker)
    #expect(await run.end() == 0)
    let ids = (0..<200).map { "m\($0)" }
    try await publish(broker, ids.map { push($0, token) }.joined(separator: "\n"), as: "-l")
    try run.start(run.settings())
    run.gpsd.say(ScriptedGPSD.report(second: 10, latitude: 40.02))
    try await run.wait("all of them") { try await taken(run).count >= ids.count }
    #expect(try await taken(run) == ids)
    #expect(await run.end() == 0)
  }

  @Test func `the broker keeps a push that the daemon can't store, through a kill`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let token = try await start(run, broker)
    var configuration = Configuration()
    configuration.busyMode = .timeout(TestPatience.seconds)
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: run.state, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try await publish(broker, push("m1", token))
    try await run.wait("the complaint") { run.process?.stderr.contains("going on in memory") == true }
    // What the daemon says to its outlets is said by then.
    #expect(try await run.command(["status"]).stdout.contains("in memory"))
    #expect(await run.end(SIGKILL) != 0)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await taken(run).isEmpty)
    try run.start(run.settings())
    run.gpsd.say(ScriptedGPSD.report(second: 10, latitude: 40.02))
    try await run.wait("the push") { try await taken(run) == ["m1"] }
    #expect(await run.end() == 0)
  }
}
