import Glibc
import LocationCore
import LocationFormats

/// One transfer as the daemon asks for it: `{"start":N,"job":{…},"parts":FD,"directory":PATH,"files":FD,…}`.
struct TransferJob {
  /// Whether a file goes there, rather than comes here.
  let isUpload: Bool
  /// Where from, or where to.
  var address: OutletAddress
  var url: String
  /// What is sent with the request, one header a line; none after a redirection to another host.
  var headers: String
  var user: String?
  var password: String?
  /// The file that its program names.
  let file: OwnFile
  /// What has come so far.
  let part: PartFile
  /// The largest file, bytes.
  let limit: Int
  /// Who vouches for servers, as a PEM file; nil for those whom the machine trusts.
  let authority: String?
  /// The wait after the first failure, seconds; doubled after each further one.
  let retrySeconds: Double
  /// The longest of these waits, seconds.
  let longestRetrySeconds: Double
  /// Requests in a row that failed before. The daemon keeps the number while the transfer waits to be tried again.
  let failures: Int

  /// - Throws: why it can't be begun.
  init(_ line: JSONTree) throws(TransferTrouble) {
    guard let number = line["start"]?.integer, let job = line["job"], let parts = line["parts"]?.integer,
      let directory = line["directory"]?.string, let file = job["file"]?.string,
      let url = job["url"]?.string
    else { throw TransferTrouble(.file) }
    isUpload = job["kind"]?.string == "put"
    self.url = url
    address = try Self.address(url)
    headers = Self.headers(job["headers"])
    user = job["user"]?.string
    password = job["password"]?.string
    self.file = try OwnFile(file, in: directory, opened: line["files"]?.integer.map { Int32(clamping: $0) })
    self.part = PartFile(folder: Int32(clamping: parts), name: "\(number)")
    limit = line["limit"]?.integer ?? .max
    authority = line["authority"]?.string
    retrySeconds = line["retry"]?.double ?? 1
    longestRetrySeconds = line["longestRetry"]?.double ?? 3600
    failures = max(0, line["failures"]?.integer ?? 0)
  }

  /// Goes where the server says it is. What is secret does not go to another host.
  mutating func follow(_ location: String) throws(TransferTrouble) {
    let next = try Self.address(location)
    guard next.isEncrypted || !address.isEncrypted else { throw TransferTrouble(.address) }
    if next.authority != address.authority || next.scheme != address.scheme {
      headers = ""
      user = nil
      password = nil
    }
    address = next
    url = location
  }

  /// Leaves nothing of what has come so far.
  func erase() {
    part.erase()
    if !isUpload { file.eraseCopy(part.copyName) }
  }

  /// Whether it goes to this machine: without a proxy, and it may without TLS.
  var isNear: Bool { address.isLoopback }

  private static func address(_ url: String) throws(TransferTrouble) -> OutletAddress {
    guard let address = try? OutletAddress(url), address.scheme.hasPrefix("http"),
      address.isEncrypted || address.isLoopback
    else { throw TransferTrouble(.address) }
    return address
  }

  private static func headers(_ tree: JSONTree?) -> String {
    guard case .object(let members) = tree ?? .null else { return "" }
    return members.compactMap { member -> String? in
      guard let value = member.value.string else { return nil }
      // Curl sends a header without a value if it ends with a semicolon, and omits it if it ends with a colon.
      let line = value.isEmpty ? "\(member.key);" : "\(member.key): \(value)"
      // A header can't begin another one.
      return String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" }))
    }.joined(separator: "\n")
  }
}

/// Why a transfer can't be done.
struct TransferTrouble: Error {
  var reason: TransferRecord.Reason
  /// The status of the server's answer; nil where it did not decide.
  var status: Int?

  init(_ reason: TransferRecord.Reason, status: Int? = nil) {
    self.reason = reason
    self.status = status
  }

  /// Of a file that could not be written or read.
  init(code: Int32) {
    self.init(Self.isFull(code) ? .noSpace : .file)
  }

  private static func isFull(_ code: Int32) -> Bool { [ENOSPC, EDQUOT].contains(code) }
}
