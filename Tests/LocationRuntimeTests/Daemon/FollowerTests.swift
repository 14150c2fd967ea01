import Glibc
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// What those who follow the events are told over the control socket.
@Suite final class FollowerTests {
  private let folder: TemporaryFolder
  private var socket: ControlSocket
  private let follower: Connection
  private static let now = EngineInstant(microseconds: 0)

  init() throws {
    folder = TemporaryFolder()
    socket = try ControlSocket(ControlAddress(path: folder("control")))
    follower = try Connection(path: folder("control"))
  }

  /// Lets the socket do what it can at once; who asked what.
  private func turn(at now: EngineInstant = FollowerTests.now) -> [ControlSocket.Question] {
    var polled = PollSet()
    socket.watch(&polled, at: now)
    polled.wait(atMost: 0)
    return socket.serve(polled, at: now)
  }

  private func follow() throws {
    #expect(follower.send("{\"do\":\"follow\"}\n"))
    #expect(turn().isEmpty)
    let question = try #require(turn().first)
    #expect(try question.request.get()["do"]?.string == "follow")
    try socket.follow(question.client)
  }

  private static func news(_ id: Int, bytes: Int = 10) -> EventNews {
    EventNews(
      after: id - 1, newest: id, count: 1, lines: Array("\(String(repeating: "x", count: bytes))\n".utf8))
  }

  @Test func `a socket whose folder was removed is there again once the folder is`() throws {
    let home = folder("run")
    try #require(unsafe mkdir(home, 0o700) == 0)
    socket = try ControlSocket(ControlAddress(path: home + "/control"))
    try #require(unsafe unlink(home + "/control") == 0 && rmdir(home) == 0)
    func takeTrouble() -> String? {
      var polled = PollSet()
      socket.watch(&polled, at: Self.now)
      #expect(polled.wait(atMost: 60_000) == 1)
      _ = socket.serve(polled, at: Self.now)
      return socket.takeTrouble()
    }
    #expect(takeTrouble()?.contains("commands do not find the daemon") == true)
    #expect(takeTrouble() == nil, "it is told once")
    try #require(unsafe mkdir(home, 0o700) == 0)
    #expect(takeTrouble()?.contains("is there again") == true)
    #expect(ControlAddress(path: home + "/control").probe() == 0)
    socket.close()
  }

  @Test func `a socket whose entry was removed is there again, and keeps its clients`() throws {
    try follow()
    try #require(unsafe unlink(folder("control")) == 0)
    #expect(turn().isEmpty)
    let told = socket.takeTrouble()
    #expect(told?.contains("is there again") == true)
    let other = try Connection(path: folder("control"))
    #expect(other.send("{\"do\":\"status\"}\n"))
    #expect(turn().isEmpty)
    #expect(turn().count + turn().count == 1)
    socket.tellFollowers(Self.news(1), at: Self.now)
    #expect(follower.receive() != nil)
    // The new one is watched as well.
    try #require(unsafe rename(folder("control"), folder("elsewhere")) == 0)
    #expect(turn().isEmpty)
    #expect(ControlAddress(path: folder("control")).probe() == 0)
    socket.close()
  }

  @Test func `nobody is closed for a client that is not there`() throws {
    var clients = [follower]
    while clients.count < DaemonLimits.clients - 1 { clients.append(try Connection(path: folder("control"))) }
    #expect(turn().isEmpty)
    clients.append(try Connection(path: folder("control")))
    #expect(turn(at: Self.now.advanced(bySeconds: DaemonLimits.evictionSeconds + 1)).isEmpty)
    #expect(clients.allSatisfy { $0.send("\n") })
    socket.close()
  }

  @Test func `news come with their records`() throws {
    try follow()
    socket.tellFollowers(
      EventNews(after: 3, newest: 9, count: 2, lines: Array("{\"id\":5}\n{\"id\":9}\n".utf8)), at: Self.now)
    let text = try #require(follower.receive())
    #expect(text == "{\"v\":1,\"newest\":9,\"after\":3,\"records\":2}\n{\"id\":5}\n{\"id\":9}\n")
    let first = text.split(separator: "\n")[0]
    let read = try #require(EventNews(line: Array(first.utf8)))
    #expect(read.after == 3 && read.newest == 9 && read.count == 2)
  }

  @Test func `too many records are left in the database`() {
    #expect(Self.news(7, bytes: 65_535).count == 1)
    let large = Self.news(7, bytes: 65_536)
    #expect(String(decoding: large.bytes, as: UTF8.self) == "{\"v\":1,\"newest\":7}\n")
    #expect(EventNews(line: large.bytes)?.count == 0)
    #expect(EventNews(line: Array("{\"v\":1,\"ok\":true}".utf8)) == nil)
  }

  @Test func `who did not read for a while is told only that there is more`() throws {
    try follow()
    for id in 1...100 { socket.tellFollowers(Self.news(id, bytes: 50_000), at: Self.now) }
    var text = ""
    while !text.hasSuffix("{\"v\":1,\"newest\":100}\n") {
      text += try #require(follower.receive())
      _ = turn()
    }
    let told = text.split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(told.count > 2 && told.count < 100)
    for (index, line) in told.dropLast().enumerated() {
      #expect(line == "{\"v\":1,\"newest\":\(index + 1),\"after\":\(index),\"records\":1}")
    }
    // From then on as before.
    socket.tellFollowers(Self.news(101), at: Self.now)
    #expect(follower.receive()?.hasPrefix("{\"v\":1,\"newest\":101,\"after\":100,\"records\":1}") == true)
  }

  @Test func `clients that ask and read nothing lose their places to one that asks`() throws {
    var greedy: [Connection] = []
    for _ in 1..<DaemonLimits.clients {
      greedy.append(try Connection(path: folder("control")))
      #expect(greedy.last?.send("{\"do\":\"status\"}\n{\"do\":\"status\"}\n") == true)
      _ = turn()
    }
    func answerAll(at second: Double) -> [ControlSocket.Question] {
      let now = Self.now.advanced(bySeconds: second)
      let questions = turn(at: now)
      for question in questions {
        socket.answer(question.client, [UInt8](repeating: 0x20, count: 1 << 19), at: now)
      }
      return questions
    }
    while !answerAll(at: 0).isEmpty {}
    // All places are taken: by the follower, which is silent and goes first, and by those.
    let places = (0..<3).compactMap { _ in try? Connection(path: folder("control")) }
    #expect(places.count == 3)
    for client in places { #expect(client.send("{\"do\":\"status\"}\n")) }
    for step in 0..<3 { _ = answerAll(at: 0.3 * Double(step)) }
    var asked = 0
    for step in 0..<6 { asked += answerAll(at: 1.5 + 0.1 * Double(step)).count }
    #expect(asked == 3)
  }
}
