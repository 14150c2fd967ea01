import Glibc
package import LocationFormats

/// A Unix socket that listens, for its owner and its group, and its entry in the file system.
package struct UnixListener: Sendable {
  /// Where its entry is.
  package let path: String
  /// What it listens at.
  package let descriptor: Descriptor
  /// Which file its entry is.
  private let entry: FileNumber
  /// How many connections may wait to be taken.
  private let waiting: Int32
  /// Tells when the entry changes or goes, or that it is time to try again to make it; nil where there are no descriptors
  /// left.
  private(set) var changes = Descriptor.fileWatch()
  /// What tells when to try again; nil while the entry is there.
  private var retry: KernelTimer?

  /// Listens, in the place of what a server that is gone has left.
  ///
  /// - Parameter waiting: how many connections may wait to be taken.
  /// - Throws: ``Failure`` of code 73 where something else is there: another server, or what is no socket.
  package init(path: String, waiting: Int32) throws(Failure) {
    func failure(_ code: Int32 = errno) -> Failure {
      Failure(
        .cantCreate, file: path, what: "can't listen there: \(SystemReason.text(code))",
        remedy: "check the folder and its permissions")
    }
    let address = ControlAddress(path: path)
    if let status = StatePath.status(path) {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw Failure(
          .cantCreate, file: path, what: "is there already and is no socket",
          remedy: "name another path, or move it away")
      }
      switch address.probe() {
      // Its queue may be full.
      case 0, EAGAIN:
        throw Failure(
          .cantCreate, file: path, what: "another server listens there",
          remedy: "end it, or choose another path")
      case EACCES, EPERM: throw failure(EACCES)
      default: unsafe unlink(path)
      }
    }
    guard let descriptor = ControlAddress.newSocket(waits: false) else { throw failure() }
    // Nobody can connect before it listens. The umask is that of all threads, and a path may lead elsewhere by now.
    guard unsafe address.withAddress({ unsafe bind(descriptor.number, $0, $1) }) == 0,
      let entry = Descriptor.open(path, Descriptor.nameOnly | O_NOFOLLOW),
      let status = entry.status,
      unsafe chmod("/proc/self/fd/\(entry.number)", 0o660) == 0,
      SystemCall.listenAtSocket(descriptor.number, waiting: waiting) == 0
    else { throw failure() }
    self.path = path
    self.descriptor = descriptor
    self.entry = FileNumber(status)
    self.waiting = waiting
    // That its name goes changes an entry's attributes: how many names it has (inotify(7)).
    let events = UInt32(IN_ATTRIB | IN_MOVE_SELF | IN_DONT_FOLLOW)
    if let changes { _ = unsafe inotify_add_watch(changes.number, path, events) }
  }

  /// Listens anew where the entry was removed or replaced. Without it no client can connect.
  ///
  /// - Returns: whether that was so.
  /// - Throws: ``Failure`` of code 73 where it can't listen there: the first time. Then it tries again every few seconds.
  mutating func restoreEntry() throws(Failure) -> Bool {
    changes?.drain()
    guard retry != nil || FileNumber(path) != entry else { return false }
    do throws(Failure) {
      self = try UnixListener(path: path, waiting: waiting)
      return true
    } catch {
      let isTold = retry != nil
      // The watch is of the entry that is gone, and says no more.
      retry = retry ?? KernelTimer(of: CLOCK_MONOTONIC)
      retry?.set(to: SystemCall.microseconds(of: CLOCK_MONOTONIC) + Self.retryMicroseconds)
      if let retry { changes = retry.descriptor }
      if isTold { return false }
      throw error
    }
  }

  private static let retryMicroseconds: Int64 = 5_000_000

  /// Removes its entry, unless that is another server's by now.
  package func remove() {
    if FileNumber(path) == entry { unsafe unlink(path) }
  }
}
