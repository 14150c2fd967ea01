import Glibc
import LocationCore
import LocationFormats

/// The places of one supervisor: where cgroups are made, where run files lie, what programs inherit.
final class SupervisorSite: Sendable {
  /// Nil where none can be made; ``reasonForSignal`` says why.
  let cgroups: CgroupParent?
  /// Why SIGSTOP is used; empty where it is not.
  let reasonForSignal: String
  /// Milliseconds from SIGTERM to SIGKILL.
  let graceMilliseconds: Int64
  /// What programs have in their environment beside their own keys.
  let environment: [String]
  private let runDirectory: String
  private let filesDirectory: String?
  /// Held so that no second supervisor uses the same directory.
  private let lock: Descriptor

  /// - Throws: ``Failure`` where the directory can't be made, or another supervisor uses it.
  init(_ configuration: SupervisorConfiguration) throws(Failure) {
    runDirectory = configuration.runDirectory
    filesDirectory = configuration.filesDirectory
    graceMilliseconds = configuration.graceMilliseconds
    environment = configuration.environment ?? ProgramStart.inheritedEnvironment()
    if unsafe mkdir(runDirectory, 0o700) != 0, errno != EEXIST {
      throw Failure(.cantCreate, file: runDirectory, what: SystemReason.text(errno))
    }
    guard let lock = Descriptor.open(runDirectory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
      throw Failure(.io, file: runDirectory, what: SystemReason.text(errno))
    }
    // Its files say which processes are ended: they must be ours.
    guard lock.isOwn, fchmod(lock.number, 0o700) == 0 else {
      throw Failure(
        .noPermission, file: runDirectory, what: "belongs to another user", remedy: "remove it")
    }
    guard lock.lock() else {
      throw Failure(
        .tryAgain, file: runDirectory, what: "another supervisor uses this directory",
        remedy: "stop it, or choose another state file")
    }
    self.lock = lock
    guard configuration.usesCgroups else {
      cgroups = nil
      reasonForSignal = "switched off"
      return
    }
    do throws(CgroupParent.Absence) {
      // One of its own for each run directory, also after a restart: two supervisors never share one.
      cgroups = try CgroupParent(name: "\(configuration.cgroupName)-\(lock.fileNumber)")
      reasonForSignal = "this program could not be put in its cgroup"
    } catch {
      cgroups = nil
      reasonForSignal = error.reason
    }
  }

  /// How programs are suspended here.
  var method: SuspensionMethod {
    cgroups.map { .freezer(path: $0.path) } ?? .stopSignal(reason: reasonForSignal)
  }

  /// Ends what a supervisor before has left running, and commands of the settings: their pipes died with it.
  func reclaim() {
    for file in KernelFile.names(in: runDirectory, areDirectories: false)
    where file.hasSuffix(RunFile.hookEnding) || file.hasSuffix(RunFile.ending) {
      let path = "\(runDirectory)/\(file)"
      KernelFile.readPlain(path, atMost: RunFile.mostBytes).flatMap { RunFile($0) }?.endSurvivors()
      unsafe unlink(path)
    }
    for path in cgroups?.found ?? [] { try? Cgroup(path: path, thaws: false).end() }
  }

  /// Starts a subscriber's program, noted before it runs.
  func start(
    _ subscriber: Subscriber, environment: [String], hasOutput: Bool, hasError: Bool = false,
    hasChannel: Bool = false, cgroup: Cgroup?
  ) throws(ProgramStart.Refusal) -> ProgramStart {
    let name = subscriber.name
    do throws(ProgramStart.Refusal) {
      return try ProgramStart(
        command: subscriber.command, environment: environment, hasOutput: hasOutput, hasError: hasError,
        hasChannel: hasChannel, confinement: subscriber.confinement, cgroup: cgroup
      ) { pid throws(ProgramStart.Refusal) in try noteRun(of: name, pid: pid, cgroup: cgroup?.path) }
    } catch {
      forgetRun(of: name)
      throw error
    }
  }

  /// Notes that a program runs, in a directory that is made again where somebody has removed it.
  ///
  /// - Throws: where it can't be noted, as on a full disk, and has no cgroup by which it is found as well.
  private func noteRun(of name: String, pid: pid_t, cgroup: String?) throws(ProgramStart.Refusal) {
    guard let run = RunFile(pid: pid, cgroup: cgroup) else { return }
    let path = runPath(of: name)
    var code = KernelFile.write(path, run.text, create: true)
    if code == ENOENT, unsafe mkdir(runDirectory, 0o700) == 0 {
      code = KernelFile.write(path, run.text, create: true)
    }
    guard code == 0 || cgroup != nil else { throw .notNoted(code) }
  }

  /// Notes that it does not run.
  func forgetRun(of name: String) { unsafe unlink(runPath(of: name)) }

  /// The directory of a program; nil where it has none.
  func directory(of subscriber: Subscriber) -> String? {
    subscriber.directory ?? filesDirectory.map { "\($0)/\(CgroupParent.fileName(of: subscriber.name))" }
  }

  /// Leaves nothing behind.
  func close() { cgroups?.remove() }

  private func runPath(of name: String) -> String {
    "\(runDirectory)/\(CgroupParent.fileName(of: name))\(RunFile.ending)"
  }
}
