import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Section E from the outside: Examples/phone.py and a real server, through kills of the program and of the daemon.
@Suite(.enabled(if: hasPython, "no Python here")) struct VoipDaemonTests {
  /// Tells each connection and what comes by it; what the test says goes to the last one.
  private static let server = #"""
    import threading
    peers = []
    def hear(peer):
        print("connected", flush=True)
        while True:
            text = peer.recv(100)
            if not text:
                return
            print(repr(text), flush=True)
    def talk():
        for line in sys.stdin:
            peers[-1].sendall(line.encode())
    threading.Thread(target=talk, daemon=True).start()
    while True:
        peer, _ = listener.accept()
        peers.append(peer)
        threading.Thread(target=hear, args=(peer,), daemon=True).start()
    """#

  private static func holds(_ run: DaemonRun) async throws {
    try await run.wait("the socket and the keep-alive") {
      let view = try run.shown("a")
      return view?.session.modes.sockets == ["server"] && view?.session.modes.keepAlive?.seconds == 900
    }
  }

  private static func program(of run: DaemonRun) throws -> Int32 {
    let programs = children(of: run.process?.pid ?? 0)
    return try #require(programs.first)
  }

  @Test func `E2 E4 E5 its server wakes it, it is called in time, and started again when it is killed`()
    async throws
  {
    let run = try DaemonRun()
    let server = try PythonServer(run.folder, Self.server)
    let program = PackageRoot.file("Examples/phone.py")
    try await run.add(
      "a", "exec '\(program)' 127.0.0.1:\(server.port) \"$D/messages\"",
      manifest: "services: []\nmodes: [voip]")
    try await run.startWithFix()
    try await run.wait("its program") { try run.shown("a") != nil }
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    #expect(server.line() == "connected")
    try await Self.holds(run)
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    run.move(0, second: 10)
    try await run.waitFor("a", .suspended)

    // What comes before its processes are stopped, it reads without being woken.
    try await run.wait("the wake") {
      server.say("hello")
      try await Task.sleep(for: .milliseconds(100))
      return try await run.decisions("a").contains("wake E4 traffic")
    }
    #expect(try await run.waitForFile("messages").hasPrefix("hello\n"))
    try await run.waitFor("a", .suspended)
    let show = try await run.command(["subscribers", "show", "a"])
    #expect(show.stdout.contains("server") && show.stdout.contains("900"), "\(show.stdout)")

    run.move(0, second: 905)
    #expect(server.line() == #"b'\r\n\r\n'"#)
    #expect(try await run.decisions("a").contains("wake E2 keep_alive_due"))
    try await run.waitFor("a", .suspended)

    // Killed while it is suspended, it is there again at once.
    let pid = try Self.program(of: run)
    #expect(kill(pid, SIGKILL) == 0)
    #expect(server.line() == "connected")
    try await Self.holds(run)
    #expect(try await run.decisions("a").contains("relaunch E5 exit_failed"))

    await run.end(SIGKILL)
    try run.start(run.settings())
    run.move(0, second: 920)
    #expect(server.line() == "connected")
    try await Self.holds(run)

    #expect(try await run.command(["subscribers", "quit", "a"]).status == 0)
    try await run.waitFor("a", .notRunning)
    let fixes = try run.storedFixes()
    run.move(0, second: 2_000)
    try await run.waitForFixes(fixes + 1)
    #expect(try run.state(of: "a") == .notRunning)
    #expect(await run.end() == 0)
    server.end()
  }
}
