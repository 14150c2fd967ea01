import LocationCore
import Testing

@Suite struct GeodesyTests {
  struct Published: Sendable, CustomTestStringConvertible {
    var name: String
    var from: (Double, Double)
    var to: (Double, Double)
    var meters: Double
    var toleranceMeters = 1e-6
    var testDescription: String { name }
  }

  /// Lengths with their source; half a meridian and the equator follow from the ellipsoid's parameters.
  static let published = [
    // Geocentric Datum of Australia Technical Manual, the line of Vincenty's paper on GRS 80 (to 1 mm).
    Published(
      name: "Flinders Peak to Buninyong", from: (-37.95103341666667, 144.42486788888888),
      to: (-37.65282113888889, 143.92649552777777), meters: 54972.271, toleranceMeters: 1e-3),
    // Karney 2013, tables 2, 3 and 4.
    Published(
      name: "Karney's direct line", from: (40, 0), to: (41.79331020506, 137.84490004377),
      meters: 10_000_000, toleranceMeters: 2e-6),
    Published(
      name: "Karney's short line", from: (-30.12345, 0), to: (-30.12344, 0.00005), meters: 4.944208),
    Published(
      name: "Karney's nearly antipodal line", from: (-30, 0), to: (29.9, 179.8),
      meters: 19_989_832.827610),
    Published(name: "pole to pole", from: (90, 12), to: (-90, -60), meters: 20_003_931.458625),
    Published(name: "antipodes on the equator", from: (0, 0), to: (0, 180), meters: 20_003_931.458625),
    Published(name: "antipodes elsewhere", from: (33, -100), to: (-33, 80), meters: 20_003_931.458625),
    Published(name: "a quarter meridian", from: (0, 5), to: (90, 170), meters: 10_001_965.729313),
    Published(name: "a degree of the equator", from: (0, 179.5), to: (0, -179.5), meters: 111_319.490793),
    Published(name: "a quarter of the equator", from: (0, -45), to: (0, 45), meters: 10_018_754.171395),
    Published(name: "the same place", from: (48, 11), to: (48, 11), meters: 0, toleranceMeters: 0),
    Published(name: "the same meridian", from: (48, 180), to: (48, -180), meters: 0, toleranceMeters: 0),
    Published(name: "one pole, two longitudes", from: (90, 10), to: (90, -120), meters: 0),
  ]

  @Test("A published length is met", arguments: published)
  func publishedLength(_ line: Published) {
    let a = Coordinate.at(latitude: line.from.0, longitude: line.from.1)
    let b = Coordinate.at(latitude: line.to.0, longitude: line.to.1)
    #expect(abs(Geodesy.distanceMeters(a, b) - line.meters) <= line.toleranceMeters)
    #expect(abs(Geodesy.distanceMeters(b, a) - line.meters) <= line.toleranceMeters)
    #expect(abs(Geodesy.inverse(from: a, to: b).lengthMeters - line.meters) <= line.toleranceMeters)
  }

  /// A micrometre and less, against the scale of the ellipsoid there.
  @Test("A tiny distance keeps its digits", arguments: [-89.0, -60, -1e-9, 0, 12, 45, 75, 89.9])
  func tiny(latitude: Double) {
    var random = RandomPlaces(11)
    let scale = LocalScale(latitude: latitude)
    for _ in 0..<200 {
      let degrees = random.size(in: 1e-11...1e-8)
      // Exactly representable steps from 179.9999... over the antimeridian too.
      let longitude = random.number(in: 0...1) < 0.5 ? random.number(in: -180...180) : 180 - degrees / 3
      let a = Coordinate.at(latitude: latitude, longitude: longitude)
      let east = longitude + degrees > 180 ? (longitude - 360) + degrees : longitude + degrees
      let b = Coordinate.at(
        latitude: latitude + random.number(in: -1...1) * degrees, longitude: Swift.max(-180, east))
      let offset = scale.offset(of: b, from: a)
      let expected = (offset.east * offset.east + offset.north * offset.north).squareRoot()
      expectAlways(abs(Geodesy.distanceMeters(a, b) - expected) <= 1e-7 * expected + 1e-24, "\(random)")
    }
  }

