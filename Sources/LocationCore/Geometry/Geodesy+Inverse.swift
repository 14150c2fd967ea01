extension Geodesy {
  /// The shortest geodesic between two places anywhere; one of them where there are several.
  public static func inverse(from start: Coordinate, to end: Coordinate) -> Geodesic {
    InverseGeodesic(from: start, to: end).geodesic()
  }

  /// Metres along the shortest geodesic between two places anywhere; exact to 1e-7 m, never NaN.
  package static func exactDistance(_ a: Coordinate, _ b: Coordinate) -> Double {
    InverseGeodesic(from: a, to: b).solve().meters
  }
}

/// The inverse problem of one pair of places, in the position in which it is solved.
///
/// The start is south of the equator or on it and at least as far from it as the end; the end is at most half
/// a turn to the east. Karney, "Algorithms for geodesics" (2013), sections 4 and 5.
struct InverseGeodesic {
  /// Degrees, -90 to 0.
  private let startLatitude: Double
  /// Degrees, 0 to 180.
  private let longitudeDifference: Double
  /// Reduced latitudes.
  let beta1: Angle
  let beta2: Angle
  /// sqrt(1 + e'² sin² β) at either.
  private let stretch1: Double
  private let stretch2: Double
  /// The longitude to be reached.
  let lambda12: Angle
  /// How it came into its position: start and end exchanged, north for south, west for east.
  private let isSwapped: Bool
  private let isMirroredInLatitude: Bool
  private let isMirroredInLongitude: Bool

  init(from a: Coordinate, to b: Coordinate) {
    let difference = Geodesy.longitudeDifference(from: a.longitude, to: b.longitude)
    isSwapped = abs(a.latitude) < abs(b.latitude)
    let (far, near) = isSwapped ? (b.latitude, a.latitude) : (a.latitude, b.latitude)
    isMirroredInLatitude = far > 0
    isMirroredInLongitude = difference < 0
    startLatitude = -abs(far)
    longitudeDifference = abs(difference)
    beta1 = Angle(reducedFromLatitude: startLatitude)
    beta2 = Angle(reducedFromLatitude: far > 0 ? -near : near)
    stretch1 = (1 + WGS84.secondEccentricitySquared * beta1.sin * beta1.sin).squareRoot()
    stretch2 = (1 + WGS84.secondEccentricitySquared * beta2.sin * beta2.sin).squareRoot()
    lambda12 = Angle(degrees: longitudeDifference)
  }

  /// How much the longitude falls short of half a turn, radians.
  var shortOfHalfTurn: Double { (180 - longitudeDifference) * Trig.radiansPerDegree }

  /// Length and azimuths in this position.
  struct Solution {
    var meters: Double
    var alpha1: Angle
    var alpha2: Angle
  }

  /// The solution as it lies on the globe.
  func geodesic() -> Geodesic {
    let solution = solve()
    let north = isSwapped == isMirroredInLatitude ? 1.0 : -1.0
    let east = isMirroredInLongitude ? -1.0 : 1.0
    let (first, last) =
      isSwapped ? (solution.alpha2, solution.alpha1) : (solution.alpha1, solution.alpha2)
    return Geodesic(
      lengthMeters: solution.meters,
      startAzimuthDegrees: Trig.atan2(east * first.sin, north * first.cos) * Trig.degreesPerRadian,
      endAzimuthDegrees: Trig.atan2(east * last.sin, north * last.cos) * Trig.degreesPerRadian)
  }

  /// The shortest geodesic.
  func solve() -> Solution {
    if longitudeDifference == 0 || longitudeDifference == 180 || startLatitude == -90 {
      return alongMeridian()
    }
    if startLatitude == 0 && longitudeDifference <= 180 * WGS84.axisRatio {
      let east = Angle(sin: 1, cos: 0)
      return Solution(
        meters: WGS84.equatorialRadiusMeters * (longitudeDifference * Trig.radiansPerDegree),
        alpha1: east, alpha2: east)
    }
    return byNewton()
  }

  /// Along the meridian, over the pole when the places lie on opposite sides of it.
  private func alongMeridian() -> Solution {
    let sigma1 = lambda12.cos > 0 ? beta1 : Angle(sin: beta1.sin, cos: -beta1.cos)
    let epsilon = GeodesicSeries.parameter(cosAlpha0: 1)
    let periodic = GeodesicSeries.sum(GeodesicSeries.distance(epsilon), from: sigma1, to: beta2)
    let meters =
      WGS84.polarRadiusMeters * GeodesicSeries.distanceScale(epsilon)
      * (beta2.since(sigma1).radians + periodic)
    return Solution(meters: Swift.max(0, meters), alpha1: lambda12, alpha2: Angle(sin: 0, cos: 1))
  }

