import Glibc
import LocationCore
public import LocationFormats

/// `locwatch run`: decides and acts until it is told to end.
public enum Daemon {
  /// Runs on this thread; returns when it was ended in good order.
  ///
  /// It is not `async`: Swift's own threads, once there are any, wake up every second.
  ///
  /// - Throws: ``Failure`` of code 75 where another runs on the same state file, of others where that file or the
  ///   settings can't be used, or where the disk has taken nothing for so long that memory is full.
  public static func run(_ request: DaemonRequest) throws(Failure) {
    // A SIGHUP that comes while the state file is opened waits until the daemon can read its settings again.
    _ = try SignalBell.install([SIGHUP])
    var loop = try DaemonLoop(request)
    try loop.run()
  }
}

/// The one loop of `locwatch run`: it waits for fixes, programs, commands, signals and what is due, and has all of
/// it taken, stored and done, in this order.
struct DaemonLoop: ~Copyable {
  let request: DaemonRequest
  let database: StateDatabase
  private let lock: StateLock
  let clock: SystemClock
  let notice = ServiceNotice()
  let supervisor: Supervisor
  private var machine: MachineWatch
  private var zone = ZoneWatch()
  var clockWatch = ClockWatch()
  var metering = Metering()
  /// What good moments to fetch depend on; nil while nobody has the mode.
  var conditions: MachineConditions?
  let since: UTCTime
  let inbox: Inbox
  private let stop: WakePipe
  /// Whether the link to gpsd is to be up.
  let receiver: ReceiverSwitch
  var hook: ReceiverHook
  var notifier: NotifyHook
  /// Programs of which the log was told that the sound of a notification may not be played.
  var lackSound: Set<String> = []
  /// Whether audio sessions sound.
  var audio: AudioWatch
  /// Who is commanded by the desktop's keys.
  var player: PlayerLink
  /// Who has BlueZ look for beacons.
  var beacons: BeaconLink
  /// Who speaks to BlueZ for sessions of Bluetooth.
  var bluetooth: BluetoothLink
  /// Who has Avahi publish services of programs.
  var advertiser: AdvertiseLink
  /// The processes that carry files.
  var transfers: TransferSet
  /// What the settings say to the daemon alone.
  var settings: DaemonSettings
  var live: DaemonHost
  var control: ControlSocket
  /// Who gets events beside subscribers and followers.
  var outlets: OutletSet
  /// Of the programs that speak for outlets.
  let environment: [String]
  /// Where fixes are told in NMEA; nil where nobody asked for it.
  var nmea: NMEASocket?
  /// Writes what Prometheus reads; nil where nobody asked for it.
  var metrics: MetricsFile?
  /// Wakes the machine for what may not wait.
  private var alarm = WakeAlarm()
  /// What a turn waits for, and what has come.
  var polled = PollSet()
  private var pages: CodePages?
  /// Seconds that the machine had slept when that was last looked at.
  private var sleptSeconds: Double
  /// Why nothing is due for programs.
  private var absence = DaemonAbsence()
  /// What was last said of the source.
  var source: SourceEvent?
  /// How far apart the fixes are, for `status`.
  var cycle = FixCycle()
  /// What the source calls itself.
  private var sourceName = ""
  /// Whether this is still what a daemon before said.
  private var sourceIsOfBefore = true
  private var events: [Event] = []
  private var reports: [SupervisorReport] = []
  private var isEnding = false
  private var aliveAt: EngineInstant?
  /// When the log was last told that clients have to wait.
  private var troubleAt: EngineInstant?
  /// What the log was last told of the source.
  private var saidOfSource: String?
  /// Whether the source's fixes are all of another day.
  private var dates = DateNotice()
  /// Whom the supervisor knows.
  var supervised: Set<String> = []
  /// Who is refused too often.
  var refusals = RefusalMeter()
  /// Which outlets bring too much that is refused.
  var outletRefusals = RefusalMeter()

  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  init(_ request: DaemonRequest) throws(Failure) {
    let (configuration, settings) = try request.configuration()
    let lock = try StateLock(state: request.state)
    let database = try StateDatabase.open(path: request.state)
    database.reserveLog()
    var live = try DaemonHost(
      database, configuration: configuration, retention: settings.retention,
      timing: request.isSimulated ? .fixes : .clock)
    let clock = try Self.clock(database, live)
    if let recording = request.recording { Self.note(recording: try live.record(to: recording), recording) }
    let inbox = try Inbox()
    let stop = try WakePipe()
    let receiver = try ReceiverSwitch()
    var supervision = SupervisorConfiguration(runDirectory: request.state + ".run")
    let environment = ServiceNotice.environmentForChildren()
    supervision.environment = environment
    supervision.usesCgroups = request.usesCgroups
    supervision.filesDirectory = try TransferSpool.files(beside: request.state)
    supervision.socketPath = ControlAddress.place("subscribers", state: request.state)
    let supervisor = try Supervisor(supervision)
    // One of another version is as good as none.
    let source = try database.meta(.source).flatMap { text in
      try? ExactDecoder.value(SourceEvent.self, of: JSONTree(Array(text.utf8)))
    }
    let outlets = try OutletSet(database, environment: environment)
    let nmea = try request.nmeaSocket.map { (path) throws(Failure) in try NMEASocket(path: path) }
    let control = try ControlSocket(ControlAddress.own(state: request.state))
    let isUsual = control.path == ControlAddress.beside(request.state).path
    try database.setMeta([(.control, isUsual ? nil : control.path)])
    self.lock = lock
    self.clock = clock
    sleptSeconds = clock.sleptSeconds
    self.inbox = inbox
    self.stop = stop
    self.receiver = receiver
    let notes = HookNotes(runDirectory: supervision.runDirectory)
    hook = ReceiverHook(settings.receiverHook, environment: environment, notes: notes)
    notifier = NotifyHook(settings.notifyHook, environment: environment, notes: notes)
    audio = AudioWatch(environment: environment)
    player = PlayerLink(environment: environment) { clock.instant }
    beacons = BeaconLink(environment: environment) { clock.instant }
    bluetooth = BluetoothLink(environment: environment) { clock.instant }
    advertiser = AdvertiseLink(environment: environment) { clock.instant }
    transfers = TransferSet(state: request.state)
    self.settings = settings
    self.supervisor = supervisor
    machine = MachineWatch(
      unlockFile: request.unlockFile ?? ControlAddress.place("unlocked", state: request.state))
    self.source = source
    since = clock.read().dating
    self.request = request
    self.database = database
    self.live = live
    self.control = control
    self.outlets = outlets
    self.environment = environment
    metrics = request.metrics.map { MetricsFile($0) }
    self.nmea = nmea
  }

