import Glibc
import LocationCore
import LocationFormats

/// A subscriber whose program is no child of ours: it connects to the socket and says its name. It is not suspended,
/// because it is not ours to freeze; it is woken by what is written to it, by a signal it asked for, or, where it is
/// not connected, by its command. Used by the supervisor's thread alone.
final class SocketProgram: SupervisedSubscriber {
  let subscriber: Subscriber
  private let site: SupervisorSite
  private let socketPath: String?
  /// Those of the same name that were removed before and may not have ended yet: until then no command is started.
  private var predecessors: [any SupervisedSubscriber]
  let tell: ([SupervisorReport]) -> Void
  private(set) var connection: SocketConnection?
  /// Whether the engine has called the program that is connected: only then does it count as running.
  private var isCalled = false
  /// Its accessories (section J).
  let accessories: HeldAccessories
  /// The command that is to bring the program to connect, while it runs.
  private(set) var starter: ProgramStart?
  private var startedAt: Int64 = 0
  /// The standard error of the command, and of what it has started, which may run on.
  private(set) var error: ErrorPipe?
  /// What the program is told when it has connected, and until when that may take.
  private var nextLaunch: LaunchNotice?
  private var connectBy: Int64?
  private var backlog: [(event: Int?, line: [UInt8])] = []
  /// Whether the command that runs was for a launch before: it was told to end, or its program has been connected.
  private var isOfLaunchBefore = false
  /// When the command is killed for not having ended.
  private var killAt: Int64?
  /// Whether the command was killed. Its process may still take long to end.
  private var isKilled = false
  private(set) var isRemoved = false
  /// Whether it was called in vain since the program was last there.
  private var isKnownAway = false
  /// Where the engine takes a program to be that starts itself.
  private var known = Whereabouts.away

  private enum Whereabouts {
    case away, there
    /// It has left, which the engine is told then, unless it is back.
    case leaving(at: Int64)

    var isAway: Bool { if case .away = self { true } else { false } }
    var leavingAt: Int64? { if case .leaving(let instant) = self { instant } else { nil } }
  }

  init(
    _ subscriber: Subscriber, after predecessors: [any SupervisedSubscriber], site: SupervisorSite,
    socketPath: String?,
    tell: @escaping ([SupervisorReport]) -> Void
  ) {
    self.subscriber = subscriber
    accessories = HeldAccessories(of: subscriber.name)
    self.predecessors = predecessors
    self.site = site
    self.socketPath = socketPath
    self.tell = tell
  }

  /// Whether it was removed and nothing is left of it.
  var isGone: Bool { isRemoved && starter == nil && predecessors.allSatisfy(\.isGone) }

  /// The process that is connected.
  var usage: ProgramUsage? {
    guard let pid = connection?.pid, let status = ProcessStatus(of: pid) else { return nil }
    return ProgramUsage(coreSeconds: status.coreSeconds, memoryBytes: status.residentBytes, processes: 1)
  }

  var hasProcess: Bool { connection != nil }

  private var name: String { subscriber.name }

  private func note(_ note: SupervisorNote) { tell([.note(subscriber: name, note)]) }

  // MARK: Orders

  func perform(_ order: Order, recordLine: [UInt8], at now: Int64) {
    switch order {
    case .wake(_, let launch), .relaunch(_, let launch), .open(_, let launch):
      call(LaunchNotice(launch), at: now)
    case .deliver(_, let event, _): deliver(event, recordLine)
    case .suspend:
      // What it has not acknowledged is handed over anew when it is woken.
      backlog.removeAll { $0.event != nil }
      connection?.sockets.watch(at: now)
      accessories.watch(at: now)
    case .accessory(_, let session, let order): perform(order, session, at: now)
    case .keep(_, let tag): if connection?.sockets.keep(tag) == true { answer(.tagged(tag)) }
    case .warn(_, let warning): sayInTurn(nil, LaunchNotice.line(of: warning))
    case .announce(_, let notice): sayInTurn(nil, LaunchNotice.line(of: notice))
    case .refuse(_, let what, let reason):
      sayInTurn(nil, SubscriberReply.refused(what: what, reason: reason.rawValue).line)
    case .audio(_, let notice): sayInTurn(nil, LaunchNotice.line(of: notice))
    case .terminate: terminate(at: now)
    case .notify, .transfer, .advertise: break
    }
  }

  func launch(_ notice: LaunchNotice, at now: Int64) { call(notice, at: now) }

  func withdraw(_ event: Int) { backlog.removeAll { $0.event == event } }

  func answer(_ reply: SubscriberReply) {
    if reply.refusesSocket { connection?.sockets.letGo() }
    say(reply.line)
  }

