import Glibc
import Synchronization

/// A file, or standard input, as a stream of bytes.
package struct InputFile: ~Copyable {
  /// As the user named it; `<stdin>` for `-`.
  let name: String
  /// The size of a regular file; nil for anything else, whose end nobody knows.
  let byteCount: Int?
  /// How much of it has been read.
  private(set) var bytesRead = 0
  private let descriptor: Int32
  /// Whether standard input has been opened by this process. A second reader would find it at its end.
  private static let hasTakenInput = Atomic(false)

  /// - Parameter isReread: Whether it has been read before. A pipe gives nothing then, and may keep its reader waiting.
  /// - Throws: `noInput` where there is no such file, it is a directory, or a pipe that has been read before,
  ///   `noPermission`, `io`, `usage` where standard input has been opened before.
  init(path: String, isReread: Bool = false) throws(Failure) {
    if isReread, path == "-" { throw Self.spentPipe("<stdin>") }
    let opened = try path == "-" ? Self.standardInput() : Self.open(path, isReread: isReread)
    name = Self.name(of: path)
    descriptor = opened.descriptor
    byteCount = opened.byteCount
  }

  /// What messages call the file of a path, which may be `-` for standard input.
  package static func name(of path: String) -> String { path == "-" ? "<stdin>" : path }

  private static func standardInput() throws(Failure) -> (descriptor: Int32, byteCount: Int?) {
    guard hasTakenInput.exchange(true, ordering: .relaxed) else { return (STDIN_FILENO, nil) }
    throw Failure(.usage, file: "<stdin>", what: "can be read only once", remedy: "give one - at most")
  }

  private static func open(
    _ path: String, isReread: Bool
  ) throws(Failure) -> (descriptor: Int32, byteCount: Int?) {
    let waiting = isReread ? O_NONBLOCK : 0
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | waiting)
    guard descriptor >= 0 else { throw failure(errno, file: path, doing: "open") }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      let failure = failure(isFolder ? EISDIR : errno, file: path, doing: "look at")
      close(descriptor)
      throw failure
    }
    guard !isReread || status.st_mode & S_IFMT != S_IFIFO else {
      close(descriptor)
      throw spentPipe(path)
    }
    return (descriptor, status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil)
  }

  /// Refuses a path that can't be read, without opening it: what is in a pipe stays there.
  ///
  /// - Throws: `noInput`, `noPermission`, `io`.
  package static func requireReadable(_ path: String) throws(Failure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 && access(path, R_OK) == 0 else {
      throw failure(errno, file: path, doing: "open")
    }
    if status.st_mode & S_IFMT == S_IFDIR { throw failure(EISDIR, file: path, doing: "open") }
  }

  /// What another program made of a file.
  ///
  /// - Parameter converted: a descriptor, which is closed with this.
  init(converted: Int32, name: String) {
    self.name = name
    descriptor = converted
    var status = stat()
    byteCount = unsafe fstat(converted, &status) == 0 ? Int(status.st_size) : nil
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Reads what is there into `buffer` from `offset` to `end`, at most as much as fits; 0 at the end.
  ///
  /// - Throws: `io`.
  mutating func read(
    into buffer: inout [UInt8], from offset: Int = 0, to end: Int? = nil
  ) throws(Failure) -> Int {
    let end = end ?? buffer.count
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe SystemCall.readBytes(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<end]))
      }
      if count >= 0 {
        bytesRead += count
        return count
      }
      let error = errno
      guard error == EINTR else { throw Self.failure(error, file: name, doing: "read") }
    }
  }

  private static func spentPipe(_ name: String) -> Failure {
    Failure(
      .noInput, file: name, what: "is a pipe, and can't be read again", remedy: "use a file in its place")
  }

  private static func failure(_ error: Int32, file: String, doing: String) -> Failure {
    let reason = SystemReason.text(error)
    switch error {
    case ENOENT, ENOTDIR:
      return Failure(.noInput, file: file, what: "no such file", remedy: "check the path")
    case ENAMETOOLONG, ELOOP:
      return Failure(.noInput, file: file, what: "can't \(doing) it: \(reason)", remedy: "check the path")
    case EISDIR:
      return Failure(.noInput, file: file, what: "is a directory", remedy: "name a file in it")
    case EACCES, EPERM:
      return Failure(
        .noPermission, file: file, what: "can't \(doing) it: \(reason)", remedy: "check its permissions")
    default:
      return Failure(
        .io, file: file, what: "can't \(doing) it: \(reason)", remedy: error == EIO ? "check the disk" : nil)
    }
  }
}
