import Testing

@testable import LocationFleet

struct CheckpointTests {
  @Test(
    arguments: [
      (52, 18, 52, 18), (102, 18, 102, 18), (200, 30, 102, 18), (0, 0, 0, 0), (52, 30, 52, 18),
    ] as [(UInt64, UInt64, UInt64, UInt64)])
  func `is no further than its streams`(fixes: UInt64, events: UInt64, sequence: UInt64, kept: UInt64) {
    var checkpoint = Checkpoint()
    checkpoint.sequence = 102
    checkpoint.events = 18
    checkpoint.catalog = 3
    let found = checkpoint.within(fixes: fixes, events: events)
    #expect(found.sequence == sequence && found.events == kept && found.catalog == 3)
  }
}
