import TestSupport
import Testing

@testable import LocationCore

@Suite struct PermutationTests {
  @Test func everyElementGoesToItsPlace() {
    var random = SeededRandom(71)
    for count in [0, 1, 2, 3, 17, 200] {
      let order = (0..<Int32(count)).shuffled(using: &random)
      // References, so that a copy that is not counted would be found.
      let list = (0..<count).map { [$0] }
      var moved = list
      Permutation(order).apply(to: &moved)
      #expect(moved == order.map { list[Int($0)] }, "\(count) \(random)")
    }
  }
}
