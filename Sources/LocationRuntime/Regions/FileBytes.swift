#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Whole files.
package enum FileBytes {
  /// The largest file read at once, bytes: far above a million regions, far below what exhausts a machine.
  package static let maximumBytes = 4 << 30

  /// All bytes of a file; `-` is standard input.
  ///
  /// - Throws: 66 where there is no such file, 74 where it can't be read, 65 where it is too large.
  package static func read(path: String) throws(Failure) -> [UInt8] {
    if path == "-" { return try read(descriptor: STDIN_FILENO, path: "<stdin>") }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno, path: path, opening: true) }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, path: path)
  }

  private static func read(descriptor: Int32, path: String) throws(Failure) -> [UInt8] {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure(errno, path: path, opening: false) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(EISDIR, path: path, opening: false) }
    var bytes: [UInt8] = []
    var wanted = max(Int(status.st_size) + 1, 1 << 16)
    while true {
      guard bytes.count <= maximumBytes else {
        throw Failure(
          .data, file: path, what: "larger than \(maximumBytes >> 30) GiB",
          remedy: "split it")
      }
      let count = try append(wanted, of: descriptor, path: path, to: &bytes)
      if count == 0 { return bytes }
      wanted = max(wanted - count, 1 << 16)
    }
  }

  /// Reads once, at most `wanted` bytes; how many came, 0 at the end.
  private static func append(_ wanted: Int, of descriptor: Int32, path: String, to bytes: inout [UInt8])
    throws(Failure) -> Int
  {
    var count = 0
    var code: Int32 = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
      repeat {
        count = unsafe Glibc.read(descriptor, buffer.baseAddress, wanted)
      } while count < 0 && errno == EINTR
      code = errno
      initialized = max(0, count)
    }
    guard count >= 0 else { throw failure(code, path: path, opening: false) }
    if bytes.isEmpty { bytes = piece } else { bytes.append(contentsOf: piece) }
    return count
  }

  private static func failure(_ code: Int32, path: String, opening: Bool) -> Failure {
    let reason = unsafe String(cString: strerror(code))
    let isAbsent = code == ENOENT || code == ENOTDIR
    return Failure(
      opening && (isAbsent || code == EACCES) || code == EISDIR ? .noInput : .io, file: path,
      what: isAbsent ? "no such file" : reason, remedy: isAbsent ? "check the path" : nil)
  }
}
