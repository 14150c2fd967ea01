import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats

/// Events on their way from a real daemon to a real HTTP server.
@Suite struct WebhookTests {
  /// Each report is a significant change: 600 m further, 10 s later.
  private static func report(_ index: Int) -> String {
    ScriptedGPSD.report(second: 10 * index, latitude: -85 + 0.0054 * Double(index))
  }

  private func settings(_ run: DaemonRun) -> String {
    run.folder.write("c.yaml", "significant_change: {window_s: 5}\n")
  }

  /// A file with a secret that only its owner may read.
  private func secrets(_ run: DaemonRun, _ more: String = "", mode: mode_t = 0o600) throws -> String {
    let path = run.folder.write("secrets.yaml", "secret: \(WebhookEndpoint.secret)\n\(more)")
    try #require(unsafe chmod(path, mode) == 0)
    return path
  }

  private func add(_ run: DaemonRun, _ endpoint: WebhookEndpoint, _ more: [String] = []) async throws {
    let added = try await run.command(
      ["outlets", "add", "hook", "--webhook", endpoint.url, "--types", "significant"] + more)
    #expect(added.status == 0, "\(added.stderr)")
  }

  /// The ids of the significant changes in the state file.
  private func changes(_ run: DaemonRun) async throws -> [Int] {
    try await run.events().filter { $0.contains(#""type":"significant""#) }.compactMap { line in
      line.split(separator: ",").first { $0.hasPrefix(#""id":"#) }.flatMap { Int($0.dropFirst(5)) }
    }
  }

  private func ids(_ endpoint: WebhookEndpoint) -> [Int] {
    endpoint.requests.compactMap { $0.tree?["data"]?["id"]?.integer }
  }

  private func status(_ run: DaemonRun) async throws -> JSONTree {
    let output = try await run.command(["status", "--json"]).stdoutBytes
    var reader = JSONReader(output)
    let tree = try JSONTree(&reader)
    guard case .array(let outlets) = tree["outlets"] ?? .null else { return .null }
    return try #require(outlets.first)
  }

  @Test func `events arrive as signed CloudEvents, in order, each once`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    try await add(run, endpoint, ["--secrets", try secrets(run, "bearer: sesame\n")])
    try run.start(["--config", settings(run)])
    for index in 0..<30 { run.gpsd.say(Self.report(index)) }
    try await run.wait("the events") { endpoint.requests.count >= 30 }
    let requests = endpoint.requests
    let areSigned = requests.allSatisfy { $0.isSigned }
    #expect(areSigned)
    #expect(requests.allSatisfy { $0.headers["authorization"] == "Bearer sesame" })
    #expect(requests.allSatisfy { $0.headers["content-type"] == CloudEvent.contentType })
    #expect(ids(endpoint) == (try await changes(run)))
    let first = try #require(requests.first?.tree)
    #expect(first["specversion"] == .string("1.0"))
    #expect(first["type"] == .string("locwatch.significant.v1"))
    #expect(first["data"]?["reason"] == .string("initial"))
    #expect(Set(requests.compactMap { $0.tree?["id"] }).count == 30)
    try await run.wait("the cursor") { try await status(run)["waiting"] == .number("0") }
    #expect(try await status(run)["state"] == .string("ok"))
    // A restart sends nothing again.
    #expect(await run.end() == 0)
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(30))
    try await run.wait("the event") { endpoint.requests.count > 30 }
    #expect(ids(endpoint) == (try await changes(run)))
  }

  @Test func `B8 a reduced outlet sends the middle of a cell, and no other place`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    try await add(run, endpoint, ["--reduced"])
    try run.start(["--config", settings(run)])
    let exact = Coordinate(uncheckedLatitude: 48.1397980, longitude: 11.5754000)
    run.gpsd.say(ScriptedGPSD.report(second: 0, latitude: exact.latitude, longitude: exact.longitude))
    try await run.wait("the event") { !endpoint.requests.isEmpty }
    let data = try #require(endpoint.requests.first?.tree?["data"])
    let middle = ReducedCell(exact).middle
    #expect(data["lat"] == .fixed(middle.latitude, FixedPoint.degrees), "\(data)")
    #expect(data["lon"] == .fixed(middle.longitude, FixedPoint.degrees), "\(data)")
    #expect(!data.text.contains("48.139"), "\(data)")
  }