  func remove(at now: Int64) {
    isRemoved = true
    accessories.closeAll()
    terminate(at: now)
  }

  private func call(_ launch: LaunchNotice, at now: Int64) {
    if let connection {
      isCalled = true
      connection.sockets.stopWatching()
      accessories.stopWatching()
      say(launch.line)
      return connection.ring()
    }
    // It is called for what came first, and told the rest in its turn.
    guard nextLaunch == nil else { return backlog.append((nil, launch.line)) }
    nextLaunch = launch
    backlog = []
    guard !subscriber.startsItself else {
      // It may be on its way back.
      if let leavingAt = known.leavingAt {
        connectBy = min(leavingAt, now + SupervisorLimits.returnMilliseconds)
        return
      }
      // The log says so once, until the program has been there.
      return giveUp(isKnownAway ? nil : .notConnected, status: EX_UNAVAILABLE)
    }
    // One that was told to end goes first, and a program that has left may come back while its command runs.
    connectBy = starter == nil || killAt != nil ? nil : now + SupervisorLimits.connectMilliseconds
    startIfDue(at: now)
  }

  /// Starts the command, unless one before is still there.
  private func startIfDue(at now: Int64) {
    guard predecessors.allSatisfy(\.isGone) else { return }
    predecessors = []
    guard let launch = nextLaunch, connectBy == nil, starter == nil else { return }
    connectBy = now + SupervisorLimits.connectMilliseconds
    startCommand(launch)
  }

  private func startCommand(_ launch: LaunchNotice) {
    var environment = site.environment + launch.environment()
    if let socketPath { environment.append("LOCWATCH_SOCKET=\(socketPath)") }
    do throws(ProgramStart.Refusal) {
      // Pipes of its own: another user's program could read what is typed at our terminal.
      let start = try site.start(
        subscriber, environment: environment, hasOutput: false, hasError: true, cgroup: nil)
      starter = start
      startedAt = MonotonicTime.milliseconds
      isOfLaunchBefore = false
      error = ErrorPipe(start.error)
      note(.started(pid: start.pid))
    } catch {
      giveUp(.startFailed(reason: error.text), status: error.status)
    }
  }

  private func deliver(_ event: Int, _ line: [UInt8]) {
    sayInTurn(event, line.last == UInt8(ascii: "\n") ? line : line + [UInt8(ascii: "\n")])
  }

  /// Says it now, or when the program that is called has come.
  private func sayInTurn(_ event: Int?, _ line: [UInt8]) {
    if let connection {
      if let event {
        // One that has come by itself is called first. The event was handed to the process before, of whose end the
        // engine does not know yet, and is handed over again.
        guard isCalled else { return }
        connection.talk.noteHanded(event)
      }
      say(line)
    } else if nextLaunch != nil,
      backlog.reduce(line.count, { $0 + $1.line.count }) <= SupervisorLimits.queueBytes
    {
      backlog.append((event, line))
    }
  }

  private func terminate(at now: Int64) {
    forgetLaunch()
    known = .away
    let wasThere = connection != nil || starter != nil
    if connection != nil { accessories.end(at: now) }
    connection = nil
    isCalled = false
    endCommand(at: now)
    if wasThere { note(.ended(status: 0)) }
  }

  private func endCommand(at now: Int64) {
    guard let starter, killAt == nil else { return }
    kill(-starter.pid, SIGTERM)
    isOfLaunchBefore = true
    killAt = now + site.graceMilliseconds
    isKilled = false
  }

  // MARK: What happens

  /// The program has connected and said its name. One that was connected as the same before is let go.
  func attach(_ connection: SocketConnection) {
    if self.connection != nil { detach() }
    self.connection = connection
    isOfLaunchBefore = true
    connection.talk.beginAnswers()
    connection.sockets.dropUnnamed()
    note(.registered(pid: connection.pid ?? 0))
    say(SubscriberReply.registered(name: name).line)
    accessories.begin(carrier: connection.descriptor) { [talk = connection.talk] in talk.queue.isEmpty }
    let isNews = subscriber.startsItself ? known.isAway : isKnownAway
    isKnownAway = false
    known = .there
    guard var launch = nextLaunch else {
      if isNews { tell([.event(subscriber: name, .registered)]) }
      return
    }
    isCalled = true
    launch.sessions = accessories.lasting
    let waiting = backlog
    forgetLaunch()
    say(launch.line)
    for (event, line) in waiting { sayInTurn(event, line) }
  }

  /// Its connection is over: it has ended, as far as can be seen from here.
  func detach() {
    connection = nil
    let now = MonotonicTime.milliseconds
    accessories.end(at: now)
    guard isCalled else {
      // One that comes and goes all the time makes no news of that.
      if subscriber.startsItself { known = .leaving(at: now + SupervisorLimits.connectMilliseconds) }
      return
    }
    isCalled = false
    known = .away
    tell([.event(subscriber: name, .exited(status: 0))])
  }