  /// Newton's method on the azimuth at the start.
  ///
  /// The longitude reached grows with the azimuth, so that what has been tried fences in the answer. A step
  /// that leaves the fence, or comes too late, is replaced by halving the fence, and so the end is certain.
  private func byNewton() -> Solution {
    var alpha = startingAzimuth()
    var low = Angle(sin: 0, cos: 1)
    var high = Angle(sin: 0, cos: -1)
    var meters = 0.0
    for attempt in 0..<Self.attemptLimit {
      let shot = shoot(alpha)
      let step = -shot.miss / shot.slope
      let next = alpha + Angle(radians: step)
      // By Clairaut's relation the length changes with the longitude by a sin α cos β. Integrated to the
      // next azimuth by the trapezoid rule, it leaves an error of the order of miss * step².
      if abs(shot.miss) * step * step < Self.settledBelow {
        let change = WGS84.equatorialRadiusMeters * beta1.cos * (alpha.sin + next.sin) / 2
        meters = shot.meters - shot.miss * change
        alpha = next
        break
      }
      meters = shot.meters
      if abs(shot.miss) < Self.hitWithin { break }
      if shot.miss > 0 { high = alpha } else { low = alpha }
      alpha =
        attempt < Self.newtonLimit && abs(step) < 1 && next.isBetween(low, high)
        ? Angle(y: next.sin, x: next.cos) : Angle.middle(low, high)
    }
    return Solution(meters: meters, alpha1: alpha, alpha2: azimuthAtEnd(alpha))
  }

  /// Where a geodesic ends that leaves the start at an azimuth and stops at the latitude of the end.
  private struct Shot {
    /// Its length.
    var meters: Double
    /// By how much it passes the longitude of the end, radians.
    var miss: Double
    /// The change of the miss with the azimuth at the start.
    var slope: Double
  }

  /// Follows a geodesic from the start to the latitude of the end (Karney 2013, table 5).
  private func shoot(_ azimuth: Angle) -> Shot {
    // Due east along the equator the length is not determined; a hair to the south it is half the way round.
    let isAlongEquator = beta1.sin == 0 && azimuth.cos == 0
    let alpha1 = isAlongEquator ? Angle(sin: 1, cos: -Double.leastNormalMagnitude) : azimuth
    let alpha0 = Angle(sin: alpha1.sin * beta1.cos, cos: Trig.hypot(alpha1.cos, alpha1.sin * beta1.sin))
    let alpha2 = azimuthAtEnd(alpha1)
    let northward1 = alpha1.cos * beta1.cos
    let northward2 = alpha2.cos * beta2.cos
    let sigma1 = Angle(y: beta1.sin, x: northward1)
    let sigma2 = Angle(y: beta2.sin, x: northward2)
    let sigma12 = sigma2.since(sigma1).radians
    let omega12 = Angle(y: alpha0.sin * beta2.sin, x: northward2)
      .since(Angle(y: alpha0.sin * beta1.sin, x: northward1))
    let spherical = Angle(
      sin: omega12.sin * lambda12.cos - omega12.cos * lambda12.sin,
      cos: omega12.cos * lambda12.cos + omega12.sin * lambda12.sin)

    let epsilon = GeodesicSeries.parameter(cosAlpha0: alpha0.cos)
    let i1 =
      GeodesicSeries.distanceScale(epsilon)
      * (sigma12 + GeodesicSeries.sum(GeodesicSeries.distance(epsilon), from: sigma1, to: sigma2))
    let i2 =
      GeodesicSeries.reducedLengthScale(epsilon)
      * (sigma12 + GeodesicSeries.sum(GeodesicSeries.reducedLength(epsilon), from: sigma1, to: sigma2))
    let i3 =
      GeodesicSeries.longitudeShiftScale(epsilon)
      * (sigma12 + GeodesicSeries.sum(GeodesicSeries.longitude(epsilon), from: sigma1, to: sigma2))
    let reducedLength =
      stretch2 * (sigma1.cos * sigma2.sin) - stretch1 * (sigma1.sin * sigma2.cos)
      - sigma1.cos * sigma2.cos * (i1 - i2)
    return Shot(
      meters: WGS84.polarRadiusMeters * i1,
      miss: spherical.radians - i3 * alpha0.sin,
      slope: northward2 == 0
        ? -2 * WGS84.axisRatio * stretch1 / beta1.sin : WGS84.axisRatio * reducedLength / northward2)
  }

  /// The azimuth on arrival, northward or due east (Karney 2013, equations 5 and 45).
  private func azimuthAtEnd(_ alpha1: Angle) -> Angle {
    if beta2.cos == beta1.cos && abs(beta2.sin) == -beta1.sin {
      return Angle(sin: alpha1.sin, cos: abs(alpha1.cos))
    }
    let northward1 = alpha1.cos * beta1.cos
    // cos² β2 - cos² β1, from whichever pair differs more.
    let rest =
      beta1.cos < -beta1.sin
      ? (beta2.cos - beta1.cos) * (beta2.cos + beta1.cos)
      : (beta1.sin - beta2.sin) * (beta1.sin + beta2.sin)
    return Angle(
      sin: alpha1.sin * beta1.cos / beta2.cos, cos: (northward1 * northward1 + rest).squareRoot() / beta2.cos)
  }

  /// Newton's steps before halving takes over.
  private static let newtonLimit = 20
  /// Enough halvings after that to exhaust the digits of an azimuth.
  private static let attemptLimit = 80
  /// The Earth's radius times it is 6e-13 m.
  private static let settledBelow = 1e-19
  /// Radians of longitude, 6e-9 m: what rounding leaves.
  private static let hitWithin = 1e-15
}
