import Glibc
import TestSupport
import Testing

@testable import LocationFleet

/// Commands of the fleet and a real nats-server with TLS, without it, and with a certificate asked for.
@Suite(.enabled(if: NATSCluster.isInstalled && TestCertificate.isAvailable, "no nats-server or openssl"))
struct FleetEncryptionTests {
  private let folder = TemporaryFolder()

  /// Starts a server; its port.
  private func start(_ settings: String) async throws -> (process: LiveProcess, port: Int) {
    let port = try Listener.freePort()
    let file = folder.write(
      "nats.conf",
      """
      listen: "127.0.0.1:\(port)"
      jetstream { store_dir: "\(folder("js"))" }
      mappings { "owntracks.*.*": "fix.{{partition(1,1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}" }
      \(settings)
      """)
    let process = try LiveProcess(try #require(NATSCluster.path), ["-c", file])
    let isReady = await eventually { process.stderr.contains("Server is ready") }
    try #require(isReady, "\(process.stderr)")
    return (process, port)
  }

  /// What `init` says of a server.
  private func initialize(_ server: String, _ options: [String] = []) async throws -> Binary.Result {
    try await Binary.run(
      ["init", "--partitions", "1", "--server", server] + options, executable: NATSCluster.program)
  }

  @Test func `an address of tls never goes on in the clear`() async throws {
    let (process, port) = try await start("authorization { user: u, password: sesame }")
    let refused = try await initialize("tls://u:sesame@localhost:\(port)")
    #expect(refused.status == 69 && refused.stderr.contains("Secure Connection not available"), "\(refused)")
    #expect(!refused.stderr.contains("sesame") && refused.stdout.isEmpty, "\(refused)")
    let plain = try await initialize("nats://u:sesame@localhost:\(port)")
    #expect(plain.status == 0, "\(plain)")
    process.signal(SIGKILL)
  }

  @Test func `a server of our own authority is trusted, another is not, nor one of another name`()
    async throws
  {
    try await TestCertificate.make(in: folder)
    let (process, port) = try await start(
      "tls { cert_file: \"\(folder("cert.pem"))\", key_file: \"\(folder("key.pem"))\" }")
    let authority = ["--authority", folder("cert.pem")]
    let unknown = try await initialize("tls://localhost:\(port)")
    #expect(unknown.status == 69 && unknown.stderr.contains("check --authority"), "\(unknown)")
    let other = try await initialize("tls://127.0.0.1:\(port)", authority)
    #expect(other.status == 69 && other.stderr.contains("the name of the host"), "\(other)")
    let none = try await initialize("tls://localhost:\(port)", ["--authority", folder("none.pem")])
    #expect(none.status == 66 && none.stderr.contains("none.pem: no such file"), "\(none)")
    #expect(try await initialize("tls://localhost:\(port)", authority).status == 0)
    process.signal(SIGKILL)
  }

  @Test func `a server that asks for our certificate is shown it`() async throws {
    try await TestCertificate.make(in: folder)
    let (cert, key) = (folder("cert.pem"), folder("key.pem"))
    let (process, port) = try await start(
      "tls { cert_file: \"\(cert)\", key_file: \"\(key)\", ca_file: \"\(cert)\", verify: true }")
    let (url, authority) = ("tls://localhost:\(port)", ["--authority", cert])
    let none = try await initialize(url, authority)
    #expect(none.status == 69 && none.stderr.contains("(--certificate)"), "\(none)")
    let half = try await initialize(url, authority + ["--key", key])
    #expect(half.status == 64 && half.stderr.contains("--key needs --certificate"), "\(half)")
    #expect(try await initialize(url, authority + ["--certificate", cert, "--key", key]).status == 0)
    process.signal(SIGKILL)
  }
}
