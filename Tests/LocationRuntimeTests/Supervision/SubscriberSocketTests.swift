import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Programs that are no children of the supervisor's, on its socket.
@Suite(.serialized) struct SubscriberSocketTests {
  /// A program's side of the socket.
  private final class Client {
    let connection: Connection
    private var rest = ""

    init(_ run: SupervisorRun, register line: String? = nil) throws {
      connection = try Connection(path: run.folder("subscribers.sock"))
      if let line { connection.send(line + "\n") }
    }

    /// Whether the other side is gone, or goes, without another line.
    func isDone() -> Bool { line() == nil && connection.isOver }

    /// The next line; nil when the other side is gone, or says nothing in time.
    func line() -> String? {
      while true {
        if let end = rest.firstIndex(of: "\n") {
          defer { rest = String(rest[rest.index(after: end)...]) }
          return String(rest[..<end])
        }
        guard let text = connection.receive() else { return nil }
        rest += text
      }
    }
  }

  private static let registered = #"{"v":1,"type":"registered","subscriber":"outside","suspension":"no"}"#

  private func add(_ run: SupervisorRun, command: [String] = []) {
    run.supervisor.add(Subscriber(name: "outside", command: command, style: .socket))
  }

  private func registration(_ run: SupervisorRun) throws -> Int32 {
    try run.wait("registration") { if case .note("outside", .registered(let pid)) = $0 { pid } else { nil } }
  }