  /// In the same boot the axis goes on as it was; in another it continues after the last event.
  private static func clock(
    _ database: StateDatabase, _ live: borrowing DaemonHost
  ) throws(Failure) -> SystemClock {
    if try database.meta(.boot) == ProcessStatus.boot,
      let offset = try database.meta(.clockOffset).flatMap({ Int64($0) })
    {
      return SystemClock(offsetMicroseconds: offset)
    }
    return SystemClock(after: live.last, utcAheadMicroseconds: live.engine.utcAheadMicroseconds ?? 0)
  }

  /// Runs until a signal ends it.
  mutating func run() throws(Failure) {
    // A reader that goes away must not end the daemon. Programs that are started get the default again.
    _ = signal(SIGPIPE, SIG_IGN)
    // Each program takes five descriptors, and the usual limit is 1,024. Programs get the old limit back.
    ProgramStart.raiseDescriptorLimit()
    let signals = try SignalBell.install(Self.signals)
    defer {
      stop.ring()
      SignalBell.uninstall(Self.signals)
      control.close()
      nmea?.close()
    }
    try begin()
    try GPSDLink.start(
      request.address, isSimulated: request.isSimulated, clock: clock, inbox: inbox, stop: stop,
      receiver: receiver, mustBeThere: false)
    if let interval = notice.watchdogMicroseconds {
      aliveAt = clock.instant.advanced(bySeconds: Double(interval) * 1e-6)
    }
    notice.ready("waiting for \(request.address)")
    database.setPatience(seconds: DaemonLimits.lockSeconds)
    pages = CodePages()
    while !isEnding {
      pages?.giveBack(at: clock.instant)
      try turn(signals: signals)
    }
    try end()
  }

