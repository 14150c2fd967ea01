import Foundation
import Testing

@testable import LocationCore

/// What a receiver understates is learned at rest, and never from motion.
@Suite struct AccuracyInflationTests {
  /// Shows the estimate fixes a second apart, along a path of metres east and north of Munich; the factors after each.
  private static func factors(
    _ path: [(east: Double, north: Double)], receiver: SimulatedReceiver, smoothedOver count: Double = 1
  ) -> [Double] {
    var receiver = receiver
    var inflation = AccuracyInflation()
    var mean: Coordinate?
    return path.enumerated().map { second, place in
      var fix = receiver.fix(second: second, east: place.east, north: place.north, from: munich)
      let last = mean ?? fix.coordinate
      let smooth = Coordinate(
        uncheckedLatitude: last.latitude + (fix.coordinate.latitude - last.latitude) / count,
        longitude: last.longitude + (fix.coordinate.longitude - last.longitude) / count)
      mean = smooth
      fix.coordinate = smooth
      inflation.note(fix, limit: 4)
      return inflation.factor
    }
  }

  private static func rest(_ seconds: Int, east: Double = 0) -> [(east: Double, north: Double)] {
    Array(repeating: (east, 0), count: seconds)
  }

  /// Round and round, at so many metres a second.
  private static func roundAPond(_ seconds: Int, speed: Double) -> [(east: Double, north: Double)] {
    (0..<seconds).map { second in
      let (sin, cos) = Trig.sincos(Double(second) * speed / 60)
      return (60 * cos, 60 * sin)
    }
  }

  @Test func `the factor of an honest receiver stays near one, and that of half the error near two`() {
    let honest = SimulatedReceiver(seed: 8, sigmaMeters: 7, correlationSeconds: 10)
    let modest = SimulatedReceiver(seed: 8, sigmaMeters: 7, correlationSeconds: 10, understates: 2)
    #expect((Self.factors(Self.rest(4_000), receiver: honest).last ?? 0) < 1.05)
    #expect(abs((Self.factors(Self.rest(4_000), receiver: modest).last ?? 0) - 2) < 0.3)
  }

  @Test(arguments: [0.6, 1.3, 3], [10.0, 60, 300])
  func `an hour of slow walking is no error`(speed: Double, correlation: Double) {
    for seed in 0..<4 {
      let receiver = SimulatedReceiver(
        seed: seed, sigmaMeters: 3, correlationSeconds: correlation, understates: 0.45)
      let factors = Self.factors(Self.roundAPond(3_600, speed: speed), receiver: receiver)
      #expect((factors.max() ?? 0) < 1.05, "\(seed)")
    }
  }

  @Test func `what was learned at rest fades within two minutes of a walk`() throws {
    let receiver = SimulatedReceiver(seed: 3, sigmaMeters: 10, correlationSeconds: 60, understates: 2)
    let walk = (0..<180).map { (east: 1.4 * Double($0), north: 0.0) }
    let factors = Self.factors(Self.rest(7_200) + walk, receiver: receiver)
    #expect(factors[7_199] > 1.6)
    #expect(factors[7_319] < 1.25)
    #expect(try #require(factors.last) < 1.05)
  }

  @Test(arguments: [1.4, 10, 30], [10.0, 60])
  func `after a drive a rest teaches within half an hour`(speed: Double, correlation: Double) throws {
    let receiver = SimulatedReceiver(
      seed: 4, sigmaMeters: 14, correlationSeconds: correlation, understates: 2)
    let drive = (0..<600).map { (east: speed * Double($0), north: 0.0) }
    let factors = Self.factors(drive + Self.rest(1_800, east: 600 * speed), receiver: receiver)
    #expect(factors.prefix(600).allSatisfy { $0 < 1.05 })
    #expect(try #require(factors.last) > 1.3)
  }

  @Test func `a moment of motion at the same place forgets nothing`() {
    let receiver = SimulatedReceiver(seed: 3, sigmaMeters: 10, correlationSeconds: 10, understates: 2)
    let errand = (0..<60).map { (east: 1.4 * Double($0 < 30 ? $0 : 60 - $0), north: 0.0) }
    let factors = Self.factors(Self.rest(3_600) + errand + Self.rest(300), receiver: receiver)
    #expect(factors[3_599] > 1.7)
    #expect((factors.last ?? 0) > 1.6)
  }

  @Test func `the wandering of a receiver that smooths its fixes is no motion`() {
    let receiver = SimulatedReceiver(seed: 5, sigmaMeters: 12, correlationSeconds: 60, understates: 2)
    let factors = Self.factors(Self.rest(7_200), receiver: receiver, smoothedOver: 8)
    #expect((factors.last ?? 0) > 1.4)
  }

  @Test func `a jump to another place forgets what was learned`() {
    let receiver = SimulatedReceiver(seed: 3, sigmaMeters: 10, correlationSeconds: 10, understates: 2)
    let factors = Self.factors(Self.rest(3_600) + Self.rest(60, east: 5_000), receiver: receiver)
    #expect(factors[3_599] > 1.7)
    #expect((factors.last ?? 0) < 1.7)
  }

  @Test func `of the sums of version 0.1.0 the factor is kept`() throws {
    let old = #"{"factor":1.5,"metersPerLatitude":0,"metersPerLongitude":0,"strays":0}"#
    let inflation = try JSONDecoder().decode(AccuracyInflation.self, from: Data(old.utf8))
    #expect(inflation.factor == 1.5)
  }

  @Test func `a copy from its own encoding goes on the same`() throws {
    var receiver = SimulatedReceiver(seed: 9, sigmaMeters: 10, correlationSeconds: 20, understates: 2)
    var inflation = AccuracyInflation()
    var copy = inflation
    for second in 0..<2_400 {
      let east = second < 1_500 ? 0 : 1.4 * Double(second - 1_500)
      let fix = receiver.fix(second: second, east: east, north: 0, from: munich)
      inflation.note(fix, limit: 4)
      copy.note(fix, limit: 4)
      if second % 97 == 0 {
        copy = try JSONDecoder().decode(AccuracyInflation.self, from: JSONEncoder().encode(copy))
      }
    }
    #expect(copy == inflation)
  }
}