  @Test func `it registers by name, is told its events, and acknowledges them`() async throws {
    let run = try SupervisorRun()
    add(run)
    let client = try Client(run, register: #"{"register":"outside"}"#)
    #expect(client.line() == Self.registered)
    #expect(try registration(run) == getpid())
    run.relaunch("outside", event: 5)
    run.deliver("outside", event: 5)
    #expect(
      client.line()
        == #"{"v":1,"type":"launch","cause":"B4","kind":"region","event":5,"budget_s":10.000,"locked":false}"#
    )
    #expect(client.line() == #"{"v":1,"id":5,"type":"region.enter"}"#)
    client.connection.send(#"{"begin_task":"save"}"# + "\n" + #"{"ack":5}"# + "\n")
    try run.wait(for: .event(subscriber: "outside", .beginTask(name: "save")))
    try run.acknowledged("outside", 5)
    run.supervisor.answer("outside", .task(token: 1, remainingSeconds: 30))
    #expect(client.line() == #"{"task":1,"remaining_s":30.000}"#)

    run.suspend("outside")  // not ours to freeze
    run.wake("outside", event: 6)
    run.deliver("outside", event: 6)
    #expect(client.line()?.contains(#""slept_s":3.000"#) == true)
    #expect(client.line()?.contains(#""id":6"#) == true)
    client.connection.send(#"{"done":true}"# + "\n")
    try run.acknowledged("outside", 6)
    client.connection.finish()
    #expect(try run.exit("outside") == 0)
    await run.supervisor.stop()
    #expect(!FileManager.default.fileExists(atPath: run.folder("subscribers.sock")))
  }

  @Test func `K5 one that has come by itself is told no event before it is called`() async throws {
    let run = try SupervisorRun()
    add(run)
    let client = try Client(run, register: #"{"register":"outside"}"#)
    #expect(client.line() == Self.registered)
    _ = try registration(run)
    // Meant for a process before, of whose end the engine does not know yet.
    run.deliver("outside", event: 9)
    run.relaunch("outside", event: 5)
    run.deliver("outside", event: 5)
    #expect(client.line()?.contains(#""type":"launch""#) == true)
    #expect(client.line() == #"{"v":1,"id":5,"type":"region.enter"}"#)
  }

  @Test func `who is not known, or says nothing of the kind, is turned away`() async throws {
    let run = try SupervisorRun()
    run.add("inside", acknowledging)
    add(run)
    for name in [#""nobody""#, #""inside""#, #""outside","signal":"KILL""#, "7"] {
      let client = try Client(run, register: #"{"register":\#(name)}"#)
      #expect(client.line()?.contains(#""type":"refused","what":"register""#) == true)
      #expect(client.isDone())
    }
    let mute = try Client(run)
    let chatty = try Client(run, register: #"{"ack":5}"#)
    let good = try Client(run, register: #"{"register":"outside"}"#)
    #expect(good.line() == Self.registered)
    _ = (mute, chatty)
    run.relaunch("outside")
    #expect(good.line()?.contains("launch") == true)
    await run.supervisor.stop()
    #expect(!run.seen.contains { $0.isAcknowledgment(of: 5, by: "outside") })
    #expect(good.isDone())
  }

  @Test func `who comes while it stops finds no socket, and who has come is let go`() async throws {
    let run = try SupervisorRun(graceMilliseconds: 600_000)
    add(run)
    run.add("stubborn", #"trap '' TERM; echo '{"begin_task":"x"}'; while :; do sleep 0.01; done"#)
    run.relaunch("stubborn")
    let pid = try run.pid("stubborn")
    try run.wait(for: .event(subscriber: "stubborn", .beginTask(name: "x")))
    let early = try Client(run)
    run.supervisor.beginStop()
    try SupervisorRun.until("the socket is gone") {
      !FileManager.default.fileExists(atPath: run.folder("subscribers.sock"))
    }
    #expect(SupervisorRun.isAlive(pid), "it still stops")
    #expect(early.isDone())
    kill(-pid, SIGKILL)
    await run.supervisor.stop()
  }

  @Test func `a socket whose entry was removed is there again, also twice`() async throws {
    let run = try SupervisorRun()
    add(run)
    let client = try Client(run, register: #"{"register":"outside"}"#)
    #expect(client.line() == Self.registered)
    for _ in 0..<2 {
      try FileManager.default.removeItem(atPath: run.folder("subscribers.sock"))
      try run.wait(for: .note(subscriber: "outside", .madeSocket))
      let other = try Client(run, register: #"{"register":"outside"}"#)
      #expect(other.line() == Self.registered)
    }
    await run.supervisor.stop()
    #expect(!FileManager.default.fileExists(atPath: run.folder("subscribers.sock")))
  }

  @Test func `where its entry's place is taken, that is told, and what is there stays`() async throws {
    let run = try SupervisorRun()
    add(run)
    let file = run.folder.write("file", "mine")
    #expect(unsafe rename(file, run.folder("subscribers.sock")) == 0)
    let reason = try run.wait("a note") {
      if case .note("outside", .noSocket(let reason)) = $0 { reason } else { nil }
    }
    #expect(
      reason.hasSuffix("is there already and is no socket; name another path, or move it away"), "\(reason)")
    await run.supervisor.stop()
    #expect(try String(contentsOfFile: run.folder("subscribers.sock"), encoding: .utf8) == "mine")
  }

  @Test func `its socket is for its owner and group`() async throws {
    let run = try SupervisorRun()
    let attributes = try FileManager.default.attributesOfItem(atPath: run.folder("subscribers.sock"))
    #expect((attributes[.posixPermissions] as? Int) == 0o660)
    await run.supervisor.stop()
  }

  @Test func `without a connection and a command it can't be reached, and that is told once`() async throws {
    let run = try SupervisorRun()
    add(run)
    run.relaunch("outside")
    run.deliver("outside", event: 1)
    let away = SupervisorReport.note(subscriber: "outside", .notConnected)
    try run.wait(for: away)
    #expect(try run.exit("outside") == 69)
    #expect(run.takeSeen { $0 == away })
    run.relaunch("outside")
    #expect(try run.exit("outside") == 69)
    #expect(!run.hasCome(away))
    // It is told when the program has come, also if that comes and goes, once.
    let came = SupervisorReport.event(subscriber: "outside", .registered)
    for isFirst in [true, false] {
      let script = """
        import json, socket
        s = socket.socket(socket.AF_UNIX); s.connect("\(run.folder("subscribers.sock"))"); f = s.makefile()
        s.sendall((json.dumps({"register": "outside"}) + "\\n").encode()); f.readline()
        """
      let program = try LiveProcess("/usr/bin/python3", ["-c", script])
      _ = try registration(run)
      #expect(await program.finish() == 0, "\(program.stderr)")
      if isFirst { try run.wait(for: came) }
    }
    #expect(run.takeSeen { $0 == came })
    #expect(!run.hasCome(came))
    await run.supervisor.stop()
  }

  @Test func `a wake sends the signal that it asked for`() async throws {
    let run = try SupervisorRun()
    add(run)
    let script = """
      import json, signal, socket
      s = socket.socket(socket.AF_UNIX); s.connect("\(run.folder("subscribers.sock"))"); f = s.makefile()
      def say(what): s.sendall((json.dumps(what) + "\\n").encode())
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
      say({"register": "outside", "signal": "USR1"}); f.readline()
      signal.sigwait([signal.SIGUSR1])
      assert json.loads(f.readline())["type"] == "launch"
      say({"ack": json.loads(f.readline())["id"]})
      """
    let program = try LiveProcess("/usr/bin/python3", ["-c", script])
    let pid = try registration(run)
    #expect(pid > 1 && pid != getpid())
    run.wake("outside", event: 3)
    run.deliver("outside", event: 3)
    try run.acknowledged("outside", 3)
    #expect(await program.finish() == 0, "\(program.stderr)")
    #expect(try run.exit("outside") == 0)
    await run.supervisor.stop()
  }

  @Test func `a command brings it, and what waited is told in order`() async throws {
    let run = try SupervisorRun()
    // The command starts the program and is done, as `systemctl start` is.
    let script = """
      import json, os, socket
      s = socket.socket(socket.AF_UNIX); s.connect(os.environ["LOCWATCH_SOCKET"])
      def say(what): s.sendall((json.dumps(what) + "\\n").encode())
      say({"register": "outside"})
      for line in s.makefile():
        event = json.loads(line)
        if "id" in event: say({"ack": event["id"]})
        if event.get("id") == 3: break
      """
    let path = run.folder.write("outside.py", script)
    add(run, command: ["/bin/sh", "-c", "setsid python3 \(path) & [ $LOCWATCH_CAUSE = B4 ]"])
    run.relaunch("outside", event: 1)
    for event in 1...3 { run.deliver("outside", event: event) }
    for event in 1...3 { try run.acknowledged("outside", event) }
    #expect(try run.exit("outside") == 0)
    await run.supervisor.stop()
  }

  @Test func `a command that fails is an exit with its status`() async throws {
    let run = try SupervisorRun()
    add(run, command: ["/bin/sh", "-c", "exit 7"])
    run.relaunch("outside")
    #expect(try run.exit("outside") == 7)
    add(run, command: ["/nonexistent"])
    run.relaunch("outside")
    #expect(try run.exit("outside") == 127)
    await run.supervisor.stop()
  }

  @Test func `a command has pipes of its own, and what it says last is told with its end`() async throws {
    let run = try SupervisorRun()
    let outputs = run.folder("outputs")
    add(
      run,
      command: [
        "/bin/sh", "-c",
        "both=$(readlink /proc/$$/fd/1 /proc/$$/fd/2); echo \"$both\" > \(outputs); echo 'no such host' >&2; exit 7",
      ])
    run.relaunch("outside")
    let end = try run.wait("its end") { report -> ProgramEnd? in
      if case .event("outside", .finished(let end)) = report { end } else { nil }
    }
    #expect(end.status == 7 && end.event == nil && end.lastLine == "no such host")
    #expect(try run.exit("outside") == 7)
    let named = (KernelFile.read(outputs) ?? "").split(separator: "\n")
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2")
    #expect(named.count == 2 && named.allSatisfy { $0.hasPrefix("pipe:") && $0 != own }, "\(named)")
    await run.supervisor.stop()
  }

  @Test func `what a command has left running may still write to its standard error`() async throws {
    let run = try SupervisorRun()
    let (gate, done) = (run.folder("gate"), run.folder("done"))
    let script = "while [ ! -e \(gate) ]; do sleep 0.01; done; echo late >&2; touch \(done)"
    add(run, command: ["/bin/sh", "-c", "setsid sh -c '\(script)' & exit 0"])
    run.relaunch("outside")
    let pid = try run.pid("outside")
    try SupervisorRun.until("the command is gone") { ProcessStatus(of: pid) == nil }
    _ = run.folder.write("gate", "")
    try SupervisorRun.until("the other has written") { FileManager.default.fileExists(atPath: done) }
    await run.supervisor.stop()
  }

  /// A command that goes on until it is told to end and there is a file `end`, and is a failure then; a second one is
  /// none.
  private static func slow(_ run: SupervisorRun, status: Int) -> [String] {
    let (ready, end) = (run.folder("ready"), run.folder("end"))
    return [
      "/bin/sh", "-c",
      """
      [ -e '\(ready)' ] && exit 0
      trap 'while ! [ -e "\(end)" ]; do sleep 0.01; done; exit \(status)' TERM
      : > '\(ready)'; while :; do sleep 0.01; done
      """,
    ]
  }

  @Test(arguments: [0, 7]) func `a command is started anew when the one before has ended`(status: Int)
    async throws
  {
    let run = try SupervisorRun()
    add(run, command: Self.slow(run, status: status))
    run.supervisor.userLaunch("outside")
    let first = try run.pid("outside")
    try SupervisorRun.until("it runs") { KernelFile.read(run.folder("ready")) != nil }
    run.terminate("outside")
    for _ in 1...2 { run.supervisor.userLaunch("outside") }
    run.deliver("outside", event: 5)
    run.supervisor.perform(
      .announce(
        subscriber: "outside", Order.StateNotice(state: .background, reason: .user, graceSeconds: 5)))
    _ = run.folder.write("end", "")
    #expect(try run.pid("outside") != first)
    let client = try Client(run, register: #"{"register":"outside"}"#)
    #expect(client.line() == Self.registered)
    #expect(client.line()?.contains(#""type":"launch","cause":"user""#) == true)
    // It was launched twice before it came.
    #expect(client.line()?.contains(#""type":"launch","cause":"user""#) == true)
    #expect(client.line() == #"{"v":1,"id":5,"type":"region.enter"}"#)
    #expect(client.line()?.contains(#""state":"background""#) == true)
    #expect(!run.seen.contains { if case .event("outside", .exited) = $0 { true } else { false } })
    await run.supervisor.stop()
  }

  @Test(arguments: [Subscriber.Style.socket, .resident])
  func `the command of one that replaces another waits for the end of the other`(style: Subscriber.Style)
    async throws
  {
    let run = try SupervisorRun()
    run.supervisor.add(Subscriber(name: "outside", command: Self.slow(run, status: 0), style: style))
    run.relaunch("outside")
    let first = try run.pid("outside")
    try SupervisorRun.until("it runs") { KernelFile.read(run.folder("ready")) != nil }
    let alive = run.folder("alive")
    add(
      run,
      command: [
        "/bin/sh", "-c", "kill -0 \(first) && echo yes > \(alive) || echo no > \(alive); exec sleep 1000",
      ])
    run.relaunch("outside", event: 2)
    _ = run.folder.write("end", "")
    _ = try run.pid("outside")
    try SupervisorRun.until("it has looked") { KernelFile.read(alive)?.hasSuffix("\n") == true }
    #expect(KernelFile.read(alive) == "no\n")
    // Whoever comes after a crash finds the new one.
    let files = KernelFile.names(in: run.folder("run"), areDirectories: false)
    #expect(files.contains { $0.hasSuffix(RunFile.ending) }, "\(files)")
    await run.supervisor.stop()
  }

  @Test func `a command that goes on is ended with the subscriber`() async throws {
    let run = try SupervisorRun(graceMilliseconds: 50)
    add(run, command: ["/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.01; done"])
    run.relaunch("outside")
    let pid = try run.pid("outside")
    run.terminate("outside")
    try run.wait(for: .note(subscriber: "outside", .ended(status: 0)))
    try SupervisorRun.until("the command has ended") { !SupervisorRun.isAlive(pid) }
    await run.supervisor.stop()
  }

  @Test func `the newer of two of a name takes over`() async throws {
    let run = try SupervisorRun()
    add(run)
    let first = try Client(run, register: #"{"register":"outside"}"#)
    #expect(first.line() == Self.registered)
    run.relaunch("outside", event: 8)
    #expect(first.line()?.contains(#""event":8"#) == true)
    let second = try Client(run, register: #"{"register":"outside"}"#)
    #expect(second.line() == Self.registered)
    #expect(first.isDone())
    #expect(try run.exit("outside") == 0)
    run.relaunch("outside", event: 9)
    #expect(second.line()?.contains(#""event":9"#) == true)
    await run.supervisor.stop()
  }

  /// For the engine it did not run.
  @Test func `the end of one that nobody has called is not told`() async throws {
    let run = try SupervisorRun()
    add(run)
    for _ in 0..<3 {
      let client = try Client(run, register: #"{"register":"outside"}"#)
      #expect(client.line() == Self.registered)
      client.connection.finish()
      #expect(client.isDone())
    }
    let last = try Client(run, register: #"{"register":"outside"}"#)
    #expect(last.line() == Self.registered)
    run.relaunch("outside", event: 9)
    run.deliver("outside", event: 9)
    #expect(last.line()?.contains(#""event":9"#) == true)
    last.connection.send(#"{"done":true}"# + "\n")
    try run.acknowledged("outside", 9)
    #expect(!run.seen.contains { if case .event("outside", .exited) = $0 { true } else { false } })
    await run.supervisor.stop()
  }

  @Test func `a flood, garbage and an endless line hurt nobody else`() async throws {
    let run = try SupervisorRun()
    add(run)
    run.add("other", acknowledging)
    let client = try Client(run, register: #"{"register":"outside"}"#)
    #expect(client.line() == Self.registered)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    let connection = client.connection
    #expect(
      DedicatedThread.start {
        for _ in 0..<160 { connection.send(piece) }
        connection.send("\n")
        for _ in 0..<2_000 { connection.send("{}\n") }
        connection.send(#"{"ack":1}"# + "\n")
      })
    run.relaunch("other", event: 2)
    run.deliver("other", event: 2)
    try run.acknowledgedInAnyOrder("other", 2)
    try run.acknowledgedInAnyOrder("outside", 1)
    try run.noted("outside", .lineTooLong(lines: 1))
    try run.noted("outside", .notUnderstood(lines: 1_024, last: "{"))
    await run.supervisor.stop()
  }
}