  // MARK: - The beginning and the end

  /// Tells the engine what became of everything while there was no daemon.
  private mutating func begin() throws(Failure) {
    let reading = clock.read()
    let lastBoot = try database.meta(.boot)
    let requests = Dictionary(grouping: try database.requests()) { $0.isUndoneByBoot(since: lastBoot) }
    let (undone, left) = (requests[true] ?? [], requests[false] ?? [])
    // A request may be of a boot in which no daemon ran.
    let wasOtherBoot = !undone.isEmpty || lastBoot.map { $0 != ProcessStatus.boot } ?? false
    try database.setMeta([
      (.boot, ProcessStatus.boot), (.clockOffset, "\(clock.offsetMicroseconds)"),
    ])
    for trouble in machine.troubles { Self.log(trouble) }
    try live.forgetUnstored(database, at: reading)
    // Nothing comes due until it is known which programs still run, and until all that commands have left is taken: a later
    // command may have cancelled a notification.
    let isResumed = live.last > .distantPast
    if isResumed {
      try live.handleAtLast(.machine(.absent(true)))
    } else if !left.isEmpty {
      try live.handle(.machine(.absent(true)), at: reading)
    }
    try bookAbsence()
    if live.engine.hasNotifications { try alignNotifications() }
    try forgetBeacons()
    try applyRegions(nil)
    try applySubscribers(nil, isBeginning: true)
    // Programs do not receive acknowledged events again.
    try take(left.filter(\.isDone), at: reading)
    if wasOtherBoot {
      try takeUndone(undone, at: reading)
      try live.handle(.machine(.reboot), at: reading)
    } else {
      // The daemon does not restart programs that the user force-quit.
      try take(left.filter(\.isQuit), at: reading)
      for view in live.engine.subscribers where view.state != .notRunning {
        try live.handle(.subscriber(name: view.subscriber.name, .orphaned), at: reading)
      }
    }
    // Those that were connected to the last daemon come again.
    for view in live.engine.subscribers where view.subscriber.startsItself && !view.isAway {
      try live.handle(.subscriber(name: view.subscriber.name, .unregistered), at: reading)
    }
    machine.resume(live.engine.memoryPressure)
    if machine.isUnlocked() { try live.handle(machine: .unlock, at: reading) }
    if !wasOtherBoot { try renewBluetooth(of: live.engine.subscribers) }
    try take(left.filter { !$0.isDone && (wasOtherBoot || !$0.isQuit) }, at: reading)
    if isResumed || !left.isEmpty { try live.handle(.machine(.absent(false)), at: clock.read()) }
    try bookReturn(isResumed: isResumed)
    try alignAudience()
    try alignReceiver()
    try commit()
    try resumeTransfers()
    try commit()
    for line in try DaemonGreeting.lines(database, request) { Self.log(line) }
    DaemonGreeting.complaints(about: settings).forEach(Self.log)
  }

  /// Takes what has come, ends the programs, and leaves everything as the next daemon wants it.
  private mutating func end() throws(Failure) {
    database.setPatience(seconds: StateDatabase.patienceSeconds)
    notice.stopping()
    stop.ring()
    try takeEvents()
    try live.passTime(to: clock.read())
    try commit()
    outlets.beginStop()
    notifier.end()
    audio.end()
    player.end()
    beacons.end()
    bluetooth.end()
    advertiser.end()
    conditions?.end()
    supervisor.beginStop()
    try awaitEnds()
    hook.end()
    let reading = clock.read()
    // Nobody is left to do anything for: what was decided is done by the next daemon, for whoever still waits.
    try live.commit(at: reading)
    if let trouble = live.host.journal.trouble { throw trouble }
    try live.checkpoint(at: reading)
    writeMetrics(isLast: true)
  }

