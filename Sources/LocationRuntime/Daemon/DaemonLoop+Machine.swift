import LocationCore
import LocationFormats

/// What the machine tells, and what programs take of it.
extension DaemonLoop {
  /// Takes something that has happened to the machine. Before the engine decides who has to go for want of memory, it
  /// is told how large each is.
  mutating func take(_ event: MachineEvent) throws(Failure) {
    var asked: [String] = []
    if case .memoryPressure(let level) = event, level != .none {
      for state in [SubscriberState.suspended, .background] {
        asked += live.engine.subscribers(in: state)
      }
    }
    for name in asked { supervisor.measure(name) }
    for event in metering.hold(event, until: asked) { try live.handle(machine: event, at: clock.read()) }
  }

  /// Puts the machine in low-power mode or takes it out, where the request says so; how that is now. What is so already
  /// is no event.
  mutating func lowPower(_ request: JSONTree) throws(Failure) -> [JSONTree.Member] {
    if let on = request["on"] {
      guard case .boolean(let isOn) = on else { throw Failure(.usage, what: "\"on\" is true or false") }
      guard !self.request.isSimulated || live.last > .distantPast else { throw Self.noTime }
      if isOn != live.engine.isLowPower {
        try live.handle(.machine(.lowPower(isOn)), at: clock.read())
      }
    }
    return LowPowerReport(live.engine).members
  }

  /// Watches the network and the power supply from the first subscriber on that fetches at good moments (rule G1).
  ///
  /// - Parameters:
  ///   - isForTransfer: whether a program is about to ask for one.
  ///   - isBeginning: whether a daemon before this one has told the engine what the network was like.
  mutating func alignConditions(isForTransfer: Bool = false, isBeginning: Bool = false) throws(Failure) {
    let isNeeded =
      isForTransfer
      || live.engine.subscribers.contains {
        $0.subscriber.modes.contains(.fetch) || live.engine.lastTransfer(of: $0.subscriber.name) > 0
      }
    guard isNeeded else {
      conditions?.end()
      conditions = nil
      return
    }
    guard conditions == nil else { return }
    let clock = clock
    var link = ConditionsLink(environment: environment) { clock.instant }
    link.start()
    var watch = MachineConditions(
      bus: link, known: isBeginning ? live.engine.network : nil, at: clock.instant)
    for event in watch.look(at: clock.instant) { try live.handle(.machine(event), at: clock.read()) }
    conditions = watch
  }

  /// Takes what has become of the network and the power supply.
  mutating func takeConditions() throws(Failure) {
    for event in conditions?.take(polled, at: clock.instant) ?? [] {
      try live.handle(.machine(event), at: clock.read())
    }
    conditions?.takeTroubles().forEach(Self.log)
  }

  /// Takes what a program takes, which was asked for.
  mutating func take(_ usage: ProgramUsage?, of name: String) throws(Failure) {
    let state = live.engine.subscriberState(name)
    if metering.isAwaited(name), let usage, state != nil {
      try live.handle(.subscriber(name: name, .memory(bytes: Int64(usage.memoryBytes))), at: clock.read())
    }
    for event in metering.release(after: name) { try live.handle(machine: event, at: clock.read()) }
    let seconds = Double(MonotonicTime.milliseconds) / 1_000
    if metering.isOver(usage, of: name, isInBackground: state == .background, at: seconds) {
      try live.handle(.subscriber(name: name, .overran), at: clock.read())
    }
  }

  /// Asks now and then what the programs in the background take (rule K2). With none there is nothing to do.
  mutating func sample() {
    let names = live.engine.subscribers(in: .background)
    if metering.isDue(at: clock.instant, isNeeded: !names.isEmpty) {
      for name in names { supervisor.measure(name) }
    }
  }
}
