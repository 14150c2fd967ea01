import Glibc
import LocationFormats

/// A file descriptor that is closed with its owner.
package final class Descriptor: Sendable {
  /// Its number; not negative.
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// `O_PATH` (open(2)), which not every C library shows.
  static let nameOnly: Int32 = 0o10000000

  deinit { close(number) }

  /// Makes reading and writing return rather than wait.
  package func stopWaiting() { _ = fcntl(number, F_SETFL, O_NONBLOCK) }

  /// Reads what is there without waiting, in pieces, until `body` wants no more; whether the other side says no more.
  ///
  /// - Parameter pieceBytes: the longest piece; what a pipe holds, unless told.
  func readAll(pieceBytes: Int = 65_536, _ body: (ArraySlice<UInt8>) -> Bool) -> Bool {
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(number, $0) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return false }
      guard count > 0 else { return true }
      guard body(piece[..<count]) else { return false }
    }
  }

  /// Bytes that wait to be read, in a socket, or in a pipe of which this is either end (`FIONREAD`, pipe(7)); nil where
  /// the kernel does not say.
  var waitingBytes: Int? {
    var count: Int32 = 0
    return unsafe ioctl(number, UInt(FIONREAD), &count) == 0 ? Int(count) : nil
  }

  /// What the open file is; nil where it can't be asked.
  var status: stat? {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? status : nil
  }

  /// The number of the open file in its file system; 0 where it can't be asked.
  var fileNumber: UInt64 { status.map { UInt64($0.st_ino) } ?? 0 }

  /// Whether the open file belongs to the user that this process acts as.
  var isOwn: Bool { status?.st_uid == geteuid() }

  /// Locks the open file for this process (flock(2)), as long as it is open; false where another has the lock.
  ///
  /// It waits up to 5 s: a child that a killed daemon has just forked has its descriptors until it runs its program.
  ///
  /// - Parameter pause: what is done between two attempts.
  func lock(pausing pause: () -> Void = StateLock.pauseShortly) -> Bool {
    for _ in 0..<StateLock.mostAttempts {
      if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK else { return false }
      pause()
    }
    return false
  }

  /// Opens a file or directory; nil, with `errno` set, where that fails.
  static func open(_ path: String, _ flags: Int32) -> Descriptor? {
    let number = SystemCall.openFile(path, flags | O_CLOEXEC)
    return number >= 0 ? Descriptor(number) : nil
  }

  /// Opens a plain file to read; nil where there is none of that name. A pipe is not waited for, nor read.
  static func openPlain(_ path: String, _ flags: Int32 = O_NOFOLLOW) -> Descriptor? {
    guard let file = open(path, O_RDONLY | O_NONBLOCK | flags), let status = file.status,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return file
  }

  /// A watch of files (inotify(7)) that watches none yet; nil, with `errno` set, where no descriptors are left.
  static func fileWatch() -> Descriptor? {
    let number = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK))
    return number >= 0 ? Descriptor(number) : nil
  }

  /// Passes over what is there, without waiting.
  func drain() { _ = readAll(pieceBytes: 8_192) { _ in true } }

  /// Takes a connection that waits at a listening socket; nil, with `errno` set, where none does. No started program
  /// inherits it.
  package func accept() -> Descriptor? {
    var accepted = SystemCall.acceptConnection(number)
    while accepted < 0, errno == EINTR || errno == ECONNABORTED {
      accepted = SystemCall.acceptConnection(number)
    }
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return Descriptor(accepted)
  }
}
