import LocationCore

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One process of a subscriber, from its start to its end. Used by the supervisor's thread alone.
final class ProgramRun {
  /// Its number, which is that of its process group as well.
  let pid: pid_t
  /// Becomes readable when it has ended.
  let pidfd: Descriptor
  let tree: ProcessTree
  /// The event a oneshot was started for; nil for a resident, and for a start by the user.
  let event: Int?
  private(set) var input: Descriptor?
  private(set) var output: Descriptor?
  private(set) var queue = WriteQueue()
  private var lines = AnswerLines()
  /// Events it was handed and has not acknowledged, in order.
  private var handed: [Int] = []
  private var toldCoreSeconds = 0.0
  private var notUnderstood = 0
  private var tooLong = 0

  /// Whether it is suspended or about to be.
  private(set) var isSuspended = false
  /// Whether suspension was ordered and has not come about yet.
  private(set) var awaitsSuspension = false
  /// When to look whether it has, where nothing tells; with waits that grow.
  private(set) var nextLook: Int64?
  private var lookMilliseconds: Int64 = 1
  /// Whether its end was ordered.
  private(set) var isEnding = false
  /// When it is killed for not having ended.
  private(set) var killAt: Int64?
  /// When it is told that it runs on with its output closed.
  private(set) var closedAt: Int64?
  /// What it may still say in the present second.
  private var saidBytes = 0
  private var saidLines = 0
  private var secondEnds: Int64 = 0

  init(_ start: ProgramStart, tree: ProcessTree, event: Int?) {
    pid = start.pid
    pidfd = start.pidfd
    input = start.input
    output = start.output
    self.tree = tree
    self.event = event
  }

  // MARK: Telling it

  /// Queues a line, and writes at once what goes; a note where it can't be told.
  func tell(_ line: [UInt8]) -> SupervisorNote? {
    let wasOpen = !queue.isClosed && !queue.isBroken
    let isTaken = queue.append(line)
    if let note = send() { return note }
    return !isTaken && wasOpen ? .queueFull : nil
  }

  /// Notes that it is handed an event, in the next line.
  func noteHanded(_ event: Int) { handed.append(event) }

  /// Writes what goes without waiting; a note where it has closed its input.
  func send() -> SupervisorNote? {
    guard let input, !queue.isBroken else { return nil }
    queue.send(to: input)
    guard queue.isBroken else { return nil }
    self.input = nil
    return .closedInput
  }

  /// Closes its input once everything is written: a oneshot reads to the end.
  func closeInputWhenSent() { if queue.isEmpty { input = nil } }

  // MARK: Hearing it

  /// Whether it may be read now: it has not said more than its share of this second.
  func mayRead(at now: Int64) -> Bool {
    if now >= secondEnds { return true }
    return saidBytes < SupervisorLimits.bytesPerSecond && saidLines < SupervisorLimits.linesPerSecond
  }

  /// When it may be read again; nil where it may be now, or never.
  func nextReading(at now: Int64) -> Int64? { output == nil || mayRead(at: now) ? nil : secondEnds }

  /// Reads one piece by way of `buffer`; false where nothing is left to read for now.
  func read(
    at now: Int64, by buffer: inout [UInt8], each: (SubscriberAnswer) -> Void, note: (SupervisorNote) -> Void
  ) -> Bool {
    guard let output else { return false }
    if now >= secondEnds {
      secondEnds = now + 1_000
      saidBytes = 0
      saidLines = 0
    }
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe Self.read(output.number, buffer.baseAddress, buffer.count)
    }
    if count < 0, errno == EINTR { return true }
    if count < 0, errno == EAGAIN { return false }
    guard count > 0 else {
      self.output = nil
      closedAt = now + SupervisorLimits.closedMilliseconds
      return false
    }
    saidBytes += count
    lines.append(buffer[..<count]) { item in
      saidLines += 1
      switch item {
      case .tooLong:
        tooLong += 1
        if Self.isPowerOfTwo(tooLong) { note(.lineTooLong(lines: tooLong)) }
      case .line(let line):
        if let answer = SubscriberAnswer(line: line) { return each(answer) }
        notUnderstood += 1
        if Self.isPowerOfTwo(notUnderstood) { note(.notUnderstood(lines: notUnderstood)) }
      }
    }
    return true
  }

  /// What an acknowledgment comes to; with the processor time since the last one.
  func acknowledge(_ event: Int) -> SubscriberEvent {
    if let index = handed.firstIndex(of: event) { handed.remove(at: index) }
    return .acknowledged(event: event, coreSeconds: coreSecondsSinceTold())
  }

  /// The same for everything it was handed.
  func acknowledgeAll() -> [SubscriberEvent] {
    let events = handed
    return events.map { acknowledge($0) }
  }

  private func coreSecondsSinceTold() -> Double {
    guard let seconds = tree.coreSeconds() else { return 0 }
    defer { toldCoreSeconds = max(seconds, toldCoreSeconds) }
    return max(0, seconds - toldCoreSeconds)
  }

  // MARK: Suspending and ending it

  /// Sets the mark from which processor time counts: the cgroup may have served earlier runs.
  func startCounting() { toldCoreSeconds = tree.coreSeconds() ?? 0 }

  func suspend(at now: Int64) {
    guard !isSuspended, !isEnding, tree.suspend() else { return }
    isSuspended = true
    awaitsSuspension = true
    lookMilliseconds = 1
    scheduleLook(at: now)
  }

  func resume() {
    guard isSuspended else { return }
    isSuspended = false
    awaitsSuspension = false
    nextLook = nil
    tree.resume()
  }

  /// Whether suspension has come about, told once.
  func noticeSuspension(at now: Int64) -> Bool {
    guard awaitsSuspension else { return false }
    if tree.isSuspended {
      awaitsSuspension = false
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
    if isSuspended {
      tree.end()
    } else {
      kill(-pid, SIGTERM)
      killAt = now + graceMilliseconds
    }
  }

  /// Kills it if its time to end is over; whether it did.
  func killIfDue(at now: Int64) -> Bool {
    guard let due = killAt, due <= now else { return false }
    killAt = nil
    tree.end()
    return true
  }

  /// How it ended; nil while it runs.
  func reap() -> ProgramStart.End? { ProgramStart.reap(pidfd) }

  /// Whether it has run on with its output closed for long enough to tell, once.
  func noticeClosedOutput(at now: Int64) -> Bool {
    guard let due = closedAt, due <= now else { return false }
    closedAt = nil
    return true
  }

  /// The earliest thing to do by time.
  func deadline(at now: Int64) -> Int64? {
    [nextLook, killAt, closedAt, nextReading(at: now)].compactMap { $0 }.min()
  }

  private static func isPowerOfTwo(_ number: Int) -> Bool { number & (number - 1) == 0 }

  private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Musl)
      unsafe Musl.read(descriptor, buffer, count)
    #else
      unsafe Glibc.read(descriptor, buffer, count)
    #endif
  }
}
