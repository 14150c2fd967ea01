/// An angle held as its sine and cosine, so that quarter turns are exact and sums need no trigonometry.
struct Angle: Hashable, Sendable {
  let sin: Double
  let cos: Double

  /// For a sine and cosine that are known to belong together.
  @inline(__always)
  init(sin: Double, cos: Double) {
    self.sin = sin
    self.cos = cos
  }

  /// An angle in radians.
  @inline(__always)
  init(radians: Double) {
    let (sin, cos) = Trig.sincos(radians)
    self.init(sin: sin, cos: cos)
  }

  /// An angle in degrees, -180 to 180; exact at the quarters.
  @inline(__always)
  init(degrees: Double) {
    let size = abs(degrees)
    // From the nearest quarter.
    let rest = size <= 45 ? size : size <= 135 ? 90 - size : 180 - size
    let near = Trig.sincosNearZero(rest * Trig.radiansPerDegree)
    let (sine, cosine) = size > 45 && size <= 135 ? (near.cos, near.sin) : near
    self.init(sin: degrees < 0 ? -sine : sine, cos: size > 135 ? -cosine : cosine)
  }

  /// The direction of the vector (x, y); zero for none.
  @inline(__always)
  init(y: Double, x: Double) {
    let length = Trig.hypot(x, y)
    self.init(sin: length > 0 ? y / length : 0, cos: length > 0 ? x / length : 1)
  }

  /// The reduced latitude β of a latitude in degrees: tan β = (1 - f) tan φ.
  ///
  /// A pole keeps a cosine that is nothing on the ground, so that azimuths stay defined there.
  init(reducedFromLatitude degrees: Double) {
    let phi = Angle(degrees: degrees)
    self.init(y: WGS84.axisRatio * phi.sin, x: Swift.max(phi.cos, 1e-150))
  }

  /// Radians, -π to π.
  @inline(__always)
  var radians: Double { Trig.atan2(sin, cos) }

  /// The sum of two angles.
  @inline(__always)
  static func + (a: Angle, b: Angle) -> Angle {
    Angle(sin: a.sin * b.cos + a.cos * b.sin, cos: a.cos * b.cos - a.sin * b.sin)
  }

  /// This angle less an earlier one, taken for zero where rounding made it negative.
  ///
  /// Not `max`, which may give -0 and so turn π into -π.
  @inline(__always)
  func since(_ earlier: Angle) -> Angle {
    let sine = sin * earlier.cos - cos * earlier.sin
    return Angle(sin: sine > 0 ? sine : 0, cos: cos * earlier.cos + sin * earlier.sin)
  }

  /// Whether this angle lies between two others, all of them in 0 to π.
  @inline(__always)
  func isBetween(_ low: Angle, _ high: Angle) -> Bool {
    sin > 0 && cos * low.sin < low.cos * sin && cos * high.sin > high.cos * sin
  }

  /// Halfway between two angles, all of them in 0 to π.
  static func middle(_ low: Angle, _ high: Angle) -> Angle {
    let y = low.sin + high.sin
    let x = low.cos + high.cos
    return y == 0 && x == 0 ? Angle(sin: 1, cos: 0) : Angle(y: y, x: x)
  }
}
