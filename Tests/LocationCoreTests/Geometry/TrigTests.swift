import Foundation
import LocationCore
import Testing

@Suite struct TrigTests {
  @Test("Sine, cosine and tangent agree with the C library to two units in the last place")
  func circular() {
    var random = RandomPlaces(51)
    for index in 0..<20_000 {
      let x = random.number(in: -1...1) * (index % 3 == 0 ? 1000 : 7)
      let (sine, cosine) = Trig.sincos(x)
      expectAlways(abs(sine - Foundation.sin(x)) <= 2 * Foundation.sin(x).ulp, "\(random) \(x)")
      expectAlways(abs(cosine - Foundation.cos(x)) <= 2 * Foundation.cos(x).ulp, "\(random) \(x)")
      expectAlways(
        sine == Trig.sin(x) && cosine == Trig.cos(x) && Trig.tan(x) == sine / cosine, "\(random) \(x)")
    }
  }

  @Test("The arc functions agree with the C library")
  func arcs() {
    var random = RandomPlaces(52)
    for _ in 0..<20_000 {
      let y = random.number(in: -1...1) * random.size(in: 1e-6...1e6)
      let x = random.number(in: -1...1)
      let angle = Foundation.atan2(y, x)
      expectAlways(abs(Trig.atan2(y, x) - angle) <= 2 * angle.ulp, "\(random) \(y) \(x)")
      expectAlways(abs(Trig.asin(x) - Foundation.asin(x)) <= 5e-16, "\(random) \(x)")
    }
  }

  @Test(
    "The arc tangent knows its quadrants and the sign of zero",
    arguments: [
      (0.0, 1.0), (-0.0, 1.0), (0.0, -1.0), (-0.0, -1.0), (0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0),
      (1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (1e-300, 1), (1, 1e-300), (1e-300, 1e-300), (1e300, -1e300),
    ] as [(Double, Double)])
  func quadrants(y: Double, x: Double) {
    let expected = Foundation.atan2(y, x)
    let angle = Trig.atan2(y, x)
    #expect(abs(angle - expected) <= expected.ulp && angle.sign == expected.sign)
  }

  @Test("What is no number stays none and stops nothing", arguments: [Double.nan, .infinity, -.infinity])
  func notNumbers(x: Double) {
    #expect(Trig.sin(x).isNaN && Trig.cos(x).isNaN && Trig.tan(x).isNaN)
    #expect(Trig.atan2(x, 1).isNaN && Trig.atan2(1, x).isNaN && Trig.atan2(0, x).isNaN)
    #expect(Trig.atan2(x, 0).isNaN && Trig.asin(x).isNaN)
  }

  @Test("An angle of many turns is still an angle", arguments: [1e6, -3e7, 1e15, 1e300])
  func manyTurns(x: Double) {
    let (sine, cosine) = Trig.sincos(x)
    #expect(abs(sine * sine + cosine * cosine - 1) < 1e-15)
  }
}
