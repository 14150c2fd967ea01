import Glibc
import LocationCore
import LocationFormats

/// One process of a subscriber, from its start to its end. Used by the supervisor's thread alone.
final class ProgramRun {
  /// Its number, which is that of its process group as well.
  let pid: pid_t
  var end: AwaitedEnd
  let tree: ProcessTree
  /// The event a oneshot was started for; nil for a resident, and for a start by the user.
  let event: Int?
  /// What is told to it and heard of it.
  let talk: Conversation
  /// The sockets that it has passed to be watched (rule E4).
  let sockets: HeldSockets
  /// The ports at which it listened when that was last told (rule K6).
  var toldPorts: [Int] = []
  /// Whether it was told that it has more descriptors open than are looked at.
  var hasToldDescriptors = false
  /// The accessories that are open for it (rule J1).
  let accessories: HeldAccessories
  /// Its standard error.
  let error: ErrorPipe
  private let startedAt = MonotonicTime.milliseconds
  private var toldCoreSeconds = 0.0
  /// When its processor time may be measured again.
  private var measureAt: Int64 = 0

  private var suspension = Suspension.none
  /// What it is to be told after the launch of its next wake.
  private var kept = WriteQueue()
  /// When to look whether the kernel has suspended it, where nothing tells; with waits that grow.
  private(set) var nextLook: Int64?
  private var lookMilliseconds: Int64 = 1
  /// Whether its end was ordered.
  private(set) var isEnding = false
  /// When it is killed for not having ended.
  private(set) var killAt: Int64?
  /// When it is told that it runs on with its output closed.
  private(set) var closedAt: Int64?

  /// How far its suspension has come.
  private enum Suspension {
    case none
    /// Ordered. It runs until it has read what it was told.
    case ordered(SuspensionWait)
    /// The kernel was asked.
    case asked
    /// None of it runs.
    case complete
  }

  init(_ start: ProgramStart, tree: ProcessTree, event: Int?, accessories: HeldAccessories) {
    pid = start.pid
    end = start.awaited
    talk = Conversation(input: start.input, output: start.output)
    talk.beginAnswers()
    error = ErrorPipe(start.error)
    sockets = HeldSockets(channel: start.channel)
    self.accessories = accessories
    accessories.begin(carrier: start.channel)
    self.tree = tree
    self.event = event
  }

  // MARK: Hearing it

  /// Reads one piece of what it says, and makes reports of it; false where nothing is left to read for now.
  func hear(of name: String, at now: Int64, by buffer: inout [UInt8], into reports: inout [SupervisorReport])
    -> Bool
  {
    let wasOpen = talk.output != nil
    let isMore = talk.hear(of: name, at: now, by: &buffer, into: &reports) { coreSecondsSinceTold(at: now) }
    if wasOpen, talk.output == nil { closedAt = now + SupervisorLimits.closedMilliseconds }
    return isMore
  }

  /// What there is to say of its end.
  func summary(status: Int32) -> ProgramEnd {
    ProgramEnd(
      event: event, status: status, seconds: Double(MonotonicTime.milliseconds - startedAt) / 1000,
      lastLine: error.lastLine)
  }

  /// Measured at most once a second; what is not told now is told with a later acknowledgment.
  private func coreSecondsSinceTold(at now: Int64) -> Double {
    guard now >= measureAt else { return 0 }
    measureAt = now + SupervisorLimits.measureMilliseconds
    guard let seconds = tree.coreSeconds() else { return 0 }
    defer { toldCoreSeconds = max(seconds, toldCoreSeconds) }
    return max(0, seconds - toldCoreSeconds)
  }

  // MARK: Suspending and ending it

  /// Sets the mark from which processor time counts: the cgroup may have served earlier runs.
  func startCounting() { toldCoreSeconds = tree.coreSeconds() ?? 0 }

  /// Whether the kernel was asked to suspend it: it does not read what it is told.
  var isStopped: Bool {
    switch suspension {
    case .none, .ordered: false
    case .asked, .complete: true
    }
  }

  /// Whether the kernel was asked to suspend it and has not done so yet.
  var awaitsSuspension: Bool { if case .asked = suspension { true } else { false } }

