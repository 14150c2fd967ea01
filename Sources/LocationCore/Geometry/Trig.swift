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
  /// Natural logarithm.
  @inline(__always) package static func log(_ x: Double) -> Double { libmLog(x) }
  /// Error function.
  @inline(__always) package static func erf(_ x: Double) -> Double { libmErf(x) }
  /// 1 less the error function, accurate in the far tail.
  @inline(__always) package static func erfc(_ x: Double) -> Double { libmErfc(x) }
}

// Inside `Trig` its own names hide those of the library; out here they do not.
@inline(__always) private func libmExp(_ x: Double) -> Double { exp(x) }
@inline(__always) private func libmLog(_ x: Double) -> Double { log(x) }
@inline(__always) private func libmErf(_ x: Double) -> Double { erf(x) }
@inline(__always) private func libmErfc(_ x: Double) -> Double { erfc(x) }