  @Test("Near the poles neither longitude nor the pole itself breaks it")
  func nearThePoles() {
    var random = RandomPlaces(12)
    for _ in 0..<300 {
      let pole = random.number(in: -1...1) < 0 ? -90.0 : 90.0
      let colatitudes = (random.size(in: 1e-12...1e-3), random.size(in: 1e-12...1e-3))
      let a = Coordinate.at(latitude: pole + (pole < 0 ? 1 : -1) * colatitudes.0, longitude: 25)
      let turn = random.number(in: -180...180)
      let b = Coordinate.at(
        latitude: pole + (pole < 0 ? 1 : -1) * colatitudes.1,
        longitude: Geodesy.normalizedLongitude(25 + turn))
      // Flat polar coordinates; the ground is flat to 1e-9 m within 100 m of the pole.
      let perDegree = LocalScale(latitude: pole).metersPerDegreeLatitude
      let r1 = (90 - abs(a.latitude)) * perDegree
      let r2 = (90 - abs(b.latitude)) * perDegree
      let half = Trig.sin(turn * Trig.radiansPerDegree / 2)
      let expected = ((r1 - r2) * (r1 - r2) + 4 * r1 * r2 * half * half).squareRoot()
      expectAlways(abs(Geodesy.distanceMeters(a, b) - expected) < 1e-8, "\(random) \(a) \(b)")
    }
  }

  @Test("Distance does not depend on the direction, the hemisphere or the prime meridian")
  func symmetries() {
    var random = RandomPlaces(13)
    for index in 0..<2000 {
      let a = random.place()
      let b = index % 2 == 0 ? random.place() : random.place(from: a, meters: random.size(in: 0.1...1e6))
      let forward = Geodesy.distanceMeters(a, b)
      expectAlways(abs(Geodesy.distanceMeters(b, a) - forward) < 2e-8, "\(random) \(a) \(b)")
      let south = Geodesy.distanceMeters(
        Coordinate.at(latitude: -a.latitude, longitude: -a.longitude),
        Coordinate.at(latitude: -b.latitude, longitude: -b.longitude))
      expectAlways(abs(south - forward) < 2e-8, "\(random) \(a) \(b)")
      let turn = random.number(in: -180...180)
      let turned = Geodesy.distanceMeters(
        Coordinate.at(latitude: a.latitude, longitude: Geodesy.normalizedLongitude(a.longitude + turn)),
        Coordinate.at(latitude: b.latitude, longitude: Geodesy.normalizedLongitude(b.longitude + turn)))
      // A longitude near 360 is rounded to 6e-14 degrees, 6 nm.
      expectAlways(abs(turned - forward) < 4e-8, "\(random) \(a) \(b)")
    }
  }

  @Test("A longitude that is a whole turn off gives the same distance")
  func wholeTurns() {
    var random = RandomPlaces(14)
    for _ in 0..<500 {
      let a = random.place()
      let b = random.place(from: a, meters: random.size(in: 1...1e7))
      let off = Coordinate(
        uncheckedLatitude: b.latitude, longitude: b.longitude + (b.longitude < a.longitude ? 360 : -360))
      expectAlways(
        abs(Geodesy.distanceMeters(a, off) - Geodesy.distanceMeters(a, b)) < 4e-8, "\(random) \(a) \(b)")
    }
  }

  @Test("No way round by a third place is shorter")
  func triangles() {
    var random = RandomPlaces(15)
    for index in 0..<1000 {
      let a = random.place()
      let b = index % 2 == 0 ? random.place() : random.place(from: a, meters: random.size(in: 1...1e5))
      let c = index % 3 == 0 ? random.place() : random.place(from: b, meters: random.size(in: 1...1e5))
      let around = Geodesy.distanceMeters(a, b) + Geodesy.distanceMeters(b, c)
      expectAlways(Geodesy.distanceMeters(a, c) <= around + 6e-8, "\(random) \(a) \(b) \(c)")
    }
  }

