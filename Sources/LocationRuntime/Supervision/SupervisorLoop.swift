import Glibc
import LocationCore
import LocationFormats

/// The supervisor's thread: waits in `poll` for commands, for what programs say, for their ends, and for its few
/// deadlines. With nothing to do it does not wake.
struct SupervisorLoop: ~Copyable {
  private let mailbox: SupervisorMailbox
  private let site: SupervisorSite
  private var socket: SubscriberSocket
  private var programs: [SupervisedProgram] = []
  private var indices: [String: Int] = [:]
  private var commands: [SupervisorCommand] = []
  private var buffer = [UInt8](repeating: 0, count: SupervisorLimits.pieceBytes)
  private var polled = PollSet()
  /// What is waited for, and what for.
  private var targets: [(descriptor: Int32, events: Int32, program: SupervisedProgram, kind: Kind)] = []
  private var isStopping = false

  private enum Kind {
    case end, input, output, error, freezing, channel
    case traffic(tag: String)
    case devices
    case accessory(session: String)
  }

  init(mailbox: SupervisorMailbox, site: SupervisorSite, socket: consuming SubscriberSocket) {
    self.mailbox = mailbox
    self.site = site
    self.socket = socket
  }

  /// Runs until it is told to stop and every program has ended.
  mutating func run() {
    Self.blockSignals()
    while true {
      takeCommands()
      if isStopping, socket.isIdle, programs.allSatisfy({ $0.run == nil }) { break }
      wait()
      serve()
    }
    for program in programs { program.remove(at: MonotonicTime.milliseconds) }
    site.close()
    mailbox.end()
  }

  private mutating func takeCommands() {
    mailbox.takeCommands(into: &commands)
    let now = MonotonicTime.milliseconds
    var missed: [SupervisorReport] = []
    for command in commands {
      if let name = command.dismissed?.name { missed.removeAll { $0.subscriber == name } }
      switch command {
      case .add(let subscriber): add(subscriber, at: now)
      case .remove(let name): remove(name, at: now)
      case .perform(let order, let line):
        if !isStopping { program(order.subscriber)?.perform(order, recordLine: line, at: now) }
      case .hold(let name, let session, let descriptor):
        program(name)?.hold(descriptor, as: session, at: now)
      case .withdraw(let name, let event): program(name)?.withdraw(event)
      case .measure(let name): mailbox.report([.usage(subscriber: name, program(name)?.usage)])
      case .userLaunch(let name, let launch):
        if isStopping { continue }
        // What has ended by now can't be told of the launch.
        if let index = indices[name] { programs[index].reap(at: now, by: &buffer) }
        socket.program(name)?.noticeEnd(at: now, by: &buffer)
        if mailbox.toldEnds(of: name) == launch.heardEnds {
          program(name)?.launch(LaunchNotice(launch), at: now)
        } else {
          missed.append(.missed(subscriber: name, launch))
        }
      case .answer(let name, let reply): program(name)?.answer(reply)
      case .stop:
        isStopping = true
        for program in programs { program.remove(at: now) }
        socket.stop(at: now)
      }
    }
    commands.removeAll(keepingCapacity: true)
    if !missed.isEmpty { mailbox.report(missed) }
  }

  private func program(_ name: String) -> (any SupervisedSubscriber)? {
    indices[name].map { programs[$0] } ?? socket.program(name)
  }

  private mutating func add(_ subscriber: Subscriber, at now: Int64) {
    remove(subscriber.name, at: now)
    let child = programs.last { $0.subscriber.name == subscriber.name }
    let predecessors: [(any SupervisedSubscriber)?] = [child, socket.last(subscriber.name)]
    if subscriber.style == .socket { return socket.add(subscriber, after: predecessors.compactMap { $0 }) }
    indices[subscriber.name] = programs.count
    programs.append(
      SupervisedProgram(subscriber, after: predecessors.compactMap { $0 }, site: site) { [mailbox] reports in
        mailbox.report(reports)
      })
  }

  /// Its name is free at once; its process may take some seconds to end.
  private mutating func remove(_ name: String, at now: Int64) {
    socket.program(name)?.remove(at: now)
    guard let index = indices.removeValue(forKey: name) else { return }
    programs[index].dismiss(at: now)
  }

  /// Forgets programs that were removed and have ended.
  private mutating func sweep() {
    guard programs.contains(where: \.isGone) else { return }
    programs.removeAll(where: \.isGone)
    indices = [:]
    for (index, program) in programs.enumerated() where !program.isRemoved {
      indices[program.subscriber.name] = index
    }
  }

