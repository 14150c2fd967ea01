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
    #expect(found.era == (fixes < 102 ? 1 : nil))
    #expect(found.within(fixes: sequence, events: events).era == found.era)
  }

  @Test func `one of an earlier version has no era`() throws {
    let text =
      #"{"sequence":102,"events":18,"catalog":3,"devices":2,"worker":"w1","epoch":7}"#
    let entry = KeyValueBucket.Entry(revision: 1, value: Array(text.utf8))
    let checkpoint = try Checkpoint(entry, of: 0)
    #expect(checkpoint.sequence == 102 && checkpoint.epoch == 7 && checkpoint.era == nil)
    #expect(try JetStream.tree(checkpoint.bytes()) == JetStream.tree(Array(text.utf8)))
    let later = checkpoint.within(fixes: 7, events: 18).within(fixes: 3, events: 18)
    #expect(try Checkpoint(.init(revision: 2, value: later.bytes()), of: 0).era == 2)
  }
}
