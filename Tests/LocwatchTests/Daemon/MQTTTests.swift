import Foundation
import TestSupport
import Testing

/// Events on their way from a real daemon to a real mosquitto with TLS.
@Suite(.enabled(if: MosquittoBroker.isInstalled))
struct MQTTTests {
  private func settings(_ run: DaemonRun) -> String {
    run.folder.write("c.yaml", "significant_change: {window_s: 5}\n")
  }

  private func add(_ run: DaemonRun, _ broker: MosquittoBroker, _ more: [String] = []) async throws {
    let secrets = run.folder.write("secrets.yaml", "user: anna\npassword: sesame\n")
    try #require(unsafe chmod(secrets, 0o600) == 0)
    let added = try await run.command(
      [
        "outlets", "add", "boat", "--mqtt", broker.url, "--topic", "owntracks/anna/boat", "--secrets",
        secrets,
        "--authority", run.folder("cert.pem"),
      ] + more)
    #expect(added.status == 0, "\(added.stderr)")
  }

  private func report(_ index: Int) -> String {
    ScriptedGPSD.report(second: 10 * index, latitude: 40 + 0.0054 * Double(index))
  }

  private func lines(_ reader: LiveProcess, _ topic: String) -> [String] {
    reader.lines.filter { $0.hasPrefix(topic + "|") }.map(String.init)
  }

  /// The times of locations, which are those of the fixes.
  private func times(_ reader: LiveProcess) -> [Int] {
    lines(reader, "owntracks/anna/boat").compactMap { line in
      line.firstMatch(of: /"_type":"location".*"tst":(\d+)/).flatMap { Int($0.1) }
    }
  }