  /// Waits until the programs have ended, and the outlets have nothing on its way any more; neither for long.
  private mutating func awaitEnds() throws(Failure) {
    let deadline = clock.instant.advanced(bySeconds: DaemonLimits.stopSeconds)
    let settleDeadline = clock.instant.advanced(bySeconds: DaemonLimits.settleSeconds)
    while true {
      let now = clock.instant
      outlets.settle(at: now)
      let isSettling = !outlets.hasSettled && now < settleDeadline
      guard isSettling || !supervisor.hasStopped && now < deadline else { break }
      polled.removeAll()
      polled.watch(supervisor.readable)
      if isSettling { outlets.watch(&polled, unsettled: true) }
      _ = polled.wait(atMost: clock.milliseconds(until: isSettling ? settleDeadline : deadline))
      try takeReports()
    }
    try takeReports()
  }

  // MARK: - One turn

  private mutating func turn(signals: Int32) throws(Failure) {
    let before = clock.instant
    let look = nextLook(from: before)
    let due = [
      live.nextWake, look, aliveAt, metering.nextSample, hook.deadline, conditions?.deadline,
      absence.pauseEnd, audio.deadline, outlets.nextDeadline, transfers.nextDeadline,
      beacons.retryAt, bluetooth.retryAt, advertiser.retryAt, player.retryAt, notifier.deadline,
      control.nextDeadline(at: before), nmea?.nextDeadline(at: before), metrics?.dueAt,
      outlets.hasRequests ? before : nil,
    ].compactMap { $0 }.min()
    polled.removeAll()
    for descriptor in [inbox.readable, signals, supervisor.readable, hook.readable] {
      polled.watch(descriptor)
    }
    outlets.watch(&polled)
    transfers.watch(&polled)
    machine.watch(&polled)
    zone.watch(&polled, isNeeded: live.engine.followsZone)
    clockWatch.watch(&polled)
    conditions?.watch(&polled)
    notifier.watch(&polled)
    nmea?.watch(&polled, at: before)
    beacons.watch(&polled)
    bluetooth.watch(&polled)
    advertiser.watch(&polled)
    audio.watch(&polled)
    player.watch(&polled)
    alarm.set(live.nextAlarm, by: clock)
    alarm.watch(&polled)
    control.watch(&polled, at: before)
    let count = polled.wait(atMost: machine.wait(atMost: clock.milliseconds(until: due)))
    alarm.take(polled)
    try noteAbsence(since: look)
    if polled.has(signals) || count < 0 { try take(SignalBell.take()) }
    if polled.has(inbox.readable) { try takeEvents() }
    if polled.has(supervisor.readable) { try takeReports(upTo: DaemonLimits.reportsPerTurn) }
    if absence.endPause(at: clock.instant) {
      try live.handle(.machine(.absent(false)), at: clock.read())
    }
    try takeTransfers()
    for event in machine.take(polled) { try take(event) }
    if zone.take(polled) { try alignNotifications() }
    if clockWatch.take(polled), live.engine.hasNotifications { try alignNotifications() }
    try takeConditions()
    for outcome in notifier.take(polled, at: clock.instant) { try take(outcome) }
    if let trouble = nmea?.take(polled, at: clock.instant) { note(trouble) }
    try takeBeacons()
    try takeBluetooth()
    try takeAdvertised()
    try alignAudience()
    try takeAudio()
    let questions = control.serve(polled, at: clock.instant)
    if let trouble = control.takeTrouble() { note(trouble) }
    // It can also have been stopped since it woke.
    try noteAbsence(since: look)
    try live.advance(to: clock.read())
    if let trouble = hook.look(at: clock.instant) { Self.log(trouble) }
    try commit()
    for question in questions { try answer(question) }
    if !questions.isEmpty { pages?.giveBack(at: clock.instant, isSeldom: true) }
    for (outlet, request) in outlets.takeRequests() { try obey(request, of: outlet) }
    sample()
    writeMetrics()
    let now = clock.instant
    if let at = aliveAt, at <= now, let interval = notice.watchdogMicroseconds {
      notice.alive()
      aliveAt = now.advanced(bySeconds: Double(interval) * 1e-6)
    }
  }

