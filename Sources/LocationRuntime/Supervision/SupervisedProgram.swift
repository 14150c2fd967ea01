import LocationCore
import LocationFormats

/// One subscriber: its running process, and what waits for the next one. Used by the supervisor's thread alone.
final class SupervisedProgram: SupervisedSubscriber {
  let subscriber: Subscriber
  private let site: SupervisorSite
  /// Those of the same name that were removed before and may not have ended yet: until then nothing is started.
  private var predecessors: [any SupervisedSubscriber]
  let tell: ([SupervisorReport]) -> Void
  private(set) var run: ProgramRun?
  /// Its accessories (section J).
  let accessories: HeldAccessories
  /// How many cgroups were made for it: a new one for each start, below one of its own.
  private var cgroupCount = 0
  /// What a resident is to be started for once the process that is ending has ended, and what it is then told.
  private var nextLaunch: LaunchNotice?
  private var backlog: [(event: Int?, line: [UInt8])] = []
  /// When it was first called for the next process, while the one before ends; milliseconds.
  private var calledAt: Int64?
  /// The delay that was told at that call, milliseconds.
  private var toldLate: Int64 = 0
  /// Whether it is suspended as soon as it is started and has read that.
  private var isToBeSuspended = false
  /// What a oneshot is still to be started for, in order: launches by the user come before events.
  private var errands: [Errand] = []
  /// What the last start or wake of a oneshot was for.
  private var cause = LaunchNotice()
  /// The status of a oneshot that has failed and was not launched since. Until then what is delivered was ordered
  /// before the engine knew: it is handed over again, after the event that failed.
  private var failure: Int32?
  /// Whether it is to be forgotten once its process has ended.
  private(set) var isRemoved = false
  /// How its process was told to end; nil where it was not, and at the end of the daemon.
  private var dismissal: Dismissal?

  /// What a process of a oneshot is for.
  private enum Errand {
    case launch(LaunchNotice)
    case event(Int, line: [UInt8], Order.Cause)

    var isLaunch: Bool { if case .launch = self { true } else { false } }

    func isEvent(_ number: Int) -> Bool { if case .event(number, _, _) = self { true } else { false } }

    var isUpdate: Bool { if case .event(_, _, let cause) = self { cause.rule == .standard } else { false } }

    /// Whether the user launches it, and opened nothing.
    var isPlainLaunch: Bool { if case .launch(let notice) = self { notice.launch == nil } else { false } }
  }

  init(
    _ subscriber: Subscriber, after predecessors: [any SupervisedSubscriber], site: SupervisorSite,
    tell: @escaping ([SupervisorReport]) -> Void
  ) {
    self.subscriber = subscriber
    accessories = HeldAccessories(of: subscriber.name)
    self.predecessors = predecessors
    self.site = site
    self.tell = tell
  }

  /// Whether it was removed and nothing is left of it.
  var isGone: Bool { isRemoved && run == nil && predecessors.allSatisfy(\.isGone) }

  var usage: ProgramUsage? { run?.tree.usage }

  var hasProcess: Bool { run?.isEnding == false }

  private var name: String { subscriber.name }

  private func note(_ note: SupervisorNote) {
    // A oneshot finds its event in its variables too, and needs to read nothing.
    if note == .closedInput, subscriber.style == .oneshot { return }
    tell([.note(subscriber: name, note)])
  }

  // MARK: Orders

  func perform(_ order: Order, recordLine: [UInt8], at now: Int64) {
    switch order {
    case .wake(_, let launch): wake(LaunchNotice(launch), at: now)
    case .relaunch(_, let launch), .open(_, let launch): launchUnlessRunning(LaunchNotice(launch), at: now)
    case .deliver(_, let event, let cause): deliver(event, Self.terminated(recordLine), cause, at: now)
    case .suspend: suspend(at: now)
    case .warn(_, let warning): sayInTurn(LaunchNotice.line(of: warning))
    case .announce(_, let notice):
      if notice.state == .background { run?.tree.setPrecedence(isForeground: false) }
      sayInTurn(LaunchNotice.line(of: notice))
    case .refuse(_, let what, let reason):
      sayInTurn(SubscriberReply.refused(what: what, reason: reason.rawValue).line)
    case .audio(_, let notice): sayInTurn(LaunchNotice.line(of: notice))
    case .terminate:
      if run != nil, dismissal == nil { dismissal = .ended }
      terminate(at: now)
    case .keep(_, let tag): if run?.sockets.keep(tag) == true { answer(.tagged(tag)) }
    case .accessory(_, let session, let order): perform(order, session, at: now)
    // The daemon does it.
    case .notify, .transfer, .advertise: break
    }
  }

