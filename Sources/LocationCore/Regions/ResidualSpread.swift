/// How much a track scatters about a smooth path: for fixes of which nobody said how accurate they are.
///
/// A fix is held against the straight way between the one before and the one after it. Half of those residuals are
/// smaller than their median, which turns, braking and outliers hardly move. An error that varies slowly shows in them
/// by a part only, so what they say is raised by ``correlatedShare`` and believed down to ``leastFactor`` at most.
struct ResidualSpread: Hashable, Sendable, Codable {
  /// How many residuals there were of each size, in half octaves of the assumed standard deviation; old ones count less.
  private var counts = SIMD16<Float>()
  private var last: Place?
  private var before: Place?

  private struct Place: Hashable, Sendable, Codable {
    var point: TangentPlane.Point
    var instant: EngineInstant
  }

  /// The longest step over which a path is nearly straight, seconds: a car that turns or brakes at 1 m/s² is 12 m off
  /// after it.
  private static let longestStepSeconds = 5.0
  /// What a residual is still worth at the next: a third is left after 400 s of steps of 4 s.
  private static let memory: Float = 0.99
  /// Residuals from which they are believed: a minute and a half of steps of 4 s.
  private static let leastCount: Float = 20
  /// The median of the residuals of independent errors, in standard deviations: √1.5 times that of a Rayleigh
  /// distribution.
  private static let medianSigmas = 1.442
  /// The part of the error that shows where it is correlated over 10 s, which is half; most of it is made good.
  private static let correlatedShare = 1 / 1.5
  /// What the assumed error is lowered to at most, because a slow error does not show at all.
  static let leastFactor = 0.5

  /// Takes the place of a fix into account, with the standard deviation that was assumed, metres.
  mutating func note(_ point: TangentPlane.Point, at instant: EngineInstant, sigma: Double) {
    defer {
      before = last
      last = Place(point: point, instant: instant)
    }
    guard let last, let before else { return }
    let seconds = before.instant.seconds(to: instant)
    let share = before.instant.seconds(to: last.instant) / seconds
    guard seconds > 0, seconds <= 2 * Self.longestStepSeconds else { return }
    let east = last.point.east - before.point.east - share * (point.east - before.point.east)
    let north = last.point.north - before.point.north - share * (point.north - before.point.north)
    counts *= Self.memory
    counts[Self.bin(ofSquare: (east * east + north * north) / (sigma * sigma))] += 1
  }

  /// The plane has changed: the last places are of no use any more.
  mutating func forgetPlaces() {
    last = nil
    before = nil
  }

  /// The factor by which the error differs from the assumed one, `leastFactor` to the limit; nil before enough was seen.
  func factor(limit: Double) -> Double? {
    let all = counts.sum()
    guard all >= Self.leastCount else { return nil }
    var below: Float = 0
    for bin in 0..<counts.scalarCount {
      let here = counts[bin]
      if below + here >= all / 2 {
        let part = Double((all / 2 - below) / here)
        let median = Trig.exp((Double(bin) + part) * 0.5 * Self.octave) * Self.leastSigmas
        return Swift.min(
          limit, Swift.max(Self.leastFactor, median / (Self.medianSigmas * Self.correlatedShare)))
      }
      below += here
    }
    return limit
  }

  /// The lower end of the first bin, in standard deviations: 2⁻⁴.
  private static let leastSigmas = 0.0625
  /// ln 2.
  private static let octave = 0.693147180559945

  /// The half octave in which the root of a square lies.
  private static func bin(ofSquare square: Double) -> Int {
    var edge = leastSigmas * leastSigmas
    for bin in 0..<15 {
      edge *= 2
      if square < edge { return bin }
    }
    return 15
  }
}
