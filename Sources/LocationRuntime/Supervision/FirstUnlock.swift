import Glibc
package import LocationFormats

/// Tells when the machine is unlocked for the first time after a boot (rule A8).
///
/// A file tells it, because anything that knows of the unlock can make one: a unit (`ExecStart=touch FILE`, bound to the
/// mount of an encrypted home) or a login hook. The file counts if it is of this boot: it lies in memory (`/run`), where
/// it does not outlive one, or its text is this boot's id.
package final class FirstUnlock: Sendable {
  /// The file.
  package let path: String
  /// Becomes readable when the file comes or has been written, and when another comes beside it; for `poll`.
  package var readable: Int32 { changes.number }
  private let changes: Descriptor

  /// - Parameter path: its directory must be there.
  /// - Throws: ``Failure`` where the directory can't be watched, or somebody but root can put a file there and this is
  ///   root.
  package init(path: String) throws(Failure) {
    self.path = path
    let folder = Self.folder(of: path)
    try StatePath.requireSafeFolders(of: path)
    guard let changes = Descriptor.fileWatch() else {
      throw Failure(
        .tryAgain, what: "can't watch files: \(SystemReason.text(errno))",
        remedy: "raise fs.inotify.max_user_instances, or the limit of open files (LimitNOFILE, ulimit -n)")
    }
    self.changes = changes
    // A file may be made readable after it was made.
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB)
    guard unsafe inotify_add_watch(changes.number, folder, mask) >= 0 else {
      throw Failure(.noInput, file: folder, what: SystemReason.text(errno))
    }
    watchFile()
  }

  /// Watches the file itself, if it is there: what is written to others beside it wakes nobody.
  private func watchFile() {
    _ = unsafe inotify_add_watch(changes.number, path, UInt32(IN_CLOSE_WRITE | IN_DONT_FOLLOW))
  }

  /// Whether it has been told for this boot. Asking silences ``readable``.
  package func isTold() -> Bool {
    changes.drain()
    // Before it is read: what is written after that is news.
    watchFile()
    // Whoever may write the folder could have made a pipe of it, or a link to what has no end.
    guard let file = Descriptor.openPlain(path, 0), let status = file.status,
      let text = KernelFile.read(file, atMost: Self.mostBytes)
    else { return false }
    return text.filter { !$0.isWhitespace } == ProcessStatus.boot || Self.isInMemory(status.st_dev)
  }

  /// A boot's id has 36.
  private static let mostBytes = 64

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether it lies on a file system that a boot empties: the device of the file, as makedev(3) packs it, is that of
  /// such a mount (proc_pid_mountinfo(5): field 3 is the device, the type stands after a lone dash).
  private static func isInMemory(_ device: dev_t) -> Bool {
    guard let mounts = KernelFile.read("/proc/self/mountinfo") else { return false }
    let number = UInt64(device)
    let device = "\((number >> 8) & 0xFFF):\((number & 0xFF) | ((number >> 12) & 0xF_FF00))"
    return mounts.split(separator: "\n").contains { mount in
      let fields = mount.split(separator: " ")
      guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-"),
        fields.count > dash + 1
      else { return false }
      return fields[dash + 1] == "tmpfs" || fields[dash + 1] == "ramfs"
    }
  }
}
