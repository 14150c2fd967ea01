import TestSupport
import Testing

@testable import LocationCore

/// How numbers are printed.
@Suite struct FixedPointTests {
  @Test(arguments: [
    (0, "0"), (7, "7"), (9, "9"), (10, "10"), (99, "99"), (100, "100"), (-1, "-1"), (-1000, "-1000"),
    (Int.max, "9223372036854775807"), (Int.min, "-9223372036854775808"),
  ])
  func `a whole number has its digits`(value: Int, text: String) {
    #expect(Self.text { FixedPoint.append(value, to: &$0) } == text)
  }

  @Test(arguments: [
    (0, 3, "000"), (5, 3, "005"), (999, 3, "999"), (1000, 3, "1000"), (UInt64.max, 1, "18446744073709551615"),
  ])
  func `zeros come before it up to so many digits`(value: UInt64, digits: Int, text: String) {
    #expect(Self.text { FixedPoint.append(value, minimumDigits: digits, to: &$0) } == text)
  }

  @Test(arguments: [
    (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (1.005, 0, "1"), (0.5, 0, "1"), (-0.5, 0, "-1"),
    (12.3456789, 7, "12.3456789"),
    (-122.0000001, 7, "-122.0000001"), (0.05, 1, "0.1"), (.nan, 1, "0.0"), (1e300, 1, "922337203685477580.7"),
  ])
  func `a number has its decimals, rounded half away from zero`(value: Double, decimals: Int, text: String) {
    #expect(Self.text { FixedPoint.append(value, decimals: decimals, to: &$0) } == text)
  }

  @Test func `whole numbers are those of the standard library`() {
    var random = SeededRandom(20)
    for _ in 0..<2000 {
      let value = Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0..<64, using: &random)
      #expect(Self.text { FixedPoint.append(value, to: &$0) } == String(value), "\(random)")
    }
  }

  private static func text(_ write: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    write(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
