import Glibc
import LocationCore
import LocationFormats

/// The command that shows notifications to the user. It is run once for each and reads one line of JSON from its
/// standard input. It may end at once, or wait for the user: by its status it says that the user opened the
/// notification (rule D6), or that it was not shown. What was not shown waits, and is tried again (rule D5).
struct NotifyHook {
  /// What to do where nothing shows notifications.
  static let remedy = "set notifications.notify_hook to a command that shows them"

  /// What came of one.
  enum Outcome: Equatable {
    /// Whoever shows it has it, or it is given up.
    case shown(subscriber: String, event: Int)
    /// The user opened it.
    case opened(subscriber: String, notification: String)
    /// What went wrong, for the log.
    case trouble(String)
  }

  /// One that the user is to be shown.
  struct Request {
    let content: LocalNotification.Content
    let subscriber: String
    /// The id of its record.
    let event: Int
    let notification: String
    /// How often it was not shown although another was, since it was last tried.
    fileprivate var triesAfterOthers = 0
    /// When it was last not shown; nil where that was not tried.
    fileprivate var failedAt: EngineInstant?
    /// Whether it is tried to find out whether it works again.
    fileprivate var isProbe = false

    init(_ content: LocalNotification.Content, of subscriber: String, event: Int, notification: String) {
      self.content = content
      self.subscriber = subscriber
      self.event = event
      self.notification = notification
    }
  }

  private struct Running {
    let pid: pid_t
    let pidfd: Descriptor
    /// By which it reads its line; nil once it has all of that, or does not read.
    var input: Descriptor?
    /// What it has still to read.
    var queue: WriteQueue
    /// By which the desktop's helper says that it is shown; nil for none.
    var output: Descriptor?
    let request: Request
    /// Its path. By the time it ends the settings may name another.
    let program: String
    /// Whether it is the desktop's helper.
    let isDesktop: Bool
    /// When it counts as shown, whatever becomes of its command; nil once it does.
    var shownAt: EngineInstant?
    /// Whether it was killed, and its end has not come yet.
    var isKilled = false

    /// Writes what goes without waiting, and ends its input after that.
    mutating func send() {
      guard let input else { return }
      queue.send(to: input)
      if queue.isEmpty { self.input = nil }
    }
  }

  /// What the settings name; empty for the desktop's helper.
  var hook: [String]
  private let desktop: [String]
  private let environment: [String]
  private let notes: HookNotes?
  private var running: [Running] = []
  /// Those that could not be shown, and those for which there was no room; the next first.
  private var waiting: [Request] = []
  /// When the next of these is tried again; nil while none has failed.
  private var retryAt: EngineInstant?
  private var retryWait = RetryWait()
  /// Whether one was shown, and those that wait were not tried since.
  private var hasWorked = false
  /// When one was last shown.
  private var lastShownAt: EngineInstant?
  /// The subscriber whose notification was tried last: then others have their turn.
  private var lastTried: String?
  /// How many of them are tried once one was shown: a service may take only so many at once.
  private var burst = 1
  private var hasComplained = false

  init(_ hook: [String], environment: [String], notes: HookNotes? = nil) {
    self.hook = hook
    desktop = Self.desktop(environment: environment)
    self.environment = environment
    self.notes = notes
  }

  /// The program and its arguments; empty where there is none.
  var command: [String] { hook.isEmpty ? desktop : hook }

  /// When something is due by time; nil while nobody waits for anything.
  var deadline: EngineInstant? {
    let isTried = !waiting.isEmpty && hasRoom && !command.isEmpty
    return (running.map(\.shownAt) + [isTried ? retryAt : nil]).compactMap { $0 }.min()
  }

