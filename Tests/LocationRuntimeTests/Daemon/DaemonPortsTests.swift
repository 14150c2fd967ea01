import Testing

@testable import LocationCore
@testable import LocationRuntime

/// What the daemon does of an engine's effects.
@Suite struct DaemonPortsTests {
  @Test(
    arguments: [
      (.drop, .background, [7]), (.drop, .suspended, []), (.deliver, .background, []),
    ] as [(Decision.Action, SubscriberState, [Int])])
  func `an event that is dropped while its program runs is withdrawn`(
    action: Decision.Action, state: SubscriberState, withdrawn: [Int]
  ) {
    let decision = Decision(
      subscriber: "a", action: action, rule: .authorization, before: state, after: state, event: 7,
      reason: .denied)
    var ports = DaemonPorts()
    ports.receive(Record(id: 8, time: .unknown, body: .decision(decision)))
    let events = ports.takeWork().compactMap { work -> Int? in
      if case .action(.withdraw("a", let event)) = work { event } else { nil }
    }
    #expect(events == withdrawn)
  }
}
