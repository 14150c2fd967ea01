import LocationFleet
import Testing

struct PatienceTests {
  @Test func `each attempt at a consumer waits twice as long, up to a minute`() {
    let patience = ConsumerPatience()
    let waits = (0..<9).map { patience.seconds(after: $0) }
    #expect(waits == [1.5, 3, 6, 12, 24, 48, 60, 60, 60])
    #expect(patience.seconds(after: 1_000) == 60)
  }

  @Test(arguments: [(0.1, 1.5), (2, 6), (30, 12)])
  func `the first attempt waits three times as long as the last one took`(took: Double, waits: Double) {
    var patience = ConsumerPatience()
    patience.note(took)
    #expect(patience.seconds(after: 0) == waits)
  }
}
