import Glibc
import LocationCore
import LocationFormats

/// The command of the settings that switches the receiver's power. It runs beside the loop, one at a time; where it is
/// slower than the orders come, only the newest one counts.
struct ReceiverHook: ~Copyable {
  /// The program and its arguments; empty where there is none. The settings may change it while one runs.
  var command: [String]
  private let environment: [String]
  private let notes: HookNotes?
  private var running: ProgramStart?
  /// Its path. By the time it ends the settings may name another.
  private var path = ""
  /// What it is to be told next; nil for nothing.
  private var next: Bool?
  /// When one that does not end is killed.
  private(set) var deadline: EngineInstant?
  private var hasComplained = false

  init(_ command: [String], environment: [String], notes: HookNotes? = nil) {
    self.command = command
    self.environment = environment
    self.notes = notes
  }

  /// Becomes readable when it has ended, for `poll`; -1 where it does not run.
  var readable: Int32 { running?.pidfd.number ?? -1 }

  /// Has it switch the receiver; what went wrong, for the log.
  mutating func turn(on isOn: Bool, at instant: EngineInstant) -> String? {
    guard !command.isEmpty else { return nil }
    next = isOn
    return running == nil ? start(at: instant) : nil
  }

  /// Takes note of its end, and kills it when it is overdue; what went wrong, for the log.
  mutating func look(at instant: EngineInstant) -> String? {
    guard let program = running else { return nil }
    guard let end = program.reap() else {
      guard let due = deadline, due <= instant else { return nil }
      // Its end is noted when it comes.
      program.kill()
      deadline = nil
      return nil
    }
    notes?.forget(program.pid)
    running = nil
    deadline = nil
    let complaint = end.status == 0 ? nil : complain("\(path) ended with status \(end.status)")
    if end.status == 0 { hasComplained = false }
    return start(at: instant) ?? complaint
  }

  /// Ends it: one that is about to switch the receiver has a moment to be done.
  mutating func end() {
    guard let program = running else { return }
    _ = PollSet.wait(on: program.pidfd.number, atMost: Self.graceMilliseconds)
    program.end()
    notes?.forget(program.pid)
    running = nil
  }

  private static let graceMilliseconds: Int32 = 1_000

  private mutating func start(at instant: EngineInstant) -> String? {
    guard let isOn = next.take(), let path = command.first else { return nil }
    self.path = path
    do throws(ProgramStart.Refusal) {
      running = try ProgramStart(
        command: command + [isOn ? "on" : "off"], environment: environment, hasOutput: false, cgroup: nil,
        noting: { notes?.note($0) })
      deadline = instant.advanced(bySeconds: DaemonLimits.hookSeconds)
      return nil
    } catch {
      return complain("\(path) can't be started: \(error.text)")
    }
  }

  /// Once, until it works again.
  private mutating func complain(_ what: String) -> String? {
    defer { hasComplained = true }
    return hasComplained ? nil : "sampling.receiver_hook: \(what); this is told once"
  }
}