  /// Whether a command runs.
  var runs: Bool { !running.isEmpty }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) {
    for program in running {
      polled.watch(program.pidfd.number)
      polled.watch(program.output?.number ?? -1)
      polled.watch(program.input?.number ?? -1, for: POLLOUT)
    }
  }

  /// Has it show a notification, at once where it can. Without a command it waits for a daemon that has one.
  mutating func show(_ request: Request, at now: EngineInstant) -> [Outcome] {
    guard !command.isEmpty else { return [] }
    // It is shown again where nobody was there meanwhile, and may still be on its way.
    let isOnItsWay =
      waiting.contains { $0.event == request.event }
      || running.contains { $0.request.event == request.event && $0.shownAt != nil }
    guard !isOnItsWay else { return [] }
    guard hasRoom else { return keep(request) }
    return start(request, at: now)
  }

  /// Takes note of those that are shown or have ended, and tries again what is due.
  mutating func take(_ polled: PollSet, at now: EngineInstant) -> [Outcome] {
    var outcomes: [Outcome] = []
    for place in running.indices {
      if let input = running[place].input, polled.has(input.number, POLLOUT) { running[place].send() }
      if let output = running[place].output, polled.has(output.number) {
        running[place].output = nil
        var piece = [UInt8](repeating: 0, count: 64)
        let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(output.number, $0) }
        if count > 0 { outcomes += noteShown(place, at: now) }
      }
      if let at = running[place].shownAt, at <= now { outcomes += noteShown(place, at: now) }
    }
    for program in running where polled.has(program.pidfd.number) {
      guard let end = ProgramStart.reap(program.pidfd) else { continue }
      running.removeAll { $0.pid == program.pid }
      notes?.forget(program.pid)
      outcomes += take(end: program, status: end.status, at: now)
    }
    // Of those that wait one alone finds out whether it works again.
    if let at = retryAt, at <= now, !waiting.isEmpty, hasRoom, !command.isEmpty {
      retryAt = nil
      outcomes += startNext(isProbe: true, at: now) ?? []
    }
    if hasWorked { outcomes += startWaiting(at: now) }
    return outcomes
  }

  /// Forgets what waits of a subscriber whose notifications the user does not want to see.
  mutating func forgetWaiting(_ subscriber: String) {
    waiting.removeAll { $0.subscriber == subscriber }
    if waiting.isEmpty { retryAt = nil }
  }

  /// Forgets a subscriber that is no more: what the user opens of it would be another's.
  mutating func forget(_ subscriber: String) {
    forgetWaiting(subscriber)
    for place in running.indices where running[place].request.subscriber == subscriber {
      if !running[place].isKilled { kill(place) }
    }
  }

  /// Ends those that wait for the user.
  mutating func end() {
    for place in running.indices {
      if !running[place].isKilled { kill(place) }
      notes?.forget(running[place].pid)
    }
  }

  /// The status by which it says that the user opened the notification.
  static let openedStatus: Int32 = 100
  /// Seconds after which one counts as shown whose command does not end: it waits for the user.
  static let patienceSeconds = 5.0
  /// The same of the desktop's helper, which says when it is shown: it waits 25 s for each of two answers of the bus.
  private static let desktopPatienceSeconds = 60.0
  /// Seconds until what failed is tried again, at least.
  fileprivate static let leastRetrySeconds = RetryWait().seconds
  /// So often one is not shown although others are; then it is given up.
  private static let mostTriesAfterOthers = 5
  /// Those that run at a time; of those that are shown the oldest is ended for one more.
  private static let runningLimit = 32
}

extension NotifyHook {
  /// Whether one more may be started: not all that run have yet to be shown.
  private var hasRoom: Bool { running.count { !$0.isKilled && $0.shownAt != nil } < Self.runningLimit }