  /// Orders its suspension. From now on what comes by its sockets and accessories wakes it: it may be stopped before it
  /// has done anything with what it reads.
  ///
  /// - Parameter isTold: whether it was told, and is given time to read that.
  func suspend(at now: Int64, isTold: Bool) {
    guard case .none = suspension, !isEnding else { return }
    suspension = .ordered(SuspensionWait(at: now))
    sockets.watch(at: now)
    accessories.watch(at: now)
    if !isTold { stop(at: now) }
  }

  /// Stops it if its suspension was ordered and it has had its time to read.
  func stopIfDue(at now: Int64) {
    guard case .ordered(var wait) = suspension, wait.nextLook <= now else { return }
    let isOver = wait.isOver(hasUnread: talk.hasUnread, at: now)
    suspension = .ordered(wait)
    if isOver { stop(at: now) }
  }

  private func stop(at now: Int64) {
    guard tree.suspend() else { return forgetSuspension() }
    suspension = .asked
    lookMilliseconds = 1
    scheduleLook(at: now)
  }

  /// Lets it run again, or takes back the order to suspend it.
  func resume() {
    let wasStopped = isStopped
    forgetSuspension()
    if wasStopped { tree.resume() }
  }

  /// It is neither suspended nor to be.
  private func forgetSuspension() {
    if case .none = suspension { return }
    suspension = .none
    nextLook = nil
    sockets.stopWatching()
    accessories.stopWatching()
  }

  /// Keeps a line for it while it is stopped; a note where there is no room.
  func keep(_ line: [UInt8]) -> SupervisorNote? {
    let wasOpen = !kept.isClosed
    return kept.append(line) || !wasOpen ? nil : .queueFull
  }

  /// The lines that were kept, once.
  func takeKept() -> [UInt8] { kept.takeAll() }

  /// Whether suspension has come about, told once.
  func noticeSuspension(at now: Int64) -> Bool {
    guard awaitsSuspension else { return false }
    if tree.isSuspended {
      suspension = .complete
      nextLook = nil
      return true
    }
    if let nextLook, nextLook <= now { scheduleLook(at: now) }
    return false
  }

  private func scheduleLook(at now: Int64) {
    switch tree {
    case .cgroup: nextLook = nil
    case .group:
      nextLook = now + lookMilliseconds
      lookMilliseconds = min(lookMilliseconds * 2, 1_000)
    }
  }

  /// Ends it: a running one is asked and has some seconds, a suspended one is killed, since it could not even hear.
  func terminate(at now: Int64, graceMilliseconds: Int64) {
    guard !isEnding else { return }
    isEnding = true
    if isStopped {
      endTree()
    } else {
      forgetSuspension()
      kill(-pid, SIGTERM)
      killAt = now + graceMilliseconds
    }
  }

  /// Kills all of it, also what has left its cgroup and not its process group. Until it is reaped nobody else can be
  /// given the number of that.
  func endTree() {
    tree.end()
    kill(-pid, SIGKILL)
  }

  /// Kills it if its time to end is over; whether it did.
  func killIfDue(at now: Int64) -> Bool {
    guard let due = killAt, due <= now else { return false }
    killAt = nil
    endTree()
    return true
  }

  /// Whether it has run on with its output closed for long enough to tell, once.
  func noticeClosedOutput(at now: Int64) -> Bool {
    guard let due = closedAt, due <= now else { return false }
    closedAt = nil
    return true
  }

  /// When to look whether it has read what it was told, before it is stopped.
  private var nextReadingLook: Int64? {
    if case .ordered(let wait) = suspension { wait.nextLook } else { nil }
  }

  /// The earliest thing to do by time.
  /// - Parameter hasRoom: whether it may be heard; where not, a bell tells.
  func deadline(at now: Int64, hasRoom: Bool) -> Int64? {
    [
      nextLook, nextReadingLook, killAt, closedAt, hasRoom ? sockets.deadline(at: now) : nil,
      hasRoom ? talk.nextReading(at: now) : nil,
      error.nextReading(at: now),
      end.deadline(at: now),
    ].compactMap { $0 }.min()
  }
}
