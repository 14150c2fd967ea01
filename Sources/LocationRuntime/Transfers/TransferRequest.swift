import Glibc
package import LocationCore
import LocationFormats

/// A transfer that a program asks for (rule I1): what the engine is told of it, and what only those know who carry it
/// out.
package struct TransferRequest: Hashable, Sendable {
  /// For the engine.
  package var terms: TransferTerms
  /// For the process that carries it out, a JSON object: the address, the file, and what is sent with the request. The
  /// address is not in it where the manifest says it (rule I5).
  var job: JSONTree

  /// Reads the object; nil where it is none.
  static func read(from reader: inout JSONReader) throws(JSONError) -> TransferRequest? {
    let tree = try JSONTree(&reader)
    guard tree.hasOnly(keys), let session = tree["session"]?.string,
      (1...nameBytes).contains(session.utf8.count),
      let kind = TransferTerms.Kind(rawValue: tree["kind"]?.string ?? "get"),
      let file = tree["file"]?.string, (1...Int(PATH_MAX)).contains(file.utf8.count), !file.utf8.contains(0)
    else { return nil }
    var terms = TransferTerms(session: session, kind: kind)
    for (key, path) in flags {
      guard let value = tree[key] else { continue }
      guard case .boolean(let isSo) = value else { return nil }
      terms[keyPath: path] = isSo
    }
    var job: [JSONTree.Member] = [
      .init(key: "kind", value: .string(kind.rawValue)), .init(key: "file", value: .string(file)),
    ]
    if let value = tree["url"] {
      guard case .string(let url) = value, isServed(url) else { return nil }
      job.append(.init(key: "url", value: value))
    }
    for key in ["user", "password"] {
      guard let value = tree[key] else { continue }
      guard case .string = value else { return nil }
      job.append(.init(key: key, value: value))
    }
    if let headers = tree["headers"] {
      guard case .object(let members) = headers,
        members.allSatisfy({ isHeader($0.key) && $0.value.string.map(isHeaderValue) ?? false })
      else { return nil }
      job.append(.init(key: "headers", value: headers))
    }
    return TransferRequest(terms: terms, job: .object(job))
  }

  /// Whether files are fetched from there: over TLS, or from this machine.
  static func isServed(_ url: String) -> Bool {
    guard url.utf8.count <= urlBytes, let address = try? OutletAddress(url) else { return false }
    return address.scheme == "https" || address.scheme == "http" && address.isLoopback
  }

  /// Whether a program may name that header: a name, and none of those by which a request is carried.
  private static func isHeader(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { isTokenByte($0) } && !ownHeaders.contains(name.lowercased())
  }

  /// Whether a header may have that value: no line end, nor what is not printed (RFC 9110, 5.5).
  private static func isHeaderValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  /// RFC 9110, 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  /// With another of these a transfer gets a part of its file, or none, and is tried again without end.
  private static let ownHeaders: Set = ["range", "if-range", "content-length", "transfer-encoding", "host"]

  private static let flags: [(String, any WritableKeyPath<TransferTerms, Bool> & Sendable)] = [
    ("discretionary", \.isDiscretionary), ("launch_events", \.launchesEvents), ("metered", \.metered),
  ]
  private static let keys = Set(flags.map(\.0)).union([
    "session", "kind", "file", "url", "user", "password", "headers",
  ])
  private static let nameBytes = 256
  /// What servers take (RFC 9110, 4.1).
  private static let urlBytes = 8000
}