  /// When to look whether the daemon was stopped; nil where time is that of the fixes, too.
  private func nextLook(from now: EngineInstant) -> EngineInstant? {
    guard live.nextDeadline != nil else { return nil }
    return DaemonAbsence.nextLook(from: now, ends: live.engine.subscribers.map(\.budgetEnd))
  }

  /// The machine slept, or the daemon was stopped when something was due. What is late says so (rules D5 and E2).
  /// What programs have answered meanwhile is taken first: the thread that hears them was stopped as well.
  ///
  /// - Parameter look: when the daemon wanted to be awake for this; nil where it did not.
  private mutating func noteAbsence(since look: EngineInstant?) throws(Failure) {
    let slept = clock.sleptSeconds
    defer { sleptSeconds = slept }
    let now = clock.instant
    let due = [live.nextDeadline, look].compactMap { $0 }.min()
    let sleepSeconds = DaemonAbsence.sleepSeconds(slept - sleptSeconds)
    let began = DaemonAbsence.began(slept: sleepSeconds, due: due, now: now)
    if !absence.isOn, let began {
      try live.handle(.machine(.absent(true)), before: began)
      absence.pause(until: now.advanced(bySeconds: DaemonLimits.lateSeconds))
    }
    if sleepSeconds > 0, !request.isSimulated { try live.bookSleep(of: sleepSeconds, at: clock.read()) }
  }

  /// Logs that there are no descriptors, or that the control socket was removed, once in a while.
  private mutating func note(_ trouble: String) {
    let now = clock.instant
    guard troubleAt.map({ $0.seconds(to: now) >= DaemonLimits.retrySeconds }) ?? true else { return }
    troubleAt = now
    Self.log(trouble)
  }

  private mutating func takeEvents() throws(Failure) {
    events.removeAll(keepingCapacity: true)
    try inbox.take(into: &events)
    // The code that many at once need would come on top of what single ones did.
    if events.count > DaemonLimits.burstEvents { pages?.giveBack(at: clock.instant, isSeldom: true) }
    for event in events {
      if case .source(let news) = event {
        switch news {
        case .found(let name), .switched(let name): sourceName = name
        case .stale(.lost, _): saidOfSource = nil
        case .stale, .dropped: break
        }
        tell(of: news)
        // That a new daemon finds the source that was there before is no news.
        let isKnown = sourceIsOfBefore && news == source
        sourceIsOfBefore = false
        if isKnown { continue }
        note(news)
      }
      let accepted = live.engine.tally.accepted
      let misdated = live.engine.tally.misdated
      let reading = clock.read()
      try live.handle(event, at: reading)
      if case .fix(let report) = event {
        let isAccepted = live.engine.tally.accepted > accepted
        if report.mode != .noFix, let time = report.time { cycle.note(time) }
        if isAccepted { tell(of: report) }
        if isAccepted || live.engine.tally.misdated > misdated {
          noteDate(of: report, at: reading, isAccepted: isAccepted)
        }
      }
      // Nothing is said of a source that has fixes again.
      if case .stale = source, live.engine.tally.accepted > accepted {
        tell(of: .found(name: sourceName))
        note(.found(name: sourceName))
      }
    }
  }

  /// Logs where the source stands, unless that is what was said last.
  private mutating func tell(of news: SourceEvent) {
    guard let text = DaemonGreeting.line(of: news, at: request.address), text != saidOfSource else { return }
    Self.log(text)
    saidOfSource = text
  }

  /// Notes where the source stands, for `status` and systemd.
  private mutating func note(_ news: SourceEvent) {
    guard let text = Self.describe(news) else { return }
    source = news
    notice.status(text)
  }

  /// Says that the fixes are of another day, and what becomes of them.
  private mutating func noteDate(of report: FixReport, at reading: ClockReading, isAccepted: Bool) {
    guard !request.isSimulated else { return }
    var report = report
    report.received = reading.utc
    if let text = dates.text(after: report, isAccepted: isAccepted) { Self.log(text) }
  }

  private mutating func takeReports(upTo limit: Int = .max) throws(Failure) {
    reports.removeAll(keepingCapacity: true)
    supervisor.take(into: &reports, upTo: limit)
    for report in reports { try take(report) }
  }

