extension Geodesy {
  /// Metres along the shortest geodesic between two places anywhere.
  ///
  /// Karney 2013, section 4: Newton's method on the azimuth at the start, fenced in by bisection, so that it
  /// ends near the antipode as everywhere else.
  static func inverseDistance(_ a: Coordinate, _ b: Coordinate) -> Double {
    let lambda = abs(longitudeDifference(from: a.longitude, to: b.longitude))
    // The start is the point farther from the equator, and south of it: the problem is symmetrical.
    let swapped = abs(a.latitude) < abs(b.latitude)
    let sign = (swapped ? b.latitude : a.latitude) > 0 ? -1.0 : 1.0
    let start = sign * (swapped ? b.latitude : a.latitude)
    let end = sign * (swapped ? a.latitude : b.latitude)
    if start == end && lambda == 0 { return 0 }
    let problem = InverseProblem(start: start, end: end, longitudeDifference: lambda)
    if start == -90 || lambda == 0 || lambda == 180 { return problem.meridionalDistance() }
    if start == 0 && lambda <= (1 - WGS84.flattening) * 180 {
      return WGS84.equatorialRadiusMeters * lambda * Trig.radiansPerDegree
    }
    return problem.solve()
  }
}

/// One inverse problem in its canonical position: start south of the equator and at least as far from it as
/// the end, end to the east.
struct InverseProblem {
  typealias SineCosine = Geodesy.SineCosine

  let beta1: SineCosine
  let beta2: SineCosine
  /// sqrt(1 + e'² sin² β) at either end.
  let dn1: Double
  let dn2: Double
  let lambda12: Double
  let lambda: SineCosine
  /// How far short of the antipodal meridian the end lies, radians; small there without cancellation.
  let antipodalShortfall: Double

  init(start: Double, end: Double, longitudeDifference: Double) {
    let beta1 = Geodesy.reducedLatitude(start)
    var beta2 = Geodesy.reducedLatitude(end)
    if end == start || end == -start { beta2 = (end == start ? beta1.sin : -beta1.sin, beta1.cos) }
    self.beta1 = beta1
    self.beta2 = beta2
    dn1 = (1 + WGS84.secondEccentricitySquared * beta1.sin * beta1.sin).squareRoot()
    dn2 = (1 + WGS84.secondEccentricitySquared * beta2.sin * beta2.sin).squareRoot()
    lambda12 = longitudeDifference * Trig.radiansPerDegree
    lambda = Geodesy.sincosDegrees(longitudeDifference)
    antipodalShortfall = (180 - longitudeDifference) * Trig.radiansPerDegree
  }

  /// Metres along the meridian through both points, over the pole when they lie on opposite sides.
  func meridionalDistance() -> Double {
    let near = lambda12 < 1.5707963267948966
    let sigma1: SineCosine = (beta1.sin, near ? beta1.cos : -beta1.cos)
    let sigma12 = InverseProblem.angle(from: sigma1, to: beta2)
    let epsilon = Geodesy.expansionParameter(1)
    let c1 = GeodesicSeries.distance(epsilon)
    let b =
      GeodesicSeries.sineSum(c1, sine: beta2.sin, cosine: beta2.cos)
      - GeodesicSeries.sineSum(c1, sine: sigma1.sin, cosine: sigma1.cos)
    return WGS84.polarRadiusMeters * GeodesicSeries.distanceScale(epsilon) * (sigma12 + b)
  }

  /// Metres along the shortest geodesic.
  func solve() -> Double {
    var alpha = startingAzimuth()
    // The azimuth lies between these two; Newton's steps that leave them are replaced by halving.
    var low: SineCosine = (0, 1)
    var high: SineCosine = (0, -1)
    var meters = 0.0
    for _ in 0..<Self.iterationLimit {
      let trial = shoot(alpha)
      let step = -trial.longitudeError / trial.slope
      let next = Geodesy.rotate(alpha, by: Trig.sincos(step))
      meters =
        trial.meters - trial.longitudeError * WGS84.equatorialRadiusMeters * beta1.cos
        * (alpha.sin + next.sin)
        / 2
      if abs(trial.longitudeError) * step * step < Self.settledBelow { return meters }
      meters = trial.meters
      if abs(trial.longitudeError) < Self.hitWithin { return meters }
      if trial.longitudeError > 0 { high = alpha } else { low = alpha }
      alpha =
        Self.isBetween(low, next, high) && abs(step) < 1
        ? Geodesy.unit(next.sin, next.cos)
        : Self.middle(low, high)
    }
    return meters
  }

