import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// Rule E4: sockets of real programs, which are watched while those are suspended. Each program is in Python, and speaks
/// to a server that this test runs.
@Suite(.serialized, .enabled(if: hasPython, "no Python here")) struct HeldSocketTests {
  /// What each program begins with: it connects, passes its socket, and can read all that has come.
  private static let prelude = #"""
    import json, os, socket, sys, time
    def say(answer):
        print(json.dumps(answer), flush=True)
    channel = socket.socket(fileno=int(os.environ["LOCWATCH_FD"]))
    def tag(name, other):
        socket.send_fds(channel, [json.dumps({"tag": name}).encode()], [other.fileno()])
    def lines():
        for line in sys.stdin:
            yield json.loads(line)
    """#

  private static func start(_ run: SupervisorRun, _ script: String, _ arguments: [String]) throws {
    let path = run.folder("program.py")
    try (prelude + "\n" + script).write(toFile: path, atomically: true, encoding: .utf8)
    run.supervisor.add(
      Subscriber(name: "a", command: ["/usr/bin/python3", path] + arguments, modes: .voip))
    run.relaunch("a")
  }

  /// Waits for the tag and does what the engine does, then suspends the program.
  private static func hold(_ run: SupervisorRun, _ tags: [String]) throws {
    for tag in tags {
      try run.wait(for: .event(subscriber: "a", .mode(.tag(tag))))
      run.supervisor.perform(.keep(subscriber: "a", tag: tag))
    }
    run.suspend("a")
    _ = try run.suspension("a")
  }

  private static func traffic(_ run: SupervisorRun) throws -> (tag: String, bytes: Int?, lost: Int?) {
    try run.wait("traffic") {
      if case .event("a", .mode(.traffic(let tag, let bytes, let lost))) = $0 {
        (tag, bytes, lost)
      } else {
        nil
      }
    }
  }

  private static func hasTraffic(_ run: SupervisorRun) -> Bool {
    run.allSoFar.contains { if case .event("a", .mode(.traffic)) = $0 { true } else { false } }
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `E4 a megabyte that comes while the program is frozen wakes it, and none of it is lost`(
    way: SupervisorRun.Way
  ) async throws {
    let run = try SupervisorRun(way)
    let server = try PythonServer(
      run.folder,
      #"""
      peer, _ = listener.accept()
      sys.stdin.readline()
      block = bytes(range(256)) * 4096
      peer.sendall(block)
      sys.stdin.readline()
      """#)
    try Self.start(
      run,
      #"""
      import hashlib
      server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      tag("sip", server)
      digest, count = hashlib.sha256(), 0
      for event in lines():
          if "id" in event:
              while count < 1 << 20:
                  piece = server.recv(65536)
                  digest.update(piece)
                  count += len(piece)
              open(sys.argv[2], "w").write("%d %s" % (count, digest.hexdigest()))
              say({"ack": event["id"]})
      """#, [server.port, run.folder("sum")])
    try Self.hold(run, ["sip"])
    #expect(!Self.hasTraffic(run))
    server.say()
    let traffic = try Self.traffic(run)
    #expect(traffic.tag == "sip")
    #expect(try #require(traffic.bytes) > 0)
    #expect(KernelFile.read(run.folder("sum")) == nil, "it is suspended")
    run.wake("a", event: 7)
    run.deliver("a", event: 7)
    try run.acknowledged("a", 7)
    let sum = "1048576 fbbab289f7f94b25736c58be46a994c441fd02552cc6022352e3d86d2fab7c83"
    #expect(KernelFile.read(run.folder("sum")) == sum)
    server.end()
    await run.supervisor.stop()
  }

  @Test func `E4 what a program reads between the order to suspend it and its stop wakes it`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let server = try PythonServer(
      run.folder,
      #"""
      peer, _ = listener.accept()
      sys.stdin.readline()
      peer.sendall(b"one line\n")
      sys.stdin.readline()
      """#)
    try Self.start(
      run,
      #"""
      import threading
      server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      def read_all():
          while server.recv(65536):
              pass
      threading.Thread(target=read_all, daemon=True).start()
      tag("sip", server)
      for event in lines():
          if "id" in event:
              say({"ack": event["id"]})
      """#, [server.port])
    try run.wait(for: .event(subscriber: "a", .mode(.tag("sip"))))
    run.supervisor.perform(.keep(subscriber: "a", tag: "sip"))
    run.suspend("a")
    // That it is measured tells that the suspension before it is ordered.
    run.supervisor.measure("a")
    _ = try run.wait("usage") { if case .usage("a", _) = $0 { true } else { nil } }
    // The program reads this until it is stopped. Where it comes later it is left, which wakes it as well.
    server.say()
    #expect(try Self.traffic(run).tag == "sip")
    run.wake("a", event: 2)
    run.deliver("a", event: 2)
    try run.acknowledged("a", 2)
    server.end()
    await run.supervisor.stop()
  }

  @Test func `E4 a held socket of which the program read something before its stop has traffic`() throws {
    let (far, near) = try Descriptor.pair()
    let sockets = HeldSockets(channel: nil)
    sockets.arrive(Descriptor(dup(near.number)))
    let asked = sockets.tag("sip", of: "a")
    #expect(asked == .event(subscriber: "a", .mode(.tag("sip"))))
    #expect(sockets.keep("sip"))
    #expect(unsafe write(far.number, "ab", 2) == 2)
    sockets.watch(at: 0)
    #expect(sockets.readBeforeStop(of: "a") == [])
    var byte: UInt8 = 0
    #expect(unsafe read(near.number, &byte, 1) == 1)
    let traffic = SupervisorReport.event(subscriber: "a", .mode(.traffic(tag: "sip", bytes: 1, lost: nil)))
    #expect(sockets.readBeforeStop(of: "a") == [traffic])
    #expect(sockets.readBeforeStop(of: "a") == [], "it is told once")
  }

  @Test func `E4 of sockets with something to read each is told of in turn`() throws {
    let sockets = HeldSockets(channel: nil)
    var far: [Descriptor] = []
    for tag in ["p", "q", "r"] {
      let (other, near) = try Descriptor.pair()
      #expect(unsafe write(other.number, "x", 1) == 1)
      far.append(other)
      sockets.arrive(near)
      _ = sockets.tag(tag, of: "a")
      #expect(sockets.keep(tag))
    }
    // Nothing is read. Two further times each is told of when its wait is over.
    var now: Int64 = 0
    var told: [String] = []
    for _ in 1...9 {
      sockets.watch(at: now)
      if sockets.watched(at: now).isEmpty { now = sockets.deadline(at: now) ?? now }
      let due = sockets.watched(at: now).map(\.tag)
      told += due.filter { sockets.traffic($0, of: "a") != nil }
      #expect(sockets.watched(at: now).isEmpty, "the others wait for the next suspension")
      sockets.stopWatching()
    }
    #expect(told == ["p", "q", "r", "p", "q", "r", "p", "q", "r"])
    #expect(now == 9_000, "not before its wait is over")
  }

  @Test func `a watched socket tells whether something was read of it that was there`() throws {
    let (far, near) = try Descriptor.pair()
    var socket = WatchedSocket(near)
    #expect(unsafe write(far.number, "ab", 2) == 2)
    #expect(!socket.wasRead)
    socket.watch(at: 0)
    #expect(!socket.wasRead)
    #expect(unsafe write(far.number, "cd", 2) == 2)
    #expect(!socket.wasRead, "what comes is no news here: poll tells of it")
    var bytes = [UInt8](repeating: 0, count: 3)
    #expect(unsafe read(near.number, &bytes, 3) == 3)
    #expect(socket.wasRead)
    socket.note()
    #expect(!socket.wasRead)
  }

  @Test func `E4 that the peer has hung up is told once, and what it left unread again`() throws {
    for left in ["", "ab"] {
      let (far, near) = try Descriptor.pair()
      var socket = WatchedSocket(near)
      #expect(unsafe write(far.number, left, left.utf8.count) == left.utf8.count)
      shutdown(far.number, Int32(SHUT_RDWR))
      socket.watch(at: 0)
      #expect(socket.isDue(at: 0))
      socket.note()
      socket.watch(at: 10)
      #expect(!socket.isDue(at: 10))
      #expect(socket.isDue(at: 400_000) == !left.isEmpty)
      #expect((socket.quietUntil == nil) == left.isEmpty)
    }
  }

  /// Both sides of a connection of TCP.
  private static func connection() throws -> (near: Descriptor, far: Connection) {
    let listener = try Listener()
    let near = Descriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(listener.port).bigEndian
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(near.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
    return (near, try #require(listener.accept()))
  }

  @Test func `E4 that a peer of TCP has hung up is told once`() throws {
    var (near, far): (Descriptor, Connection?) = try Self.connection()
    var watched = WatchedSocket(near)
    watched.watch(at: 0)
    #expect(far != nil && PollSet.wait(for: HeldSockets.events, on: near.number, atMost: 0) == 0)
    far = nil
    #expect(PollSet.wait(for: HeldSockets.events, on: near.number, atMost: 60_000) != 0)
    #expect(watched.isDue(at: 0))
    #expect(watched.newBytes == 0)
    watched.note()
    watched.watch(at: 10)
    #expect(!watched.isDue(at: 400_000))
  }

  @Test func `E4 what comes once all was read is no remainder, though it is as much`() throws {
    let (near, far) = try Self.connection()
    var watched = WatchedSocket(near)
    func comes() { #expect(PollSet.wait(for: HeldSockets.events, on: near.number, atMost: 60_000) != 0) }
    for isRead in [true, false] {
      far.send("four")
      comes()
      watched.watch(at: 0)
      watched.note()
      if isRead {
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(unsafe read(near.number, &bytes, 4) == 4)
        far.send("more")
        comes()
      }
      watched.watch(at: 0)
      #expect((watched.quietUntil == nil) == isRead)
    }
  }

  @Test func `M6 bytes left unread are counted once`() throws {
    let (far, near) = try Descriptor.pair()
    var socket = WatchedSocket(near)
    #expect(unsafe write(far.number, "ab", 2) == 2)
    for new in [2, 0, 3, 0] {
      if new == 3 { #expect(unsafe write(far.number, "cde", 3) == 3) }
      socket.watch(at: 0)
      #expect(socket.newBytes == new)
      socket.note()
    }
  }

  @Test func `E4 it is not watched while the program runs, and each suspension watches it anew`() async throws
  {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let server = try PythonServer(
      run.folder,
      #"""
      peer, _ = listener.accept()
      for line in sys.stdin:
          peer.sendall(b"one line\n")
      """#)
    try Self.start(
      run,
      #"""
      server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      tag("sip", server)
      heard = server.makefile("r")
      for event in lines():
          if "id" in event:
              say({"begin_task": heard.readline().strip()})
              say({"ack": event["id"]})
      """#, [server.port])
    try Self.hold(run, ["sip"])
    for event in 2...3 {
      server.say()
      _ = try Self.traffic(run)
      run.wake("a", event: event)
      run.deliver("a", event: event)
      try run.wait(for: .event(subscriber: "a", .beginTask(name: "one line")))
      try run.acknowledged("a", event)
      // It runs, and reads by itself.
      server.say()
      run.deliver("a", event: event + 10)
      try run.wait(for: .event(subscriber: "a", .beginTask(name: "one line")))
      try run.acknowledged("a", event + 10)
      run.suspend("a")
      _ = try run.suspension("a")
    }
    #expect(!Self.hasTraffic(run))
    server.end()
    // The peer has hung up: that wakes, too.
    #expect(try Self.traffic(run).bytes == 0)
    await run.supervisor.stop()
  }

  @Test func `E4 what a program leaves unread wakes it again, after a wait`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let server = try PythonServer(
      run.folder,
      "peer, _ = listener.accept()\nsys.stdin.readline()\npeer.sendall(b'x')\nsys.stdin.readline()")
    try Self.start(
      run,
      #"""
      server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      tag("sip", server)
      for event in lines():
          if "id" in event:
              say({"ack": event["id"]})
      """#, [server.port])
    try Self.hold(run, ["sip"])
    server.say()
    #expect(try Self.traffic(run).bytes == 1)
    for event in 2...3 {
      run.wake("a", event: event)
      run.deliver("a", event: event)
      try run.acknowledged("a", event)
      let before = MonotonicTime.milliseconds
      run.suspend("a")
      #expect(try Self.traffic(run).bytes == 0, "what was told once is not counted again")
      #expect(MonotonicTime.milliseconds - before >= (event == 2 ? 900 : 1_800))
    }
    server.end()
    await run.supervisor.stop()
  }

  @Test(arguments: SupervisorRun.Way.here)
  func `K6 a suspended program that listens at a port is told of once, unless that socket is kept`(
    way: SupervisorRun.Way
  ) async throws {
    let run = try SupervisorRun(way)
    let script = #"""
      kept = socket.create_server(("127.0.0.1", 0))
      other = socket.create_server(("127.0.0.1", 0))
      open(sys.argv[1], "w").write("%d" % other.getsockname()[1])
      tag("kept", kept)
      for line in lines(): pass
      """#
    try Self.start(run, script, [run.folder("port")])
    try Self.hold(run, ["kept"])
    let ports = try run.wait("the port") {
      if case .note("a", .listens(let ports)) = $0 { ports } else { nil }
    }
    #expect(try String(contentsOfFile: run.folder("port"), encoding: .utf8) == "\(ports.first ?? 0)")
    #expect(ports.count == 1)
    try run.wait(for: .event(subscriber: "a", .mode(.listens)))
    run.wake("a", event: 1)
    run.suspend("a")
    _ = try run.suspension("a")
    run.supervisor.measure("a")
    _ = try run.wait("usage") { if case .usage("a", _) = $0 { true } else { nil } }
    #expect(
      (run.seen + run.allSoFar).count { if case .note("a", .listens) = $0 { true } else { false } } == 1)
    await run.supervisor.stop()
  }

  @Test func `K6 a table of the kernel names the sockets that listen`() {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 0 100 0 0 10 0
         1: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 678 1 0
         2: 0100007F:1F91 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 12346 1 0 20 4 30 10 -1
         3: 0100007F:1F92 00000000:0000 0A 000000
      """
    #expect(
      ListeningSocket.listening(table) == [
        ListeningSocket(fileNumber: 12_345, port: 8080), ListeningSocket(fileNumber: 678, port: 22),
      ])
    #expect(ListeningSocket.listening("") == [])
  }

  @Test func `E4 one that listens, and one of datagrams, whose losses are counted`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    try Self.start(
      run,
      #"""
      listener = socket.create_server(("127.0.0.1", 0))
      datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
      datagrams.bind(("127.0.0.1", 0))
      open(sys.argv[1], "w").write("%d %d" % (listener.getsockname()[1], datagrams.getsockname()[1]))
      tag("calls", listener)
      tag("media", datagrams)
      for event in lines():
          if "id" in event:
              say({"begin_task": "accepted" if listener.accept() else "no"})
              say({"ack": event["id"]})
      """#, [run.folder("ports")])
    try Self.hold(run, ["calls", "media"])
    let ports = (KernelFile.read(run.folder("ports")) ?? "").split(separator: " ").map(String.init)
    let client = try PythonClient(
      run.folder, "socket.create_connection(('127.0.0.1', int(sys.argv[1]))); sys.stdin.readline()",
      [ports[0]])
    let call = try Self.traffic(run)
    #expect(call.tag == "calls" && call.lost == nil)
    let flood = try PythonClient(
      run.folder,
      #"""
      other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      for number in range(200):
          other.sendto(b"y" * 200, ("127.0.0.1", int(sys.argv[1])))
      """#, [ports[1]])
    flood.wait()
    run.wake("a", event: 2)
    run.deliver("a", event: 2)
    try run.wait(for: .event(subscriber: "a", .beginTask(name: "accepted")))
    try run.acknowledged("a", 2)
    run.suspend("a")
    // The call alone has woken it. The datagrams are still there; what had no room is counted.
    let media = try Self.traffic(run)
    #expect(media.tag == "media")
    #expect(try #require(media.lost) > 100)
    client.end()
    await run.supervisor.stop()
  }

  @Test func `E4a when the program is killed, its peer sees that`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let server = try PythonServer(
      run.folder, "peer, _ = listener.accept()\nprint(len(peer.recv(10)), flush=True)")
    try Self.start(
      run,
      "server = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\ntag('sip', server)\nfor event in lines(): pass",
      [server.port])
    try Self.hold(run, ["sip"])
    run.terminate("a")
    _ = try run.end("a")
    #expect(server.line() == "0")
    await run.supervisor.stop()
  }

  @Test func `E4 what is no socket, or comes without one, is refused; what the engine refuses is closed`()
    async throws
  {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let server = try PythonServer(
      run.folder, "peer, _ = listener.accept()\nprint(len(peer.recv(10)), flush=True)")
    try Self.start(
      run,
      #"""
      tag("file", open("/dev/null"))
      channel.send(b'{"tag":"none"}')
      channel.send(b'nonsense')
      server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      tag("sip", server)
      server.close()
      for event in lines():
          say({"begin_task": json.dumps(event)})
      """#, [server.port])
    for _ in 1...3 { try run.wait(for: .request(subscriber: "a", .invalid("tag"))) }
    try run.wait(for: .event(subscriber: "a", .mode(.tag("sip"))))
    run.supervisor.answer("a", .refused(what: "tag", reason: "no_mode"))
    #expect(server.line() == "0", "nobody holds it any more")
    _ = try run.wait("the refusal") {
      if case .event("a", .beginTask(let text)) = $0, text.contains("no_mode") { true } else { nil }
    }
    await run.supervisor.stop()
  }

  @Test func `E4 a program of the style socket passes them with its lines`() async throws {
    let run = try SupervisorRun()
    run.supervisor.add(Subscriber(name: "a", style: .socket, modes: .voip))
    let server = try PythonServer(
      run.folder,
      "peer, _ = listener.accept()\nsys.stdin.readline()\npeer.sendall(b'hello')\nsys.stdin.readline()")
    let client = try PythonClient(
      run.folder,
      #"""
      daemon = socket.socket(socket.AF_UNIX)
      daemon.connect(sys.argv[1])
      daemon.sendall(b'{"register":"a"}\n')
      told = daemon.makefile("r")
      told.readline()
      server = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
      socket.send_fds(daemon, [b'{"tag":"sip"}\n'], [server.fileno()])
      print(told.readline().strip(), flush=True)
      sys.stdin.readline()
      """#, [run.folder("subscribers.sock"), server.port])
    try run.wait(for: .event(subscriber: "a", .mode(.tag("sip"))))
    run.supervisor.perform(.keep(subscriber: "a", tag: "sip"))
    #expect(client.line() == #"{"tag":"sip"}"#)
    run.suspend("a")
    server.say()
    let traffic = try Self.traffic(run)
    #expect(traffic.tag == "sip" && traffic.bytes == 5)
    client.end()
    await run.supervisor.stop()
  }

  /// TLS by Python's own module: nothing of it is known here, so it can be kept as any other stream.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "no openssl here"))
  func `E4 a TLS connection is kept, and goes on after the freeze`() async throws {
    let run = try SupervisorRun(SupervisorRun.Way.here[0])
    let make = Process()
    make.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    make.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", run.folder("key"),
      "-out",
      run.folder("cert"),
    ]
    make.standardError = FileHandle.nullDevice
    try make.run()
    make.waitUntilExit()
    let server = try PythonServer(
      run.folder,
      #"""
      import ssl
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("CERT", "KEY")
      peer = context.wrap_socket(listener.accept()[0], server_side=True)
      peer.sendall(b"welcome\n")
      sys.stdin.readline()
      peer.sendall(b"z" * 100000 + b"\n")
      print(peer.recv(100).decode().strip(), flush=True)
      """#.replacingOccurrences(of: "CERT", with: run.folder("cert"))
        .replacingOccurrences(of: "KEY", with: run.folder("key")))
    try Self.start(
      run,
      #"""
      import ssl
      context = ssl.create_default_context(cafile=sys.argv[2])
      server = context.wrap_socket(
          socket.create_connection(("127.0.0.1", int(sys.argv[1]))), server_hostname="localhost")
      heard = server.makefile("r")
      heard.readline()
      tag("tls", server)
      for event in lines():
          if "id" in event:
              say({"begin_task": str(len(heard.readline()))})
              server.sendall(b"thanks\n")
              say({"ack": event["id"]})
      """#, [server.port, run.folder("cert")])
    try Self.hold(run, ["tls"])
    server.say()
    #expect(try Self.traffic(run).tag == "tls")
    run.wake("a", event: 2)
    run.deliver("a", event: 2)
    try run.wait(for: .event(subscriber: "a", .beginTask(name: "100001")))
    try run.acknowledged("a", 2)
    #expect(server.line() == "thanks")
    await run.supervisor.stop()
  }
}

extension SupervisorRun {
  /// Everything that has come and was not waited for.
  var allSoFar: [SupervisorReport] {
    takeWhatCame()
    return pending
  }
}
