import Foundation
import TestSupport
import Testing

/// A real mosquitto with TLS and a password, and mosquitto_sub as a reader.
final class MosquittoBroker {
  let folder: TemporaryFolder
  let port: Int
  private var broker: LiveProcess?
  private var readers: [LiveProcess] = []

  static let programs = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto_sub", TestCertificate.program]

  static let isInstalled = programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

  init(_ folder: TemporaryFolder) async throws {
    self.folder = folder
    port = try Listener.freePort()
    try await TestCertificate.make(in: folder)
    let passwords = try await Binary.run(
      ["-c", "-b", folder("passwords"), "anna", "sesame"], executable: "/usr/bin/mosquitto_passwd")
    try #require(passwords.status == 0, "\(passwords.stderr)")
    _ = folder.write(
      "mosquitto.conf",
      """
      listener \(port) 127.0.0.1
      certfile \(folder("cert.pem"))
      keyfile \(folder("key.pem"))
      password_file \(folder("passwords"))
      allow_anonymous false
      persistence true
      persistence_location \(folder.path)/
      user root
      log_dest stderr
      log_type all
      """)
  }

  deinit {
    broker?.signal(SIGKILL)
    for reader in readers { reader.signal(SIGKILL) }
  }

  /// Gives it a certificate that holds for one year, before it starts.
  func makeCertificate(ofYear year: String) async throws {
    _ = folder.write("index", "")
    let settings = folder.write(
      "ca.cnf",
      """
      [ca]
      default_ca = usual
      [usual]
      database = \(folder("index"))
      new_certs_dir = \(folder.path)
      rand_serial = yes
      default_md = sha256
      copy_extensions = copy
      policy = named
      [named]
      commonName = supplied
      """)
    for arguments in [
      [
        "req", "-new", "-key", folder("key.pem"), "-out", folder("request.pem"), "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost",
      ],
      [
        "ca", "-batch", "-config", settings, "-selfsign", "-keyfile", folder("key.pem"), "-in",
        folder("request.pem"), "-startdate", "\(year)0101000000Z", "-enddate", "\(year)1231000000Z",
        "-notext",
        "-out", folder("cert.pem"),
      ],
    ] {
      let made = try await Binary.run(arguments, executable: TestCertificate.program)
      try #require(made.status == 0, "\(made.stderr)")
    }
  }

  var url: String { "mqtts://localhost:\(port)" }

  /// Starts it, and waits until it takes connections.
  ///
  /// - Parameter newestTLS: the newest version of TLS that it speaks, as OpenSSL calls it; its settings have none for that.
  func start(newestTLS: String = "TLSv1.3") async throws {
    let openSSL = folder.write(
      "openssl.cnf",
      """
      openssl_conf = all
      [all]
      ssl_conf = ssl
      [ssl]
      system_default = usual
      [usual]
      MaxProtocol = \(newestTLS)
      """)
    broker = try LiveProcess(
      "/usr/bin/env", ["OPENSSL_CONF=\(openSSL)", Self.programs[0], "-c", folder("mosquitto.conf")])
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while ContinuousClock.now < end, broker?.status == nil {
      let tried = try await Binary.run(
        ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"], executable: "/bin/bash")
      if tried.status == 0 { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("no broker: \(broker?.stderr ?? "")")
  }

  /// Ends it in good order.
  func stop() async {
    broker?.signal(SIGTERM)
    _ = await broker?.finish()
  }

  /// A reader with a persistent session, so that it misses nothing while it connects again. It has subscribed: what is
  /// published from now on reaches it.
  ///
  /// mosquitto_sub gives up where a broker that ends breaks off TLS, and is started again then.
  func read(_ topic: String, client: String) throws -> LiveProcess {
    let reader = try LiveProcess(
      "/bin/sh",
      [
        "-c", #"until setpriv --pdeathsig KILL "$@"; do sleep 0.1; done"#, "sh", Self.programs[1],
        "-h", "localhost", "-p", "\(port)", "--cafile", folder("cert.pem"), "-u", "anna", "-P", "sesame",
        "-q",
        "1", "-i", client, "-c", "-F", "%t|%r|%q|%p", "-t", topic,
      ])
    readers.append(reader)
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    func hasSubscribed() -> Bool { broker?.stderr.contains("Sending SUBACK to \(client)\n") == true }
    while !hasSubscribed(), reader.status == nil, ContinuousClock.now < end { usleep(10_000) }
    #expect(hasSubscribed(), "\(reader.stderr)")
    return reader
  }
}

extension DaemonRun {
  /// Starts a mosquitto whose files are in the run's folder.
  func startBroker() async throws -> MosquittoBroker {
    let broker = try await MosquittoBroker(folder)
    try await broker.start()
    return broker
  }
}
