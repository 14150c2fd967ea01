import CCurl
import Glibc
import LocationFormats

/// One request for a file, in one go: the one file that speaks to CCurl.
@safe final class CurlFile {
  fileprivate let handle: UnsafeMutableRawPointer
  private let file: UnsafeMutablePointer<locwatch_file>
  private var headers: UnsafeMutablePointer<curl_slist>?

  /// Seconds until a connection stands, at most.
  private static let connectSeconds = 30
  /// A request that carries fewer bytes a second is given up after a while, and tried again later: others may wait for its
  /// place. The slowest links by satellite, of 2400 bits a second, carry 75 for each of four.
  private static let stallBytesPerSecond = 50
  /// That while, seconds.
  private static let stallSeconds = 60

  /// - Parameters:
  ///   - descriptor: the file that is written, or read. It is closed with this.
  ///   - standing: from where it goes on; nil for from the beginning.
  ///   - roomBytes: for a file of so many bytes there is room.
  init?(
    _ job: TransferJob, _ descriptor: Int32, from standing: PartFile.Standing?, roomBytes: Int
  ) {
    guard let handle = unsafe curl_easy_init() else {
      close(descriptor)
      return nil
    }
    unsafe self.handle = handle
    unsafe file = UnsafeMutablePointer<locwatch_file>.allocate(capacity: 1)
    unsafe file.initialize(to: locwatch_file())
    unsafe file.pointee.fd = descriptor
    unsafe file.pointee.folder = job.part.folder
    unsafe file.pointee.begin = Int64(standing?.begin ?? 0)
    unsafe file.pointee.count = file.pointee.begin
    unsafe file.pointee.limit = Int64(job.isUpload ? Int(lseek(descriptor, 0, SEEK_END)) : job.limit)
    unsafe file.pointee.room = Int64(roomBytes)
    if job.isUpload { lseek(descriptor, 0, SEEK_SET) }
    unsafe file.pointee.first = -1
    unsafe file.pointee.whole = Int64(standing?.total ?? -1)
    unsafe file.pointee.total = -1
    var lines = job.headers
    if let standing { lines += (lines.isEmpty ? "" : "\n") + "If-Range: \(standing.validator)" }
    let code = unsafe locwatch_file_prepare(
      handle, file, job.url, job.part.standingName, lines, standing?.validator, job.user, job.password,
      job.authority, job.isUpload ? 1 : 0, job.isNear ? 1 : 0, Self.connectSeconds,
      Self.stallBytesPerSecond, Self.stallSeconds, &headers)
    guard code == 0 else { return nil }
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe curl_slist_free_all(headers)
    close(unsafe file.pointee.fd)
    unsafe file.deallocate()
  }

  var descriptor: Int32 { unsafe file.pointee.fd }
  /// Bytes of the file that are there, or were sent.
  var count: Int { Int(unsafe file.pointee.count) }
  /// Whether it has brought bytes that the next request need not bring again.
  var hasProgressed: Bool {
    unsafe hasBegun && !validator.isEmpty && error == 0 && file.pointee.count > file.pointee.begin
  }
  /// Bytes that the whole has, as this answer says, or the one before of which this one is a part; -1 where neither does.
  var total: Int {
    let said = Int(unsafe file.pointee.total)
    return said < 0 && status == 206 ? Int(unsafe file.pointee.whole) : said
  }
  /// Whether it is known that the file that is gone on with has so many bytes, and the answer is of no other.
  func isWhole(_ bytes: Int) -> Bool {
    let known = unsafe file.pointee.whole >= 0 ? file.pointee.whole : file.pointee.total
    return unsafe known == Int64(bytes) && locwatch_file_is_other(file) == 0
  }
  /// The status of the answer; 0 before there is one.
  var status: Int { Int(unsafe file.pointee.status) }
  /// The errno of what ended it at our side; 0 where nothing did.
  var error: Int32 { unsafe file.pointee.error }
  /// Whether bytes of the file have come.
  var hasBegun: Bool { unsafe file.pointee.decided != 0 }

  /// The strong validator of what comes; empty where there is none.
  var validator: String {
    unsafe withUnsafeBytes(of: file.pointee.validator) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Where the server says that it is instead; nil where it says nothing.
  func redirection(of job: TransferJob) -> String? {
    guard let location = unsafe locwatch_file_redirection(handle, job.user, job.password) else { return nil }
    defer { unsafe free(location) }
    return unsafe String(cString: location)
  }

  /// After how many seconds the server is to be asked again; 0 where it says nothing.
  var retryAfterSeconds: Int { unsafe locwatch_retry_after(handle) }
}

/// The requests that run, in one thread.
@safe final class CurlFiles {
  /// Lets nobody but root trace this process, or take its descriptors; whether that could be done.
  static func keepUntraced() -> Bool { locwatch_keep_untraced() == 0 }

  /// How one ended, as far as curl knows.
  enum End {
    case whole
    /// The other side can't prove who it is.
    case notTrusted
    /// There is no such address.
    case noAddress
    case broken
  }

  private let multi: UnsafeMutableRawPointer

  init?() {
    guard let multi = unsafe curl_multi_init() else { return nil }
    unsafe self.multi = multi
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  func start(_ file: CurlFile) { unsafe curl_multi_add_handle(multi, file.handle) }

  func stop(_ file: CurlFile) { unsafe curl_multi_remove_handle(multi, file.handle) }

  /// Carries what can be carried now.
  func perform() {
    var running: Int32 = 0
    unsafe curl_multi_perform(multi, &running)
  }

  /// Waits until something can be carried, a descriptor can be read, or so many milliseconds have passed.
  func wait(for descriptor: Int32, milliseconds: Int32) {
    var extra = curl_waitfd()
    extra.fd = descriptor
    extra.events = Int16(CURL_WAIT_POLLIN)
    var ready: Int32 = 0
    unsafe curl_multi_poll(multi, &extra, 1, milliseconds, &ready)
  }

  /// Whether one of these has ended, and how; it is taken off.
  func takeEnded(of files: [CurlFile]) -> (file: CurlFile, end: End)? {
    var code: Int32 = 0
    guard let handle = unsafe locwatch_multi_ended(multi, &code) else { return nil }
    unsafe curl_multi_remove_handle(multi, handle)
    guard let file = files.first(where: { unsafe $0.handle == handle }) else { return nil }
    let end: End =
      switch CURLcode(UInt32(code)) {
      case CURLE_OK: .whole
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: .notTrusted
      case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .noAddress
      default: .broken
      }
    return (file, end)
  }
}
