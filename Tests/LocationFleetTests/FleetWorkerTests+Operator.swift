import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFleet
@testable import LocationFormats

/// What the one who runs a fleet does, and is told.
extension FleetWorkerTests {
  @Test(arguments: [
    (["device"], "missing expected argument '<user/device>'; see locwatch-fleet device --help"),
    (
      ["simulate", "--rate=-1"],
      "--rate and --start need a number of at least 0; see locwatch-fleet simulate --help"
    ),
    (["status", "--bogus"], "unknown option '--bogus'; see locwatch-fleet status --help"),
    (
      ["simulate", "--seed", "x"],
      "the value 'x' is invalid for '--seed <seed>'; see locwatch-fleet simulate --help"
    ),
  ])
  func `what is wrong with the arguments is told in one line`(words: [String], text: String) async throws {
    let run = try await Binary.run(words, executable: NATSCluster.program)
    #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
    #expect(run.stderr == "locwatch-fleet: \(text)\n")
  }

  @Test(arguments: ["--help", "--version", "worker --help"])
  func `help that can't be printed is an error`(words: String) async throws {
    let run = try await Binary.run(
      ["-c", "exec \"$0\" \(words) >/dev/full", NATSCluster.program], executable: "/bin/sh")
    #expect(run.status == 74, "\(run)")
    let text = "<stdout>: can't be written: No space left on device; make room and try again"
    #expect(run.stderr == "locwatch-fleet: \(text)\n")
  }

  /// The program starts when the reading end is closed. It has the signal ignored, as by the NATS library.
  @Test func `a reader that is gone ends a command as in any pipe`() async throws {
    let script = """
      cd "$1" && mkfifo go
      { read word <go; trap '' PIPE; "$0" --help; echo $? >status; } | sh -c 'exec <&-; echo >go'
      cat status
      """
    let run = try await Binary.run(["-c", script, NATSCluster.program, folder.path], executable: "/bin/sh")
    #expect(run.stdout == "\(128 + SIGPIPE)\n" && run.stderr.isEmpty, "\(run)")
  }

