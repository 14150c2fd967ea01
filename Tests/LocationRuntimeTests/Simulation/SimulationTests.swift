import TestSupport
import Testing

/// Host, journal, outbox and state file under faults that a seed chooses. `scripts/simulate` runs 100,000 seeds.
@Suite struct SimulationTests {
  @Test func `nothing is lost, doubled or taken back, whatever fails and when`() throws {
    var counts = Simulation.Counts()
    let seeds: Range<UInt64> =
      SeededRandom.environmentSeed.flatMap { UInt64($0) }.map { $0..<($0 + 1) }
      ?? 0..<(Corpus.isFull ? 2_000 : 40)
    for seed in seeds {
      do {
        counts += try Simulation.run(seed: seed)
      } catch {
        Issue.record("LOCWATCH_SEED=\(seed): \(error)")
        return
      }
    }
    guard seeds.count > 1 else { return }
    #expect(
      counts.kills > 0 && counts.powerLosses > 0 && counts.fullDisks > 0 && counts.deliveries > 0)
  }
}
