import Glibc
import LocationCore
import LocationFormats

/// The directory in which programs have their cgroups: below the supervisor's own cgroup, which is what systemd
/// hands over with `Delegate=yes`, and what root may write to in any case.
struct CgroupParent {
  /// Why there is none.
  struct Absence: Error {
    var reason: String
  }

  /// Where it stands in the file system.
  let path: String
  /// Held so that no second supervisor uses the same.
  private let lock: Descriptor

  /// Makes it, or takes it as it is.
  init(name: String) throws(Absence) {
    let own = try Self.ownPath()
    path = own + "/" + name
    if unsafe mkdir(path, 0o755) != 0, errno != EEXIST {
      throw Absence(reason: "\(own) can't be written: \(SystemReason.text(errno))")
    }
    for file in ["cgroup.freeze", "cgroup.procs"] where unsafe access("\(path)/\(file)", W_OK) != 0 {
      throw Absence(reason: "\(path)/\(file) can't be written: \(SystemReason.text(errno))")
    }
    guard let lock = Descriptor.open(path, O_RDONLY | O_DIRECTORY), lock.lock() else {
      throw Absence(reason: "\(path) is in use by another supervisor")
    }
    self.lock = lock
    Self.leave(own)
    for folder in [own, path] { Self.turnOnControllers(below: folder) }
  }

  /// Moves this process into a cgroup of its own below the one that systemd has made for it, if it is alone there:
  /// programs can't lie below a cgroup that has processes and shares out the processor (Documentation/admin-guide/
  /// cgroup-v2.rst, "No Internal Process Constraint").
  private static func leave(_ own: String) {
    guard KernelFile.read("\(own)/cgroup.procs").map({ $0.filter { !$0.isWhitespace } }) == "\(getpid())"
    else { return }
    let leaf = "\(own)/daemon"
    guard unsafe mkdir(leaf, 0o755) == 0 || errno == EEXIST else { return }
    _ = KernelFile.write("\(leaf)/cgroup.procs", "\(getpid())")
  }

  /// Turns the controllers on that share out processor and disk (rule A12), and hold a program's tree to its limits.
  /// Where they are not to be had, or processes lie in the folder itself, there are none: `locwatch capabilities` says
  /// so.
  private static func turnOnControllers(below folder: String) {
    let isRoot = unsafe access("\(folder)/cgroup.type", F_OK) != 0
    guard isRoot || KernelFile.read("\(folder)/cgroup.procs")?.isEmpty == true else { return }
    for controller in ["+cpu", "+io", "+memory", "+pids"] {
      _ = KernelFile.write("\(folder)/cgroup.subtree_control", controller)
    }
  }

  /// The directory for a program. Letters, digits, `-` and `_` stand for themselves, everything else as `%` and
  /// two hexadecimal digits, so that no name leads elsewhere or looks like a file of the kernel's.
  func path(of name: String) -> String { path + "/" + Self.fileName(of: name) }

  /// The programs' directories that are there.
  var found: [String] { KernelFile.names(in: path, areDirectories: true).map { "\(path)/\($0)" } }

  /// Makes a cgroup for a start of a program, below that of the subscriber, and removes those of earlier starts
  /// from which the last process has gone.
  func makeCgroup(of name: String, number: Int) throws(Failure) -> Cgroup {
    let own = path(of: name)
    if unsafe mkdir(own, 0o755) != 0, errno != EEXIST {
      throw Failure(.noPermission, file: own, what: SystemReason.text(errno))
    }
    Self.turnOnControllers(below: own)
    for old in KernelFile.names(in: own, areDirectories: true) { Cgroup.remove("\(own)/\(old)") }
    // One from which a process does not go, stuck in the kernel, is still there.
    var free = number
    while unsafe access("\(own)/\(free)", F_OK) == 0 { free += 1 }
    return try Cgroup(path: "\(own)/\(free)")
  }

  /// Ends what is left in a subscriber's cgroups and removes them.
  func removeCgroups(of name: String) { try? Cgroup(path: path(of: name), thaws: false).end() }

  /// Removes it, if it is empty.
  func remove() { _ = unsafe rmdir(path) }

  /// The longest file name without an ending: NAME_MAX in limits.h, less ``RunFile/ending``.
  private static let fileNameBytes = 255 - RunFile.ending.utf8.count

  static func fileName(of name: String) -> String {
    let file = String(escaping: name.utf8) { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    guard file.utf8.count > fileNameBytes else { return file }
    // Two long names may differ only in what is cut.
    let mark = "+" + String(UInt64(bitPattern: Checksum.of(name)), radix: 16)
    return file.prefix(fileNameBytes - mark.utf8.count) + mark
  }

  /// The supervisor's own cgroup in the first cgroup v2 mount that shows it (cgroups(7)). On a machine that has
  /// both versions, v2 stands below /sys/fs/cgroup/unified.
  static func ownPath() throws(Absence) -> String {
    guard let mounts = KernelFile.read("/proc/self/mountinfo"), let own = KernelFile.read("/proc/self/cgroup")
    else { throw Absence(reason: "/proc can't be read") }
    return try ownPath(mountInfo: mounts, ownCgroups: own)
  }

  /// - Parameters:
  ///   - mountInfo: /proc/self/mountinfo (proc_pid_mountinfo(5)): fields 4 and 5 are the part of the tree that is
  ///     mounted and where; the type stands after a lone dash.
  ///   - ownCgroups: /proc/self/cgroup, whose line `0::PATH` is for version 2.
  static func ownPath(mountInfo: String, ownCgroups: String) throws(Absence) -> String {
    guard let line = ownCgroups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else {
      throw Absence(reason: "the kernel has no cgroup v2")
    }
    let own = line.dropFirst(3)
    // Outside of our cgroup namespace (cgroup_namespaces(7)).
    guard !own.hasPrefix("/..") else { throw Absence(reason: "the own cgroup can't be seen from here") }
    for mount in mountInfo.split(separator: "\n") {
      let fields = mount.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash > 4, fields.count > dash + 1,
        fields[dash + 1] == "cgroup2"
      else { continue }
      let root = fields[3] == "/" ? "" : fields[3]
      guard own.hasPrefix(root), own.count == root.count || own.dropFirst(root.count).hasPrefix("/") else {
        continue
      }
      let below = own.dropFirst(root.count)
      return String(fields[4]) + (below == "/" ? "" : String(below))
    }
    throw Absence(reason: "no cgroup v2 is mounted")
  }
}
