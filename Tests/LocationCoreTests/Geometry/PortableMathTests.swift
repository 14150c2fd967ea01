import TestSupport
import Testing

@testable import LocationCore

/// The elementary functions that do not depend on the C library, against those of the C library.
@Suite struct PortableMathTests {
  @Test func theExponentialIsTheLibrarysWithinTwoUnitsInTheLastPlace() {
    var random = SeededRandom(11)
    for _ in 0..<5000 {
      let x = random.uniform(in: -50...50)
      let reference = Trig.exp(x)
      #expect(abs(PortableMath.exp(x) - reference) <= 2 * reference.ulp, "\(x) \(random)")
    }
    #expect(PortableMath.exp(0) == 1)
    #expect(PortableMath.exp(-1000) == 0)
    #expect(PortableMath.exp(1000) == .infinity)
  }

  @Test func theLogarithmIsTheLibrarysWithinTwoUnitsInTheLastPlace() {
    var random = SeededRandom(12)
    for _ in 0..<5000 {
      let x = PortableMath.exp(random.uniform(in: -40...40))
      let reference = Trig.log(x)
      #expect(
        abs(PortableMath.log(x) - reference) <= max(2 * abs(reference).ulp, 1e-16), "\(x) \(random)")
    }
    #expect(PortableMath.log(1) == 0)
    #expect(PortableMath.log(0).isNaN)
    #expect(PortableMath.log(-1).isNaN)
  }

  @Test(arguments: [
    (0.5, 0.0), (0.95, 1.6448536269514722), (0.025, -1.9599639845400545), (1e-5, -4.264890793922602),
  ])
  func theQuantilesAreThoseOfTheTables(_ probability: Double, _ value: Double) {
    #expect(abs(PortableMath.normalQuantile(probability) - value) < 1e-10)
  }

  @Test func theQuantileInvertsTheDistribution() {
    for step in 1..<400 {
      let probability = Double(step) / 400
      let back = NormalDistribution.cumulative(PortableMath.normalQuantile(probability))
      #expect(abs(back - probability) < 1e-13)
    }
  }
}