  private mutating func wait() {
    let now = MonotonicTime.milliseconds
    let hasRoom = mailbox.hasRoom()
    polled.removeAll()
    targets.removeAll(keepingCapacity: true)
    polled.watch(mailbox.commandBell.readEnd)
    var deadline: Int64?
    for program in programs {
      if hasRoom {
        if let devices = program.accessories.listening { watch(devices, POLLIN, program, .devices) }
        for (session, device, events) in program.accessories.watched(at: now) {
          watch(device, events, program, .accessory(session: session))
        }
        if let due = program.accessories.deadline(at: now) { deadline = min(deadline ?? due, due) }
      }
      guard let run = program.run else { continue }
      if let end = run.end.watched(at: now) { watch(end, POLLIN, program, .end) }
      if let input = run.talk.input, !run.talk.queue.isEmpty { watch(input, POLLOUT, program, .input) }
      if let output = run.talk.output, hasRoom, !run.talk.hasLines, run.talk.mayRead(at: now) {
        watch(output, POLLIN, program, .output)
      }
      if let error = run.error.readable(at: now) { watch(error, POLLIN, program, .error) }
      if hasRoom {
        if let channel = run.sockets.readable(at: now) { watch(channel, POLLIN, program, .channel) }
        for (tag, socket) in run.sockets.watched(at: now) {
          watch(socket, HeldSockets.events, program, .traffic(tag: tag))
        }
      }
      if run.awaitsSuspension, case .cgroup(let cgroup) = run.tree {
        watch(cgroup.events, POLLPRI, program, .freezing)
      }
      if let due = run.deadline(at: now, hasRoom: hasRoom) { deadline = min(deadline ?? due, due) }
    }
    if let due = socket.watch(&polled, hasRoom: hasRoom, at: now) { deadline = min(deadline ?? due, due) }
    polled.wait(atMost: deadline.map { Int32(clamping: max(0, $0 - now)) } ?? -1)
  }

  private mutating func watch(_ file: Descriptor, _ events: Int32, _ program: SupervisedProgram, _ kind: Kind)
  {
    polled.watch(file.number, for: events)
    targets.append((file.number, events, program, kind))
  }

  private mutating func serve() {
    // Orders that were given before an end was noticed come first: a termination makes it no news.
    takeCommands()
    let now = MonotonicTime.milliseconds
    for target in targets where polled.has(target.descriptor, target.events) {
      switch target.kind {
      case .end: target.program.reap(at: now, by: &buffer)
      case .input: target.program.send()
      case .output:
        if mailbox.hasRoom() {
          // A program passes a socket and then says something: that order is kept.
          target.program.takeSockets(at: now)
          _ = target.program.hear(at: now, by: &buffer)
        }
      case .error: target.program.hearError(at: now, by: &buffer)
      case .freezing: target.program.noticeSuspension(at: now)
      case .channel: if mailbox.hasRoom() { target.program.takeSockets(at: now) }
      case .traffic(let tag): target.program.noteTraffic(tag)
      case .devices: target.program.takeDeviceNews(at: now)
      case .accessory(let session):
        target.program.noteAccessory(session, polled.events(of: target.descriptor), at: now)
      }
    }
    socket.serve(polled, hasRoom: mailbox.hasRoom(), at: now, by: &buffer)
    for program in programs {
      if mailbox.hasRoom() { program.hearLeft(at: now, by: &buffer) }
      program.passTime(at: now)
    }
    sweep()
  }

  /// Signals are for the program's other threads; that a pipe has no reader is told by `write` as well.
  private static func blockSignals() {
    var every = sigset_t()
    _ = unsafe sigfillset(&every)
    _ = unsafe pthread_sigmask(SIG_SETMASK, &every, nil)
  }
}

extension Order {
  /// Whom it is about.
  fileprivate var subscriber: String {
    switch self {
    case .wake(let name, _), .relaunch(let name, _), .deliver(let name, _, _), .suspend(let name),
      .warn(let name, _), .announce(let name, _), .refuse(let name, _, _), .terminate(let name),
      .notify(let name, _, _, _), .open(let name, _), .keep(let name, _), .audio(let name, _),
      .transfer(let name, _, _), .accessory(let name, _, _), .advertise(let name, _):
      name
    }
  }
}
