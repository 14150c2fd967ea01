import TestSupport
import Testing

/// Host, journal, outbox and state file under faults that a seed chooses. `LOCWATCH_FULL=1` runs 100,000 seeds.
@Suite struct SimulationTests {
  @Test func `nothing is lost, doubled or taken back, whatever fails and when`() throws {
    var (kills, powerLosses, fullDisks, deliveries) = (0, 0, 0, 0)
    let seeds: Range<UInt64> =
      SeededRandom.environmentSeed.flatMap { UInt64($0) }.map { $0..<($0 + 1) }
      ?? 0..<(Corpus.isFull ? 100_000 : 40)
    for seed in seeds {
      var simulation = try Simulation.begun(seed: seed)
      do {
        try simulation.run(steps: 150)
      } catch {
        Issue.record("LOCWATCH_SEED=\(seed): \(error)")
        return
      }
      kills += simulation.kills
      powerLosses += simulation.powerLosses
      fullDisks += simulation.fullDisks
      deliveries += simulation.deliveries
      if seed % 1_000 == 999 { print("\(seed + 1) seeds hold") }
    }
    print(
      "\(seeds.count) seeds: \(kills) kills, \(powerLosses) losses of power, \(fullDisks) full disks, \(deliveries) deliveries"
    )
    guard seeds.count > 1 else { return }
    #expect(kills > 0 && powerLosses > 0 && fullDisks > 0 && deliveries > 0)
  }
}
