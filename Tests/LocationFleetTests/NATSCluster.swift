import Foundation
import TestSupport
import Testing

@testable import LocationFleet

/// Real nats-servers on loopback ports: one, or three that form a cluster.
final class NATSCluster {
  struct Server {
    var port: Int
    var clusterPort: Int
    var mqttPort: Int
    var process: LiveProcess?
  }

  let folder: TemporaryFolder
  private(set) var servers: [Server] = []
  let partitions: Int

  static let path = ["/usr/sbin/nats-server", "/usr/bin/nats-server"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var isInstalled: Bool { path != nil }

  init(_ folder: TemporaryFolder, servers count: Int = 1, partitions: Int) throws {
    self.folder = folder
    self.partitions = partitions
    for _ in 0..<count {
      servers.append(
        Server(
          port: try Listener.freePort(), clusterPort: try Listener.freePort(),
          mqttPort: try Listener.freePort()))
    }
    for index in servers.indices { write(index) }
  }

  deinit { for server in servers { server.process?.signal(SIGKILL) } }

  /// One on which a fleet was made.
  static func started(_ folder: TemporaryFolder, servers: Int = 1, partitions: Int) async throws
    -> NATSCluster
  {
    let cluster = try NATSCluster(folder, servers: servers, partitions: partitions)
    try await cluster.start()
    return cluster
  }

  /// What clients connect to.
  var url: String { servers.map { "nats://127.0.0.1:\($0.port)" }.joined(separator: ",") }

  /// The same as a user whose requests for a subject nobody answers (``deny(_:)``).
  var urlOfDenied: String { url.replacingOccurrences(of: "nats://", with: "nats://denied:x@") }

  /// The fleet on it, as a client of the test sees it.
  func layout() throws -> FleetLayout {
    try FleetLayout(NATSConnection(.init(servers: url, credentials: nil, name: "test")))
  }

  private func write(
    _ index: Int, denying subject: String? = nil, password: String = "x", mappedTo count: Int? = nil,
    hasJetStream: Bool = true
  ) {
    let server = servers[index]
    let users = """
      authorization {
        users: [
          { user: all, password: x }
          {
            user: denied, password: \(password)
            permissions: { subscribe: ">", publish: { allow: ">", deny: ["\(subject ?? "nothing")"] } }
          }
        ]
      }
      no_auth_user: all
      """
    let cluster = """
      cluster {
        name: fleet
        listen: "127.0.0.1:\(server.clusterPort)"
        routes: [\(servers.map { "\"nats://127.0.0.1:\($0.clusterPort)\"" }.joined(separator: ", "))]
      }
      """
    let storage = """
      jetstream { store_dir: "\(folder("js\(index)"))" }
      mqtt { listen: "127.0.0.1:\(server.mqttPort)" }
      """
    _ = folder.write(
      "nats\(index).conf",
      """
      server_name: n\(index)
      listen: "127.0.0.1:\(server.port)"
      \(hasJetStream ? storage : "")
      \(servers.count > 1 ? cluster : users)
      mappings {
        "owntracks.*.*": "fix.{{partition(\(count ?? partitions),1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}"
      }
      """)
  }

  /// Says that nobody answers requests for a subject, nil for none, before the one server starts or while it runs.
  func deny(_ subject: String?) {
    write(0, denying: subject)
    servers[0].process?.signal(SIGHUP)
  }

  /// Gives the user of ``urlOfDenied`` another password, and disconnects it.
  func changePassword() {
    write(0, password: "y")
    servers[0].process?.signal(SIGHUP)
  }

  /// Maps devices to another number of partitions than the fleet has.
  func map(to count: Int) {
    write(0, mappedTo: count)
    servers[0].process?.signal(SIGHUP)
  }

  /// Starts the one server without JetStream.
  func startWithoutJetStream() throws {
    write(0, hasJetStream: false)
    try start(0)
  }

  func start(_ index: Int) throws {
    servers[index].process = try LiveProcess(
      try #require(Self.path), ["-c", folder("nats\(index).conf")])
  }

  /// Starts all, and waits until a fleet can be made.
  ///
  /// A cluster of nats-server 2.9 may never get that far: it then begins anew.
  func start() async throws {
    var troubles: [String] = []
    for _ in 0..<4 {
      for index in servers.indices { try start(index) }
      let end = ContinuousClock.now + .seconds(60)
      // Streams that are asked for before there is a leader may stay half made (nats-server 2.9).
      while servers.count > 1, ContinuousClock.now < end,
        !servers.contains(where: { $0.process?.stderr.contains("metadata leader") == true })
      { try await Task.sleep(for: .milliseconds(100)) }
      let run = try await Binary.run(
        ["init", "--partitions", "\(partitions)", "--replicas", "\(servers.count)", "--lease", "10"],
        environment: ["NATS_URL": url], timeout: .seconds(60), executable: Self.program)
      if run.status == 0 { return }
      troubles.append("\(run.status) \(run.stderr) \(servers.map { $0.process?.stderr ?? "" })")
      for index in servers.indices {
        kill(index)
        _ = await servers[index].process?.finish()
        try? FileManager.default.removeItem(atPath: folder("js\(index)"))
      }
    }
    Issue.record("no fleet: \(troubles)")
  }

  /// Kills a server with -9.
  func kill(_ index: Int) { servers[index].process?.signal(SIGKILL) }

  static let program = Binary.helper("fleet")

  /// Runs a command of locwatch-fleet.
  func fleet(_ arguments: [String], stdin: String = "") async throws -> Binary.Result {
    try await Binary.run(
      arguments, stdin: stdin, environment: ["NATS_URL": url],
      executable: Self.program)
  }

  /// Starts a worker.
  func worker(_ name: String, _ options: [String] = [], url: String? = nil) throws -> LiveProcess {
    try LiveProcess(
      Self.program, ["worker", "--server", url ?? self.url, "--name", name, "--checkpoint", "0.5"] + options)
  }

  /// Waits until the stream of events has so many, or no worker has anything to do; the events.
  func events(atLeast count: Int, seconds: Double = 400) async throws -> [String] {
    let end = ContinuousClock.now + .seconds(seconds)
    var lines: [String] = []
    while ContinuousClock.now < end {
      let run = try await fleet(["events"])
      lines = run.stdout.split(separator: "\n").map(String.init)
      if run.status == 0, lines.count >= count { return lines }
      try await Task.sleep(for: .seconds(1))
    }
    return lines
  }
}

/// Events as they are compared: without the number in the stream, in the order of track and id.
enum FleetEvents {
  /// A line without its `seq`.
  static func unnumbered(_ line: String) -> String {
    guard let start = line.range(of: "\"seq\":"), let end = line[start.upperBound...].firstIndex(of: ",")
    else {
      return line
    }
    return String(line[..<start.lowerBound] + line[line.index(after: end)...])
  }

  /// What a fleet publishes of what a replay prints: all but what the end of the track brings.
  static func ofReplay(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { line in
      let isOfEnd =
        line.contains("\"type\":\"summary\"") || line.contains("\"type\":\"power\"")
        || line.contains("\"type\":\"visit.depart\"") && line.contains("\"reason\":\"end\"")
      return !isOfEnd
    }.map(unnumbered).sorted()
  }

  /// That two lists are the same, each once; what is wrong otherwise.
  static func difference(_ found: [String], _ expected: [String]) -> String? {
    let found = found.map(unnumbered).sorted()
    if found == expected { return nil }
    let (have, want) = (Set(found), Set(expected))
    let twice = found.count - have.count
    return
      "\(found.count) for \(expected.count), \(twice) twice, missing \(want.subtracting(have).sorted().prefix(3)), additional \(have.subtracting(want).sorted().prefix(3))"
  }
}
