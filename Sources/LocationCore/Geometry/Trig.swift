import Glibc

/// The elementary functions of LocationCore, and its only door to the C mathematics library.
///
/// Angles are in radians. The circular functions are our own (`Trig+Circular.swift`): they give the same bits
/// on any machine. The rest is the C library's, which may differ from machine to machine in the last place.
package enum Trig {
  /// Radians in one degree.
  package static let radiansPerDegree = Double.pi / 180
  /// Degrees in one radian.
  package static let degreesPerRadian = 180 / Double.pi

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
@inline(__always) private func libmExp(_ x: Double) -> Double { exp(x) }
@inline(__always) private func libmExpm1(_ x: Double) -> Double { expm1(x) }
@inline(__always) private func libmLog(_ x: Double) -> Double { log(x) }
@inline(__always) private func libmLog1p(_ x: Double) -> Double { log1p(x) }
@inline(__always) private func libmPow(_ x: Double, _ y: Double) -> Double { pow(x, y) }
@inline(__always) private func libmErf(_ x: Double) -> Double { erf(x) }
@inline(__always) private func libmErfc(_ x: Double) -> Double { erfc(x) }
