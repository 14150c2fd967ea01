import TestSupport
import Testing

@testable import LocationCore

/// The engine's contract holds with a receiver that the engine switches.
@Suite struct SamplingContractTests {
  private static let configuration: EngineConfiguration = {
    var configuration = EngineConfiguration()
    configuration.sampling.mode = .adaptive
    configuration.explains = true
    return configuration
  }()

  @Test(arguments: [UInt64](1...5)) func callsToAdvanceAnywhereChangeNothing(_ seed: UInt64) {
    let drive = EngineContractTests.drive(seed: seed)
    var random = SeededRandom(seed)
    var engine = Engine(configuration: Self.configuration)
    var effects: [Effect] = []
    var last = drive.events[0].at
    for event in drive.events {
      engine.advance(to: last.advanced(bySeconds: last.seconds(to: event.at) * random.unit()), into: &effects)
      engine.handle(event, into: &effects)
      last = event.at
    }
    #expect(effects == drive.effects(Self.configuration))
  }

  @Test(arguments: [UInt64](1...5)) func `orders to the receiver take no ids`(_ seed: UInt64) {
    var plain = Self.configuration
    plain.explains = false
    let drive = EngineContractTests.drive(seed: seed)
    let told = drive.effects(plain).records
    let explained = drive.effects(Self.configuration).records
    #expect(explained.contains { $0.type == "receiver" })
    let ids = Set(told.map(\.id))
    #expect(told == explained.filter { ids.contains($0.id) && !["receiver", "fix"].contains($0.type) })
  }

  @Test(arguments: [UInt64](1...5)) func aSnapshotAnywhereIsInvisible(_ seed: UInt64) throws {
    let drive = EngineContractTests.drive(seed: seed)
    let plain = drive.effects(Self.configuration)
    #expect(plain.contains { if case .receive = $0 { true } else { false } })
    var engine = Engine(configuration: Self.configuration)
    var effects: [Effect] = []
    for (index, event) in drive.events.enumerated() {
      if index % 7 == 3 { engine = try Engine(restoring: engine.snapshot) }
      engine.handle(event, into: &effects)
    }
    #expect(effects == plain)
  }

  @Test func anAlwaysOnReceiverGetsNoOrders() {
    let effects = EngineContractTests.drive(seed: 1).effects()
    #expect(!effects.contains { if case .receive = $0 { true } else { false } })
  }
}