  private mutating func start(_ request: Request, at now: EngineInstant) -> [Outcome] {
    if running.count(where: { !$0.isKilled }) >= Self.runningLimit { killOldest() }
    do throws(ProgramStart.Refusal) {
      let program = try ProgramStart(
        command: command, environment: environment, hasOutput: hook.isEmpty, cgroup: nil,
        noting: { notes?.note($0) })
      var queue = WriteQueue()
      _ = queue.append(Self.line(of: request))
      var started = Running(
        pid: program.pid, pidfd: program.pidfd, input: program.input, queue: queue, output: program.output,
        request: request, program: command[0], isDesktop: hook.isEmpty,
        shownAt: now.advanced(bySeconds: hook.isEmpty ? Self.desktopPatienceSeconds : Self.patienceSeconds))
      started.send()
      running.append(started)
      return []
    } catch {
      return fail(request, "\(command[0]) can't be started: \(error.text)", at: now)
    }
  }

  /// The command of one has ended.
  private mutating func take(end program: Running, status: Int32, at now: EngineInstant) -> [Outcome] {
    let request = program.request
    let shown = Outcome.shown(subscriber: request.subscriber, event: request.event)
    let trouble = "\(program.program) ended with status \(status)"
    if program.shownAt == nil {
      guard status == Self.openedStatus else {
        return status == 0 || program.isKilled ? [] : complain("\(trouble); this is told once")
      }
      return [.opened(subscriber: request.subscriber, notification: request.notification)]
    }
    switch status {
    case 0:
      noteWork(at: now)
      return [shown]
    case Self.openedStatus:
      noteWork(at: now)
      return [shown, .opened(subscriber: request.subscriber, notification: request.notification)]
    case Failure.Code.data.rawValue:
      return leaveOut(request, trouble, at: now)
    case Failure.Code.unavailable.rawValue where program.isDesktop:
      return fail(
        request, "the session bus has no org.freedesktop.Notifications, or that answers with an error",
        at: now)
    case _: return fail(request, trouble, at: now)
    }
  }

  /// One could not be shown: it waits, unless others are shown and it is not.
  private mutating func fail(_ request: Request, _ trouble: String, at now: EngineInstant) -> [Outcome] {
    var request = request
    if let failed = request.failedAt, let shown = lastShownAt, failed < shown {
      request.triesAfterOthers += 1
    }
    guard request.triesAfterOthers < Self.mostTriesAfterOthers else {
      return leaveOut(request, trouble, at: now)
    }
    request.failedAt = now
    burst = 1
    let leftOut = keep(request)
    if retryAt == nil {
      retryAt = now.advanced(bySeconds: retryWait.seconds)
      retryWait.double()
    }
    return leftOut + complain("\(trouble); what was not shown is tried again; this is told once")
  }

  /// Has one wait: in the order of their records, but behind all where it was tried alone. Of one subscriber the latest
  /// wait, as in the engine's state.
  private mutating func keep(_ request: Request) -> [Outcome] {
    let next = request.isProbe ? nil : waiting.firstIndex { $0.event > request.event }
    waiting.insert(request, at: next ?? waiting.endIndex)
    let own = waiting.filter { $0.subscriber == request.subscriber }
    guard own.count > Limits.shownNotifications, let oldest = own.min(by: { $0.event < $1.event }) else {
      return []
    }
    waiting.removeAll { $0.event == oldest.event }
    return [
      .shown(subscriber: oldest.subscriber, event: oldest.event),
      .trouble(
        "notifications: more than \(Limits.shownNotifications) of \(oldest.subscriber) wait; "
          + "\"\(oldest.notification)\" is not shown"),
    ]
  }

  /// One can't be shown, and is not tried again.
  private mutating func leaveOut(_ request: Request, _ trouble: String, at now: EngineInstant) -> [Outcome] {
    // Who waits for room has it now.
    if !waiting.isEmpty, retryAt == nil { retryAt = now }
    return [
      .shown(subscriber: request.subscriber, event: request.event),
      .trouble(
        "notifications: \(trouble); \"\(request.notification)\" of \(request.subscriber) is not shown"),
    ]
  }