  func launch(_ notice: LaunchNotice, at now: Int64) { launchUnlessRunning(notice, at: now) }

  func withdraw(_ event: Int) {
    backlog.removeAll { $0.event == event }
    let wasAsked = !errands.isEmpty
    errands.removeAll { $0.isEvent(event) }
    // There is no process whose end would be reported.
    guard wasAsked, errands.isEmpty, run == nil else { return }
    calledAt = nil
    tell([.event(subscriber: name, .exited(status: 0))])
  }

  func answer(_ reply: SubscriberReply) {
    if reply.refusesSocket { run?.sockets.letGo() }
    sayIfResident(reply.line)
  }

  /// The same, or as soon as it is started.
  private func sayInTurn(_ line: [UInt8]) {
    if nextLaunch == nil { sayIfResident(line) } else { backlog.append((nil, line)) }
  }

  private func sayIfResident(_ line: [UInt8]) {
    guard subscriber.style == .resident, let run, !run.isEnding else { return }
    // The first that it reads after a wake is why it was woken.
    guard run.isStopped else { return say(line, to: run) }
    if let problem = run.keep(line) { note(problem) }
  }

  /// Ends it and forgets it: whoever has its name from now on is another.
  func dismiss(at now: Int64) {
    dismissal = .removed
    remove(at: now)
  }

  func remove(at now: Int64) {
    isRemoved = true
    accessories.closeAll()
    terminate(at: now)
    if run == nil { cleanUp() }
  }

  private func wake(_ launch: LaunchNotice, at now: Int64) {
    cause = launch
    guard nextLaunch == nil else { return queue(launch) }
    guard let run, !run.isEnding else { return }  // that it has ended is on its way to the engine
    if subscriber.style == .resident { resume(run, for: launch) } else { run.resume() }
  }

  /// Lets it run again, and tells it why before anything else.
  private func resume(_ run: ProgramRun, for launch: LaunchNotice) {
    run.resume()
    say(launch.line + run.takeKept(), to: run)
  }

  private func launchUnlessRunning(_ launch: LaunchNotice, at now: Int64) {
    cause = launch
    switch subscriber.style {
    case .resident, .socket:
      if let run, !run.isEnding {
        run.tree.setPrecedence(isForeground: launch.isOfUser)
        resume(run, for: launch)
      } else {
        noteCall(at: now)
        queue(launch)
        startIfDue(at: now)
      }
    case .oneshot:
      // What has failed while it still runs for something else is told at the end of that.
      if run == nil { failure = nil }
      run?.resume()
      guard launch.isOfUser else { return }
      let errand = Errand.launch(launch)
      let isOfLaunch = run.map { !$0.isEnding && $0.event == nil } ?? false
      // A process is there for that already, or will be.
      if errand.isPlainLaunch, isOfLaunch || errands.contains(where: \.isPlainLaunch) { return }
      noteCall(at: now)
      errands.insert(errand, at: errands.prefix(while: \.isLaunch).count)
      startIfDue(at: now)
    }
  }

  /// Notes when the program is called while its last process still ends: its time begins with its next process. Tells at
  /// once how long that takes at most as a rule; the start tells the rest.
  private func noteCall(at now: Int64) {
    let isEnding = run?.isEnding == true || run == nil && !predecessors.allSatisfy(\.isGone)
    guard isEnding else {
      calledAt = nil
      return
    }
    guard calledAt == nil else { return }
    calledAt = now
    toldLate = max(0, (run?.killAt ?? now + site.graceMilliseconds) - now)
    tellLate(toldLate)
  }

  /// Tells that the process begins so many milliseconds later than was known.
  private func tellLate(_ milliseconds: Int64) {
    guard milliseconds > 0 else { return }
    tell([.event(subscriber: name, .begun(lateSeconds: Double(milliseconds) / 1_000))])
  }

  /// Has it started for what came first, and told the rest in its turn.
  private func queue(_ launch: LaunchNotice) {
    isToBeSuspended = false
    if nextLaunch == nil { nextLaunch = launch } else { backlog.append((nil, launch.line)) }
  }

