import Foundation
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// A phone's locations at a real mosquitto as the fixes of a daemon.
@Suite(.enabled(if: MosquittoBroker.isInstalled))
struct MQTTSourceTests {
  @Test func `a phone's locations are fixes, also after the broker was restarted`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let secrets = run.folder.write(
      "secrets.yaml", "user: anna\npassword: sesame\nauthority: \(run.folder("cert.pem"))\n")
    try #require(unsafe chmod(secrets, 0o600) == 0)
    try run.start(
      ["--source", broker.url + "/owntracks/anna/phone", "--source-secrets", secrets], isSimulated: false,
      expectsConnection: false)
    try await run.wait("the source") {
      try await run.command(["status", "--json"]).stdout.contains(
        #""source":{"state":"found","name":"OwnTracks"#)
    }
    try await tell(broker, 48.1)
    try await run.wait("the fix") {
      try await run.command(["status", "--json"]).stdout.contains(#""lat":48.1"#)
    }
    await broker.stop()
    try await run.wait("the loss, and why") {
      try await run.command(["status", "--json"]).stdout.contains(#""source":{"state":"lost","reason":""#)
    }
    try await broker.start()
    try await run.wait("the source again") {
      let status = try await run.command(["status", "--json"]).stdout
      return status.contains(#""source":{"state":"found""#) && !status.contains(#""reason":""#)
    }
    try await tell(broker, 48.1001, second: 1)
    try await run.wait("the second fix") {
      try await run.command(["status", "--json"]).stdout.contains(#""lat":48.1001"#)
    }
    // What is no location, or is hostile, changes nothing.
    let nested = String(repeating: "[", count: 30_000)
    for payload in [#"{"_type":"lwt","tst":1}"#, "", #"{"_type":"encrypted","data":"x"}"#, "x", "{", nested] {
      try await publish(broker, payload)
    }
    try await tell(broker, 48.1002, second: 2)
    try await run.wait("the third fix") {
      try await run.command(["status", "--json"]).stdout.contains(#""lat":48.1002"#)
    }
    // The log names the first reason why no fix comes, once.
    let log = run.process?.stderr ?? ""
    #expect(log.matches(of: /phone: what comes is/).count == 1, "\(log)")
    #expect(log.contains("what comes is encrypted; remove the encryption key"), "\(log)")
    #expect(await run.end() == 0)
  }

  private func tell(_ broker: MosquittoBroker, _ latitude: Double, second: Int = 0) async throws {
    // Each a second after the one before, however quick the test is.
    let time = Int(Date().timeIntervalSince1970) + second
    try await publish(broker, #"{"_type":"location","lat":\#(latitude),"lon":11.5,"acc":9,"tst":\#(time)}"#)
  }

  private func publish(_ broker: MosquittoBroker, _ payload: String) async throws {
    let sent = try await Binary.run(
      [
        "-h", "localhost", "-p", "\(broker.port)", "--cafile", broker.folder("cert.pem"), "-u", "anna", "-P",
        "sesame", "-q", "1", "-t", "owntracks/anna/phone", "-m", payload,
      ], executable: "/usr/bin/mosquitto_pub")
    #expect(sent.status == 0, "\(sent.stderr)")
  }

  @Test func `a wrong password is told with its reason, not with the password`() async throws {
    let run = try DaemonRun()
    let broker = try await run.startBroker()
    let secrets = run.folder.write(
      "secrets.yaml", "user: anna\npassword: mellon\nauthority: \(run.folder("cert.pem"))\n")
    try #require(unsafe chmod(secrets, 0o600) == 0)
    let watched = try await Binary.run(
      ["watch", "--source", broker.url + "/owntracks/anna/phone", "--source-secrets", secrets, "-n", "1"])
    #expect(watched.status == 69)
    #expect(watched.stderr.contains("the broker refuses user and password"), "\(watched.stderr)")
    #expect(!watched.stderr.contains("mellon"))
    try run.start(
      ["--source", broker.url + "/owntracks/anna/phone", "--source-secrets", secrets], isSimulated: false,
      expectsConnection: false)
    try await run.wait("the reason in the log") {
      run.process?.stderr.contains("the broker refuses user and password") == true
    }
    #expect(run.process?.stderr.contains("mellon") == false)
    #expect(await run.end() == 0)
  }

  @Test(arguments: [
    ("mqtt:owntracks/a/b", "mqtt:owntracks/a/b"), ("mqtts://b.lan:8884/o/a", "mqtts://b.lan:8884/o/a"),
    ("mqtt://localhost/o/a", "mqtt:o/a"), ("geoclue", "geoclue"),
  ])
  func `addresses of sources are read`(text: String, written: String) throws {
    let address = try SourceAddress(source: text)
    #expect(address.description == written)
    #expect(!address.traits.isGPSD)
  }

  @Test(arguments: [
    "mqtt:", "mqtts://b.lan/", "mqtt://b.lan/x", "mqtt:a b", "mqtt:a/+/b", "mqtts:x",
    "mqtt:" + String(repeating: "a", count: 65_001),
  ])
  func `what is no source is refused`(text: String) {
    #expect(throws: Failure.self) { try SourceAddress(source: text) }
  }

  @Test func `another device decides when it measures`() async throws {
    let run = try DaemonRun()
    let started = try await run.command(["run", "--source", "mqtt:o/a", "--sampling", "adaptive"])
    #expect(started.status == 78)
    #expect(started.stderr.contains("leave out --source mqtt"), "\(started.stderr)")
    let misplaced = try await run.command(["run", "--source-secrets", "x.yaml"])
    #expect(misplaced.status == 64)
  }
}
