import Foundation
import TestSupport
import Testing

/// What somebody asks of a daemon through a real mosquitto.
@Suite(.enabled(if: MosquittoBroker.isInstalled))
struct MQTTCommandTests {
  private func publish(
    _ broker: MosquittoBroker, _ payload: String, retained: Bool = false
  ) async throws {
    let sent = try await Binary.run(
      [
        "-h", "localhost", "-p", "\(broker.port)", "--cafile", broker.folder("cert.pem"), "-u", "anna", "-P",
        "sesame", "-q", "1", "-t", "owntracks/anna/boat/cmd", "-s",
      ] + (retained ? ["-r"] : []), stdin: payload, executable: "/usr/bin/mosquitto_pub")
    #expect(sent.status == 0, "\(sent.stderr)")
  }

  private func add(_ run: DaemonRun, _ broker: MosquittoBroker, _ more: [String]) async throws {
    let secrets = run.folder.write("secrets.yaml", "user: anna\npassword: sesame\n")
    try #require(unsafe chmod(secrets, 0o600) == 0)
    let added = try await run.command(
      [
        "outlets", "add", "boat", "--mqtt", broker.url, "--topic", "owntracks/anna/boat", "--secrets",
        secrets, "--authority", run.folder("cert.pem"),
      ] + more)
    #expect(added.status == 0, "\(added.stderr)")
  }

  private static let places =
    #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":["#
    + #"{"_type":"waypoint","desc":"Home","rid":"home","lat":48.1,"lon":11.5,"rad":150,"tst":1},"#
    + #"{"_type":"waypoint","desc":"work","lat":48.2,"lon":11.6,"rad":"90","tst":2}]}}"#