  private func deliver(_ event: Int, _ line: [UInt8], _ cause: Order.Cause, at now: Int64) {
    switch subscriber.style {
    case .resident, .socket:
      if nextLaunch != nil {
        backlog.append((event, line))
      } else if let run, !run.isEnding {
        run.talk.noteHanded(event)
        say(line, to: run)
      }
    case .oneshot:
      let isKnown = run?.event == event && run?.isEnding == false || errands.contains { $0.isEvent(event) }
      guard !isKnown, failure == nil else { return }
      // Nobody keeps an update: the next one takes its place.
      if cause.rule == .standard { errands.removeAll(where: \.isUpdate) }
      noteCall(at: now)
      errands.append(.event(event, line: line, cause))
      startIfDue(at: now)
    }
  }

  private func suspend(at now: Int64) {
    // What it has not acknowledged is handed over anew when it is woken.
    backlog.removeAll { $0.event != nil }
    errands = []
    guard nextLaunch == nil else {
      isToBeSuspended = true
      return
    }
    calledAt = nil
    guard let run else { return }
    // A oneshot reads its event and nothing else.
    run.suspend(at: now, isTold: subscriber.style == .resident)
    noticeSuspension(at: now)
  }

  private func terminate(at now: Int64) {
    nextLaunch = nil
    calledAt = nil
    isToBeSuspended = false
    backlog = []
    errands = []
    failure = nil
    run?.terminate(at: now, graceMilliseconds: site.graceMilliseconds)
  }

  // MARK: Starting

  /// Starts what is to be started, unless a process is still there.
  private func startIfDue(at now: Int64) {
    guard run == nil, !isRemoved, predecessors.allSatisfy(\.isGone) else { return }
    predecessors = []
    switch subscriber.style {
    case .resident, .socket:
      guard var launch = nextLaunch else { return }
      nextLaunch = nil
      launch.sessions = accessories.lasting
      start(launch, event: nil, line: launch.line, at: now)
      let waiting = backlog
      backlog = []
      for (event, line) in waiting {
        guard let run else { return }
        if let event { run.talk.noteHanded(event) }
        say(line, to: run)
      }
      run?.tree.setPrecedence(isForeground: cause.isOfUser && !isToBeSuspended)
      guard isToBeSuspended else { return }
      isToBeSuspended = false
      suspend(at: now)
    case .oneshot:
      guard !errands.isEmpty else { return }
      switch errands.removeFirst() {
      case .launch(let launch):
        // Of a launch it reads only what the user opened.
        start(launch, event: nil, line: launch.launch == nil ? [] : launch.line, at: now)
      case .event(let event, let line, let cause):
        var launch = self.cause
        launch.delivery = cause
        start(launch, event: event, line: line, at: now)
      }
    }
  }

  private func start(_ launch: LaunchNotice, event: Int?, line: [UInt8], at now: Int64) {
    if let calledAt {
      tellLate(now - calledAt - toldLate)
      self.calledAt = nil
    }
    do throws(ProgramStart.Refusal) {
      let run = try startedRun(launch, event: event, line)
      self.run = run
      note(.started(pid: run.pid))
      if !line.isEmpty { say(line, to: run) }
      if subscriber.style == .oneshot { run.talk.closeInputWhenSent() }
    } catch {
      backlog = []
      errands = []
      failure = error.status
      let reason = error.text
      let end = ProgramEnd(event: event, status: error.status, seconds: 0, lastLine: reason)
      tell([
        .note(subscriber: name, .startFailed(reason: reason)), .event(subscriber: name, .finished(end)),
        .event(subscriber: name, .exited(status: error.status)),
      ])
    }
  }

  private func startedRun(
    _ launch: LaunchNotice, event: Int?, _ line: [UInt8]
  ) throws(ProgramStart.Refusal) -> ProgramRun {
    guard !subscriber.command.isEmpty else { throw .noCommand }
    var environment = site.environment + launch.environment(event: event)
    if event != nil { environment += EventVariables.entries(of: line) }
    if let cgroup = newCgroup() {
      do throws(ProgramStart.Refusal) {
        return try startedRun(launch, environment, cgroup, event: event)
      } catch {
        guard error.isOfCgroup else { throw error }
        note(.noCgroup(reason: SystemReason.text(error.code)))
      }
    }
    return try startedRun(launch, environment, nil, event: event)
  }

