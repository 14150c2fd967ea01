import Foundation
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// Pushes by UnifiedPush: the connector and a real daemon, before a distributor of our own on a private bus.
@Suite(
  .enabled(
    if: FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbus")
      && FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon"),
    "no bus and no Python here"))
struct UnifiedPushTests {
  private static let manifest = "services: []\nmodes: [remote-notification]"

  /// The names of the pushes that were taken.
  private func taken(_ run: DaemonRun) async throws -> [String] {
    try await run.events().filter { $0.contains(#""type":"push""#) }.map {
      $0.firstMatch(of: /"push":"([^"]*)"/).map { String($0.1) } ?? ""
    }
  }

  private func registration(_ run: DaemonRun) throws -> PushRegistration {
    try #require(try StateDatabase.openToRead(path: run.state)?.pushRegistration(of: "a"))
  }

  @Test func `H4 a push waits at the distributor through kills of both, and comes once`() async throws {
    let run = try DaemonRun()
    let bus = try await PushBus(run)
    try await run.add("a", #"echo '{"push_token":true}'"# + "\nserve", manifest: Self.manifest)
    try await run.startWithFix()
    try bus.connect()
    try await bus.wait("registered a")
    try await run.wait("the endpoint") { try registration(run).endpoint == "https://push.example.net/a" }
    let address = try #require(try registration(run).address).tree.text
    let shown = try await run.command(["subscribers", "show", "a", "--format", "ndjson"])
    #expect(shown.stdout.contains(#""web_push":\#(address)"#), "\(shown.stdout)")
    let text = try await run.command(["subscribers", "show", "a", "--format", "text"])
    #expect(text.stdout.contains("push endpoint  https://push.example.net/a"), "\(text.stdout)")

    // The daemon hangs, so the connector waits for it; then both are killed.
    run.process?.signal(SIGSTOP)
    try bus.tell(#"send("a", b'{"content-available":1,"data":"one"}')"#)
    try await bus.wait("sent")
    await bus.killConnector()
    try await bus.wait("kept")
    await run.end(SIGKILL)
    try run.start(run.settings())
    run.move(0, second: 10)
    try bus.connect()
    try await bus.wait("taken")
    try await run.wait("the push") { run.log.contains { $0.line.contains(#""data":"one""#) } }
    // The distributor does not know that it was taken.
    try bus.tell(#"send("a", b'{"content-available":1,"data":"one"}')"#)
    try await bus.wait("taken", count: 2)
    #expect(try await taken(run).count == 1)
    #expect(try await run.decisions("a").contains("drop H4 duplicate"))

    // Without a daemon it is left in the state file.
    await run.end(SIGKILL)
    try bus.tell(#"send("a", b'{"content-available":1,"id":"two"}')"#)
    try await bus.wait("taken", count: 3)
    try run.start(run.settings())
    run.move(0, second: 20)
    try await run.wait("the second") { try await taken(run).last == "two" }
    #expect(try await taken(run).count == 2)

    // The program has asked where senders post, and is told when that changes.
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    func isTold(_ text: String) -> Bool {
      run.log.contains { $0.line.contains(#""type":"push_token""#) && $0.line.contains(text) }
    }
    try await run.wait("the reply") { isTold(address) }
    try bus.tell(
      #"call("NewEndpoint", {"token": tokens["a"], "endpoint": "https://push.example.net/b"})"#)
    try await run.wait("the other endpoint") { isTold("https://push.example.net/b") }
    let token = try registration(run).token
    #expect(!bus.log.contains(token) && run.process?.stderr.contains(token) == false, "\(bus.log)")
    #expect(await run.end() == 0)
  }

  @Test func `H1 a push that is encrypted is opened, and what is none is refused in a line`() async throws {
    let run = try DaemonRun()
    let bus = try await PushBus(run)
    try await run.add("a", manifest: Self.manifest)
    try await run.startWithFix()
    // The keys that the messages were encrypted for.
    let keys = PushRegistration(
      subscriber: "a", secret: MessageKeysTests.secret, point: MessageKeysTests.point,
      auth: MessageKeysTests.auth)
    try StateDatabase.open(path: run.state).put(keys)
    try bus.connect()
    try await bus.wait("registered a")
    let named = MessageKeysTests.named
    try bus.tell(#"send("a", decoded("\#(named)"))"#)
    try bus.tell(#"send("a", decoded("\#(named)"))"#)
    try bus.tell(#"send("a", decoded("\#(MessageKeysTests.nameless)"))"#)
    try bus.tell(#"send("a", decoded("\#(MessageKeysTests.nameless)"))"#)
    try await bus.wait("taken", count: 4)
    let refused = [
      #"{"token": tokens["a"], "message": dbus.ByteArray(b"x" * 5000)}"#,
      #"{"token": tokens["a"], "message": dbus.ByteArray(b"x" * 3000000)}"#,
      #"{"token": tokens["a"], "message": dbus.ByteArray(b"")}"#,
      #"{"token": tokens["a"], "message": dbus.ByteArray(b"secret words")}"#,
      #"{"token": tokens["a"], "message": dbus.ByteArray(decoded("\#(named)")[:-1] + b"x")}"#,
      #"{"token": tokens["a"], "message": dbus.Array([dbus.Struct((1, "x"))] * 100000)}"#,
      #"{"token": tokens["a"], "message": 7}"#, #"{"token": tokens["a"]}"#,
      #"{"token": 7, "message": dbus.ByteArray(b"{}")}"#,
      #"{"token": "0" * 32, "message": dbus.ByteArray(b'{"alert":"x"}')}"#, "{}",
    ]
    for call in refused { try bus.tell(#"call("Message", dbus.Dictionary(\#(call), signature="sv"))"#) }
    try bus.tell(#"call("Nothing", dbus.Dictionary({}, signature="sv"))"#)
    for endpoint in [#""file:///etc/passwd""#, #""https://a b""#, #""https://" + "x" * 1000"#, "7"] {
      try bus.tell(#"call("NewEndpoint", {"token": tokens["a"], "endpoint": \#(endpoint)})"#)
    }
    try await bus.wait("refused", count: refused.count + 5)
    func lines() -> Int { bus.log.split(separator: "\n").count }
    try await run.wait("a line for each") { lines() >= refused.count + 5 }
    #expect(bus.log.contains("a: the push is refused: it can't be decrypted"), "\(bus.log)")
    #expect(bus.log.contains("a: the push is refused: it has 3000000 bytes"), "\(bus.log)")
    #expect(try registration(run).endpoint == "https://push.example.net/a")
    // It goes on.
    try bus.tell(#"send("a", b'{"content-available":1,"id":"last"}')"#)
    try await run.wait("the last") { try await taken(run).last == "last" }
    #expect(lines() == refused.count + 5, "\(bus.log)")
    let names = try await taken(run)
    #expect(names.count == 3 && names.first == "gate-1", "\(names)")
    let told = bus.log + (run.process?.stderr ?? "") + (try await run.events()).joined(separator: "\n")
    for secret in [keys.token, keys.secret, keys.auth, "Gate", "sealed", "secret words"] {
      #expect(!told.contains(secret), "\(secret) in \(told)")
    }
    #expect(await run.end() == 0)
  }

  @Test func `a distributor of the first version serves, too, and is told who is gone`() async throws {
    let run = try DaemonRun()
    let bus = try await PushBus(run, version: 1)
    try await run.startWithFix()
    try bus.connect()
    // It comes while the connector runs.
    try await run.add("a", manifest: Self.manifest)
    try await bus.wait("registered a")
    try await run.wait("the endpoint") { try registration(run).endpoint == "https://push.example.net/a" }
    try bus.tell(#"send("a", b'{"content-available":1,"id":"one"}')"#)
    try await run.wait("the push") { try await taken(run) == ["one"] }
    let token = try registration(run).token
    #expect(try await run.command(["subscribers", "remove", "a"]).status == 0)
    try await bus.wait("unregistered a")
    // One of the same name is another.
    try await run.add("a", manifest: Self.manifest)
    try await bus.wait("registered a", count: 2)
    let other = try registration(run)
    #expect(other.token != token)
    // One that begins anew is told again.
    try await bus.restartDistributor()
    try await bus.wait("registered a")
    #expect(try registration(run).token == other.token)
    #expect(bus.log.isEmpty, "\(bus.log)")
    #expect(await run.end() == 0)
  }

  @Test func `what stands against a registration is said, and waited for`() async throws {
    let run = try DaemonRun()
    let bus = try await PushBus(run)
    try await run.add("a", manifest: Self.manifest)
    try bus.tell(#"say("refusing", refusals.append("NETWORK"))"#)
    try await bus.wait("refusing")
    try bus.connect()
    try await run.wait("the reason") {
      bus.log == "locwatch-push: a is not registered: NETWORK; trying again later\n"
    }
    await bus.killConnector()
    try await bus.restartDistributor()
    try bus.connect(["--distributor", "other"])
    try await run.wait("the lack") { bus.log.contains("is not on this bus; waiting for it\n") }
    await bus.killConnector()
    try bus.connect(["--distributor", "test"])
    try await bus.wait("registered a")
  }

  @Test func `the bus starts the connector for a push`() async throws {
    let run = try DaemonRun()
    let bus = try await PushBus(run)
    try await run.add("a", manifest: Self.manifest)
    try await run.startWithFix()
    try bus.connect()
    try await bus.wait("registered a")
    await bus.killConnector()
    try await bus.makeActivatable()
    try bus.tell(#"send("a", b'{"content-available":1,"id":"one"}')"#)
    try await bus.wait("taken")
    try await run.wait("the push") { try await taken(run) == ["one"] }
    #expect(await run.end() == 0)
  }

  @Test func `the distributors of a bus are listed, and what there is none of is said`() async throws {
    let run = try DaemonRun()
    let bus = try await PushBus(run)
    let listed = try await bus.ask(["--distributors"])
    #expect(listed.stdout == "org.unifiedpush.Distributor.test\n", "\(listed.stderr)")
    let shown = try await bus.capabilities()
    #expect(
      shown.stdout.contains("by UnifiedPush through org.unifiedpush.Distributor.test"), "\(shown.stdout)")
    #expect(try await bus.ask(["--wrong"]).status == 64)
    let nowhere = try await Binary.run(
      ["--state", run.state], environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"],
      executable: PushBus.connector)
    #expect(nowhere.status == 69)
    #expect(nowhere.stderr.hasPrefix("locwatch-push: the session's bus: "), "\(nowhere.stderr)")
    #expect(nowhere.stderr.contains("; run it in the user's session, or have DBUS"), "\(nowhere.stderr)")
  }
}

/// A bus with a distributor, and the connector on it.
private final class PushBus {
  static let connector = Binary.helper("push")

  private let run: DaemonRun
  private let bus: LiveProcess
  private let version: Int
  private var distributor: LiveProcess
  private let commands: FileHandle
  private var process: LiveProcess?
  private var earlierLog = ""

  private var address: String { "unix:path=\(run.folder("bus"))" }

  /// Keeps messages until they are taken, as a push server does. It reads Python from a pipe:
  /// `send(SUBSCRIBER, BYTES)`, `call(METHOD, ARGUMENTS)`.
  private static let script = #"""
    import base64, os, sys, threading
    import dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
    DBusGMainLoop(set_as_default=True)
    version, commands = int(sys.argv[1]), sys.argv[2]
    bus = dbus.SessionBus()
    tokens, kept, refusals = {}, [], []
    service = "locwatch.Push1"
    def say(*words): print(*words, flush=True)
    def decoded(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    def ask(method, arguments, done, failed):
        signature = "a{sv}" if version == 2 else {"Message": "says", "NewEndpoint": "ss"}[method]
        bus.call_async(service, "/org/unifiedpush/Connector", "org.unifiedpush.Connector%d" % version, method,
                       signature, arguments, done, failed, timeout=250)
    def call(method, arguments):
        ask(method, (arguments,), lambda *answer: say("answered", method), lambda error: say("refused", method))
    def deliver(name, message):
        arguments = ({"token": tokens[name], "message": dbus.ByteArray(message), "id": "server-7"},)
        if version == 1: arguments = (tokens[name], dbus.ByteArray(message), "")
        def taken(*answer):
            kept.remove((name, message))
            say("taken" if version == 1 or answer[0]["id"] == "server-7" else "wrong answer")
        ask("Message", arguments, taken, lambda error: say("kept"))
        say("sent")
    def send(name, message):
        kept.append((name, message))
        deliver(name, message)
    def register(name, token):
        tokens[name] = token
        endpoint = "https://push.example.net/" + name
        arguments = ({"token": token, "endpoint": endpoint},) if version == 2 else (token, endpoint)
        def told(*answer):
            say("registered", name)
            for each in list(kept): deliver(*each)
        ask("NewEndpoint", arguments, told, lambda error: say("no", error))
    def unregister(token):
        for name in [name for name, known in tokens.items() if known == token]:
            del tokens[name]
            say("unregistered", name)
    class First(dbus.service.Object):
        @dbus.service.method("org.unifiedpush.Distributor1", in_signature="sss", out_signature="ss")
        def Register(self, connector, token, description):
            GLib.idle_add(register, description.split(": ")[1], token)
            return "REGISTRATION_SUCCEEDED", ""
        @dbus.service.method("org.unifiedpush.Distributor1", in_signature="s")
        def Unregister(self, token): unregister(token)
    class Second(dbus.service.Object):
        @dbus.service.method("org.unifiedpush.Distributor2", in_signature="a{sv}", out_signature="a{sv}")
        def Register(self, arguments):
            if refusals:
                return dbus.Dictionary({"success": "REGISTRATION_FAILED", "reason": refusals[0]}, signature="sv")
            GLib.idle_add(register, arguments["description"].split(": ")[1], arguments["token"])
            return dbus.Dictionary({"success": "REGISTRATION_SUCCEEDED"}, signature="sv")
        @dbus.service.method("org.unifiedpush.Distributor2", in_signature="a{sv}")
        def Unregister(self, arguments): unregister(arguments["token"])
    distributor = (First, Second)[version - 1](bus, "/org/unifiedpush/Distributor")
    name = dbus.service.BusName("org.unifiedpush.Distributor.test", bus)
    def carry(line):
        eval(line)
        return False
    def read():
        for line in open(commands): GLib.idle_add(carry, line)
    threading.Thread(target=read, daemon=True).start()
    say("ready")
    GLib.MainLoop().run()
    """#

  init(_ run: DaemonRun, version: Int = 2) async throws {
    self.run = run
    self.version = version
    try FileManager.default.createDirectory(
      atPath: run.folder("services"), withIntermediateDirectories: true)
    let settings = run.folder.write(
      "bus.conf",
      """
      <busconfig><type>session</type><listen>unix:path=\(run.folder("bus"))</listen><auth>EXTERNAL</auth>
      <servicedir>\(run.folder("services"))</servicedir>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
      <allow own="*"/></policy></busconfig>
      """)
    let bus = try LiveProcess(
      "/usr/bin/dbus-daemon", ["--nofork", "--config-file", settings, "--print-address=1"])
    self.bus = bus
    try #require(unsafe mkfifo(run.folder("commands"), 0o600) == 0)
    // It says so when it listens; its socket is there before.
    try #require(await bus.wait { !$0.isEmpty }, "\(bus.stderr)")
    distributor = try Self.startDistributor(run, version)
    try #require(
      await distributor.wait { $0.first == "ready" }, "\(distributor.stdout)\(distributor.stderr)")
    commands = try #require(FileHandle(forWritingAtPath: run.folder("commands")))
  }

  deinit {
    process?.signal(SIGKILL)
    distributor.signal(SIGKILL)
    bus.signal(SIGKILL)
  }

  private static func startDistributor(_ run: DaemonRun, _ version: Int) throws -> LiveProcess {
    try LiveProcess(
      "/usr/bin/env",
      [
        "DBUS_SESSION_BUS_ADDRESS=unix:path=\(run.folder("bus"))", "/usr/bin/python3",
        run.folder.write("distributor.py", script), "\(version)", run.folder("commands"),
      ])
  }

  /// Kills the distributor, and starts another that knows nothing.
  func restartDistributor() async throws {
    distributor.signal(SIGKILL)
    _ = await distributor.finish()
    distributor = try Self.startDistributor(run, version)
    #expect(await distributor.wait { $0.first == "ready" }, "\(distributor.stdout)\(distributor.stderr)")
  }

  /// Starts the connector.
  func connect(_ arguments: [String] = []) throws {
    process = try LiveProcess(
      "/usr/bin/env",
      ["DBUS_SESSION_BUS_ADDRESS=\(address)", Self.connector, "--state", run.state] + arguments)
  }

  func killConnector() async {
    process?.signal(SIGKILL)
    _ = await process?.finish()
    earlierLog += process?.stderr ?? ""
  }

  /// All that connectors have logged.
  var log: String { earlierLog + (process?.status == nil ? process?.stderr ?? "" : "") }

  /// Has the bus start the connector from now on where it is called.
  func makeActivatable() async throws {
    _ = run.folder.write(
      "services/locwatch.Push1.service",
      "[D-BUS Service]\nName=locwatch.Push1\nExec=\(Self.connector) --state \(run.state)\n")
    bus.signal(SIGHUP)
    // It reads its folder when it gets to that.
    try await run.wait("the bus") {
      try tell(#"say("services", *bus.list_activatable_names())"#)
      return await distributor.wait(seconds: 0.5) { lines in
        lines.contains { $0.hasPrefix("services ") && $0.contains("locwatch.Push1") }
      }
    }
  }

  /// Has the distributor do something.
  func tell(_ line: String) throws { try commands.write(contentsOf: Data((line + "\n").utf8)) }

  /// Waits until the distributor has said so, so many times.
  func wait(_ line: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let isSo = await distributor.wait { lines in
      lines.count { $0 == line || $0.hasPrefix(line + " ") } >= count
    }
    #expect(
      isSo, "\(line): \(distributor.stdout)\(distributor.stderr)\(log)", sourceLocation: sourceLocation)
  }

  func ask(_ arguments: [String]) async throws -> Binary.Result {
    try await Binary.run(
      arguments, environment: ["DBUS_SESSION_BUS_ADDRESS": address], executable: Self.connector)
  }

  func capabilities() async throws -> Binary.Result {
    try await Binary.run(
      ["capabilities", "--format", "ndjson", "--gpsd", run.folder("none.sock")],
      environment: ["DBUS_SESSION_BUS_ADDRESS": address])
  }
}
