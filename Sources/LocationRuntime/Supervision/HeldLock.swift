import Glibc

/// A file lock that a process holds: who waits for it waits as long as the holder is suspended (rule K3).
package struct HeldLock: Hashable, Sendable {
  /// The process.
  package var pid: Int32
  /// `POSIX`, `FLOCK` or `OFDLCK` (proc_locks(5)).
  package var kind: String
  /// The locked file.
  package var path: String

  /// The locks of these descriptors on files outside these directories, in their order.
  ///
  /// `/proc/locks` says whether there is any lock at all, but names a holder only by the process that took the lock:
  /// one that a child has inherited, or an open file description's, has none there. So each descriptor of a file is
  /// asked (`/proc/PID/fdinfo`, since Linux 4.1). Files that have no name any more are nobody else's.
  static func held(by descriptors: [OpenDescriptor], outside directories: [String]) -> [HeldLock] {
    guard let table = KernelFile.read("/proc/locks", atMost: 1), !table.isEmpty else { return [] }
    return descriptors.flatMap { descriptor -> [HeldLock] in
      let path = descriptor.target
      guard path.hasPrefix("/"), !path.hasSuffix(" (deleted)"),
        !directories.contains(where: { isInside(path, $0) })
      else { return [] }
      // Locks come before what else there is.
      let text = KernelFile.read("/proc/\(descriptor.pid)/fdinfo/\(descriptor.number)", atMost: 1) ?? ""
      return kinds(fdinfo: text).map { HeldLock(pid: descriptor.pid, kind: $0, path: path) }
    }
  }

  /// The kinds of the locks that a descriptor's information names: `lock:\t1: FLOCK  ADVISORY  WRITE 12 08:01:34 0 EOF`.
  /// A lease is given back when somebody asks, and is none.
  static func kinds(fdinfo text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count > 3, words[0] == "lock:",
        words[2] == "POSIX" || words[2] == "FLOCK" || words[2] == "OFDLCK"
      else { return nil }
      return String(words[2])
    }
  }

  private static func isInside(_ path: String, _ directory: String) -> Bool {
    let folder = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    return path.hasPrefix(folder + "/")
  }
}
