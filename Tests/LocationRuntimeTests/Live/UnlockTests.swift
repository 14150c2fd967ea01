import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// The lock of the screen, as far as the daemon's supervisor has to do with it.
@Suite struct UnlockTests {
  private let folder = TemporaryFolder()

  private func reading(_ seconds: Double) -> ClockReading {
    let start = EngineInstant(microseconds: 1_777_000_000_000_000)
    return ClockReading(instant: start.advanced(bySeconds: seconds), utc: nil)
  }

  @Test(arguments: [SubscriberState.background, .suspended])
  func `A2 who returns with the unlock is resumed and told, in the grace and after it`(
    _ state: SubscriberState
  ) throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    var host = try DaemonHost(
      database, configuration: EngineConfiguration(), retention: Retention(), timing: .clock)
    for name in ["a", "b"] {
      try database.put(Subscriber(name: name), replacing: false)
      try host.handle(.addSubscriber(Subscriber(name: name), .notRunning), at: reading(0))
    }
    try host.handle(.subscriber(name: "a", .foreground), at: reading(1))
    try host.handle(machine: .lock, at: reading(10))
    let end = reading(state == .background ? 13 : 60)
    try host.advance(to: end)
    try host.commit(at: end)
    let before = host.engine.subscriberState("a")
    #expect(before == state)
    _ = host.host.ports.takeWork()
    let suspendedAt = host.engine.subscriber("a")?.suspendedAt
    #expect((suspendedAt == nil) == (state == .background))
    try host.handle(machine: .unlock, at: end)
    try host.commit(at: end)
    let launched = host.host.ports.takeWork().compactMap { work -> (name: String, launch: UserLaunch)? in
      if case .action(.userLaunch(let name, let launch)) = work { (name, launch) } else { nil }
    }
    #expect(launched.map(\.name) == ["a"])
    #expect(launched.first?.launch.sleptSeconds == suspendedAt.map { $0.seconds(to: end.instant) }, "K4")
    let after = host.engine.subscriberState("a")
    #expect(after == .active)
  }
}
