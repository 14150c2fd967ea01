/// The series in which the geodesic integrals of an ellipsoid are summed, to the sixth order.
///
/// C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), 43-55, equations 15 to 25
/// and 40 to 43. On WGS 84 what is left out is below the rounding of a Double.
enum GeodesicSeries {
  /// Coefficients of sin 2σ, sin 4σ, ... sin 12σ.
  typealias Coefficients = (Double, Double, Double, Double, Double, Double)

  /// Scale of the distance integral, A1 (equation 17).
  static func distanceScale(_ e: Double) -> Double {
    let e2 = e * e
    return (1 + e2 * (1.0 / 4 + e2 * (1.0 / 64 + e2 * (1.0 / 256)))) / (1 - e)
  }

  /// Periodic part of the distance integral, C1 (equation 18).
  static func distance(_ e: Double) -> Coefficients {
    let e2 = e * e
    let e3 = e * e2
    let e4 = e2 * e2
    return (
      e * (-1.0 / 2 + e2 * (3.0 / 16 - e2 * (1.0 / 32))),
      e2 * (-1.0 / 16 + e2 * (1.0 / 32 - e2 * (9.0 / 2048))),
      e3 * (-1.0 / 48 + e2 * (3.0 / 256)),
      e4 * (-5.0 / 512 + e2 * (3.0 / 512)),
      e4 * e * (-7.0 / 1280),
      e4 * e2 * (-7.0 / 2048)
    )
  }

  /// Periodic part of the inverse of the distance integral, C1' (equation 21).
  static func distanceReverted(_ e: Double) -> Coefficients {
    let e2 = e * e
    let e3 = e * e2
    let e4 = e2 * e2
    return (
      e * (1.0 / 2 + e2 * (-9.0 / 32 + e2 * (205.0 / 1536))),
      e2 * (5.0 / 16 + e2 * (-37.0 / 96 + e2 * (1335.0 / 4096))),
      e3 * (29.0 / 96 - e2 * (75.0 / 128)),
      e4 * (539.0 / 1536 - e2 * (2391.0 / 2560)),
      e4 * e * (3467.0 / 7680),
      e4 * e2 * (38081.0 / 61440)
    )
  }

  /// Scale of the second integral of the reduced length, A2 (equation 42).
  static func reducedLengthScale(_ e: Double) -> Double {
    let e2 = e * e
    return (1 + e2 * (1.0 / 4 + e2 * (9.0 / 64 + e2 * (25.0 / 256)))) * (1 - e)
  }

  /// Periodic part of the second integral of the reduced length, C2 (equation 43).
  static func reducedLength(_ e: Double) -> Coefficients {
    let e2 = e * e
    let e3 = e * e2
    let e4 = e2 * e2
    return (
      e * (1.0 / 2 + e2 * (1.0 / 16 + e2 * (1.0 / 32))),
      e2 * (3.0 / 16 + e2 * (1.0 / 32 + e2 * (35.0 / 2048))),
      e3 * (5.0 / 48 + e2 * (5.0 / 256)),
      e4 * (35.0 / 512 + e2 * (7.0 / 512)),
      e4 * e * (63.0 / 1280),
      e4 * e2 * (77.0 / 2048)
    )
  }

  /// Scale of the longitude integral, A3 (equation 24), in powers of ε.
  static func longitudeScale(_ e: Double) -> Double {
    let n = WGS84.thirdFlattening
    return 1
      + e
      * (-(1 - n) / 2
        + e
        * (-(1.0 / 4 + n * (1.0 / 8 - n * (3.0 / 8)))
          + e
          * (-(1.0 / 16 + n * (3.0 / 16 + n * (1.0 / 16)))
            + e * (-(3.0 / 64 + n * (1.0 / 32)) + e * (-3.0 / 128)))))
  }

  /// Periodic part of the longitude integral, C3 (equation 25).
  static func longitude(_ e: Double) -> Coefficients {
    let n = WGS84.thirdFlattening
    let n2 = n * n
    let e2 = e * e
    let e3 = e * e2
    let e4 = e2 * e2
    return (
      e
        * ((1 - n) / 4 + e
          * ((1 - n2) / 8 + e * ((3 + 3 * n - n2) / 64 + e * ((5 + 2 * n) / 128 + e * (3.0 / 128))))),
      e2 * ((2 - 3 * n + n2) / 32 + e * ((3 - 2 * n - 3 * n2) / 64 + e * ((3 + n) / 128 + e * (5.0 / 256)))),
      e3 * ((5 - 9 * n + 5 * n2) / 192 + e * ((9 - 10 * n) / 384 + e * (7.0 / 512))),
      e4 * ((7 - 14 * n) / 512 + e * (7.0 / 512)),
      e4 * e * (21.0 / 2560),
      0
    )
  }

  /// The sum of `c_k sin 2kσ`, by Clenshaw's recurrence.
  @inline(__always)
  static func sineSum(_ c: Coefficients, sine: Double, cosine: Double) -> Double {
    let x = 2 * (cosine - sine) * (cosine + sine)
    let y5 = c.5 * x + c.4
    let y4 = y5 * x - c.5 + c.3
    let y3 = y4 * x - y5 + c.2
    let y2 = y3 * x - y4 + c.1
    let y1 = y2 * x - y3 + c.0
    return 2 * sine * cosine * y1
  }
}
