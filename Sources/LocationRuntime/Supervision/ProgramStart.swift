import CSpawn
import Glibc
import LocationCore
import LocationFormats

/// A program that has been started: the one file that speaks to CSpawn.
struct ProgramStart {
  /// Why a program was not started.
  struct Refusal: Error {
    /// Whether it could not be put in its cgroup; it may do without.
    var isOfCgroup: Bool
    /// An errno.
    var code: Int32

    /// The status with which a shell would tell this: not found, or not executable (POSIX, shell, 2.8.2).
    var status: Int32 { code == ENOENT ? 127 : 126 }

    /// What is said instead of the errno.
    var reason: String?

    /// For a message.
    var text: String { reason ?? SystemReason.text(code) }

    /// The manifest names no program.
    static let noCommand = Refusal(isOfCgroup: false, code: ENOENT)

    /// The manifest names a user or group that is not there.
    static func unknownAccount(_ reason: String) -> Refusal {
      Refusal(isOfCgroup: false, code: EPERM, reason: "\(reason); make it, or change the manifest")
    }

    /// The next daemon would not find it.
    static func notNoted(_ code: Int32) -> Refusal {
      Refusal(isOfCgroup: false, code: code, reason: "its start can't be noted: \(SystemReason.text(code))")
    }
  }

  /// Its number, which is that of its process group as well.
  let pid: pid_t
  /// What a loop watches to see its end.
  var awaited: AwaitedEnd
  /// Its standard input: for writing, without waiting. Setting it to nil closes it.
  var input: Descriptor?
  /// Its standard output: for reading, without waiting; nil where that goes where standard error goes.
  let output: Descriptor?
  /// Its standard error: for reading, without waiting; nil where that is this process's own.
  let error: Descriptor?
  /// By which it passes sockets; nil where it has none.
  let channel: Descriptor?

  /// A program that was not executed in time: its file system does not answer, or somebody has a lease on its file
  /// (fcntl(2)). What comes of it is told when its process has ended.
  fileprivate struct Pending {
    let gate: Descriptor
    let path: String
    let account: ProgramAccount?
  }

  /// How long a start waits for its program to be executed. Our choice: all else waits as long, and a disk that has to
  /// spin up takes longer.
  static let executionMilliseconds: Int32 = 1_000

  /// Starts a program, in a cgroup where one is given.
  ///
  /// - Parameters:
  ///   - folders: open directories that it has from ``folderNumber`` on, at most two.
  ///   - milliseconds: how long to wait for its execution; -1 for as long as it takes.
  ///   - note: takes note of its number. The process is there by then, but runs the program only afterwards; if we die
  ///     before, or it throws, the process ends without having run any of it. So nothing runs that was not noted.
  init(
    command: [String], environment: [String], hasOutput: Bool, hasError: Bool = false,
    hasChannel: Bool = false, folders: [Descriptor] = [], confinement: Subscriber.Confinement? = nil,
    cgroup: Cgroup? = nil, executedWithin milliseconds: Int32 = executionMilliseconds,
    noting note: (pid_t) throws(Refusal) -> Void = { _ in }
  ) throws(Refusal) {
    var account: ProgramAccount?
    if let user = confinement?.user { account = try ProgramAccount(user: user, group: confinement?.group) }
    var environment = account?.environment(from: environment) ?? environment
    cgroup?.limit(confinement)
    let (theirInput, input) = try Self.pipe()
    let ends = hasOutput ? try Self.pipe() : nil
    let errorEnds = hasError ? try Self.pipe() : nil
    let channelEnds = hasChannel ? try Self.channel() : nil
    if hasChannel { environment.append("\(Self.channelKey)\(LOCWATCH_CHANNEL)") }
    let held = unsafe try Self.start(
      command, environment: environment, as: account, within: milliseconds,
      with: { program in
        unsafe program.input = theirInput.number
        unsafe program.output = ends?.write.number ?? -1
        unsafe program.error = errorEnds?.write.number ?? -1
        unsafe program.channel = channelEnds?.theirs.number ?? -1
        unsafe program.folders.0 = folders.first?.number ?? -1
        unsafe program.folders.1 = folders.dropFirst().first?.number ?? -1
        unsafe program.cgroup = cgroup?.directory.number ?? -1
        unsafe program.memory_max = UInt64(confinement?.memoryMaxBytes ?? 0)
        unsafe program.tasks_max = UInt64(confinement?.tasksMax ?? 0)
        unsafe program.files_max = UInt64(confinement?.descriptorsMax ?? 0)
      }, noting: note)
    pid = held.pid
    awaited = AwaitedEnd(
      pidfd: Descriptor(held.pidfd),
      pending: held.gate < 0
        ? nil : Pending(gate: Descriptor(held.gate), path: command.first ?? "", account: account))
    self.input = input
    output = ends?.read
    error = errorEnds?.read
    channel = channelEnds?.ours
    input.stopWaiting()
    output?.stopWaiting()
    error?.stopWaiting()
  }

