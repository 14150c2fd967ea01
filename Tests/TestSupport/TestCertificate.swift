import Foundation
import Testing

/// A certificate that signs itself, for servers and clients of tests.
package enum TestCertificate {
  /// The program that makes it.
  package static let program = "/usr/bin/openssl"
  /// Whether the program is installed.
  package static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program) }

  /// Writes a certificate and its key, both PEM, into a folder.
  package static func make(
    in folder: TemporaryFolder, host: String = "localhost", certificate: String = "cert.pem",
    key: String = "key.pem"
  ) async throws {
    let made = try await Binary.run(
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-keyout", folder(key), "-out", folder(certificate), "-subj", "/CN=\(host)", "-addext",
        "subjectAltName=DNS:\(host)",
      ], executable: program)
    try #require(made.status == 0, "\(made.stderr)")
  }
}
