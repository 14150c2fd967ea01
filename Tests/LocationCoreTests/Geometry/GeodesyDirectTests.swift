import LocationCore
import Testing

@Suite struct GeodesyDirectTests {
  @Test("The direct problem of Karney's paper is met")
  func karney() {
    // Karney 2013, table 2.
    let arrival = Geodesy.arrival(
      from: Coordinate.at(latitude: 40, longitude: 0), azimuthDegrees: 30, distanceMeters: 10_000_000)
    #expect(abs(arrival.place.latitude - 41.79331020506) < 1e-11)
    #expect(abs(arrival.place.longitude - 137.84490004377) < 1e-11)
    #expect(abs(arrival.azimuthDegrees - 149.09016931807) < 1e-11)
  }

  @Test("The inverse problem of Karney's paper is met")
  func karneyInverse() {
    // Karney 2013, tables 3 and 4.
    let short = Geodesy.inverse(
      from: Coordinate.at(latitude: -30.12345, longitude: 0),
      to: Coordinate.at(latitude: -30.12344, longitude: 0.00005))
    #expect(abs(short.startAzimuthDegrees - 77.04353354237) < 2e-9)
    let long = Geodesy.inverse(
      from: Coordinate.at(latitude: -30, longitude: 0), to: Coordinate.at(latitude: 29.9, longitude: 179.8))
    #expect(abs(long.startAzimuthDegrees - 161.890524736) < 1e-9)
    #expect(abs(long.endAzimuthDegrees - 18.090737246) < 1e-9)
  }

  @Test("What the direct problem reaches is as far as it was told")
  func roundTrip() {
    var random = RandomPlaces(31)
    for _ in 0..<3000 {
      let start = random.place()
      let meters = random.size(in: 1e-3...1.99e7)
      let end = random.place(from: start, meters: meters)
      expectAlways(Coordinate(latitude: end.latitude, longitude: end.longitude) != nil, "\(random) \(end)")
      expectAlways(abs(Geodesy.distanceMeters(start, end) - meters) < 6e-8, "\(random) \(start) \(meters)")
    }
  }

  @Test("The direct problem goes where the inverse one says")
  func followsInverse() {
    var random = RandomPlaces(32)
    for index in 0..<2000 {
      let start = random.place(latitudes: -89.9...89.9)
      let end =
        index % 2 == 0
        ? random.place(latitudes: -89.9...89.9) : random.place(from: start, meters: random.size(in: 1...1e5))
      let line = Geodesy.inverse(from: start, to: end)
      let arrival = Geodesy.arrival(
        from: start, azimuthDegrees: line.startAzimuthDegrees, distanceMeters: line.lengthMeters)
      expectAlways(Geodesy.distanceMeters(arrival.place, end) < 1e-6, "\(random) \(start) \(end)")
      let turn = (arrival.azimuthDegrees - line.endAzimuthDegrees).remainder(dividingBy: 360)
      // The direction between places a metre apart is known to 1e-8 m.
      expectAlways(abs(turn) * Trig.radiansPerDegree * line.lengthMeters < 1e-5, "\(random) \(start) \(end)")
    }
  }

  @Test("A negative distance goes back along the same line")
  func backwards() {
    var random = RandomPlaces(33)
    for _ in 0..<500 {
      let start = random.place(latitudes: -89...89)
      let azimuth = random.number(in: -720...720)
      let meters = random.size(in: 1...1e7)
      let back = Geodesy.direct(from: start, azimuthDegrees: azimuth, distanceMeters: -meters)
      let turned = Geodesy.direct(from: start, azimuthDegrees: azimuth + 180, distanceMeters: meters)
      expectAlways(Geodesy.distanceMeters(back, turned) < 1e-6, "\(random) \(start) \(azimuth)")
    }
  }

  @Test(
    "Poles, the equator and the antimeridian are passed",
    arguments: [
      // from, azimuth, metres, to
      ((90.0, 0.0), 180.0, 10_001_965.729313, (0.0, 0.0)),
      ((90, 0), 90, 10_001_965.729313, (0, 90)),
      ((-90, 20), 30, 10_001_965.729313, (0, 50)),
      ((89, 10), 0, 2 * 111_693.864914, (89, -170)),
      ((0, 179.5), 90, 111_319.490793, (0, -179.5)),
      ((0, 0), 90, 0, (0, 0)),
      ((0, 0), 0, 20_003_931.458625, (0, 180)),
    ] as [((Double, Double), Double, Double, (Double, Double))])
  func special(from: (Double, Double), azimuth: Double, meters: Double, to: (Double, Double)) {
    let end = Geodesy.direct(
      from: Coordinate.at(latitude: from.0, longitude: from.1), azimuthDegrees: azimuth,
      distanceMeters: meters)
    #expect(Geodesy.distanceMeters(end, Coordinate.at(latitude: to.0, longitude: to.1)) < 1e-5)
  }
}
