import Glibc
import LocationCore
package import LocationFormats

/// Carries out what a ``GPSDSession`` asks for: one socket, one thread, one wait. It decides nothing.
package struct GPSDLink: ~Copyable {
  private var session: GPSDSession
  private let clock: SystemClock
  private let inbox: Inbox
  private let stop: WakePipe
  private let receiver: ReceiverSwitch?
  /// Whether to give up when the first attempt to connect fails.
  private let mustBeThere: Bool
  private var socket: GPSDSocket?
  /// The program on the other end of the socket; nil where that is none of ours.
  private var helper: SourceProgram?
  private var polled = PollSet()
  private var isConnecting = false
  private var hasBeenFound = false
  private var hasReported = false
  /// Whether the inbox was last told that the source is lost.
  private var isLost = false
  /// Why, as the log was last told; nil since the source was there.
  private var toldTrouble: GPSDTrouble?
  private var targets: ArraySlice<SocketTarget> = []

  /// - Parameters:
  ///   - mustBeThere: whether the inbox is told of a failure when gpsd can't be reached at first.
  ///   - stop: rings when it is to end.
  ///   - receiver: while it is off there is no connection; nil where it is always on.
  package init(
    session: consuming GPSDSession, clock: SystemClock, inbox: Inbox, stop: WakePipe,
    receiver: ReceiverSwitch?, mustBeThere: Bool
  ) {
    self.session = session
    self.clock = clock
    self.inbox = inbox
    self.stop = stop
    self.receiver = receiver
    self.mustBeThere = mustBeThere
  }

  /// Starts it on a thread of its own.
  ///
  /// - Throws: ``Failure`` where there is no thread left; the inbox is told where there is no memory for libgps.
  package static func start(
    _ address: SourceAddress, isSimulated: Bool, clock: SystemClock, inbox: Inbox, stop: WakePipe,
    receiver: ReceiverSwitch? = nil, mustBeThere: Bool
  ) throws(Failure) {
    let seed = UInt64(bitPattern: clock.instant.microseconds)
    let isStarted = DedicatedThread.start {
      do throws(Failure) {
        let session = try GPSDSession(address: address, seed: seed, isSimulated: isSimulated)
        var link = GPSDLink(
          session: session, clock: clock, inbox: inbox, stop: stop, receiver: receiver,
          mustBeThere: mustBeThere)
        link.run()
      } catch {
        inbox.fail(error)
      }
    }
    if !isStarted { throw Failure.noThread }
  }

  /// Runs until it is told to stop, or until gpsd that must be there is not.
  package mutating func run() {
    if receiver?.isOn ?? true { session.start(at: clock.read()) }
    while perform(), wait() {}
  }

  /// Does what the session asks for; false where there is no point in going on.
  private mutating func perform() -> Bool {
    while true {
      let actions = session.takeActions()
      if actions.isEmpty {
        tellTrouble()
        return true
      }
      for action in actions {
        switch action {
        case .connect: connect()
        case .disconnect:
          socket = nil
          helper = nil
        case .send(let bytes): send(bytes)
        case .deliver(.source(.stale)) where mustBeThere && isHopeless:
          inbox.fail((session.trouble ?? .closed).failure(at: session.address))
          return false
        case .deliver(let event):
          note(event)
          inbox.push(event)
        }
      }
    }
  }

  /// Logs why the source can't be read, and what to do: each reason once, until the source is there again.
  private mutating func tellTrouble() {
    guard !mustBeThere, isLost else { return }
    let trouble = session.trouble ?? .closed
    guard trouble != toldTrouble else { return }
    toldTrouble = trouble
    inbox.note(trouble)
    let reason = "\(trouble.failure(at: session.address))"
    DaemonLoop.log(reason + (reason.hasSuffix("?") ? " " : ". ") + "Trying again")
  }

  private mutating func note(_ event: Event) {
    switch event {
    case .source(.found):
      hasBeenFound = true
      isLost = false
      toldTrouble = nil
      inbox.note(nil)
    case .source(.stale(.lost, _)): isLost = true
    case .fix: hasReported = true
    case .source, .receiver, .segmentBreak, .beacon, .addRegion, .changeRegion, .removeRegion,
      .addSubscriber, .removeSubscriber, .subscriber, .machine, .time, .end:
      break
    }
  }

  /// Whether the user has named what is not there.
  private var isHopeless: Bool { !hasBeenFound || !hasReported && session.trouble == .noSuchDevice }

  // MARK: - Connecting

  private mutating func connect() {
    do throws(GPSDTrouble) {
      var descriptor: Int32?
      switch session.address.endpoint {
      case .tcp, .unix: break
      case .nmea(let source): descriptor = try source.open()
      case .sibling(let source): helper = try source.start(socket: &descriptor)
      }
      guard let descriptor else {
        // Those that are left come after one that never answered.
        if targets.isEmpty { targets = try session.address.endpoint.targets()[...] }
        return tryNext(after: .unreachable("no address"))
      }
      socket = GPSDSocket(descriptor: descriptor)
      isConnecting = false
      finishConnected()
    } catch {
      session.failed(error, at: clock.read())
    }
  }

  /// Tries the next address that the name stands for.
  private mutating func tryNext(after trouble: GPSDTrouble) {
    var trouble = trouble
    while let target = targets.popFirst() {
      guard let next = GPSDSocket(family: target.family) else {
        trouble = .unreachable(SystemReason.text(errno))
        continue
      }
      let outcome = next.connect(to: target)
      if case .failed(let error) = outcome {
        trouble = GPSDTrouble(opening: error)
        continue
      }
      socket = consume next
      isConnecting = outcome == .pending
      if !isConnecting { finishConnected() }
      return
    }
    socket = nil
    session.failed(trouble, at: clock.read())
  }

  private mutating func send(_ bytes: [UInt8]) {
    guard let outcome = socket?.send(bytes), outcome != .done else { return }
    session.closed(at: clock.read())
  }

  // MARK: - Waiting

  /// Waits for the socket, the bell, or what is due next; false when it is to end.
  private mutating func wait() -> Bool {
    let isHeldBack = session.isSimulated && !inbox.hasRoom
    let descriptor = socket?.descriptor ?? -1
    polled.removeAll()
    polled.watch(stop.readEnd)
    if isHeldBack {
      polled.watch(inbox.roomy)
    } else {
      polled.watch(descriptor, for: isConnecting ? POLLOUT : POLLIN)
    }
    polled.watch(receiver?.readable ?? -1)
    if polled.wait(atMost: clock.milliseconds(until: session.nextDeadline)) < 0, errno != EINTR {
      return false
    }
    if polled.has(stop.readEnd) { return false }
    if polled.has(inbox.roomy) { inbox.silenceRoom() }
    // What came before the receiver was let go of is still taken.
    if polled.has(descriptor, POLLOUT | POLLIN) {
      if isConnecting { finishConnecting() } else { receive() }
    }
    if polled.has(receiver?.readable ?? -1) { obey() }
    session.advance(to: clock.read())
    return true
  }

  private mutating func obey() {
    guard let isOn = receiver?.take() else { return }
    if isOn { session.wake(at: clock.read()) } else { session.rest() }
  }

  private mutating func finishConnecting() {
    guard let outcome = socket?.outcomeOfConnecting() else { return }
    switch outcome {
    case .done, .pending:
      isConnecting = false
      finishConnected()
    case .failed(let error): tryNext(after: GPSDTrouble(opening: error))
    }
  }

  /// The connection is there; one that brings sentences gets a bridge.
  private mutating func finishConnected() {
    targets = []
    do throws(GPSDTrouble) {
      if session.traits.needsBridge, let descriptor = socket.take()?.release() {
        socket = try NMEABridge.start(
          descriptor, name: session.address.description, endsLines: session.traits.endsLines)
      }
      session.connected(at: clock.read())
    } catch {
      socket = nil
      session.failed(error, at: clock.read())
    }
  }

  private mutating func receive() {
    var bytes: [UInt8] = []
    guard let outcome = socket?.receive(into: &bytes, limit: GPSDLimits.burstBytes) else { return }
    let reading = clock.read()
    if !bytes.isEmpty { session.received(bytes.span, at: reading) }
    switch outcome {
    case .pending: break
    case .done, .failed: session.closed(at: reading)
    }
  }
}
