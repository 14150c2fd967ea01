import LocationCore

/// What the machine tells, and what programs take of it.
extension DaemonLoop {
  /// Takes something that has happened to the machine. Before the engine decides who has to go for want of memory, it
  /// is told how large each is.
  mutating func take(_ event: MachineEvent) throws(Failure) {
    var asked: [String] = []
    if case .memoryPressure(let level) = event, level != .none {
      for state in [SubscriberState.suspended, .background] {
        asked += engine.driver.engine.subscribers(in: state)
      }
    }
    for name in asked { supervisor.measure(name) }
    for event in metering.hold(event, until: asked) { try engine.take(.machine(event), at: clock.read()) }
  }

  /// Takes what a program takes, which was asked for.
  mutating func take(_ usage: ProgramUsage?, of name: String) throws(Failure) {
    let state = engine.driver.engine.subscriberState(name)
    if metering.isAwaited(name), let usage, state != nil {
      try engine.take(.subscriber(name: name, .memory(bytes: Int64(usage.memoryBytes))), at: clock.read())
    }
    for event in metering.release(after: name) { try engine.take(.machine(event), at: clock.read()) }
    let seconds = Double(MonotonicTime.milliseconds) / 1_000
    if metering.isOver(usage, of: name, isInBackground: state == .background, at: seconds) {
      try engine.take(.subscriber(name: name, .overran), at: clock.read())
    }
  }

  /// Asks now and then what the programs in the background take (rule K2). With none there is nothing to do.
  mutating func sample() {
    let names = engine.driver.engine.subscribers(in: .background)
    if metering.isDue(at: clock.instant, isNeeded: !names.isEmpty) {
      for name in names { supervisor.measure(name) }
    }
  }
}
