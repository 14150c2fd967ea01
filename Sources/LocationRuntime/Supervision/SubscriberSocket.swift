import Glibc
import LocationCore
import LocationFormats

/// What the supervisor's thread needs of a subscriber, however its program is reached.
protocol SupervisedSubscriber: AnyObject {
  /// What it takes now; nil where it does not run.
  var usage: ProgramUsage? { get }
  /// Its accessories (section J).
  var accessories: HeldAccessories { get }
  /// Whether there is a process that goes on.
  var hasProcess: Bool { get }
  /// Whether it was removed and nothing is left of it.
  var isGone: Bool { get }
  /// Tells the daemon.
  var tell: ([SupervisorReport]) -> Void { get }
  /// Carries out an order to this subscriber.
  func perform(_ order: Order, recordLine: [UInt8], at now: Int64)
  /// Starts or resumes it for the user.
  func launch(_ notice: LaunchNotice, at now: Int64)
  /// An event is done: it is not handed over where that is still to come.
  func withdraw(_ event: Int)
  /// Tells it the answer to something it said.
  func answer(_ reply: SubscriberReply)
}

/// The socket for programs that are no children of ours: who has connected, and as whom. Used by the supervisor's
/// thread alone.
///
/// Its owner and group may connect, and whoever may connect may register as any subscriber of the style `socket`.
struct SubscriberSocket: ~Copyable {
  /// What an entry of `poll` is for.
  private enum Target {
    case listener
    case entry
    case stranger(SocketConnection)
    case input(SocketProgram)
    case output(SocketProgram)
    case command(SocketProgram)
    case error(SocketProgram)
    case traffic(SocketProgram, tag: String)
    case devices(SocketProgram)
    case accessory(SocketProgram, session: String)
  }

  private let path: String?
  private var listener: UnixListener?
  private let site: SupervisorSite
  private let tell: ([SupervisorReport]) -> Void
  /// Connected, and not registered yet.
  private var strangers: [SocketConnection] = []
  private var programs: [SocketProgram] = []
  /// What is waited for, and what for.
  private var targets: [(descriptor: Int32, events: Int32, target: Target)] = []
  /// Until when nobody is accepted, because there are no descriptors.
  private var pausedUntil: Int64?

  /// - Parameters:
  ///   - listener: where programs connect; nil where there is no socket.
  ///   - tell: gets what happened.
  init(
    path: String?, listener: UnixListener?, site: SupervisorSite,
    tell: @escaping ([SupervisorReport]) -> Void
  ) {
    self.path = path
    self.listener = listener
    self.site = site
    self.tell = tell
  }

  /// Whether no command of a subscriber runs any more.
  var isIdle: Bool { programs.allSatisfy { $0.starter == nil } }

  // MARK: Subscribers

  func program(_ name: String) -> SocketProgram? {
    programs.last { $0.subscriber.name == name && !$0.isRemoved }
  }

  /// The newest of that name, removed or not.
  func last(_ name: String) -> SocketProgram? { programs.last { $0.subscriber.name == name } }

  mutating func add(_ subscriber: Subscriber, after predecessors: [any SupervisedSubscriber]) {
    programs.append(
      SocketProgram(subscriber, after: predecessors, site: site, socketPath: path, tell: tell))
  }

  /// Removes all subscribers and the socket: who comes now finds no daemon, and not one that knows nobody.
  mutating func stop(at now: Int64) {
    for program in programs { program.remove(at: now) }
    listener?.remove()
    // Who waits in the queue would wait for as long as the thread that was given the socket runs.
    while listener?.descriptor.accept() != nil {}
    listener = nil
    strangers = []
    targets = []
  }

  // MARK: Waiting

