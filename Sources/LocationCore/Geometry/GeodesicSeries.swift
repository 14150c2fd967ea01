/// The series in which the geodesic integrals of WGS 84 are summed, to the fifth order of their small
/// parameter ε; the sixth would add less than 1e-10 m.
///
/// C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), 43-55; the equations are named
/// at each.
enum GeodesicSeries {
  /// Coefficients of sin 2σ, sin 4σ, ... sin 10σ.
  typealias Coefficients = (Double, Double, Double, Double, Double)

  /// The small parameter ε, 0 to 0.0017, from the azimuth of the geodesic at the equator (equation 16).
  static func parameter(cosAlpha0: Double) -> Double {
    let k2 = cosAlpha0 * cosAlpha0 * WGS84.secondEccentricitySquared
    return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }

  /// Scale of the distance integral, A1 (equation 17).
  static func distanceScale(_ e: Double) -> Double {
    let e2 = e * e
    return (1 + e2 * (1.0 / 4 + e2 * (1.0 / 64))) / (1 - e)
  }

  /// Periodic part of the distance integral, C1 (equation 18).
  static func distance(_ e: Double) -> Coefficients {
    let e2 = e * e
    return (
      e * (-1.0 / 2 + e2 * (3.0 / 16 - e2 * (1.0 / 32))),
      e2 * (-1.0 / 16 + e2 * (1.0 / 32)),
      e2 * e * (-1.0 / 48 + e2 * (3.0 / 256)),
      e2 * e2 * (-5.0 / 512),
      e2 * e2 * e * (-7.0 / 1280)
    )
  }

  /// Periodic part of the inverse of the distance integral, C1' (equation 21).
  static func distanceReverted(_ e: Double) -> Coefficients {
    let e2 = e * e
    return (
      e * (1.0 / 2 + e2 * (-9.0 / 32 + e2 * (205.0 / 1536))),
      e2 * (5.0 / 16 + e2 * (-37.0 / 96)),
      e2 * e * (29.0 / 96 - e2 * (75.0 / 128)),
      e2 * e2 * (539.0 / 1536),
      e2 * e2 * e * (3467.0 / 7680)
    )
  }

  /// Scale of the second integral of the reduced length, A2 (equation 42).
  static func reducedLengthScale(_ e: Double) -> Double {
    let e2 = e * e
    return (1 + e2 * (1.0 / 4 + e2 * (9.0 / 64))) * (1 - e)
  }

  /// Periodic part of the second integral of the reduced length, C2 (equation 43).
  static func reducedLength(_ e: Double) -> Coefficients {
    let e2 = e * e
    return (
      e * (1.0 / 2 + e2 * (1.0 / 16 + e2 * (1.0 / 32))),
      e2 * (3.0 / 16 + e2 * (1.0 / 32)),
      e2 * e * (5.0 / 48 + e2 * (5.0 / 256)),
      e2 * e2 * (35.0 / 512),
      e2 * e2 * e * (63.0 / 1280)
    )
  }

  /// Scale of the longitude integral times the flattening, f A3 (equation 24).
  static func longitudeShiftScale(_ e: Double) -> Double {
    let a1 = -(1 - n) / 2
    let a2 = -(1.0 / 4 + n * (1.0 / 8 - n * (3.0 / 8)))
    let a3 = -(1.0 / 16 + n * (3.0 / 16 + n * (1.0 / 16)))
    let a4 = -(3.0 / 64 + n * (1.0 / 32))
    let a5 = -3.0 / 128
    return WGS84.flattening * (1 + e * (a1 + e * (a2 + e * (a3 + e * (a4 + e * a5)))))
  }

  /// Periodic part of the longitude integral, C3 (equation 25).
  static func longitude(_ e: Double) -> Coefficients {
    let n2 = n * n
    let e2 = e * e
    let c11 = (1 - n) / 4
    let c12 = (1 - n2) / 8
    let c13 = (3 + 3 * n - n2) / 64
    let c14 = (5 + 2 * n) / 128
    let c15 = 3.0 / 128
    let c22 = (2 - 3 * n + n2) / 32
    let c23 = (3 - 2 * n - 3 * n2) / 64
    let c24 = (3 + n) / 128
    let c25 = 5.0 / 256
    let c33 = (5 - 9 * n + 5 * n2) / 192
    let c34 = (9 - 10 * n) / 384
    let c35 = 7.0 / 512
    return (
      e * (c11 + e * (c12 + e * (c13 + e * (c14 + e * c15)))),
      e2 * (c22 + e * (c23 + e * (c24 + e * c25))),
      e2 * e * (c33 + e * (c34 + e * c35)),
      e2 * e2 * ((7 - 14 * n) / 512 + e * (7.0 / 512)),
      e2 * e2 * e * (21.0 / 2560)
    )
  }

  /// The sum of `c_k sin 2kσ`, by Clenshaw's recurrence.
  static func sum(_ c: Coefficients, at sigma: Angle) -> Double {
    let x = 2 * (sigma.cos - sigma.sin) * (sigma.cos + sigma.sin)
    let y4 = c.4 * x + c.3
    let y3 = y4 * x - c.4 + c.2
    let y2 = y3 * x - y4 + c.1
    let y1 = y2 * x - y3 + c.0
    return 2 * sigma.sin * sigma.cos * y1
  }

  /// How much the sum grows from one place to another.
  @inline(__always)
  static func sum(_ c: Coefficients, from start: Angle, to end: Angle) -> Double {
    sum(c, at: end) - sum(c, at: start)
  }

  private static let n = WGS84.thirdFlattening
}
