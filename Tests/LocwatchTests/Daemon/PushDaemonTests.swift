import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// Pushes for real programs: over the control socket, from the terminal, through kills; and what they say is nowhere
/// but in the state file.
@Suite struct PushDaemonTests {
  private static let manifest = "services: []\nmodes: [remote-notification]"

  private static func token(_ run: DaemonRun) async throws -> String {
    let shown = try await run.command(["subscribers", "show", "a", "--format", "ndjson"])
    let found = try #require(shown.stdout.firstMatch(of: /"push_token":"([0-9a-f]{32})"/), "\(shown.stdout)")
    return String(found.1)
  }

  private static func start(_ run: DaemonRun) throws {
    let hook = "notifications: {notify_hook: [\(PackageRoot.file("Examples/notify.py"))]}\n"
    try run.start(
      run.settings(hook), through: ["/usr/bin/env", "NOTIFY_LOG=\(run.folder("shown"))"])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python here"))
  func `H1 a push relaunches its program with what it says, shows its alert, and stands in no log`()
    async throws
  {
    let run = try DaemonRun()
    try await run.add("a", manifest: Self.manifest)
    try Self.start(run)
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    let payload =
      #"{"alert":{"title":"Top secret","body":"at noon"},"content-available":1,"id":"m1","data":{"k":[1]}}"#
    let pushed = try await run.command(["push", "a", "--data", payload])
    #expect(pushed.status == 0, "\(pushed.stderr)")
    #expect(pushed.stdout.isEmpty && pushed.stderr.isEmpty, "\(pushed.stdout)\(pushed.stderr)")
    try await run.wait("the push") { run.log.contains { $0.line.contains(#""payload":\#(payload)"#) } }
    let launch = try #require(run.log.first { $0.line.contains(#""type":"launch""#) }?.line)
    #expect(launch.contains(#""cause":"H1","kind":"push""#), "\(launch)")
    #expect(launch.contains(#""budget_s":30.000"#), "\(launch)")
    try await run.wait("the alert") { KernelFile.read(run.folder("shown")) == "a: Top secret: at noon\n" }
    try await run.waitFor("a", .suspended)
    // The same once more is taken once.
    let repeated = try await run.command(["push", "a", "--data", payload])
    #expect(repeated.status == 0)
    #expect(repeated.stderr.contains("dropped: a was sent a push of this id"), "\(repeated.stderr)")
    try await run.wait("the refusal") { try await run.decisions("a").contains("drop H4 duplicate") }
    let events = try await run.events()
    #expect(events.contains { $0.contains(#""type":"push""#) && $0.contains(#""push":"m1","alert":true"#) })
    #expect(!events.contains { $0.contains("secret") || $0.contains("noon") })
    let explained = try await run.command(["explain", "--format", "ndjson"])
    #expect(!explained.stdout.contains("secret"))
    #expect(await run.end() == 0)
    #expect(run.process?.stderr.contains("secret") == false)
  }

  @Test func `no more than 100 pushes of a program wait for the daemon`() async throws {
    let run = try DaemonRun()
    try await run.add("a", manifest: Self.manifest)
    let seat = DaemonSeat(state: run.state)
    let payload = Array("{\"alert\":\"x\"}".utf8)
    for _ in 0..<100 { #expect(try seat.push("a", payload) == .kept) }
    let more = try await run.command(["push", "a", "--data", "{\"alert\":\"x\"}"])
    #expect(more.status == 75)
    let text = "100 pushes of \"a\" wait for the daemon already; start it: locwatch run"
    #expect(more.stderr.contains(text), "\(more.stderr)")
  }

  @Test func `H1 who answers each push, and says later that it is done, is not refused anything`()
    async throws
  {
    let count = SupervisorLimits.refusalsPerMinute + 1
    let script = #"""
      n=0
      while read -r line; do
        echo "$$ $line" >> "$D/log"
        id=${line#*\"id\":}; id=${id%%[,\}]*}
        case $line in
          *'"type":"push"'*)
            n=$((n + 1)); echo '{"fetched":"newData"}'
            [ $n = \#(count) ] && { echo '{"done":true}'; echo '{"begin_task":"t"}'; } ;;
          *'"task":'*) token=${line#*\"task\":}; echo "{\"end_task\":${token%%[,\}]*}}" ;;
          *'"id":'*) echo "{\"ack\":$id}" ;;
        esac
      done
      """#
    let run = try DaemonRun()
    try await run.add("a", script, manifest: Self.manifest)
    try await run.startWithFix()
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    for number in 1...count {
      let push = #"{"content-available":1,"id":"m\#(number)"}"#
      #expect(try await run.command(["push", "a", "--data", push]).status == 0)
    }
    try await run.wait("the answer to begin_task") {
      run.log.contains { $0.line.contains(#""task":"#) || $0.line.contains(#""what":"begin_task""#) }
    }
    #expect(!run.log.contains { $0.line.contains(#""type":"refused""#) })
    #expect(await run.end() == 0)
  }

  @Test func `H4 a push that was not acknowledged is handed over again after a kill of the daemon`()
    async throws
  {
    let run = try DaemonRun()
    try await run.add("a", manifest: Self.manifest)
    try await run.startWithFix()
    _ = run.folder.write("mute", "")
    #expect(
      try await run.command(["push", "a", "--data", #"{"content-available":1,"id":"m1","data":7}"#]).status
        == 0)
    try await run.wait("the push") { run.log.contains { $0.line.contains(#""data":7"#) } }
    await run.end(SIGKILL)
    try #require(unsafe unlink(run.folder("mute")) == 0)
    try run.start(run.settings())
    run.move(0, second: 5)
    try await run.wait("the push again") { run.log.count { $0.line.contains(#""data":7"#) } == 2 }
    try await run.waitFor("a", .suspended)
    #expect(
      Set(run.log.filter { $0.line.contains(#""data":7"#) }.compactMap { DaemonRun.id(of: $0.line) }).count
        == 1)
    #expect(await run.end() == 0)
  }

  @Test func `B9 who pushes an alert that nothing can show is told so, now and at the start`() async throws {
    let run = try DaemonRun()
    try await run.add("a", manifest: Self.manifest)
    let alert = ["push", "a", "--data", #"{"alert":"dinner"}"#]
    #expect(try await run.command(alert).status == 0, "left for the daemon")
    try run.start(run.settings(), isSimulated: false)
    try await run.wait("the daemon") { try await run.command(["status"]).status != 69 }
    let refusal =
      "refused by rule B9: there is nothing that shows notifications; set notifications.notify_hook"
    let pushed = try await run.command(alert)
    #expect(pushed.status == 1 && pushed.stderr.contains(refusal), "\(pushed.stderr)")
    // One that the program is to be told of is not.
    let both = try await run.command(["push", "a", "--data", #"{"alert":"dinner","content-available":1}"#])
    #expect(both.status == 0, "\(both.stderr)")
    // A push that nobody gets is refused.
    #expect(try await run.command(["subscribers", "quit", "a"]).status == 0)
    for data in [#"{"content-available":1}"#, #"{"alert":"dinner","content-available":1}"#] {
      let dropped = try await run.command(["push", "a", "--data", data])
      #expect(dropped.status == 1 && dropped.stderr.contains("refused by rule A7"), "\(dropped.stderr)")
    }
    #expect(await run.end() == 0)
    let log = run.process?.stderr ?? ""
    #expect(log.contains("a: what was asked for before the daemon started is \(refusal)"), "\(log)")
  }

  @Test func `H1 over the control socket it takes the subscriber's token, and no other`() async throws {
    let run = try DaemonRun()
    try await run.add("a", manifest: Self.manifest)
    try await run.add("b")
    // Left for the daemon.
    let waiting = try await run.command(["push", "a", "--data", #"{"content-available":1,"id":"early"}"#])
    #expect(waiting.status == 0)
    #expect(waiting.stderr.contains("when locwatch run starts"), "\(waiting.stderr)")
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.wait("the early one") { run.log.contains { $0.line.contains(#""push":"early""#) } }
    let token = try await Self.token(run)
    #expect(try await Self.token(run) == token)
    func ask(_ line: String) throws -> String {
      let client = try #require(try ControlClient.connect(state: run.state))
      var reader = JSONReader(Array(line.utf8))
      let tree = try JSONTree(&reader)
      do {
        return try client.ask("push", ["token": tree["token"], "payload": tree["payload"]]).text
      } catch {
        return "\(error)"
      }
    }
    #expect(
      try ask(#"{"token":"\#(token)","payload":{"content-available":1,"id":"x"}}"#).contains(#""ok":true"#))
    #expect(try ask(#"{"token":"0","payload":{"alert":"x"}}"#).contains("no subscriber's token"))
    #expect(try ask(#"{"payload":{"alert":"x"}}"#).contains("no \"token\""))
    #expect(try ask(#"{"token":"\#(token)","payload":{"data":1}}"#).contains("nothing for the user"))
    #expect(try ask(#"{"token":"\#(token)","payload":"x"}"#).contains("no JSON object"))
    let large = String(repeating: "x", count: 5000)
    #expect(try ask(#"{"token":"\#(token)","payload":{"alert":"\#(large)"}}"#).contains("at most 4096"))
    let refused = try await run.command(["push", "b", "--data", #"{"content-available":1}"#])
    #expect(refused.status == 1)
    #expect(refused.stderr.contains("H1"), "\(refused.stderr)")
    #expect(try await run.command(["push", "nobody", "--data", #"{"alert":"x"}"#]).status == 1)
    let bad = try await run.command(["push", "a", "--data", "{"])
    #expect(bad.status == 65)
    #expect(
      try await run.command(["subscribers", "list", "--format", "ndjson"]).stdout.contains(token) == false)
    #expect(await run.end() == 0)
    #expect(run.process?.stderr.contains(token) == false)
  }

  @Test func `a program asks for its token`() async throws {
    let run = try DaemonRun()
    try await run.add("a", #"echo '{"push_token":true}'"# + "\nserve", manifest: Self.manifest)
    try await run.add("b", #"echo '{"push_token":true}'"# + "\nserve")
    try run.start(run.settings())
    // The first fix starts `b`, which has all the time that it takes: none passes before the second. That one wakes it, if
    // it was suspended before it could read its answer.
    run.move(0, second: 0)
    try await run.waitFor("b", .suspended)
    run.move(1, second: 10)
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    let token = try await Self.token(run)
    try await run.wait("both answers") {
      run.log.contains { $0.line == #"{"v":1,"type":"push_token","token":"\#(token)"}"# }
        && run.log.count { $0.line.contains(#""type":"push_token""#) } == 2
    }
    #expect(await run.end() == 0)
  }
}