  /// Adds what is waited for; the earliest thing to do by time.
  mutating func watch(_ polled: inout PollSet, hasRoom: Bool, at now: Int64) -> Int64? {
    targets.removeAll(keepingCapacity: true)
    func watch(_ file: Descriptor, _ events: Int32, _ target: Target) {
      polled.watch(file.number, for: events)
      targets.append((file.number, events, target))
    }
    var deadline: Int64?
    func consider(_ due: Int64?) { if let due { deadline = min(deadline ?? due, due) } }
    if let pausedUntil, pausedUntil > now {
      consider(pausedUntil)
    } else if let listener, connectionCount < SupervisorLimits.connections {
      watch(listener.descriptor, POLLIN, .listener)
    }
    if let changes = listener?.changes { watch(changes, POLLIN, .entry) }
    for stranger in strangers {
      let talk = stranger.talk
      if let output = talk.output, talk.mayRead(at: now) { watch(output, POLLIN, .stranger(stranger)) }
      if let input = talk.input, !talk.queue.isEmpty { watch(input, POLLOUT, .stranger(stranger)) }
      consider(stranger.registerBy)
    }
    for program in programs {
      if let talk = program.connection?.talk {
        if let output = talk.output, hasRoom, !talk.hasLines, talk.mayRead(at: now) {
          watch(output, POLLIN, .output(program))
        }
        if let input = talk.input, !talk.queue.isEmpty { watch(input, POLLOUT, .input(program)) }
      }
      if let sockets = program.connection?.sockets, hasRoom {
        for (tag, socket) in sockets.watched(at: now) {
          watch(socket, HeldSockets.events, .traffic(program, tag: tag))
        }
      }
      if hasRoom {
        if let devices = program.accessories.listening { watch(devices, POLLIN, .devices(program)) }
        for (session, device, events) in program.accessories.watched(at: now) {
          watch(device, events, .accessory(program, session: session))
        }
      }
      if let end = program.starter?.awaited.watched(at: now) { watch(end, POLLIN, .command(program)) }
      if let error = program.error?.readable(at: now) { watch(error, POLLIN, .error(program)) }
      consider(program.deadline(at: now, hasRoom: hasRoom))
    }
    return deadline
  }

  private var connectionCount: Int { strangers.count + programs.count { $0.connection != nil } }

  /// Does what has come, and what is due by time.
  mutating func serve(_ polled: PollSet, hasRoom: Bool, at now: Int64, by buffer: inout [UInt8]) {
    for (descriptor, events, target) in targets where polled.has(descriptor, events) {
      switch target {
      case .listener: accept(at: now)
      case .entry: restoreEntry()
      case .stranger(let stranger): hear(stranger, at: now, by: &buffer)
      case .input(let program): program.send()
      case .output(let program): if hasRoom { program.hear(at: now, by: &buffer) }
      case .command(let program): program.reap(at: now, by: &buffer)
      case .error(let program): program.hearError(at: now, by: &buffer)
      case .traffic(let program, let tag): program.noteTraffic(tag)
      case .devices(let program): program.takeDeviceNews(at: now)
      case .accessory(let program, let session):
        program.noteAccessory(session, polled.events(of: descriptor), at: now)
      }
    }
    targets.removeAll(keepingCapacity: true)
    strangers.removeAll { $0.isOver || $0.registerBy <= now }
    for program in programs {
      if hasRoom { program.hearLeft(at: now, by: &buffer) }
      program.passTime(at: now)
    }
    programs.removeAll(where: \.isGone)
  }

  private mutating func accept(at now: Int64) {
    guard let stranger = listener?.descriptor.accept() else {
      // Without descriptors the connection stays in the queue, which would wake us again at once.
      if errno != EAGAIN { pausedUntil = now + SupervisorLimits.pauseMilliseconds }
      return
    }
    strangers.append(SocketConnection(stranger, at: now))
  }

  /// Listens anew where somebody has removed the socket's entry: without one no program can connect.
  private mutating func restoreEntry() {
    let note: SupervisorNote
    do throws(Failure) {
      guard try listener?.restoreEntry() == true else { return }
      note = .madeSocket
    } catch {
      note = .noSocket(reason: "\(error)")
    }
    tell(programs.map { .note(subscriber: $0.subscriber.name, note) })
  }

  /// Hears who somebody is. What else is said before the answer has come is not heard.
  private mutating func hear(_ stranger: SocketConnection, at now: Int64, by buffer: inout [UInt8]) {
    guard !stranger.isLeaving else {
      _ = stranger.talk.send()
      return
    }
    var unheard: [SupervisorReport] = []
    _ = stranger.talk.hear(of: "", at: now, by: &buffer, into: &unheard) { 0 }
    guard let registration = stranger.talk.takeRegistration() else {
      let isWrong = unheard.contains { Self.wrongRegistrations.contains($0) }
      return isWrong ? Self.dismiss(stranger, because: SubscriberReply.invalid) : ()
    }
    guard let program = program(registration.name) else {
      return Self.dismiss(stranger, because: "no subscriber of style socket has this name")
    }
    strangers.removeAll { $0 === stranger }
    stranger.signal = registration.signal?.number
    program.attach(stranger)
  }

  /// What is heard of somebody who registers by a line that is none.
  private static let wrongRegistrations: [SupervisorReport] = ["register", "signal"].map {
    .request(subscriber: "", .invalid($0))
  }

  private static func dismiss(_ stranger: SocketConnection, because reason: String) {
    _ = stranger.talk.tell(SubscriberReply.refused(what: "register", reason: reason).line)
    stranger.isLeaving = true
  }
}