  /// Takes lines that were left of the last piece, because it had said too much in that second.
  func hearLeft(at now: Int64, by buffer: inout [UInt8]) {
    guard let talk = connection?.talk, talk.hasLines, talk.mayRead(at: now) else { return }
    hear(at: now, by: &buffer)
  }

  /// Reads one piece of what it says.
  func hear(at now: Int64, by buffer: inout [UInt8]) {
    guard let connection else { return }
    var reports: [SupervisorReport] = []
    let sockets = connection.sockets
    _ = connection.talk.hear(
      of: name, at: now, by: &buffer, into: &reports, tagged: { [name] in sockets.tag($0, of: name) },
      mistagged: sockets.dropOldestUnnamed,
      coreSeconds: { 0 })
    if !reports.isEmpty { tell(reports) }
    if connection.isOver { detach() }
  }

  /// If it has left: hears its last words, and tells.
  func noticeEnd(at now: Int64, by buffer: inout [UInt8]) {
    guard let connection,
      PollSet.wait(for: PollSet.endOfInput, on: connection.descriptor.number, atMost: 0) != 0
    else { return }
    connection.talk.allowLastAnswers()
    var heardBytes = 0
    while self.connection === connection, heardBytes < SupervisorLimits.lastBytes {
      hear(at: now, by: &buffer)
      heardBytes += buffer.count
    }
  }

  /// A watched socket has something to read.
  func noteTraffic(_ tag: String) {
    if let report = connection?.sockets.traffic(tag, of: name) { tell([report]) }
  }

  /// Writes what goes without waiting.
  func send() {
    if let problem = connection?.talk.send() { note(problem) }
    if connection?.isOver == true { detach() }
  }

  /// Reads one piece of what its command writes to its standard error.
  func hearError(at now: Int64, by buffer: inout [UInt8]) { _ = error?.hear(at: now, by: &buffer) }

  /// Its command has ended: with another status than 0 the program will not come, unless the command was for a launch
  /// before.
  func reap(at now: Int64, by buffer: inout [UInt8]) {
    guard let end = starter?.awaited.reap(at: now) else { return }
    error?.hearLast(at: now, by: &buffer)
    let refusal = starter?.awaited.refusal
    starter = nil
    killAt = nil
    site.forgetRun(of: name)
    guard connection == nil, nextLaunch != nil else { return }
    if isOfLaunchBefore {
      connectBy = nil
      return startIfDue(at: now)
    }
    if let refusal { return giveUp(.startFailed(reason: refusal.text), status: refusal.status) }
    guard end.status != 0 else { return }
    let seconds = Double(now - startedAt) / 1000
    let told = ProgramEnd(event: nil, status: end.status, seconds: seconds, lastLine: error?.lastLine)
    tell([.event(subscriber: name, .finished(told))])
    giveUp(.notConnected, status: end.status)
  }

  /// Does what is due by time.
  func passTime(at now: Int64) {
    passTimeOfAccessories(at: now)
    if let due = known.leavingAt, due <= now {
      known = .away
      tell([.event(subscriber: name, .unregistered)])
    }
    if let due = connectBy, due <= now {
      giveUp(.notConnected, status: EX_UNAVAILABLE)
      endCommand(at: now)
    }
    startIfDue(at: now)
    if let starter, !isKilled, let due = killAt, due <= now {
      kill(-starter.pid, SIGKILL)
      isKilled = true
    }
  }

  /// The earliest thing to do by time.
  ///
  /// - Parameter hasRoom: whether it may be heard; where not, a bell tells.
  func deadline(at now: Int64, hasRoom: Bool) -> Int64? {
    [
      connectBy, known.leavingAt, starter == nil || isKilled ? nil : killAt,
      hasRoom ? connection?.talk.nextReading(at: now) : nil,
      hasRoom ? connection?.sockets.deadline(at: now) : nil,
      hasRoom ? accessories.deadline(at: now) : nil, error?.nextReading(at: now),
      starter?.awaited.deadline(at: now),
    ]
    .compactMap { $0 }.min()
  }

  /// - Parameter reason: what is told; nil where it was told before.
  private func giveUp(_ reason: SupervisorNote?, status: Int32) {
    forgetLaunch()
    isKnownAway = true
    known = .away
    if let reason { note(reason) }
    tell([.event(subscriber: name, .exited(status: status))])
  }

  private func forgetLaunch() {
    nextLaunch = nil
    connectBy = nil
    backlog = []
  }

  private func say(_ line: [UInt8]) { if let problem = connection?.talk.tell(line) { note(problem) } }
}
