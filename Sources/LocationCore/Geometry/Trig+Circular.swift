/// The circular functions are our own: only operations that IEEE 754 rounds correctly, so that a distance has
/// the same bits whatever C library and processor it is computed with. Being inlined, they are faster too.
///
/// Taylor series on an eighth of a turn at most. Within 2 units in the last place of glibc 2.36, measured over
/// ten million random angles up to 500 radians and as many vectors.
extension Trig {
  /// Sine of an angle in radians.
  @inline(__always) package static func sin(_ x: Double) -> Double {
    let (r, quarters) = reduce(x)
    let value = quarters & 1 == 0 ? sineNearZero(r) : cosineNearZero(r)
    return quarters & 2 == 0 ? value : -value
  }

  /// Cosine of an angle in radians.
  @inline(__always) package static func cos(_ x: Double) -> Double {
    let (r, quarters) = reduce(x)
    let value = quarters & 1 == 0 ? cosineNearZero(r) : sineNearZero(r)
    return (quarters &+ 1) & 2 == 0 ? value : -value
  }

  /// Sine and cosine of one angle in radians.
  @inline(__always) package static func sincos(_ x: Double) -> (sin: Double, cos: Double) {
    let (r, quarters) = reduce(x)
    let sine = sineNearZero(r)
    let cosine = cosineNearZero(r)
    let (s, c) = quarters & 1 == 0 ? (sine, cosine) : (cosine, sine)
    return (quarters & 2 == 0 ? s : -s, (quarters &+ 1) & 2 == 0 ? c : -c)
  }

  /// The same of an eighth of a turn at most, which needs no reduction.
  @inline(__always) package static func sincosNearZero(_ x: Double) -> (sin: Double, cos: Double) {
    (sineNearZero(x), cosineNearZero(x))
  }

  /// Tangent of an angle in radians.
  package static func tan(_ x: Double) -> Double {
    let (sine, cosine) = sincos(x)
    return sine / cosine
  }

  /// The angle of the vector (x, y) from the x axis, -π to π; both finite, and NaN otherwise.
  package static func atan2(_ y: Double, _ x: Double) -> Double {
    let across = abs(y)
    let along = abs(x)
    let steep = across > along
    let small = steep ? along : across
    let large = steep ? across : along
    var angle = large > 0 ? arcTangent(small, large) : small + large
    if steep { angle = .pi / 2 - angle }
    if x.sign == .minus { angle = .pi - angle }
    return y.sign == .minus ? -angle : angle
  }

  /// Arc sine, -π/2 to π/2; NaN outside -1 to 1.
  package static func asin(_ x: Double) -> Double { atan2(x, ((1 - x) * (1 + x)).squareRoot()) }

  /// The length of the vector (x, y), between 1e-150 and 1e150 or zero.
  @inline(__always) package static func hypot(_ x: Double, _ y: Double) -> Double {
    (x * x + y * y).squareRoot()
  }

  /// 1.5 * 2^52: added and taken away again, it rounds a small number to the nearest integer.
  private static let roundingShift = 0x1.8p52

  /// An angle less its nearest multiple of a quarter turn, and that multiple.
  ///
  /// π/2 in three parts, the first two of 33 bits, so that their multiples are exact (Cody and Waite). An
  /// angle of more than a million radians first loses its whole turns, and with them some accuracy.
  @inline(__always)
  private static func reduce(_ angle: Double) -> (remainder: Double, quarters: Int) {
    var x = angle
    if !(abs(x) < 1e6) {
      guard x.isFinite else { return (.nan, 0) }
      x = x.remainder(dividingBy: 2 * .pi)
    }
    let quarters = (x * (2 / Double.pi) + roundingShift) - roundingShift
    let r = (x - quarters * 0x1.921fb544p+0) - quarters * 0x1.0b4611a6p-34
    return (r - quarters * 0x1.3198a2e037073p-69, Int(quarters))
  }

  /// The arc tangent of a fraction, at most an eighth of a turn.
  ///
  /// By its difference from the nearest eighth, atan(a) - atan(b) = atan((a - b) / (1 + a b)), and Taylor to
  /// the 13th power; the next term is below 1e-19.
  @inline(__always)
  private static func arcTangent(_ small: Double, _ large: Double) -> Double {
    guard small.isFinite, large.isFinite else { return .nan }
    let eighths = (8 * (small / large) + roundingShift) - roundingShift
    let near = eighths * 0.125
    let t = (small - near * large) / (large + near * small)
    let z = t * t
    let z2 = z * z
    let a = -1.0 / 3 + z * (1.0 / 5)
    let b = -1.0 / 7 + z * (1.0 / 9)
    let c = -1.0 / 11 + z * (1.0 / 13)
    return arcTangentOfEighths(Int(eighths)) + (t + t * z * (a + z2 * (b + z2 * c)))
  }

  /// Sine on -π/4 to π/4: Taylor to the 17th power; the next term is below 1e-19.
  @inline(__always)
  private static func sineNearZero(_ x: Double) -> Double {
    let z = x * x
    let z2 = z * z
    let a = -1.0 / 6 + z * (1.0 / 120)
    let b = -1.0 / 5040 + z * (1.0 / 362_880)
    let c = -1.0 / 39_916_800 + z * (1.0 / 6_227_020_800)
    let d = -1.0 / 1_307_674_368_000 + z * (1.0 / 355_687_428_096_000)
    return x + x * z * ((a + z2 * b) + z2 * z2 * (c + z2 * d))
  }

  /// Cosine on -π/4 to π/4: Taylor to the 16th power; the next term is below 2e-18.
  @inline(__always)
  private static func cosineNearZero(_ x: Double) -> Double {
    let z = x * x
    let z2 = z * z
    let z4 = z2 * z2
    let a = 1.0 / 24 + z * (-1.0 / 720)
    let b = 1.0 / 40_320 + z * (-1.0 / 3_628_800)
    let c = 1.0 / 479_001_600 + z * (-1.0 / 87_178_291_200)
    // 1 - z/2 is rounded; what it lost is added back.
    let half = 0.5 * z
    let most = 1 - half
    return most
      + (((1 - most) - half) + z2 * ((a + z2 * b) + z4 * (c + z2 * (1.0 / 20_922_789_888_000))))
  }

  /// The arc tangent of a number of eighths, 0 to 8.
  @inline(__always)
  private static func arcTangentOfEighths(_ eighths: Int) -> Double {
    switch eighths {
    case 1: 0.12435499454676144
    case 2: 0.24497866312686414
    case 3: 0.35877067027057225
    case 4: 0.4636476090008061
    case 5: 0.5585993153435624
    case 6: 0.6435011087932844
    case 7: 0.7188299996216245
    case 8: 0.7853981633974483
    default: 0
    }
  }
}