  private func startedRun(
    _ launch: LaunchNotice, _ environment: [String], _ cgroup: Cgroup?, event: Int?
  ) throws(ProgramStart.Refusal) -> ProgramRun {
    let start = try site.start(
      subscriber, environment: environment, hasOutput: subscriber.style == .resident,
      hasError: true, hasChannel: subscriber.style == .resident, cgroup: cgroup)
    let run = ProgramRun(
      start, tree: cgroup.map { .cgroup($0) } ?? .group(start.pid), event: event, accessories: accessories)
    run.tree.setPrecedence(isForeground: launch.isOfUser)
    run.startCounting()
    if let event { run.talk.noteHanded(event) }
    return run
  }

  /// A new cgroup; nil where there are none here.
  ///
  /// A new one for each start: the kernel kills what is cloned into a cgroup that was ever killed, because it
  /// compares that cgroup's count of kills with the parent's (cgroup_css_set_fork and cgroup_post_fork, seen in
  /// Linux 6.18).
  private func newCgroup() -> Cgroup? {
    guard let parent = site.cgroups else { return nil }
    do throws(Failure) {
      cgroupCount += 1
      return try parent.makeCgroup(of: name, number: cgroupCount)
    } catch {
      note(.noCgroup(reason: error.what))
      return nil
    }
  }

  // MARK: What happens

  /// Writes what goes without waiting.
  func send() {
    guard let run else { return }
    if let problem = run.talk.send() { note(problem) }
    if subscriber.style == .oneshot { run.talk.closeInputWhenSent() }
  }

  /// Takes lines that were left of the last piece, because it had said too much in that second.
  func hearLeft(at now: Int64, by buffer: inout [UInt8]) {
    guard let talk = run?.talk, talk.hasLines, talk.mayRead(at: now) else { return }
    _ = hear(at: now, by: &buffer)
  }

  /// Reads one piece of what it says; false where nothing is left for now.
  func hear(at now: Int64, by buffer: inout [UInt8]) -> Bool {
    guard let run else { return false }
    var reports: [SupervisorReport] = []
    let isMore = run.hear(of: name, at: now, by: &buffer, into: &reports)
    tellSaid(reports)
    return isMore
  }

  /// Tells what it says: of one that was told to end, what counts.
  private func tellSaid(_ reports: [SupervisorReport]) {
    let counted = dismissal.map { dismissal in reports.filter { $0.counts(after: dismissal) } } ?? reports
    // A process that ends may acknowledge what the next one is to be handed.
    if !backlog.isEmpty { for event in counted.compactMap(\.acknowledgedEvent) { withdraw(event) } }
    if !counted.isEmpty { tell(counted) }
  }

  /// Reads one piece of what it writes to its standard error.
  func hearError(at now: Int64, by buffer: inout [UInt8]) { _ = run?.error.hear(at: now, by: &buffer) }

  /// Takes the sockets that it passes.
  func takeSockets(at now: Int64) {
    guard let reports = run?.sockets.receive(of: name, at: now) else { return }
    tellSaid(reports)
  }

  /// A watched socket has something to read.
  func noteTraffic(_ tag: String) {
    if let report = run?.sockets.traffic(tag, of: name) { tellSaid([report]) }
  }

  /// Looks whether a suspension has come about.
  func noticeSuspension(at now: Int64) {
    guard let run, run.noticeSuspension(at: now) else { return }
    switch run.tree {
    case .cgroup(let cgroup): note(.suspended(.freezer(path: cgroup.path)))
    case .group: note(.suspended(.stopSignal(reason: site.reasonForSignal)))
    }
    // Now that it runs no code it can't take or give back a lock, or read more. One that holds a lock is not woken.
    let limit = SupervisorLimits.descriptors
    let descriptors = OpenDescriptor.list(of: run.tree.members.map(\.pid), atMost: limit)
    if !descriptors.areAll, !run.hasToldDescriptors {
      run.hasToldDescriptors = true
      note(.manyDescriptors(seen: limit))
    }
    let locks = HeldLock.held(by: descriptors.found, outside: ownDirectories)
    if !locks.isEmpty { tellSaid([.held(subscriber: name, locks)]) }
    tellPorts(of: run, descriptors.found)
    tellSaid(run.sockets.readBeforeStop(of: name) + accessories.readBeforeStop(at: now))
  }

