import TestSupport
import Testing

@testable import LocationCore

@Suite struct SlotMapTests {
  @Test(arguments: [20, 300]) func `agrees with a dictionary`(slots: Int) {
    var random = SeededRandom(81)
    var map = SlotMap()
    var expected: [RegionSlot: Int32] = [:]
    for _ in 0..<5_000 {
      let slot = RegionSlot(
        part: Int.random(in: 0..<3, using: &random), entry: Int.random(in: 0..<slots, using: &random))
      if Int.random(in: 0..<5, using: &random) < 3 {
        let value = Int32.random(in: -9...9, using: &random)
        map.set(slot, value)
        expected[slot] = value
      } else {
        map.remove(slot)
        expected[slot] = nil
      }
      #expect(Int(map.count) == expected.count && map[slot] == expected[slot], "\(random)")
    }
    var found: [RegionSlot: Int32] = [:]
    map.forEachValue { found[$0] = $1 }
    #expect(found == expected, "\(random)")
    for part in 0..<3 {
      for entry in 0..<slots {
        let slot = RegionSlot(part: part, entry: entry)
        #expect(map[slot] == expected[slot], "\(random)")
      }
    }
  }
}