  static let iterationLimit = 100
  static let settledBelow = 1e-19
  static let hitWithin = 1e-15

  /// Whether an angle lies between two others, all in 0 to π.
  static func isBetween(_ low: SineCosine, _ angle: SineCosine, _ high: SineCosine) -> Bool {
    angle.sin > 0 && angle.cos * low.sin < low.cos * angle.sin && angle.cos * high.sin > high.cos * angle.sin
  }

  /// The direction halfway between two others, all in 0 to π.
  static func middle(_ low: SineCosine, _ high: SineCosine) -> SineCosine {
    let y = low.sin + high.sin
    let x = low.cos + high.cos
    return y == 0 && x == 0 ? (1, 0) : Geodesy.unit(y, x)
  }

  /// Where a geodesic ends that leaves the start at an azimuth and stops at the latitude of the end.
  struct Shot {
    /// Its length.
    var meters: Double
    /// By how much it passes the longitude of the end, radians.
    var longitudeError: Double
    /// The change of that with the azimuth at the start.
    var slope: Double
  }

  /// Follows the geodesic that leaves the start at an azimuth as far as the latitude of the end
  /// (Karney 2013, table 5).
  func shoot(_ azimuth: SineCosine) -> Shot {
    // Due east along the equator every arc length would do; a hair south of it, it is half the way round.
    let alpha1: SineCosine = beta1.sin == 0 && azimuth.cos == 0 ? (1, -Double.leastNormalMagnitude) : azimuth
    let sinAlpha0 = alpha1.sin * beta1.cos
    let cosAlpha0 = Trig.hypot(alpha1.cos, alpha1.sin * beta1.sin)
    let alpha2 = azimuthAtEnd(alpha1, sinAlpha0: sinAlpha0)
    let cos1 = alpha1.cos * beta1.cos
    let cos2 = alpha2.cos * beta2.cos
    let sigma1 = Geodesy.unit(beta1.sin, cos1)
    let sigma2 = Geodesy.unit(beta2.sin, cos2)
    let sigma12 = Self.angle(from: sigma1, to: sigma2)
    let omega1 = Geodesy.unit(sinAlpha0 * beta1.sin, cos1)
    let omega2 = Geodesy.unit(sinAlpha0 * beta2.sin, cos2)
    let omega12 = Self.difference(from: omega1, to: omega2)
    // The longitude on the sphere that is still to be made up for by the flattening.
    let eta = Trig.atan2(
      omega12.sin * lambda.cos - omega12.cos * lambda.sin,
      omega12.cos * lambda.cos + omega12.sin * lambda.sin)

    let epsilon = Geodesy.expansionParameter(cosAlpha0)
    let c3 = Self.sum(GeodesicSeries.longitude(epsilon), sigma1, sigma2)
    let shift =
      WGS84.flattening * GeodesicSeries.longitudeScale(epsilon) * sinAlpha0 * (sigma12 + c3)

    let a1 = GeodesicSeries.distanceScale(epsilon)
    let a2 = GeodesicSeries.reducedLengthScale(epsilon)
    let b1 = Self.sum(GeodesicSeries.distance(epsilon), sigma1, sigma2)
    let b2 = Self.sum(GeodesicSeries.reducedLength(epsilon), sigma1, sigma2)
    let arc = a1 * (sigma12 + b1)
    let slope: Double
    if alpha2.cos == 0 {
      slope = -2 * WGS84.axisRatio * dn1 / beta1.sin
    } else {
      let j12 = arc - a2 * (sigma12 + b2)
      let reducedLength =
        dn2 * (sigma1.cos * sigma2.sin) - dn1 * (sigma1.sin * sigma2.cos) - sigma1.cos * sigma2.cos * j12
      slope = reducedLength * WGS84.axisRatio / cos2
    }
    return Shot(meters: WGS84.polarRadiusMeters * arc, longitudeError: eta - shift, slope: slope)
  }