  /// Tells at which ports a suspended process listens, where that is news.
  private func tellPorts(of run: ProgramRun, _ descriptors: [OpenDescriptor]) {
    let ports = ListeningSocket.ports(of: descriptors, except: run.sockets.fileNumbers)
    guard ports != run.toldPorts else { return }
    run.toldPorts = ports
    guard !ports.isEmpty else { return }
    note(.listens(ports: ports))
    tellSaid([.event(subscriber: name, .mode(.listens))])
  }

  /// Does what is due by time.
  func passTime(at now: Int64) {
    passTimeOfAccessories(at: now)
    guard let run else { return startIfDue(at: now) }
    run.stopIfDue(at: now)
    noticeSuspension(at: now)
    if run.killIfDue(at: now) { note(.killed) }
    if run.noticeClosedOutput(at: now), !run.isEnding { note(.closedOutput) }
  }

  /// If its process has ended: hears its last words, ends what it left behind, and tells.
  func reap(at now: Int64, by buffer: inout [UInt8]) {
    guard let run, run.end.hasCome else { return }
    run.talk.allowLastAnswers()
    var heardBytes = 0
    while heardBytes < SupervisorLimits.lastBytes, hear(at: now, by: &buffer) { heardBytes += buffer.count }
    run.error.hearLast(at: now, by: &buffer)
    // A script may leave a player or a dialog behind on purpose: that it goes is not to surprise.
    let leftRunning = subscriber.style == .oneshot && !run.isEnding ? run.tree.names(except: run.pid) : []
    run.endTree()
    guard var end = run.end.reap(at: now) else { return }
    let refusal = run.end.refusal
    if let refusal {
      note(.startFailed(reason: refusal.text))
      end.status = refusal.status
    }
    self.run = nil
    if dismissal == .ended { dismissal = nil }
    accessories.end(at: now)
    if !leftRunning.isEmpty { note(.leftRunning(leftRunning)) }
    site.forgetRun(of: name)
    if run.isEnding { note(.ended(status: end.status)) } else { tellEnd(of: run, end, reason: refusal?.text) }
    if isRemoved { cleanUp() } else { startIfDue(at: now) }
  }

  /// Tells how its process ended by itself, and what that means. A oneshot has ended when nothing is left to start it
  /// for: a launch by the user is not lost because an event fails, and no event because the process of a launch ends.
  ///
  /// - Parameter reason: why it was not executed; nil where it was.
  private func tellEnd(of run: ProgramRun, _ end: ProgramStart.End, reason: String?) {
    var status = end.status
    var acknowledgment: [SupervisorReport] = []
    if subscriber.style == .oneshot {
      if let event = run.event, status == 0 {
        acknowledgment = [.acknowledged(subscriber: name, event: event, coreSeconds: end.coreSeconds)]
      } else if run.event != nil {
        errands.removeAll { !$0.isLaunch }
        failure = status
      }
      if errands.isEmpty {
        status = failure ?? status
        if status != 0 { failure = status }
      }
    }
    var summary = run.summary(status: end.status)
    if let reason { summary.lastLine = reason }
    if !errands.isEmpty { summary.isFollowed = true }
    var reports = [SupervisorReport.event(subscriber: name, .finished(summary))] + acknowledgment
    if errands.isEmpty { reports.append(.event(subscriber: name, .exited(status: status))) }
    tell(reports)
  }

  private func say(_ line: [UInt8], to run: ProgramRun) {
    if let problem = run.talk.tell(line) { note(problem) }
  }

  private func cleanUp() {
    if cgroupCount > 0 { site.cgroups?.removeCgroups(of: name) }
  }

  /// Where it may hold locks while it is suspended (rule K3): its directory, and that of its executable where the
  /// manifest has its path; each as it is named and, as the kernel tells of locks, without links.
  private var ownDirectories: [String] {
    var named = [site.directory(of: subscriber)].compactMap { $0 }
    if let path = subscriber.command.first, path.hasPrefix("/"), let slash = path.lastIndex(of: "/"),
      slash > path.startIndex
    {
      named.append(String(path[..<slash]))
    }
    return named + named.compactMap(StatePath.withoutLinks)
  }

  private static func terminated(_ line: [UInt8]) -> [UInt8] {
    line.last == UInt8(ascii: "\n") ? line : line + [UInt8(ascii: "\n")]
  }
}
