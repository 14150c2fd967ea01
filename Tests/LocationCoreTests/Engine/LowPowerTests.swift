import TestSupport
import Testing

@testable import LocationCore

/// What the engine keeps of low-power mode.
@Suite struct LowPowerTests {
  private static let configuration: EngineConfiguration = {
    var configuration = EngineConfiguration()
    configuration.sampling.mode = .adaptive
    return configuration
  }()

  /// On its way at 20 m/s, with a program that asks for significant changes.
  private func moving() -> Drive {
    var drive = Drive()
    drive.add(0, .addSubscriber(Subscriber(name: "logger", services: [.significantChange]), .suspended))
    for second in 0..<3 { drive.fix(Double(second), east: Double(second) * 20) }
    return drive
  }

  private func engine(_ drive: Drive, into effects: inout [Effect]) -> Engine {
    var engine = Engine(configuration: Self.configuration)
    for event in drive.events { engine.handle(event, into: &effects) }
    effects.removeAll()
    return engine
  }

  @Test func sayingWhatIsSoAlreadyChangesNothing() throws {
    var effects: [Effect] = []
    var engine = engine(moving(), into: &effects)
    for isOn in [true, false] {
      engine.handle(Stamped(at: Drive.instant(3), .machine(.lowPower(isOn))), into: &effects)
      #expect(!effects.isEmpty)
      effects.removeAll()
      let before = engine.snapshot
      engine.handle(Stamped(at: Drive.instant(3), .machine(.lowPower(isOn))), into: &effects)
      #expect(effects.isEmpty)
      #expect(engine.snapshot == before)
    }
  }

  @Test func aBootLeavesIt() {
    var effects: [Effect] = []
    var engine = engine(moving(), into: &effects)
    var states = [engine.isLowPower]
    for event in [Event.machine(.lowPower(true)), .machine(.reboot), .machine(.unlock)] {
      engine.handle(Stamped(at: Drive.instant(3), event), into: &effects)
      states.append(engine.isLowPower)
    }
    #expect(states == [false, true, true, true])
  }
}
