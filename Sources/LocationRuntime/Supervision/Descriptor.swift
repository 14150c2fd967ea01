#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file descriptor that is closed with its owner.
final class Descriptor: Sendable {
  /// Its number; not negative.
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// Makes reading and writing return rather than wait.
  func stopWaiting() { _ = fcntl(number, F_SETFL, O_NONBLOCK) }

  /// The number of the open file in its file system; 0 where it can't be asked.
  var fileNumber: UInt64 {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  /// Opens a file or directory; nil, with `errno` set, where that fails.
  static func open(_ path: String, _ flags: Int32) -> Descriptor? {
    let number = System.open(path, flags | O_CLOEXEC)
    return number >= 0 ? Descriptor(number) : nil
  }

  /// `open(2)`, which the name above hides.
  private enum System {
    static func open(_ path: String, _ flags: Int32) -> Int32 {
      #if canImport(Musl)
        unsafe Musl.open(path, flags, 0o600)
      #else
        unsafe Glibc.open(path, flags, 0o600)
      #endif
    }
  }
}