  /// But for the request that is on its way where it takes longer than the daemon waits.
  @Test func `what is accepted while the daemon ends is not sent again`() async throws {
    let count = 300
    let ends = 3
    let run = try DaemonRun()
    let endpoint = try WebhookEndpoint(run.folder)
    try await add(run, endpoint)
    try run.start(["--config", settings(run)])
    for index in 0..<count { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(count)
    #expect(await run.end() == 0)
    try await endpoint.start()
    for part in 1...ends {
      try run.start(["--config", settings(run)])
      try await run.wait("some events", seconds: 600) { ids(endpoint).count >= part * count / 4 }
      #expect(await run.end() == 0)
    }
    try run.start(["--config", settings(run)])
    try await run.wait("the cursor", seconds: 600) { try await status(run)["waiting"] == .number("0") }
    var seen = Set<Int>()
    let all = ids(endpoint)
    #expect(all.filter { seen.insert($0).inserted } == (try await changes(run)))
    #expect(all.count <= count + ends, "\(all.count)")
  }

  @Test func `while the endpoint is away and the daemon is killed nothing is lost`() async throws {
    let count = Corpus.isFull ? 10_000 : 300
    let kills = Corpus.isFull ? 20 : 5
    let run = try DaemonRun()
    let endpoint = try WebhookEndpoint(run.folder)
    try await add(run, endpoint)
    try run.start(["--config", settings(run)])
    for index in 0..<count {
      run.gpsd.say(Self.report(index))
      guard index % (count / kills) == count / kills / 2 else { continue }
      try await run.waitForFixes(index + 1)
      #expect(await run.end(SIGKILL) == 137)
      try run.start(["--config", settings(run)])
    }
    try await run.waitForFixes(count)
    #expect(try await status(run)["waiting"] == .number("\(count)"))
    // It comes back; the daemon is killed while the events go out.
    try await endpoint.start()
    for part in 1...3 {
      #expect(await run.end(SIGKILL) == 137)
      try run.start(["--config", settings(run)])
      try await run.wait("the events", seconds: 600) { ids(endpoint).count >= part * count / 3 }
    }
    try await run.wait("the cursor") { try await status(run)["waiting"] == .number("0") }
    let all = endpoint.requests
    var seen = Set<Int>()
    let firsts = ids(endpoint).filter { seen.insert($0).inserted }
    #expect(firsts == (try await changes(run)))
    #expect(firsts.count == count)
    // What came twice came with the same id.
    #expect(Set(all.compactMap { $0.tree?["id"] }).count == count)
    #expect(all.count <= count + 100 * 4, "\(all.count)")
  }

  @Test
  func `the receiver's word counts: 410 disables, Retry-After is obeyed, redirections are not followed`()
    async throws
  {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    try await add(run, endpoint)
    endpoint.answer("redirect")
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(0))
    try await run.wait("the failure") { try await status(run)["state"] == .string("retrying") }
    let reason = try await status(run)["reason"]?.string
    #expect(
      reason
        == "the answer was HTTP 302: redirections are not followed; give the address that it leads to")
    #expect(endpoint.refused.allSatisfy { $0.path == "/hook" })
    endpoint.answer("410")
    #expect(try await run.command(["outlets", "enable", "hook"]).status == 0)
    try await run.wait("the end") { try await status(run)["state"] == .string("disabled") }
    let refused = endpoint.refused.count
    endpoint.answer("200")
    run.gpsd.say(Self.report(1))
    try await run.waitForFixes(2)
    #expect(endpoint.requests.isEmpty)
    #expect(endpoint.refused.count == refused)
    #expect(try await run.command(["outlets", "enable", "hook"]).status == 0)
    try await run.wait("both events") { endpoint.requests.count == 2 }
    #expect(ids(endpoint) == (try await changes(run)))
  }

  @Test(arguments: ["cut", "flood"])
  func `what was accepted is not sent again because of the answer's body`(answer: String) async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    try await add(run, endpoint)
    endpoint.answer(answer)
    try run.start(["--config", settings(run)])
    for index in 0..<3 { run.gpsd.say(Self.report(index)) }
    try await run.wait("the events") { endpoint.requests.count >= 3 }
    try await run.wait("the cursor") { try await status(run)["waiting"] == .number("0") }
    #expect(try await status(run)["state"] == .string("ok"))
    #expect(ids(endpoint) == (try await changes(run)))
  }

  @Test func `other bodies: binary, ntfy, Gotify and a template`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    let bodies: [(name: String, options: [String])] = [
      ("binary", ["--format", "binary"]), ("ntfy", ["--format", "ntfy"]), ("gotify", ["--format", "gotify"]),
      ("bot", ["--template", #"{"chat_id": 12, "text": "{text}"}"#]),
    ]
    for (name, options) in bodies {
      let url = endpoint.url + "/" + name
      #expect(try await run.command(["outlets", "add", name, "--webhook", url] + options).status == 0)
      let tested = try await run.command(["outlets", "test", name])
      #expect(tested.status == 0, "\(tested.stderr)")
    }
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(0))
    try await run.wait("the events") { endpoint.requests.count == 8 }
    func request(_ name: String) throws -> WebhookEndpoint.Request {
      try #require(endpoint.requests.last { $0.path == "/hook/\(name)" })
    }
    let binary = try request("binary")
    #expect(binary.headers["ce-type"] == "locwatch.significant.v1")
    #expect(binary.headers["ce-specversion"] == "1.0")
    #expect(binary.headers["content-type"] == "application/json")
    #expect(binary.tree?["type"] == .string("significant"))
    #expect(try request("ntfy").body.contains("-85.0"))
    #expect(try request("gotify").tree?["title"] == .string("significant"))
    #expect(try request("bot").tree?["chat_id"] == .number("12"))
  }

  @Test func `a proxy is not told what goes to this machine`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    try await add(run, endpoint)
    for name in ["http_proxy", "all_proxy"] {
      let tested = try await Binary.run(
        ["outlets", "test", "hook", "--state", run.state], environment: [name: "http://127.0.0.1:9"])
      #expect(tested.status == 0, "\(name): \(tested.stderr)")
    }
    #expect(endpoint.requests.count == 2)
  }

  @Test func `a proxy that fails is told as such`() async throws {
    let run = try DaemonRun()
    let proxy = try await run.startEndpoint()
    // Its name is never looked up here (RFC 2606).
    let added = try await run.command(["outlets", "add", "hook", "--webhook", "https://hook.example/"])
    #expect(added.status == 0, "\(added.stderr)")
    for (url, text) in [
      (proxy.url, "no connection: HTTP 501, through the proxy that https_proxy names"),
      ("http://127.0.0.1:9", "Connection refused, through the proxy that https_proxy names"),
    ] {
      let tested = try await Binary.run(
        ["outlets", "test", "hook", "--state", run.state], environment: ["https_proxy": url])
      #expect(tested.status == 69)
      #expect(tested.stderr.contains(text), "\(tested.stderr)")
    }
    let direct = try await Binary.run(
      ["outlets", "test", "hook", "--state", run.state],
      environment: ["https_proxy": proxy.url, "no_proxy": "hook.example"])
    #expect(direct.status == 69 && !direct.stderr.contains("proxy"), "\(direct.stderr)")
  }

  @Test(arguments: ["--webhook=http://127.0.0.1:9", "--mqtt=mqtt://127.0.0.1:9"])
  func `a server that refuses the connection is told with a remedy`(address: String) async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["outlets", "add", "hook", address]).status == 0)
    let tested = try await run.command(["outlets", "test", "hook"])
    #expect(tested.status == 69)
    let remedy = "Connection refused; start the server, or correct its address"
    #expect(tested.stderr.contains(remedy), "\(tested.stderr)")
  }

  @Test func `https to a port without TLS, and an authority that is none, are told as such`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    let url = endpoint.url.replacing("http:", with: "https:")
    func add(_ name: String, _ more: [String]) async throws -> String {
      let added = try await run.command(["outlets", "add", name, "--webhook", url] + more)
      #expect(added.status == 0, "\(added.stderr)")
      #expect(added.stderr.contains("holds no certificate in PEM") == !more.isEmpty, "\(added.stderr)")
      let tested = try await run.command(["outlets", "test", name])
      #expect(tested.status == 69)
      return tested.stderr
    }
    #expect(try await add("hook", []).contains("does its port speak TLS 1.2 or later?"))
    let junk = run.folder.write("junk.pem", "no certificate")
    let told = try await add("other", ["--authority", junk])
    #expect(told.contains("the file of its authority holds no certificate"), "\(told)")
  }

  @Test func `a long token is sent whole`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    let token = String(repeating: "t", count: 9_000)
    try await add(run, endpoint, ["--secrets", try secrets(run, "bearer: \(token)\n")])
    let tested = try await run.command(["outlets", "test", "hook"])
    #expect(tested.status == 0, "\(tested.stderr)")
    #expect(endpoint.requests.first?.headers["authorization"] == "Bearer \(token)")
  }

  @Test func `what hangs up on http may want TLS`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    try await add(run, endpoint)
    endpoint.answer("drop")
    let tested = try await run.command(["outlets", "test", "hook"])
    #expect(tested.status == 69)
    #expect(tested.stderr.contains("does its port want TLS (https)?"), "\(tested.stderr)")
    // One in use has worked, and its server may only be restarting.
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(0))
    try await run.wait("the failure") { try await status(run)["state"] == .string("retrying") }
    let reason = try #require(try await status(run)["reason"]?.string)
    #expect(!reason.isEmpty && !reason.contains("TLS"), "\(reason)")
  }

  @Test func `a secret that others may read is refused, and none is shown`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    let path = try secrets(run, "bearer: sesame\n", mode: 0o640)
    try await add(run, endpoint, ["--secrets", path])
    let tested = try await run.command(["outlets", "test", "hook"])
    #expect(tested.status == 69)
    #expect(tested.stderr.contains("other users may read or write it"), "\(tested.stderr)")
    try #require(unsafe chmod(path, 0o600) == 0)
    #expect(try await run.command(["outlets", "test", "hook"]).status == 0)
    endpoint.answer("500")
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(0))
    try await run.wait("the failure") { try await status(run)["state"] == .string("retrying") }
    var told = run.process?.stderr ?? ""
    for command in [["status", "--json"], ["outlets", "list"], ["events"], ["metrics"]] {
      told += try await run.command(command).stdout
    }
    #expect(!told.contains("sesame"))
    #expect(!told.contains(WebhookEndpoint.secret))
  }

  @Test func `secrets that can't be read are no attempt, and once they can the remedy is told`() async throws
  {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    let path = try secrets(run, mode: 0o640)
    try await add(run, endpoint, ["--secrets", path])
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(0))
    try await run.wait("the failure") { try await status(run)["state"] == .string("retrying") }
    #expect(try await status(run)["attempts"] == .integer(0))
    let remedy = "locwatch outlets enable hook tries at once"
    let listed = try await run.command(["outlets", "list", "--format", "text"])
    #expect(listed.stderr.contains(remedy), "\(listed.stderr)")
    #expect(await run.end() == 0)
    try #require(unsafe chmod(path, 0o600) == 0)
    let tested = try await run.command(["outlets", "test", "hook"])
    #expect(tested.status == 0)
    #expect(tested.stderr.contains(remedy), "\(tested.stderr)")
  }

  @Test func `what can't work is refused when it is added`() async throws {
    let run = try DaemonRun()
    for (url, why) in [
      ("http://example.net/x", "in the clear"), ("http://127.example.net/x", "in the clear"),
      ("https://user:pass@example.net/x", "password"),
      ("ftp://example.net/x", "does not speak"), ("example.net", "no address"), ("https:///x", "no host"),
    ] {
      let added = try await run.command(["outlets", "add", "a", "--webhook", url])
      #expect(added.status == 64, "\(url)")
      #expect(added.stderr.contains(why), "\(added.stderr)")
    }
    let mistyped = try await run.command(
      ["outlets", "add", "a", "--webhook", "https://example.net/", "--types", "region.entr"])
    #expect(mistyped.stderr.contains("did you mean region.enter?"))
    for name in ["a+b", "#", "a/"] {
      let added = try await run.command(["outlets", "add", name, "--mqtt", "mqtts://example.net"])
      #expect(added.status == 64 && added.stderr.contains("no topic"), "\(added.stderr)")
    }
    let topic = try await run.command(["outlets", "add", "b", "--mqtt", "mqtts://example.net/owntracks/a/b"])
    #expect(topic.status == 64 && topic.stderr.contains("name the topic with --topic"), "\(topic.stderr)")
    #expect(try await run.command(["outlets", "remove", "a"]).status == 1)
    #expect(try await run.command(["outlets", "add", "a", "--webhook", "https://example.net/"]).status == 0)
    #expect(try await run.command(["outlets", "add", "a", "--webhook", "https://example.net/"]).status == 73)
    #expect(try await run.command(["outlets", "remove", "a"]).status == 0)
    #expect(try await run.command(["outlets", "list"]).stdout == "")
  }

  @Test func `what waits of a region is sent though the region was renamed meanwhile`() async throws {
    let run = try DaemonRun()
    let endpoint = try await run.startEndpoint()
    endpoint.answer("500")
    for command in [
      ["regions", "add", "home", "--circle", "40.0,11.5,300"],
      ["outlets", "add", "hook", "--webhook", endpoint.url, "--region", "home", "--types", "region.enter"],
    ] {
      #expect(try await run.command(command).status == 0)
    }
    try run.start(["--config", settings(run)])
    for second in 0..<30 {
      run.gpsd.say(
        ScriptedGPSD.report(second: second, latitude: 40 + 0.002 * Double(max(0, 10 - second))))
    }
    try await run.wait("the attempt") { !endpoint.refused.isEmpty }
    #expect(try await run.command(["regions", "rename", "home", "haus"]).status == 0)
    endpoint.answer("200")
    #expect(try await run.command(["outlets", "enable", "hook"]).status == 0)
    try await run.wait("the event") { !endpoint.requests.isEmpty }
    #expect(endpoint.requests.first?.tree?["data"]?["region"] == .string("home"))
    #expect(await run.end() == 0)
  }

  @Test func `names that Unicode or Home Assistant takes for one are refused`() async throws {
    let run = try DaemonRun()
    let webhook = ["--webhook", "https://example.net/"]
    let home = ["--mqtt", "mqtts://example.net", "--home-assistant"]
    for (first, second, options, why) in [
      ("caf\u{E9}", "cafe\u{301}", webhook, "other bytes"), ("b.1", "b-1", home, "for outlet \"b.1\""),
    ] {
      #expect(try await run.command(["outlets", "add", first] + options).status == 0)
      #expect(try await run.command(["outlets", "add", first, "--replace"] + options).status == 0)
      let added = try await run.command(["outlets", "add", second] + options)
      #expect(added.status == 73 && added.stderr.contains(why), "\(added)")
    }
    #expect(try await run.command(["outlets", "add", "b-1", "--mqtt", "mqtts://example.net"]).status == 0)
    // Two that were one device before this rule can both be changed.
    let twin = """
      import sqlite3, sys
      state = sqlite3.connect(sys.argv[1])
      state.execute(
        "INSERT INTO outlet_settings SELECT 'b_1', replace(settings, 'b.1', 'b_1')"
        " FROM outlet_settings WHERE name = 'b.1'")
      state.commit()
      """
    #expect(try await Binary.run(["-c", twin, run.state], executable: "/usr/bin/python3").status == 0)
    for name in ["b.1", "b_1"] {
      let changed = try await run.command(["outlets", "add", name, "--replace"] + home)
      #expect(changed.status == 0, "\(changed)")
    }
  }
}