  /// Starts a program whose standard input and output are one socket.
  static func talk(
    over socket: Descriptor, command: [String], environment: [String]
  ) throws(Refusal) -> (pid: pid_t, pidfd: Descriptor) {
    let held = unsafe try start(
      command, environment: environment, as: nil, within: executionMilliseconds,
      with: { program in
        unsafe program.input = socket.number
        unsafe program.output = socket.number
      }, noting: { _ in })
    if held.gate >= 0 { close(held.gate) }
    return (held.pid, Descriptor(held.pidfd))
  }

  /// Starts a program: every descriptor that `describe` does not give is none.
  private static func start(
    _ command: [String], environment: [String], as account: ProgramAccount?,
    within milliseconds: Int32, with describe: (inout locwatch_program) -> Void,
    noting note: (pid_t) throws(Refusal) -> Void
  ) throws(Refusal) -> locwatch_held {
    var argv = unsafe command.map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe argv.indices { unsafe free(argv[index]) }
      for index in unsafe envp.indices { unsafe free(envp[index]) }
    }
    var held = locwatch_held(pid: 0, pidfd: -1, gate: -1)
    var stage: Int32 = 0
    var code = unsafe argv.withUnsafeMutableBufferPointer { argv in
      unsafe envp.withUnsafeMutableBufferPointer { envp in
        var program = unsafe locwatch_program()
        unsafe program.argv = UnsafePointer(argv.baseAddress)
        unsafe program.envp = UnsafePointer(envp.baseAddress)
        unsafe program.output = -1
        unsafe program.error = -1
        unsafe program.channel = -1
        unsafe program.folders = (-1, -1)
        unsafe program.cgroup = -1
        unsafe describe(&program)
        guard let account else { return unsafe locwatch_hold(&program, &held, &stage) }
        unsafe program.is_other = 1
        unsafe program.user = account.user
        unsafe program.group = account.group
        return unsafe account.groups.withUnsafeBufferPointer { groups in
          unsafe program.groups = groups.baseAddress
          unsafe program.group_count = groups.count
          return unsafe locwatch_hold(&program, &held, &stage)
        }
      }
    }
    if code == 0 {
      do throws(Refusal) { try note(held.pid) } catch {
        end(held)
        throw error
      }
      code = unsafe locwatch_release(&held, milliseconds, &stage)
    }
    guard code == 0 else { throw Refusal(of: command.first ?? "", as: account, code: code, stage: stage) }
    return held
  }

  /// Ends a process that is not the program yet.
  private static func end(_ held: locwatch_held) {
    close(held.gate)
    let pidfd = Descriptor(held.pidfd)
    _ = SystemCall.signalProcess(held.pid, SIGKILL)
    while reap(pidfd) == nil { PollSet.pause(milliseconds: 1) }
  }

  /// Raises the limit of open descriptors of this process as far as it may. Programs get the limit that was.
  static func raiseDescriptorLimit() { locwatch_raise_descriptors() }

  /// How a program ended; nil while it runs.
  struct End {
    /// Its exit status, or 128 plus the number of the signal that ended it, as a shell has it.
    var status: Int32
    /// Processor seconds that it and the children it waited for took.
    var coreSeconds: Double
  }

  /// Kills it with its process group. Its end is not waited for.
  func kill() { _ = SystemCall.signalProcess(-pid, SIGKILL) }

  /// Kills it with its process group, and waits for its end.
  @discardableResult
  func end() -> End {
    kill()
    while true {
      if let end = reap() { return end }
      PollSet.pause(milliseconds: 1)
    }
  }

  /// Becomes readable when it has ended.
  var pidfd: Descriptor { awaited.pidfd }

  /// Takes note of its end, once.
  func reap() -> End? { Self.reap(pidfd) }

  /// The same for the program of a pidfd.
  static func reap(_ pidfd: Descriptor) -> End? {
    var end = End(status: 0, coreSeconds: 0)
    switch unsafe locwatch_wait(pidfd.number, &end.status, &end.coreSeconds) {
    case 0: return nil
    case 1: return end
    default: return End(status: unknownStatus, coreSeconds: 0)
    }
  }

  /// For a program that someone else has reaped: what a shell says of a job it does not know.
  private static let unknownStatus: Int32 = 127

  /// The environment of this process as `KEY=VALUE`, without the keys that are each program's own.
  static func inheritedEnvironment() -> [String] {
    var entries: [String] = []
    guard var entry = unsafe locwatch_environment() else { return [] }
    while let text = unsafe entry.pointee {
      unsafe entries.append(String(cString: text))
      unsafe entry += 1
    }
    let own = [causeKey, kindKey, eventKey, channelKey] + EventVariables.names.map { $0 + "=" }
    return entries.filter { entry in !own.contains { entry.hasPrefix($0) } }
  }

  static let causeKey = "LOCWATCH_CAUSE="
  static let kindKey = "LOCWATCH_KIND="
  static let eventKey = "LOCWATCH_EVENT_ID="

  static let channelKey = "LOCWATCH_FD="

  /// The number by which a program knows the first of its folders.
  static let folderNumber = Int(LOCWATCH_FOLDERS)

  private static func channel() throws(Refusal) -> (ours: Descriptor, theirs: Descriptor) {
    var ends: [Int32] = [-1, -1]
    let code = unsafe locwatch_channel(&ends)
    guard code == 0 else { throw Refusal(isOfCgroup: false, code: code) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  private static func pipe() throws(Refusal) -> (read: Descriptor, write: Descriptor) {
    var ends: [Int32] = [-1, -1]
    let code = unsafe locwatch_pipe(&ends)
    guard code == 0 else { throw Refusal(isOfCgroup: false, code: code) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }
}

/// Descriptors that programs pass over a Unix socket (unix(7), `SCM_RIGHTS`).
enum PassedDescriptor {
  /// Receives what waits at a socket, without waiting: as `read(2)` does, with the descriptor that came along.
  static func receive(
    from socket: Descriptor, into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, passed: Descriptor?) {
    var passed: Int32 = -1
    let count = unsafe locwatch_receive(socket.number, buffer.baseAddress, buffer.count, &passed)
    return (count, passed >= 0 ? Descriptor(passed) : nil)
  }

  /// Sends bytes with a descriptor, without waiting; false where there is no room for all of them.
  static func send(_ descriptor: Descriptor, over socket: Descriptor, with bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes {
      unsafe locwatch_send(socket.number, $0.baseAddress, $0.count, descriptor.number) == $0.count
    }
  }
}

/// The end of a program, as a loop awaits it.
struct AwaitedEnd {
  fileprivate let pidfd: Descriptor
  /// Nil where it was executed before its start returned.
  fileprivate let pending: ProgramStart.Pending?
  private var nextReapAt: Int64 = 0

  fileprivate init(pidfd: Descriptor, pending: ProgramStart.Pending?) {
    self.pidfd = pidfd
    self.pending = pending
  }

  /// Whether its process is dead. It can be reaped then, unless a debugger has to be told first.
  var hasCome: Bool { PollSet.wait(on: pidfd.number, atMost: 0) != 0 }

  /// Becomes readable at the end; nil after an attempt to reap it failed, until the time for the next.
  func watched(at now: Int64) -> Descriptor? { nextReapAt <= now ? pidfd : nil }

  /// When to reap it again; nil where the descriptor tells.
  func deadline(at now: Int64) -> Int64? { nextReapAt > now ? nextReapAt : nil }

  /// Takes note of it, once; nil while the program runs. A debugger that traces it is told first (ptrace(2)), and until
  /// it has taken note the descriptor is readable for nothing.
  mutating func reap(at now: Int64) -> ProgramStart.End? {
    if let end = ProgramStart.reap(pidfd) { return end }
    if hasCome { nextReapAt = now + SupervisorLimits.reapMilliseconds }
    return nil
  }

  /// Once it has come: why the program was not executed after its start had returned; nil where it was.
  var refusal: ProgramStart.Refusal? {
    guard let pending else { return nil }
    var stage: Int32 = 0
    let code = unsafe locwatch_outcome(pending.gate.number, &stage)
    return code == 0
      ? nil : ProgramStart.Refusal(of: pending.path, as: pending.account, code: code, stage: stage)
  }
}

extension ProgramStart.Refusal {
  /// What CSpawn says of a program.
  fileprivate init(of program: String, as account: ProgramAccount?, code: Int32, stage: Int32) {
    let reason = Self.objection(to: program, as: account, code: code, stage: stage)
    self.init(isOfCgroup: stage == Int32(LOCWATCH_STAGE_CGROUP.rawValue), code: code, reason: reason)
  }

  /// What is said of a start that failed, instead of the errno; nil for nothing.
  private static func objection(
    to program: String, as account: ProgramAccount?, code: Int32, stage: Int32
  ) -> String? {
    let error = SystemReason.text(code)
    if let account, stage == Int32(LOCWATCH_STAGE_USER.rawValue) {
      let remedy = code == EPERM ? "; the daemon has to be root for that" : ""
      return "can't become user \(account.name): \(error)\(remedy)"
    }
    if let account, code == EACCES { return "user \(account.name) may not run \(program): \(error)" }
    // The errno is the same where the program is there and its interpreter is not.
    return code == ENOENT ? ScriptInterpreter.objection(to: program) : nil
  }
}
