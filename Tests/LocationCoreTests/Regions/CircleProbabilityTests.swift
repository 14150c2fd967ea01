import Testing

@testable import LocationCore

@Suite struct CircleProbabilityTests {
  /// Offset, radius, standard deviation; from the noncentral chi-square distribution (scipy 1.17 `ncx2.cdf`).
  @Test(arguments: [
    (0.0, 50.0, 66.0, 0.249458636),
    (100.0, 100.0, 10.0, 0.480027810),
    (90.0, 100.0, 10.0, 0.828237403),
    (110.0, 100.0, 10.0, 0.147381858),
    (100.0, 100.0, 50.0, 0.396499039),
    (0.0, 10.0, 10.0, 0.393469340),
  ])
  func agreesWithTheNoncentralChiSquare(
    offset: Double, radius: Double, sigma: Double, expected: Double
  ) {
    let circle = CircleGeometry(center: munich, radiusMeters: radius)
    let inside = circle.probabilityInside(edgeMeters: offset - radius, sigmaMeters: sigma)
    #expect(abs(inside - expected) < 2e-6)
  }

  @Test func fallsWithTheOffsetAndHasNoStepBetweenItsTwoFormulas() {
    for radius in [0.3, 1, 2, 4, 10, 29.9, 30.1, 100] {
      let circle = CircleGeometry(center: munich, radiusMeters: radius)
      var last = 1.0
      for step in 0...400 {
        let offset = Double(step) * 0.05 * (radius + 8) / 20
        let inside = circle.probabilityInside(edgeMeters: offset - radius, sigmaMeters: 1)
        #expect(inside <= last + 3e-6)
        #expect((0...1).contains(inside))
        last = inside
      }
    }
    let below = CircleGeometry(center: munich, radiusMeters: 29.999)
    let above = CircleGeometry(center: munich, radiusMeters: 30.001)
    for step in -40...40 {
      let edge = Double(step) * 0.1
      let difference =
        below.probabilityInside(edgeMeters: edge, sigmaMeters: 1)
        - above.probabilityInside(edgeMeters: edge, sigmaMeters: 1)
      #expect(abs(difference) < 1.2e-4)
    }
  }

  @Test func boxHoldsTheCircle() throws {
    var noise = SeededNoise(seed: 5)
    for _ in 0..<400 {
      let center = Coordinate(
        uncheckedLatitude: noise.uniform(-90...90), longitude: noise.uniform(-180...180))
      let radius = Trig.exp(noise.uniform(0...14))
      let box = CircleGeometry(center: center, radiusMeters: radius).box
      for _ in 0..<10 {
        let on = Geodesy.direct(
          from: center, azimuthDegrees: noise.uniform(0...360), distanceMeters: radius * 0.999_999)
        #expect(box.latitudeMissDegrees(on.latitude) == 0)
        #expect(box.longitudeMissDegrees(on.longitude) == 0, "\(center) \(radius) \(on) \(box)")
      }
    }
  }
}