  @Test func `what simulate publishes is kept, also of a second run`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    for seed in ["1", "2", "2"] {
      let run = try await cluster.fleet([
        "simulate", "--devices", "5", "--seconds", "100", "--start", "1700000000", "--seed", seed,
      ])
      #expect(run.stdout == "50 fixes of 5 devices published\n", "\(run)")
    }
    let status = try await cluster.fleet(["status"])
    #expect(status.stdout.contains("150 messages of fixes"), "\(status)")
  }

  @Test func `a mapping to another number of partitions is told when a fleet is made`() async throws {
    let cluster = try NATSCluster(folder, partitions: 4)
    try cluster.start(0)
    for partitions in ["2", "8", "16"] {
      var run: Binary.Result?
      let isTold = await eventually {
        run = try await cluster.fleet(["init", "--partitions", partitions])
        return run?.status == 78
      }
      #expect(isTold && run?.stderr.contains("--print-mapping") == true, "\(String(describing: run))")
    }
  }

  @Test func `a stream of somebody else's is left alone`() async throws {
    let cluster = try NATSCluster(folder, partitions: 4)
    try cluster.start(0)
    var other: FleetLayout?
    let isMade = await eventually {
      other = try cluster.layout()
      let audit = JSONTree.object(["name": .string("events"), "subjects": .strings(["audit.>"])])
      return try other?.stream.demand("STREAM.CREATE.events", audit) != nil
    }
    #expect(isMade)
    let run = try await cluster.fleet(["init", "--partitions", "4"])
    #expect(run.status == 78 && run.stderr.contains("another stream called events, with audit.>"), "\(run)")
    let stream = try #require(other?.stream)
    let config = try stream.demand("STREAM.INFO.events")["config"]
    #expect(config?["subjects"]?.strings == ["audit.>"])
    guard case .failure = try stream.call("STREAM.INFO.fixes") else {
      Issue.record("a stream was made")
      return
    }
  }

  /// A server without JetStream, in whose place the test answers.
  @Test func `a stream that can't be looked at is not taken for none`() async throws {
    let port = try Listener.freePort()
    let server = try LiveProcess(
      try #require(NATSCluster.path), ["-c", folder.write("plain.conf", "listen: \"127.0.0.1:\(port)\"\n")])
    func connect() throws -> NATSConnection {
      try NATSConnection(.init(servers: "nats://127.0.0.1:\(port)", credentials: nil, name: "test"))
    }
    var connected: NATSConnection?
    let isUp = await eventually {
      connected = try connect()
      return true
    }
    #expect(isUp, "\(server.stderr)")
    let answering = try #require(connected)
    let questions = try answering.subscribe("$JS.API.STREAM.INFO.*")
    answering.flush(milliseconds: 2_000)
    let layout = try FleetLayout(try connect())
    layout.stream.pipe.whileWaiting = { () throws(Failure) in
      while let question = try questions.next(milliseconds: 100) {
        let reply = question.withReply { String(decoding: $0.array, as: UTF8.self) }
        let answer = #"{"error":{"code":400,"err_code":10025,"description":"bad request"}}"#
        try answering.publish(reply, Array(answer.utf8))
      }
    }
    let refused = "nats-server refuses STREAM.INFO.fixes: bad request"
    #expect(throws: Failure(.unavailable, what: refused)) { try layout.checkNames() }
  }

  /// The configuration that we ship, with a second tenant, on ports of this machine.
  private func writeExample(port: Int, mqttPort: Int) throws -> String {
    var text = try String(contentsOfFile: PackageRoot.file("Examples/fleet/nats.conf"), encoding: .utf8)
    let cluster = try #require(text.range(of: "cluster {"))
    let end = try #require(text.range(of: "}", range: cluster.upperBound..<text.endIndex))
    text.removeSubrange(cluster.lowerBound..<end.upperBound)
    let account = try #require(text.range(of: "  acme {"))
    let last = try #require(text.range(of: "}", options: .backwards))
    var other = String(text[account.lowerBound..<last.lowerBound])
    for (old, new) in [("acme", "other"), ("$ACME_FLEET_PASSWORD", "o1"), ("$ACME_ALICE_PASSWORD", "o2")] {
      other = other.replacingOccurrences(of: old, with: new)
    }
    for (old, new) in [("user: fleet", "user: operator"), ("alice", "bob")] {
      other = other.replacingOccurrences(of: old, with: new)
    }
    text.insert(contentsOf: other, at: last.lowerBound)
    for (old, new) in [
      ("0.0.0.0:4222", "127.0.0.1:\(port)"), ("0.0.0.0:1883", "127.0.0.1:\(mqttPort)"),
      ("/var/lib/nats", folder("js")), ("$ACME_FLEET_PASSWORD", "f1"), ("$ACME_ALICE_PASSWORD", "a1"),
    ] {
      #expect(text.contains(old))
      text = text.replacingOccurrences(of: old, with: new)
    }
    return folder.write("example.conf", text)
  }

  @Test func `a phone and two tenants, with the servers' configuration that we ship`() async throws {
    let (port, mqttPort) = (try Listener.freePort(), try Listener.freePort())
    let server = try LiveProcess(
      try #require(NATSCluster.path), ["-c", try writeExample(port: port, mqttPort: mqttPort)])
    func fleet(_ user: String, _ words: [String]) async throws -> Binary.Result {
      try await Binary.run(
        words + ["--server", "nats://\(user)@127.0.0.1:\(port)"],
        executable: NATSCluster.program)
    }
    for user in ["fleet:f1", "operator:o1"] {
      let isUp = await eventually { try await fleet(user, ["init", "--partitions", "16"]).status == 0 }
      try #require(isUp, "\(server.stderr)")
    }
    let worker = try LiveProcess(
      NATSCluster.program, ["worker", "--server", "nats://fleet:f1@127.0.0.1:\(port)"])
    func publish(_ topic: String, _ fix: Int) async throws {
      let payload =
        "{\"_type\":\"location\",\"lat\":48.1371,\"lon\":11.5754,\"acc\":8,\"tst\":\(1_700_000_000 + fix)}"
      let run = try await Binary.run(
        [
          "-h", "127.0.0.1", "-p", "\(mqttPort)", "-u", "alice", "-P", "a1", "-q", "1", "-t", topic, "-m",
          payload,
        ],
        executable: "/usr/bin/mosquitto_pub")
      #expect(run.status == 0, "\(run.stderr)")
    }
    // MQTT does not say that alice may not publish as somebody else.
    try await publish("owntracks/mallory/phone", 0)
    for fix in 1...5 { try await publish("owntracks/alice/phone", 10 * fix) }
    let isThere = await eventually {
      try await fleet("fleet:f1", ["device", "alice/phone", "--json"]).stdout.contains("\"fixes\":5")
    }
    #expect(isThere, "\(worker.stderr)\(server.stderr)")
    let isTold = await eventually {
      try await fleet("fleet:f1", ["events"]).stdout.contains("\"track\":\"alice/phone\"")
    }
    #expect(isTold, "\(worker.stderr)")
    let devices = try await fleet("fleet:f1", ["devices"])
    #expect(
      devices.stdout.contains("alice/phone") && !devices.stdout.contains("mallory"), "\(devices.stdout)")
    for words in [["devices"], ["events"]] {
      let other = try await fleet("operator:o1", words)
      #expect(other.status == 0 && !other.stdout.contains("alice"), "\(other.stdout)\(other.stderr)")
    }
    // A phone's own password is of no use over NATS, where the confirmation of a fix could purge a stream.
    let phone = try await fleet("alice:a1", ["devices"])
    #expect(phone.status == 77 && !phone.stdout.contains("alice"), "\(phone.stdout)\(phone.stderr)")
    #expect(phone.stderr.contains("Authorization Violation"), "\(phone.stderr)")
    worker.signal(SIGTERM)
    #expect(await worker.finish() == 0, "\(worker.stderr)")
    #expect(!worker.stderr.contains("f1@"))
  }

  @Test func `another life of the leases holds for workers that run`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 4)
    let layout = try cluster.layout()
    #expect(try await cluster.fleet(["init", "--partitions", "4", "--lease", "4"]).status == 0)
    let first = try cluster.worker("w1")
    let isTaken = await eventually { first.stderr.contains("has partition 3 ") }
    #expect(isTaken, "\(first.stderr)")
    #expect(try await cluster.fleet(["init", "--partitions", "4", "--lease", "24"]).status == 0)
    let second = try cluster.worker("w2")
    // Its second sign of life comes after 8 s, when its leases have run out for who counts four.
    var signs = Set<UInt64>()
    let isRenewed = await eventually {
      if let sign = try layout.leases.get("worker.w2") { signs.insert(sign.revision) }
      return signs.count > 1
    }
    #expect(isRenewed && second.stderr.contains("has partition "), "\(second.stderr)")
    #expect(!second.stderr.contains("gives partition"), "\(second.stderr)")
    let takes = first.stderr.split(separator: "\n").count { $0.contains("has partition ") }
    #expect(takes == 4, "\(first.stderr)")
  }

  /// As a phone hands over what it kept, from the end.
  @Test func `fixes that came with the newest first are explained as the workers took them`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    let features = [("home", 48.1), ("work", 48.2)].map { id, latitude in
      #"{"type":"Feature","id":"\#(id)","properties":{"radius_m":100},"geometry":"#
        + #"{"type":"Point","coordinates":[11.5,\#(latitude)]}}"#
    }
    let regions = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    #expect(try await cluster.fleet(["regions", "import", "-"], stdin: regions).status == 0)
    for fix in (0..<20).reversed() {
      let (latitude, seconds) = fix < 10 ? (48.1, fix * 30) : (48.2, 1_800 + fix * 30)
      let text =
        #"{"_type":"location","lat":\#(latitude),"lon":11.5,"acc":5,"tst":\#(1_700_000_000 + seconds)}"#
      #expect(throws: Never.self) {
        try layout.stream.publish("fix.0.alice.phone", Array(text.utf8)).get()
      }
    }
    let replay = try await cluster.fleet(["replay", "alice/phone"]).stdout
    let first = try #require(replay.firstMatch(of: /"id":(\d+),"type":"significant","time":"([^"]*)"/))
    let run = try await cluster.fleet(["explain", "alice/phone", "--event", "\(first.1)", "--json"])
    #expect(run.stdout.contains(#""event":{"id":\#(first.1),"type":"significant""#), "\(run)")
    #expect(first.2 == "2023-11-14T22:52:50.000Z" && run.stdout.contains(first.2), "\(replay) \(run)")
  }

  /// Members of other files: Google's Timeline, a recording, GeoJSON, and the first bytes of FIT.
  @Test func `fixes are explained whatever the first one says beside its position`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    let members = [
      #""timelineObjects":[]"#, #""journal":"locwatch""#, #""type":"FeatureCollection""#, #""abcdef.FIT":0"#,
    ]
    for (index, member) in members.enumerated() {
      for fix in 0..<3 {
        let position = #""_type":"location","lat":48.1,"lon":11.5,"acc":5,"tst":\#(1_700_000_000 + fix * 10)"#
        let sent = try layout.stream.publish(
          "fix.0.alice.phone\(index)", Array("{\(member),\(position)}".utf8))
        #expect(throws: Never.self) { try sent.get() }
      }
      let run = try await cluster.fleet([
        "explain", "alice/phone\(index)", "--at", "2023-11-14T22:13:30Z", "--json",
      ])
      #expect(run.status == 0 && run.stdout.contains("48.1"), "\(member) \(run)")
    }
  }

  @Test(arguments: ["-rf", "--json"])
  func `a region is explained whose id begins with a dash`(id: String) async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let feature =
      #"{"type":"Feature","id":"\#(id)","properties":{"radius_m":100},"geometry":"#
      + #"{"type":"Point","coordinates":[11.5,48.1]}}"#
    #expect(try await cluster.fleet(["regions", "import", "-"], stdin: feature).status == 0)
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    let run = try await cluster.fleet(["explain", "alice/phone", "--region=\(id)"])
    #expect(run.status == 0 && run.stdout.contains(id), "\(run)")
  }

  @Test func `one server and one partition are told as one`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let run = try await cluster.fleet(["init", "--partitions", "1"])
    #expect(run.stdout == "a fleet of 1 partition, each message on 1 server\n", "\(run)")
    // Shorter than the servers look for doubles.
    let short = try await cluster.fleet([
      "init", "--partitions", "1", "--fix-days", "0.001", "--event-days", "0.005",
    ])
    #expect(short.status == 0, "\(short)")
    // An option that is not given changes nothing.
    #expect(try await cluster.fleet(["init", "--lease", "20"]).status == 0)
    let settings = try cluster.layout().settings()
    #expect(settings.fixDays == 0.001 && settings.eventDays == 0.005 && settings.leaseSeconds == 20)
    // Shorter than the servers keep anything.
    let tooShort = try await cluster.fleet(["init", "--partitions", "1", "--fix-days", "1e-9"])
    #expect(tooShort.status == 78 && tooShort.stderr.contains("max age"), "\(tooShort)")
  }

  @Test func `the help says what the name of a worker may have`() async throws {
    let run = try await Binary.run(["worker", "--help"], executable: NATSCluster.program)
    let words = run.stdout.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(words.contains("of letters, digits, - and _"), "\(run.stdout)")
  }

  @Test func `what is wrong is told in one line`() async throws {
    let port = try Listener.freePort()
    let run = try await Binary.run(
      ["status", "--server", "nats://secret@127.0.0.1:\(port)"], executable: NATSCluster.program)
    #expect(run.status == 69)
    #expect(run.stderr.split(separator: "\n").count == 1 && !run.stderr.contains("secret"), "\(run.stderr)")
    let cluster = try NATSCluster(folder, partitions: 2)
    try cluster.start(0)
    let isUp = await eventually {
      let status = try await cluster.fleet(["status"])
      return status.status == 78 && status.stderr.contains("locwatch-fleet init")
    }
    #expect(isUp)
    let other = try await cluster.fleet(["init", "--partitions", "1"])
    #expect(other.status == 78 || other.status == 0)
  }
}
