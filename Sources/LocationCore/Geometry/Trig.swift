#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The only door of LocationCore to the C mathematics library, so that its results can be swapped or pinned.
///
/// Angles are in radians. Square roots, rounding and remainders are the standard library's.
package enum Trig {
  /// Radians in one degree.
  package static let radiansPerDegree = Double.pi / 180
  /// Degrees in one radian.
  package static let degreesPerRadian = 180 / Double.pi

  /// Sine.
  @inline(__always) package static func sin(_ x: Double) -> Double { libmSin(x) }
  /// Cosine.
  @inline(__always) package static func cos(_ x: Double) -> Double { libmCos(x) }
  /// Tangent.
  @inline(__always) package static func tan(_ x: Double) -> Double { libmTan(x) }
  /// Sine and cosine of one angle.
  @inline(__always) package static func sincos(_ x: Double) -> (sin: Double, cos: Double) {
    (libmSin(x), libmCos(x))
  }
  /// Arc sine, -π/2 to π/2; NaN outside -1 to 1.
  @inline(__always) package static func asin(_ x: Double) -> Double { libmAsin(x) }
  /// Arc cosine, 0 to π; NaN outside -1 to 1.
  @inline(__always) package static func acos(_ x: Double) -> Double { libmAcos(x) }
  /// Arc tangent, -π/2 to π/2.
  @inline(__always) package static func atan(_ x: Double) -> Double { libmAtan(x) }
  /// The angle of the vector (x, y) from the x axis, -π to π.
  @inline(__always) package static func atan2(_ y: Double, _ x: Double) -> Double { libmAtan2(y, x) }
  /// The length of the vector (x, y), without overflow or underflow on the way.
  @inline(__always) package static func hypot(_ x: Double, _ y: Double) -> Double { libmHypot(x, y) }
  /// e to the power `x`.
  @inline(__always) package static func exp(_ x: Double) -> Double { libmExp(x) }
  /// e to the power `x`, less 1, without cancellation near 0.
  @inline(__always) package static func expm1(_ x: Double) -> Double { libmExpm1(x) }
  /// Natural logarithm.
  @inline(__always) package static func log(_ x: Double) -> Double { libmLog(x) }
  /// Natural logarithm of 1 + `x`, without cancellation near 0.
  @inline(__always) package static func log1p(_ x: Double) -> Double { libmLog1p(x) }
  /// `x` to the power `y`.
  @inline(__always) package static func pow(_ x: Double, _ y: Double) -> Double { libmPow(x, y) }
  /// Error function.
  @inline(__always) package static func erf(_ x: Double) -> Double { libmErf(x) }
  /// 1 less the error function, accurate in the far tail.
  @inline(__always) package static func erfc(_ x: Double) -> Double { libmErfc(x) }
}

// Inside `Trig` its own names hide those of the library; out here they do not.
@inline(__always) private func libmSin(_ x: Double) -> Double { sin(x) }
@inline(__always) private func libmCos(_ x: Double) -> Double { cos(x) }
@inline(__always) private func libmTan(_ x: Double) -> Double { tan(x) }
@inline(__always) private func libmAsin(_ x: Double) -> Double { asin(x) }
@inline(__always) private func libmAcos(_ x: Double) -> Double { acos(x) }
@inline(__always) private func libmAtan(_ x: Double) -> Double { atan(x) }
@inline(__always) private func libmAtan2(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
@inline(__always) private func libmHypot(_ x: Double, _ y: Double) -> Double { hypot(x, y) }
@inline(__always) private func libmExp(_ x: Double) -> Double { exp(x) }
@inline(__always) private func libmExpm1(_ x: Double) -> Double { expm1(x) }
@inline(__always) private func libmLog(_ x: Double) -> Double { log(x) }
@inline(__always) private func libmLog1p(_ x: Double) -> Double { log1p(x) }
@inline(__always) private func libmPow(_ x: Double, _ y: Double) -> Double { pow(x, y) }
@inline(__always) private func libmErf(_ x: Double) -> Double { erf(x) }
@inline(__always) private func libmErfc(_ x: Double) -> Double { erfc(x) }