  @Test("Every pair has a distance, at most half a meridian")
  func always() {
    var random = RandomPlaces(16)
    let latitudes = [-90, -89.999999999, -45, -1e-13, 0, 1e-13, 1e-300, 45, 89.999999999, 90]
    for _ in 0..<8000 {
      let fixed = random.number(in: 0...1) < 0.3
      let latitude =
        fixed ? latitudes[Int(random.number(in: 0...9.99))] : random.number(in: -90...90)
      let longitude = fixed ? 180 : random.number(in: -180...180)
      // Around the antipode, at every scale.
      let scale = random.size(in: 1e-14...5)
      let toLatitude = -latitude + random.number(in: -1...1) * scale
      let toLongitude = Geodesy.normalizedLongitude(longitude + 180 + random.number(in: -1...1) * scale)
      let a = Coordinate.at(latitude: latitude, longitude: longitude)
      let b = Coordinate.at(latitude: Swift.max(-90, Swift.min(90, toLatitude)), longitude: toLongitude)
      let meters = Geodesy.distanceMeters(a, b)
      expectAlways(meters > 1.9e7 && meters <= 20_003_931.4586255, "\(random) \(a) \(b)")
    }
  }

  @Test("What degrees alone tell to be beyond is beyond, along parallels too")
  func surelyBeyond() {
    var random = RandomPlaces(18)
    for _ in 0..<20_000 {
      let a = Coordinate.at(latitude: random.number(in: -90...90), longitude: random.number(in: -180...180))
      let step = random.size(in: 1e-6...1)
      let b = Coordinate.at(
        latitude: Swift.max(-90, Swift.min(90, a.latitude + random.number(in: -0.02...0.02) * step)),
        longitude: Geodesy.normalizedLongitude(a.longitude + step))
      let exact = Geodesy.exactDistance(a, b)
      expectAlways(!Geodesy.isSurelyBeyond(exact, from: a, b), "\(random) \(a) \(b)")
    }
  }

  @Test("A decision on a threshold is that of the exact distance")
  func decisions() {
    var random = RandomPlaces(17)
    for _ in 0..<3000 {
      let a = random.place()
      let b = random.place(from: a, meters: random.size(in: 0.01...1.9e7))
      let exact = Geodesy.exactDistance(a, b)
      let margin = random.size(in: 1e-7...1)
      expectAlways(Geodesy.isAtLeast(exact - margin, from: a, to: b), "\(random) \(a) \(b)")
      expectAlways(!Geodesy.isAtLeast(exact + margin, from: a, to: b), "\(random) \(a) \(b)")
      expectAlways(!Geodesy.isWithin(exact - margin, of: a, b), "\(random) \(a) \(b)")
      expectAlways(Geodesy.isWithin(exact + margin, of: a, b), "\(random) \(a) \(b)")
      expectAlways(!Geodesy.isSurelyWithin(exact, of: a, b), "\(random) \(a) \(b)")
      expectAlways(!Geodesy.isSurelyBeyond(exact, from: a, b), "\(random) \(a) \(b)")
      // As far in degrees of the equator's length as the meridian and the parallel make together, at most.
      if abs(a.latitude) < 60, exact < 1e5 {
        expectAlways(Geodesy.isSurelyWithin(3 * exact, of: a, b), "\(random) \(a) \(b)")
        // The longer of the two is seven tenths of the way, and its cosine is taken for nine tenths at least.
        expectAlways(
          exact > 5e4 || Geodesy.isSurelyBeyond(0.6 * exact, from: a, b), "\(random) \(a) \(b)")
      }
    }
    let here = random.place()
    #expect(!Geodesy.isSurelyBeyond(0, from: here, here))
    #expect(!Geodesy.isSurelyWithin(0, of: here, here))
    #expect(Geodesy.isAtLeast(0, from: here, to: here))
    #expect(Geodesy.isWithin(0, of: here, here))
    #expect(!Geodesy.isAtLeast(.infinity, from: here, to: here))
  }

  @Test(
    "The difference of longitude is the short way, to the last digit",
    arguments: [
      (10.0, 20.0, 10.0), (20, 10, -10), (170, -170, 20), (-170, 170, -20), (-180, 180, 0), (180, -180, 0),
      (0, 180, 180), (0, -180, -180), (179.99999999, -180, 180 - 179.99999999),
      (179.99999999, -179.99999998, (180 - 179.99999999) + (180 - 179.99999998)),
      (-179.99999998, 179.99999999, -((180 - 179.99999999) + (180 - 179.99999998))),
    ] as [(Double, Double, Double)])
  func longitudeDifference(from: Double, to: Double, expected: Double) {
    #expect(Geodesy.longitudeDifference(from: from, to: to) == expected)
  }
}