  /// It works: the others need not wait, but for those that were not shown just now.
  private mutating func startWaiting(at now: EngineInstant) -> [Outcome] {
    hasWorked = false
    retryAt = nil
    var outcomes: [Outcome] = []
    for _ in 0..<burst {
      guard hasRoom, let started = startNext(isProbe: false, at: now) else { break }
      outcomes += started
    }
    if retryAt == nil, !waiting.isEmpty { retryAt = now.advanced(bySeconds: Self.leastRetrySeconds) }
    return outcomes
  }

  /// Tries the next of those that wait, of another subscriber than the last, where there is one; nil where none may be
  /// tried now.
  private mutating func startNext(isProbe: Bool, at now: EngineInstant) -> [Outcome]? {
    func mayBeTried(_ request: Request) -> Bool { isProbe || request.mayBeTried(at: now) }
    guard !command.isEmpty,
      let place = waiting.firstIndex(where: { $0.subscriber != lastTried && mayBeTried($0) })
        ?? waiting.firstIndex(where: mayBeTried)
    else { return nil }
    var request = waiting.remove(at: place)
    request.isProbe = isProbe
    lastTried = request.subscriber
    return start(request, at: now)
  }

  private mutating func noteShown(_ place: Int, at now: EngineInstant) -> [Outcome] {
    guard running[place].shownAt != nil else { return [] }
    running[place].shownAt = nil
    noteWork(at: now)
    let request = running[place].request
    return [.shown(subscriber: request.subscriber, event: request.event)]
  }

  /// What goes wrong from now on is new.
  private mutating func noteWork(at now: EngineInstant) {
    hasWorked = true
    lastShownAt = now
    burst = min(2 * burst, Self.runningLimit)
    // While some fail and others do not, the log is not told again.
    if waiting.isEmpty, running.allSatisfy({ $0.shownAt == nil }) { hasComplained = false }
    retryWait.reset()
  }

  /// Kills the one that was shown first, with all that it has started.
  private mutating func killOldest() {
    if let place = running.firstIndex(where: { !$0.isKilled && $0.shownAt == nil }) { kill(place) }
  }

  private mutating func kill(_ place: Int) {
    running[place].isKilled = true
    _ = SystemCall.signalProcess(-running[place].pid, SIGKILL)
  }

  /// Once, until it works again.
  private mutating func complain(_ what: String) -> [Outcome] {
    defer { hasComplained = true }
    return hasComplained ? [] : [.trouble("notifications: \(what)")]
  }
}

extension NotifyHook {
  /// The line of a notification, with its end.
  static func line(of request: Request) -> [UInt8] {
    let content = request.content
    return JSONLine.line { line in
      line.member("v", 1)
      line.member("event", request.event)
      line.member("subscriber", request.subscriber)
      line.member("notification", request.notification)
      line.member("title", content.title)
      line.member("body", content.body)
      line.member("sound", content.sound)
      line.member("badge", content.badge)
      line.member("action", content.action)
      line.member(json: "data", content.data)
    }
  }

  /// The command that shows notifications where the settings name none: the desktop's service, where the daemon runs in a
  /// user's session and the helper is beside it; else none.
  static func desktop(environment: [String]) -> [String] {
    guard hasBus(environment: environment), let helper = SiblingProgram.executable("locwatch-notify") else {
      return []
    }
    return [helper]
  }

  /// Whether there is a bus of a user's session.
  static func hasBus(environment: [String]) -> Bool {
    func value(_ key: String) -> String? {
      environment.first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }
    return value("DBUS_SESSION_BUS_ADDRESS") != nil
      || value("XDG_RUNTIME_DIR").map { unsafe access($0 + "/bus", F_OK) == 0 } ?? false
  }
}

extension NotifyHook.Request {
  /// Whether it is tried because another was shown: not so soon after it was not.
  fileprivate func mayBeTried(at now: EngineInstant) -> Bool {
    failedAt.map { $0.advanced(bySeconds: NotifyHook.leastRetrySeconds) <= now } ?? true
  }
}
