import Glibc

/// A file, or standard input, as a stream of bytes.
struct InputFile: ~Copyable {
  /// As the user named it; `<stdin>` for `-`.
  let name: String
  /// The size of a regular file; nil for anything else, whose end nobody knows.
  let byteCount: Int?
  /// How much of it has been read.
  private(set) var bytesRead = 0
  private let descriptor: Int32

  /// - Throws: `noInput` where there is no such file or it is a directory, `noPermission`, `io`.
  init(path: String) throws(Failure) {
    guard path != "-" else {
      name = "<stdin>"
      descriptor = STDIN_FILENO
      byteCount = nil
      return
    }
    name = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    let error = errno
    guard descriptor >= 0 else {
      throw Self.failure(error, file: path, doing: "open")
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw Self.failure(errno, file: path, doing: "look at")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure(.noInput, file: path, what: "is a directory", remedy: "name the track files in it")
    }
    byteCount = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
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

  private static func failure(_ error: Int32, file: String, doing: String) -> Failure {
    let reason = SystemReason.text(error)
    switch error {
    case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP:
      return Failure(.noInput, file: file, what: "no such file", remedy: "check the path")
    case EISDIR:
      return Failure(.noInput, file: file, what: "is a directory", remedy: "name the track files in it")
    case EACCES, EPERM:
      return Failure(
        .noPermission, file: file, what: "can't \(doing) it: \(reason)", remedy: "check its permissions")
    default:
      return Failure(.io, file: file, what: "can't \(doing) it: \(reason)")
    }
  }
}