  @Test func `locations arrive in order, though the broker is restarted and the daemon killed`() async throws
  {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let reader = try broker.read("owntracks/#", client: "reader")
    try await add(run, broker)
    let tested = try await run.command(["outlets", "test", "boat"])
    #expect(tested.status == 0, "\(tested.stderr)")
    try run.start(["--config", settings(run)])
    for index in 0..<20 { run.gpsd.say(report(index)) }
    try await run.wait("the first locations") { times(reader).count >= 20 }
    await broker.stop()
    for index in 20..<60 { run.gpsd.say(report(index)) }
    try await run.waitForFixes(60)
    #expect(await run.end(SIGKILL) == 137)
    try run.start(["--config", settings(run)])
    for index in 60..<80 { run.gpsd.say(report(index)) }
    try await run.waitForFixes(80)
    try await broker.start()
    try await run.wait("all locations") {
      // Time stands still after the last fix, and an attempt that had begun before the broker may fail only now.
      #expect(try await run.command(["outlets", "enable", "boat"]).status == 0)
      try await Task.sleep(for: .seconds(1))
      return Set(times(reader)).count >= 80
    }
    var seen = Set<Int>()
    let firsts = times(reader).filter { seen.insert($0).inserted }
    #expect(firsts == firsts.sorted())
    try #require(firsts.count == 80)
    #expect(lines(reader, "owntracks/anna/boat").allSatisfy { $0.contains("|1|{") || $0.contains("lwt") })
    // Who comes later finds the last one, and the will where the daemon dies.
    let later = try broker.read("owntracks/anna/boat", client: "later")
    try await run.wait("the retained location") { times(later).count == 1 }
    #expect(times(later) == [firsts[79]])
    #expect(lines(later, "owntracks/anna/boat").first?.contains("|1|1|") == true)
    #expect(await run.end(SIGKILL) == 137)
    try await run.wait("the will") { later.stdout.contains(#"{"_type":"lwt""#) }
  }

  @Test func `B8 a reduced outlet publishes no exact place, neither at its start nor when the device moves`()
    async throws
  {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let reader = try broker.read("#", client: "reader")
    #expect(try await run.command(["regions", "add", "home", "--circle", "40.1234,11.5,300"]).status == 0)
    try await add(run, broker, ["--home-assistant", "--reduced"])
    try run.start(["--config", settings(run)])
    for index in 0..<5 {
      run.gpsd.say(
        ScriptedGPSD.report(
          second: 10 * index, latitude: 40.1234 + 0.0054 * Double(index), longitude: 11.5432))
    }
    try await run.wait("the locations") { times(reader).count >= 5 }
    #expect(await run.end() == 0)
    // The next one announces where the device is.
    let before = lines(reader, "owntracks/anna/boat/attributes").count
    try run.start(["--config", settings(run)])
    try await run.wait("its attributes") {
      lines(reader, "owntracks/anna/boat/attributes").count > max(before, 1)
    }
    #expect(!reader.stdout.contains("11.543") && !reader.stdout.contains("40.123"), "\(reader.stdout)")
  }

  @Test func `Home Assistant finds the device, its regions and whether it is there`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let reader = try broker.read("#", client: "reader")
    #expect(try await run.command(["regions", "add", "home", "--circle", "40.0,11.5,300"]).status == 0)
    let silent = ["regions", "add", "silent", "--circle", "40.0,11.5,300", "--notify", "exit"]
    #expect(try await run.command(silent).status == 0)
    try await add(run, broker, ["--home-assistant"])
    try run.start(["--config", settings(run)])
    try await run.wait("the device") { reader.stdout.contains("homeassistant/device/") }
    try await run.wait("its presence") {
      reader.stdout.contains("owntracks/anna/boat/availability|0|1|online")
    }
    for index in 0..<10 {
      run.gpsd.say(ScriptedGPSD.report(second: index, latitude: 40.02 - 0.002 * Double(index)))
    }
    for index in 10..<30 { run.gpsd.say(ScriptedGPSD.report(second: index, latitude: 40)) }
    try await run.wait("the enter") { reader.stdout.contains("owntracks/anna/boat/region/home|0|1|ON") }
    try await run.wait("an enter that is not reported") {
      reader.stdout.contains("owntracks/anna/boat/region/silent|0|1|ON")
    }
    try await run.wait("the transition") {
      reader.stdout.contains(#"owntracks/anna/boat/event|0|1|{"_type":"transition","event":"enter""#)
    }
    // A new region is announced at once.
    #expect(try await run.command(["regions", "add", "office", "--circle", "41.0,11.5,300"]).status == 0)
    try await run.wait("the new region") { reader.stdout.contains(#""name":"office""#) }
    // One that is gone is taken away: from Home Assistant, and what the broker kept of it.
    #expect(try await run.command(["regions", "remove", "home"]).status == 0)
    try await run.wait("the removal") { reader.stdout.contains("owntracks/anna/boat/region/home|0|1|\n") }
    try await run.wait("that Home Assistant is told so") {
      reader.stdout.contains(#""region_home":{"platform":"binary_sensor"}"#)
    }
    // All of that on one connection: no sensor was unavailable.
    #expect(!reader.stdout.contains("offline"))
    #expect(await run.end() == 0)
    try await run.wait("its absence") {
      reader.stdout.contains("owntracks/anna/boat/availability|0|1|offline")
    }
  }

  @Test func `more regions than are told of are said to be, and are taken from Home Assistant`() async throws
  {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let reader = try broker.read("#", client: "reader")
    #expect(try await run.command(["regions", "add", "home", "--circle", "40.0,11.5,300"]).status == 0)
    try await add(run, broker, ["--home-assistant"])
    try run.start(["--config", settings(run)])
    try await run.wait("the region") { reader.stdout.contains(#""region_home":"#) }
    let rows = (0..<50).map { "r\($0),41,\(10 + $0),100" }
    let file = run.folder.write("many.csv", "id,lat,lon,radius_m\n" + rows.joined(separator: "\n") + "\n")
    let imported = try await run.command(["regions", "import", file])
    #expect(imported.status == 0, "\(imported.stderr)")
    try await run.wait("the word") {
      run.process?.stderr.contains("51 regions are more than 50: none is sent as a waypoint") == true
    }
    try await run.wait("the removal") {
      reader.stdout.contains(#""region_home":{"platform":"binary_sensor"}"#)
    }
    #expect(await run.end() == 0)
    let again = try await run.command(["outlets", "add", "boat", "--mqtt", broker.url, "--replace"])
    #expect(again.stderr.contains("replaced boat\n"), "\(again.stderr)")
    #expect(again.stderr.contains("51 regions are more than 50"), "\(again.stderr)")
  }

  @Test func `an outlet that is added where the device is says so`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let reader = try broker.read("owntracks/#", client: "reader")
    #expect(try await run.command(["regions", "add", "home", "--circle", "40.0,11.5,300"]).status == 0)
    #expect(try await run.command(["regions", "add", "far", "--circle", "41.0,11.5,300"]).status == 0)
    try run.start(["--config", settings(run)])
    for index in 0..<10 { run.gpsd.say(ScriptedGPSD.report(second: index, latitude: 40)) }
    try await run.waitForFixes(10)
    try await add(run, broker, ["--home-assistant"])
    try await run.wait("the states") {
      reader.stdout.contains("owntracks/anna/boat/region/home|0|1|ON")
        && reader.stdout.contains("owntracks/anna/boat/region/far|0|1|OFF")
    }
    #expect(await run.end() == 0)
  }

  @Test func `a wrong password and an unknown authority are told, not the password`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    try await add(run, broker)
    let secrets = run.folder.write("secrets.yaml", "user: anna\npassword: mellon\n")
    try #require(unsafe chmod(secrets, 0o600) == 0)
    var tested = try await run.command(["outlets", "test", "boat"])
    #expect(tested.status == 69)
    #expect(tested.stderr.contains("the broker refuses user and password"), "\(tested.stderr)")
    #expect(!tested.stderr.contains("mellon"))
    #expect(
      try await run.command(["outlets", "add", "boat", "--mqtt", broker.url, "--replace"]).status == 0)
    tested = try await run.command(["outlets", "test", "boat"])
    #expect(tested.status == 69)
    #expect(
      tested.stderr.contains("no authority that we trust has signed its certificate"), "\(tested.stderr)")
    let elsewhere = broker.url.replacing("localhost", with: "127.0.0.1")
    let added = try await run.command([
      "outlets", "add", "boat", "--mqtt", elsewhere, "--authority", run.folder("cert.pem"), "--replace",
    ])
    #expect(added.status == 0, "\(added.stderr)")
    tested = try await run.command(["outlets", "test", "boat"])
    #expect(tested.stderr.contains("its certificate is of another name"), "\(tested.stderr)")
  }

  @Test(
    arguments: [
      ("mqtts", "the broker wants a user and password"), ("mqtt", "does its port want TLS (mqtts)?"),
      ("http", "does its port want TLS (https)?"),
    ])
  func `what a broker may want that only refuses is told`(scheme: String, hint: String) async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let url = "\(scheme)://localhost:\(broker.port)"
    let kind = scheme == "http" ? "--webhook" : "--mqtt"
    let added = try await run.command(
      ["outlets", "add", "boat", kind, url, "--authority", run.folder("cert.pem")])
    #expect(added.status == 0, "\(added.stderr)")
    let tested = try await run.command(["outlets", "test", "boat"])
    #expect(tested.status == 69)
    #expect(tested.stderr.contains(hint), "\(tested.stderr)")
  }

  @Test(arguments: [("2020", "has expired"), ("2090", "is not valid yet: is this machine's clock right?")])
  func `a certificate that does not hold now is told as such`(year: String, text: String) async throws {
    let run = try DaemonRun()
    let broker = try await MosquittoBroker(run.folder)
    try await broker.makeCertificate(ofYear: year)
    try await broker.start()
    try await add(run, broker)
    let tested = try await run.command(["outlets", "test", "boat"])
    #expect(tested.status == 69)
    #expect(tested.stderr.contains("its certificate \(text)"), "\(tested.stderr)")
  }

  @Test func `a proxy of HTTP is not taken for a broker`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    try await add(run, broker)
    let tested = try await Binary.run(
      ["outlets", "test", "boat", "--state", run.state], environment: ["all_proxy": "http://127.0.0.1:9"])
    #expect(tested.status == 0, "\(tested.stderr)")
  }

  @Test func `a key with a pass phrase is told as such`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let made = try await Binary.run(
      [
        "pkey", "-in", run.folder("key.pem"), "-aes256", "-passout", "pass:mellon", "-out",
        run.folder("locked.pem"),
      ],
      executable: TestCertificate.program)
    try #require(made.status == 0, "\(made.stderr)")
    try await add(run, broker, ["--certificate", run.folder("cert.pem"), "--key", run.folder("locked.pem")])
    let tested = try await run.command(["outlets", "test", "boat"])
    #expect(tested.status == 69)
    #expect(tested.stderr.contains("the key has a pass phrase"), "\(tested.stderr)")
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func `a broker that wants a certificate, or refuses ours, is told as such`(newestTLS: String) async throws {
    let run = try DaemonRun()
    let broker = try await MosquittoBroker(run.folder)
    let settings = try String(contentsOfFile: run.folder("mosquitto.conf"), encoding: .utf8)
    _ = run.folder.write(
      "mosquitto.conf", settings + "\nrequire_certificate true\ncafile \(run.folder("cert.pem"))\n")
    try await broker.start(newestTLS: newestTLS)
    try await TestCertificate.make(
      in: run.folder, host: "stranger", certificate: "stranger.pem", key: "stranger.key")
    let shown = ["--certificate", run.folder("stranger.pem"), "--key", run.folder("stranger.key")]
    for (name, certificate, text) in [
      ("none", [], "a certificate of ours (--certificate and --key)"),
      ("stranger", shown, "it refuses our certificate: unknown authority (--certificate)"),
    ] {
      let added = try await run.command(
        ["outlets", "add", name, "--mqtt", broker.url, "--authority", run.folder("cert.pem")] + certificate)
      #expect(added.status == 0, "\(added.stderr)")
      let tested = try await run.command(["outlets", "test", name])
      #expect(tested.status == 69)
      #expect(tested.stderr.contains(text), "\(tested.stderr)")
    }
  }
}