  private mutating func take(_ signals: [Int32]) throws(Failure) {
    for number in signals {
      // A daemon at rest stores nothing, so nothing else would tell it that its state file is gone.
      try live.host.journal.requireNames()
      guard number == SIGHUP else {
        isEnding = true
        continue
      }
      do throws(Failure) {
        if try reload() == nil { Self.log("settings, regions, programs and outlets were read again") }
      } catch {
        Self.log("\(error); it was not all read again")
        notice.ready("not all was read again")
      }
    }
  }

  /// Stores what came, then does what follows from it.
  mutating func commit() throws(Failure) {
    try switchReceiver()
    try live.commit(at: clock.read())
    if let trouble = live.host.journal.trouble, !absence.lacksDisk {
      Self.log("\(trouble); going on in memory")
      // What is decided can't be done, and no program is to be blamed for that.
      absence.lacksDisk = true
      try live.handle(.machine(.absent(true)), at: clock.read())
    } else if live.host.journal.trouble == nil, absence.lacksDisk {
      Self.log("the disk takes what it is given again; nothing was lost")
      absence.lacksDisk = false
      if !absence.isOn { try live.handle(.machine(.absent(false)), at: clock.read()) }
    }
    if let trouble = live.host.journal.takeRecordingFailure() {
      Self.log("\(trouble); the recording ends here, and the next start of locwatch run begins another")
    }
    if live.host.journal.trouble == nil {
      transfers.eraseEnded()
      outlets.noteStored()
    }
    var shown: [NotifyHook.Outcome] = []
    try supervisor.together { () throws(Failure) in
      for work in live.host.ports.takeWork() { try perform(work, noting: &shown) }
    }
    alignAudio()
    for news in live.host.journal.takeNews() { control.tellFollowers(news, at: clock.instant) }
    pumpOutlets()
    live.host.journal.tidy(live.host.engine, at: clock.read())
    for outcome in shown { try take(outcome) }
    // What was shown, or could not be done, is an event, and something may follow from it.
    guard live.host.journal.trouble == nil else { return }
    if !shown.isEmpty || live.host.hasEffects { try commit() }
  }

  /// - Parameter shown: gets what has come at once of the notifications that are to be shown.
  private mutating func perform(
    _ work: DaemonPorts.Work, noting shown: inout [NotifyHook.Outcome]
  ) throws(Failure) {
    switch work {
    case .order(.transfer(let name, let number, let order), _): try perform(order, number, of: name)
    case .order(.notify(let name, let event, let notification, let content), _):
      let request = NotifyHook.Request(
        withPlayableSound(content, of: name), of: name, event: event, notification: notification)
      shown += notifier.show(request, at: clock.instant)
    case .order(.accessory(let name, let session, let order), let line):
      perform(order, session, of: name)
      supervisor.perform(.accessory(subscriber: name, session: session, order), recordLine: line)
    case .order(.advertise(let name, let services), _): publish(services, of: name)
    case .order(let order, let line): supervisor.perform(order, recordLine: line)
    case .action(.userLaunch(let name, let launch)): supervisor.userLaunch(name, launch)
    case .action(.answer(let name, let reply)): supervisor.answer(name, reply)
    case .action(.withdraw(let name, let event)):
      // That the alert of a push is not shown, or no more, is told as a drop too: the push waits on.
      let waits = live.engine.subscriber(name)?.waiting.contains { $0.event == event } ?? false
      if !waits { supervisor.withdraw(event, from: name) }
    }
  }

  /// Where a source stands, in words; nil for what says nothing of that.
  private static func describe(_ source: SourceEvent) -> String? {
    switch source {
    case .found(let name), .switched(let name): "fixes from \(name)"
    case .stale(let reason, _): "no fixes: \(reason.rawValue)"
    case .dropped: nil
    }
  }

  /// Says something on standard error, which systemd keeps. A line that it does not take at once is lost.
  static func log(_ text: String) {
    ErrorStream.offer(Array("locwatch: \(TextTable.cell(text))\n".utf8)[...])
  }
}

extension Tally {
  /// Reports rejected for their dates.
  fileprivate var misdated: Int { rejected(for: .stale) + rejected(for: .future) }
}