  private func ids(_ run: DaemonRun) async throws -> [String] {
    let listed = try await run.command(["regions", "list", "--format", "ndjson"])
    return listed.stdout.matches(of: /"id":"([^"]*)"/).map { String($0.1) }.sorted()
  }

  @Test func `regions are set, told and cleared, and the position is reported`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let reader = try broker.read("owntracks/#", client: "reader")
    #expect(try await run.command(["regions", "add", "own", "--circle", "40.0,11.5,300"]).status == 0)
    try await add(run, broker, ["--commands"])
    try run.start()
    run.gpsd.say(ScriptedGPSD.report(second: 0, latitude: 40.02))
    try await run.waitForFixes(1)
    try await run.wait("the connection") { reader.stdout.contains("owntracks/anna/boat/waypoints") }
    try await publish(broker, Self.places)
    try await run.wait("the regions") { try await ids(run) == ["home", "own", "work"] }
    // Regions change on the connection that is there, so a command that comes meanwhile is not lost.
    try await publish(broker, #"{"_type":"cmd","action":"reportLocation"}"#)
    try await run.wait("the report") { reader.stdout.contains(#""t":"r""#) }
    // A latitude out of range takes a region away; the rest stays.
    try await publish(
      broker,
      #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":["#
        + #"{"_type":"waypoint","desc":"work","lat":"-1000000","lon":"0","rad":90,"tst":2}]}}"#)
    try await run.wait("the removal") { try await ids(run) == ["home", "own"] }
    try await run.wait("the word for it") {
      run.process?.stderr.contains("by a command 1 region was removed") == true
    }
    try await run.wait("the waypoints after it") {
      let told = reader.stdout.split(separator: "\n").last { $0.contains(#""_type":"waypoints""#) }
      return told.map { $0.contains("home") && !$0.contains("work") } == true
    }
    try await publish(broker, #"{"_type":"cmd","action":"clearWaypoints"}"#)
    try await run.wait("the clearing") { try await ids(run) == ["own"] }
    try await run.wait("the word for it") {
      run.process?.stderr.components(separatedBy: "by a command 1 region was removed").count == 3
    }
    #expect(await run.end() == 0)
  }

  @Test func `the owner's regions keep what they are when their waypoints come back`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let reader = try broker.read("owntracks/#", client: "reader")
    let own = ["regions", "add", "own", "--circle", "40.0,11.5,300", "--dwell", "60", "--tag", "mine"]
    #expect(try await run.command(own).status == 0)
    let polygon = ["regions", "add", "pier", "--polygon", "41,11 41,11.01 41.01,11.01"]
    #expect(try await run.command(polygon).status == 0)
    try await add(run, broker, ["--commands"])
    try run.start()
    run.gpsd.say(ScriptedGPSD.report(second: 0, latitude: 40.02))
    try await run.waitForFixes(1)
    try await run.wait("the waypoints") { reader.stdout.contains(#""rid":"pier""#) }
    let before = try await run.command(["regions", "list", "--format", "ndjson"]).stdout
    let line = try #require(
      reader.stdout.split(separator: "\n").last { $0.contains(#""_type":"waypoints""#) })
    let told = line.drop { $0 != "{" }
    try await publish(broker, #"{"_type":"cmd","action":"setWaypoints","waypoints":\#(told)}"#)
    try await run.wait("the command") { run.process?.stderr.contains("0 regions were set") == true }
    #expect(try await run.command(["regions", "list", "--format", "ndjson"]).stdout == before)
    try await publish(
      broker,
      // Without the object around the list too.
      #"{"_type":"cmd","action":"setWaypoints","waypoints":["#
        + #"{"_type":"waypoint","desc":"own","lat":40.5,"lon":11.5,"rad":200,"tst":1}]}"#)
    try await run.wait("the move") { run.process?.stderr.contains("1 region was set") == true }
    let moved = try await run.command(["regions", "show", "own", "--format", "ndjson"]).stdout
    #expect(
      moved.contains("40.5") && moved.contains(#""tags":["mine"]"#) && moved.contains("dwell"), "\(moved)")
    try await publish(broker, #"{"_type":"cmd","action":"clearWaypoints"}"#)
    try await run.wait("the clearing") { run.process?.stderr.contains("0 regions were removed") == true }
    #expect(try await ids(run) == ["own", "pier"])
    #expect(await run.end() == 0)
  }

  @Test func `what is retained, hostile, half good or not asked for is refused`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    try await publish(broker, Self.places, retained: true)
    try await add(run, broker, ["--commands"])
    try run.start()
    func waitForLog(_ text: String) async throws {
      try await run.wait(text) { run.process?.stderr.contains(text) == true }
    }
    try await waitForLog("a retained command was refused")
    try await publish(broker, String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000))
    try await waitForLog("no OwnTracks cmd")
    try await publish(broker, #"{"_type":"cmd","action":""# + String(repeating: "x", count: 66_000) + #""}"#)
    try await waitForLog("bytes was refused")
    try await publish(broker, #"{"_type":"cmd","action":"setConfiguration","configuration":{}}"#)
    try await waitForLog("settings belong to the owner")
    try await publish(broker, Self.places.replacing(#""rad":"90""#, with: #""rad":-5"#))
    try await waitForLog("a command was refused: setWaypoints")
    try await publish(broker, Self.places.replacing(#""rad":"90""#, with: #""rad":0"#))
    try await waitForLog(#"waypoint "work" is no place: it has no radius: rad, metres"#)
    let twice = Self.places.replacing(#""rid":"home","lat":48.1"#, with: #""rid":"work","lat":-1000"#)
    try await publish(broker, twice)
    try await waitForLog(#"waypoint "work" comes twice"#)
    // Whoever may publish there can't fill the log.
    for _ in 0..<12 { try await publish(broker, "quiet") }
    try await waitForLog("what else is refused in this minute is not told")
    #expect(run.process?.stderr.components(separatedBy: "was refused").count ?? 0 <= 11)
    #expect(try await ids(run).isEmpty)
    #expect(await run.end() == 0)
    // Off by default.
    try await add(run, broker, ["--replace"])
    try run.start()
    run.gpsd.say(ScriptedGPSD.report(second: 0, latitude: 40))
    try await run.waitForFixes(1)
    try await publish(broker, Self.places)
    #expect(try await run.command(["outlets", "test", "boat"]).status == 0)
    #expect(try await ids(run).isEmpty)
    #expect(await run.end() == 0)
  }
}