  /// The azimuth on arrival, never southward (Karney 2013, equations 5 and 45).
  private func azimuthAtEnd(_ alpha1: SineCosine, sinAlpha0: Double) -> SineCosine {
    if beta2.cos == beta1.cos && abs(beta2.sin) == -beta1.sin { return (alpha1.sin, abs(alpha1.cos)) }
    let cos1 = alpha1.cos * beta1.cos
    let rest =
      beta1.cos < -beta1.sin
      ? (beta2.cos - beta1.cos) * (beta1.cos + beta2.cos)
      : (beta1.sin - beta2.sin) * (beta1.sin + beta2.sin)
    return (sinAlpha0 / beta2.cos, (cos1 * cos1 + rest).squareRoot() / beta2.cos)
  }

  /// A first guess of the azimuth at the start: that of the great circle, or near the antipode that of the
  /// astroid (Karney 2013, section 5).
  private func startingAzimuth() -> SineCosine {
    // sin(β2 + β1) and sin(β2 - β1); the first is not positive in the canonical position.
    let sinSum = beta2.sin * beta1.cos + beta2.cos * beta1.sin
    let sinDifference = beta2.sin * beta1.cos - beta2.cos * beta1.sin
    let lift = beta2.cos * beta1.sin * lambda.sin * lambda.sin
    let turn = lambda.cos >= 0 ? sinDifference + lift / (1 + lambda.cos) : sinSum - lift / (1 - lambda.cos)
    let across = beta2.cos * lambda.sin
    let cosSigma = beta1.sin * beta2.sin + beta1.cos * beta2.cos * lambda.cos
    let sinSigma = (across * across + turn * turn).squareRoot()
    let zone = 6 * WGS84.flattening * Double.pi * beta1.cos * beta1.cos
    if cosSigma < 0, sinSigma < zone {
      return antipodalAzimuth(sinSum: sinSum)
    }
    return Geodesy.unit(across, turn)
  }

  /// Where the end is so near the antipode that geodesics of every azimuth come near it.
  private func antipodalAzimuth(sinSum: Double) -> SineCosine {
    let epsilon = Geodesy.expansionParameter(-beta1.sin)
    let longitudeScale = WGS84.flattening * beta1.cos * GeodesicSeries.longitudeScale(epsilon) * Double.pi
    let x = -antipodalShortfall / longitudeScale
    let y = sinSum / (longitudeScale * beta1.cos)
    if y > -1e-12, x > -1 {
      let sine = Swift.min(1, -x)
      return (sine, -(1 - sine * sine).squareRoot())
    }
    let k = Self.astroid(x, y)
    let omega = Trig.sincos(longitudeScale * (-x * k / (1 + k)))
    let lift = beta2.cos * beta1.sin * omega.sin * omega.sin
    return Geodesy.unit(beta2.cos * omega.sin, sinSum - lift / (1 + omega.cos))
  }

  /// The positive root k of (x/(1+k))² + (y/k)² = 1 (Karney 2013, equation 55), near enough for a guess.
  ///
  /// The left side falls and is convex, so Newton's steps from below the root approach it from below.
  private static func astroid(_ x: Double, _ y: Double) -> Double {
    var k = Swift.max(abs(y), abs(x) - 1)
    for _ in 0..<8 {
      let u = x / (1 + k)
      let v = y / k
      k += (u * u + v * v - 1) / (2 * (u * u / (1 + k) + v * v / k))
    }
    return k
  }

  /// The angle from one direction to another, 0 to π.
  static func angle(from a: SineCosine, to b: SineCosine) -> Double {
    let d = difference(from: a, to: b)
    return Trig.atan2(d.sin, d.cos)
  }

  /// The angle from one direction to another, 0 to π, as sine and cosine.
  static func difference(from a: SineCosine, to b: SineCosine) -> SineCosine {
    let sine = a.cos * b.sin - a.sin * b.cos
    // Not `max`, which may give -0 and so turn π into -π.
    return (sine > 0 ? sine : 0, a.cos * b.cos + a.sin * b.sin)
  }

  /// The difference of a series between two places.
  static func sum(_ c: GeodesicSeries.Coefficients, _ from: SineCosine, _ to: SineCosine) -> Double {
    GeodesicSeries.sineSum(c, sine: to.sin, cosine: to.cos)
      - GeodesicSeries.sineSum(c, sine: from.sin, cosine: from.cos)
  }
}
