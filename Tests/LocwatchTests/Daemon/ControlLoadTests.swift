import Foundation
import TestSupport
import Testing

@testable import LocationRuntime

/// Clients of the control socket that do what they should not: fixes go on, and other clients are answered.
@Suite struct ControlLoadTests {
  private static func report(_ index: Int) -> String {
    ScriptedGPSD.report(second: index, latitude: 48 + 0.0002 * Double(index))
  }

  /// Feeds fixes while something is going on, and asks for the status: both have to come through.
  private func expectService(_ run: DaemonRun, from first: Int) async throws {
    for index in first..<(first + 5) { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(first + 5)
    let status = try await run.command(["status", "--json"])
    #expect(status.stdout.contains(#""pid":"#), "\(status.stdout) \(status.stderr)")
  }

  @Test func `silent clients give their places to those that ask`() async throws {
    let run = try DaemonRun.started()
    var silent: [StreamSocket] = []
    for _ in 0..<(2 * DaemonLimits.clients) {
      guard let client = try? StreamSocket(path: run.state + ".control") else { break }
      silent.append(client)
    }
    #expect(silent.count >= DaemonLimits.clients)
    try await expectService(run, from: 0)
    // All of them are closed in the end.
    try await run.wait("their end") { silent.allSatisfy { $0.receive() == nil } }
    try await expectService(run, from: 5)
    #expect(await run.end() == 0)
  }

  @Test func `a megabyte of newlines is passed over`() async throws {
    let run = try DaemonRun.started()
    let client = try StreamSocket(path: run.state + ".control")
    var left = 1 << 20
    // Blank lines ask for nothing: on a busy machine the client may be closed for being silent.
    try await run.wait("the newlines") {
      left -= client.send(repeatElement(UInt8(ascii: "\n"), count: min(left, 65_536)))
      return left == 0 || client.receive() == nil
    }
    try await expectService(run, from: 0)
    #expect(client.receive()?.isEmpty ?? true)
    #expect(await run.end() == 0)
  }

  @Test func `requests that come all at once are answered in order, between fixes`() async throws {
    let run = try DaemonRun.started()
    let client = try StreamSocket(path: run.state + ".control")
    let count = 2_000
    var requests: [UInt8] = []
    for index in 0..<count {
      requests += (index % 2 == 0 ? "{\"do\":\"region-states\",\"ids\":[]}\n" : "what\n").utf8
    }
    var answers: [UInt8] = []
    func talk() async throws {
      try await run.wait("the answers") {
        requests.removeFirst(client.send(requests.prefix(65_536)))
        answers += client.receive(seconds: 0.1) ?? []
        return answers.count { $0 == UInt8(ascii: "\n") } == count
      }
    }
    requests.removeFirst(client.send(requests.prefix(65_536)))
    try await expectService(run, from: 0)
    try await talk()
    for (index, line) in answers.split(separator: UInt8(ascii: "\n")).enumerated() {
      let isAnswer = String(decoding: line, as: UTF8.self).contains(#""ok":true"#)
      #expect(isAnswer == (index % 2 == 0), "\(index)")
    }
    #expect(await run.end() == 0)
  }

  @Test(arguments: [
    (#"{"do":"status"}{"do":"status"}"#, "not a request"),
    (#"{"do":"ack","id":1,"subscriber":7}"#, "subscriber"),
    (#"{"do":"regions","ids":3}"#, "ids"),
  ])
  func `a request with more behind it, or a value of another type, is refused`(line: String, word: String)
    async throws
  {
    let run = try DaemonRun.started()
    let answer = try run.ask(line)
    #expect(answer.contains(#""error":{"code":6"#) && answer.contains(word), "\(answer)")
    #expect(await run.end() == 0)
  }

  @Test func `a request without an end is not kept`() async throws {
    let run = try DaemonRun.started()
    let client = try StreamSocket(path: run.state + ".control")
    try await run.wait("its end") {
      client.send(repeatElement(UInt8(ascii: "x"), count: 65_536))
      return client.receive() == nil
    }
    try await expectService(run, from: 0)
    #expect(await run.end() == 0)
  }

  @Test func `places are left for commands however many clients follow`() async throws {
    let run = try DaemonRun.started()
    var followers: [StreamSocket] = []
    for _ in 0..<DaemonLimits.followers {
      let client = try StreamSocket(path: run.state + ".control")
      client.send("{\"do\":\"follow\"}\n".utf8)
      #expect(client.receive(seconds: TestPatience.seconds)?.isEmpty == false)
      followers.append(client)
    }
    let last = try StreamSocket(path: run.state + ".control")
    last.send("{\"do\":\"follow\"}\n".utf8)
    let answer = String(decoding: last.receive(seconds: TestPatience.seconds) ?? [], as: UTF8.self)
    #expect(answer.contains("follow already"), "\(answer)")
    try await expectService(run, from: 0)
    #expect(await run.end() == 0)
  }

  @Test func `without descriptors it rests, says why, and goes on when there are some`() async throws {
    let run = try DaemonRun()
    // What it needs itself and a few more.
    try run.start(through: ["/usr/bin/prlimit", "--nofile=56", "--"])
    var clients: [StreamSocket] = []
    for _ in 0..<64 {
      guard let client = try? StreamSocket(path: run.state + ".control") else { break }
      client.send("{\"do\":\"follow\"}\n".utf8)
      clients.append(client)
    }
    try await run.wait("the message") {
      run.process?.stderr.contains("no file descriptors are left") == true
    }
    let pid = try #require(run.process?.pid)
    let before = ProcessStatus(of: pid)?.coreSeconds ?? 0
    try await Task.sleep(for: .seconds(2))
    #expect((ProcessStatus(of: pid)?.coreSeconds ?? 0) - before < 1)
    clients.removeAll()
    try await expectService(run, from: 0)
    #expect(await run.end() == 0)
  }

  @Test func `the daemon may open as many files as the machine allows, its programs as many as before`()
    async throws
  {
    let run = try DaemonRun()
    try await run.add("one", #"ulimit -n > "$D/limit"; serve"#)
    try run.start(run.settings(), through: ["/usr/bin/prlimit", "--nofile=256:2048", "--"])
    run.move(0, second: 0)
    #expect(try await run.waitForFile("limit") == "256\n")
    let limits = KernelFile.read("/proc/\(run.process?.pid ?? 0)/limits") ?? ""
    let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
    #expect(line?.split(separator: " ").dropFirst(3).first == "2048", "\(limits)")
    #expect(await run.end() == 0)
  }
}
