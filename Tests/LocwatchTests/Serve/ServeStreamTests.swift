import Foundation
import TestSupport
import Testing

/// The stream of events that the page and other programs follow.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python here"))
struct ServeStreamTests {
  /// Events that are there already, without the daemon that made them.
  private static let filler = #"""
    import sqlite3, sys
    state = sqlite3.connect(sys.argv[1])
    lines = ((i, "x", 0, ',"id":%d,"type":"x","text":"%s"}' % (i, "y" * 200)) for i in range(1, 6001))
    state.executemany("INSERT OR IGNORE INTO events (id, type, time, line) VALUES (?, ?, ?, ?)", lines)
    state.commit()
    """#

  /// Follows from an id to the last event, reads slowly where that is asked for, and prints what came.
  private static let reader = #"""
    import json, socket, sys, time
    port, token, since, pause = int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
    link = socket.create_connection(("127.0.0.1", port))
    link.sendall((f"GET /api/stream?since={since} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n").encode())
    ids, kind = [], ""
    for line in link.makefile("rb"):
        key, _, value = line.decode().rstrip("\r\n").partition(": ")
        if key == "event": kind = value
        if key == "data" and kind == "record":
            ids.append(json.loads(value)["id"])
            if len(ids) % 1000 == 0: time.sleep(pause)
            if ids[-1] == 6000: break
    print(len(ids), ids == sorted(set(ids)), ids[0], flush=True)
    time.sleep(1000)
    """#

  /// Prints whether a daemon is there, as it is told that.
  private static let watcher = #"""
    import socket, sys
    port, token = int(sys.argv[1]), sys.argv[2]
    link = socket.create_connection(("127.0.0.1", port))
    link.sendall((f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n").encode())
    kind = ""
    for line in link.makefile("rb"):
        key, _, value = line.decode().rstrip("\r\n").partition(": ")
        if key == "event": kind = value
        if key == "data" and kind == "daemon": print(value, flush=True)
    """#

  @Test func `a daemon that does not answer stops nobody, and is told when it goes on`() async throws {
    let run = try DaemonRun.started()
    let server = try await WebServer.start(run)
    run.process?.signal(SIGSTOP)
    let watcher = try LiveProcess(
      "/usr/bin/python3", [run.folder.write("watch.py", Self.watcher), "\(server.port)", server.token])
    #expect(await watcher.wait { $0 == ["false"] }, "\(watcher.stdout) \(watcher.stderr)")
    let status = try await server.ask("GET", "/api/status")
    #expect(status.status == 503 && status.body.contains("does not answer"), "\(status)")
    #expect(try await server.ask("GET", "/page.css").status == 200)
    run.process?.signal(SIGCONT)
    #expect(await watcher.wait { $0 == ["false", "true"] }, "\(watcher.stdout) \(watcher.stderr)")
    let further = try LiveProcess(
      "/usr/bin/python3", [run.folder.write("watch.py", Self.watcher), "\(server.port)", server.token])
    #expect(await further.wait { $0 == ["true"] }, "\(further.stdout) \(further.stderr)")
    further.signal(SIGKILL)
    watcher.signal(SIGKILL)
    server.process.signal(SIGTERM)
    #expect(await server.process.finish() == 0)
    #expect(await run.end() == 0)
  }

  /// Prints the id of each record since the beginning, and the end of the stream.
  private static let lister = #"""
    import json, socket, sys
    port, token = int(sys.argv[1]), sys.argv[2]
    link = socket.create_connection(("127.0.0.1", port))
    link.sendall((f"GET /api/stream?since=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n").encode())
    kind = ""
    for line in link.makefile("rb"):
        key, _, value = line.decode().rstrip("\r\n").partition(": ")
        if key == "event": kind = value
        if key == "data" and kind == "record": print(json.loads(value)["id"], flush=True)
        if key == "data" and kind == "daemon": print(value, flush=True)
    print("end", flush=True)
    """#

  @Test func `a state file that is made later is streamed, and ends the streams where it is replaced`()
    async throws
  {
    let run = try DaemonRun()
    let server = try await WebServer.start(run)
    let script = run.folder.write("list.py", Self.lister)
    let first = try LiveProcess("/usr/bin/python3", [script, "\(server.port)", server.token])
    #expect(await first.wait { $0 == ["false"] }, "\(first.stdout) \(first.stderr)")
    try run.start()
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    #expect(await first.wait { $0.contains { Int($0) != nil } }, "\(first.stdout) \(first.stderr)")
    #expect(await run.end() == 0)
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: run.state + end) }
    try run.start()
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    #expect(await first.wait { $0.last == "end" }, "\(first.stdout) \(first.stderr)")
    let second = try LiveProcess("/usr/bin/python3", [script, "\(server.port)", server.token])
    #expect(await second.wait { $0.contains { Int($0) != nil } }, "\(second.stdout) \(second.stderr)")
    for reader in [first, second] { reader.signal(SIGKILL) }
    server.process.signal(SIGTERM)
    #expect(await server.process.finish() == 0)
    #expect(await run.end() == 0)
  }

  @Test func `who comes back late gets every record, whoever else listens`() async throws {
    let run = try DaemonRun.started()
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    #expect(await run.end() == 0)
    let filled = try await Binary.run(
      [run.folder.write("fill.py", Self.filler), run.state], executable: "/usr/bin/python3")
    try #require(filled.status == 0, "\(filled.stderr)")
    let server = try await WebServer.start(run)
    let script = run.folder.write("read.py", Self.reader)
    // The first has all already and goes on listening; the others come from the past, one of them slowly.
    var readers: [LiveProcess] = []
    for (since, pause, told) in [
      ("5999", "0", "1 True 6000"), ("0", "0", "6000 True 1"), ("10", "0.2", "5990 True 11"),
    ] {
      let reader = try LiveProcess(
        "/usr/bin/python3", [script, "\(server.port)", server.token, since, pause])
      #expect(await reader.wait { $0.contains { $0 == told } }, "\(since): \(reader.stdout) \(reader.stderr)")
      readers.append(reader)
    }
    for reader in readers { reader.signal(SIGKILL) }
    server.process.signal(SIGTERM)
    #expect(await server.process.finish() == 0)
  }
}
