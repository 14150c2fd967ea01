import Glibc
import LocationCore
import LocationFormats

/// The cgroup of one program: everything it starts is in it, and stays in it.
final class Cgroup {
  /// Where it stands in the file system.
  let path: String
  /// The open directory, to start a program in.
  let directory: Descriptor
  /// `cgroup.events`, which wakes `poll` with POLLPRI when something in it has changed since it was read.
  let events: Descriptor

  /// Makes it or takes it as it is.
  ///
  /// - Parameter thaws: whether it is let run. False for one that is to be killed, so that it runs no code before.
  /// - Throws: ``Failure`` where it can't be made or used.
  init(path: String, thaws: Bool = true) throws(Failure) {
    self.path = path
    if unsafe mkdir(path, 0o755) != 0, errno != EEXIST { throw Self.failure(path, errno) }
    guard let directory = Descriptor.open(path, O_RDONLY | O_DIRECTORY),
      let events = Descriptor.open(path + "/cgroup.events", O_RDONLY)
    else { throw Self.failure(path, errno) }
    self.directory = directory
    self.events = events
    guard thaws else { return }
    let code = KernelFile.write(path + "/cgroup.freeze", "0")
    guard code == 0 else { throw Self.failure(path, code) }
  }

  /// Says whether the tree comes before others where processor and disk are short (rule A12). Where the controllers
  /// are not on for it, nothing happens.
  func setPrecedence(isForeground: Bool) {
    let weight = isForeground ? Self.foregroundWeight : Self.backgroundWeight
    _ = KernelFile.write(path + "/cpu.weight", weight)
    _ = KernelFile.write(path + "/io.weight", weight)
  }

  /// The kernel's default (Documentation/admin-guide/cgroup-v2.rst).
  static let foregroundWeight = "100"
  /// A fifth of that (rule A12).
  static let backgroundWeight = "20"

  /// Limits what the whole tree takes, where the controllers are on for it; limits of each process hold in any case.
  func limit(_ confinement: Subscriber.Confinement?) {
    if let bytes = confinement?.memoryMaxBytes { _ = KernelFile.write(path + "/memory.max", "\(bytes)") }
    if let tasks = confinement?.tasksMax { _ = KernelFile.write(path + "/pids.max", "\(tasks)") }
  }

  /// Asks the kernel to freeze the tree; ``isFrozen`` tells when it has.
  func freeze() -> Bool { KernelFile.write(path + "/cgroup.freeze", "1") == 0 }

  /// Lets the tree run.
  func thaw() { _ = KernelFile.write(path + "/cgroup.freeze", "0") }

  /// Whether no process in the tree runs any code.
  var isFrozen: Bool { event("frozen") == 1 }

  /// Whether there is a process in the tree; one that has ended does not count.
  var isPopulated: Bool { event("populated") == 1 }

  /// Processor seconds the tree has taken so far.
  var coreSeconds: Double? {
    KernelFile.read(path + "/cpu.stat").flatMap { KernelFile.value("usage_usec", in: $0) }.map {
      Double($0) / 1e6
    }
  }

  /// Bytes of memory charged to the tree; nil where the memory controller is not on for it.
  var memoryBytes: Int? {
    KernelFile.read(path + "/memory.current").flatMap { Int($0.filter(\.isNumber)) }
  }

  /// The numbers of the processes in the tree.
  var pids: [pid_t] { Self.members(path, depth: 0) }

  /// Ends every process of the tree, frozen or not, at once; then it is as if new.
  func kill() {
    if KernelFile.write(path + "/cgroup.kill", "1") != 0 { killOneByOne() }
    thaw()
  }

  /// Removes it, with what a program has made below it, as far as there are no processes in it.
  func remove() { Self.remove(path) }

  /// The same for one by its path.
  static func remove(_ path: String) { remove(path, depth: 0) }

  /// Before Linux 5.14 there is no `cgroup.kill`: what is frozen can't fork, and dies of SIGKILL all the same.
  private func killOneByOne() {
    _ = freeze()
    for _ in 0..<Self.killRounds {
      let pids = Self.members(path, depth: 0)
      if pids.isEmpty { return }
      for pid in pids { _ = SystemCall.signalProcess(pid, SIGKILL) }
    }
  }

  private func event(_ key: String) -> Int? {
    KernelFile.read(events).flatMap { KernelFile.value(key, in: $0) }
  }

  private static let killRounds = 100
  /// A program may make cgroups below its own; deeper than this they are left to whoever cleans up by hand.
  private static let maximumDepth = 16

  private static func members(_ path: String, depth: Int) -> [pid_t] {
    let here = (KernelFile.read(path + "/cgroup.procs") ?? "").split(separator: "\n").compactMap { pid_t($0) }
    guard depth < maximumDepth else { return here }
    return KernelFile.names(in: path, areDirectories: true).reduce(here) {
      $0 + members("\(path)/\($1)", depth: depth + 1)
    }
  }

  private static func remove(_ path: String, depth: Int) {
    if unsafe rmdir(path) == 0 || depth >= maximumDepth { return }
    for name in KernelFile.names(in: path, areDirectories: true) {
      remove("\(path)/\(name)", depth: depth + 1)
    }
    _ = unsafe rmdir(path)
  }

  private static func failure(_ path: String, _ code: Int32) -> Failure {
    Failure(.noPermission, file: path, what: SystemReason.text(code))
  }
}
