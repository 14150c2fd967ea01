import LocationCore
import Testing

@Suite struct LocalScaleTests {
  @Test(
    "The length of a degree is that of WGS 84",
    arguments: [
      // latitude, metres in a degree of latitude and of longitude: a (1 - e²) / W³ and a cos φ / W
      (0.0, 110_574.27582, 111_319.49079), (45, 111_131.77741, 78_846.83509),
      (-60, 111_412.28746, 55_800.00157),
      (90, 111_693.97956, 0),
    ] as [(Double, Double, Double)])
  func degrees(latitude: Double, north: Double, east: Double) {
    let scale = LocalScale(latitude: latitude)
    #expect(abs(scale.metersPerDegreeLatitude - north) < 1e-5)
    #expect(abs(scale.metersPerDegreeLongitude - east) < 1e-5)
  }

  @Test("The scale is the slope of the distance")
  func slope() {
    var random = RandomPlaces(41)
    for _ in 0..<300 {
      let here = random.place(latitudes: -89...89)
      let scale = LocalScale(latitude: here.latitude)
      let north = Geodesy.distanceMeters(
        Coordinate.at(latitude: here.latitude - 1e-4, longitude: 0),
        Coordinate.at(latitude: here.latitude + 1e-4, longitude: 0))
      expectAlways(abs(north / 2e-4 / scale.metersPerDegreeLatitude - 1) < 1e-8, "\(random) \(here)")
      let east = Geodesy.distanceMeters(
        Coordinate.at(latitude: here.latitude, longitude: 0),
        Coordinate.at(latitude: here.latitude, longitude: 1e-4))
      expectAlways(abs(east / 1e-4 / scale.metersPerDegreeLongitude - 1) < 1e-8, "\(random) \(here)")
    }
  }

  @Test("A planar distance is never wronger than the scale says")
  func errorBound() {
    var random = RandomPlaces(42)
    for _ in 0..<3000 {
      let origin = random.place()
      let meters = random.size(in: 1...1e6)
      let scale = LocalScale(latitude: origin.latitude)
      let bound = scale.errorMeters(within: meters)
      guard bound < .infinity else { continue }
      let offset = scale.offset(of: random.place(from: origin, meters: meters), from: origin)
      let planar = Trig.hypot(offset.east, offset.north)
      expectAlways(abs(planar - meters) <= bound + 1e-7, "\(random) \(origin) \(meters)")
    }
    #expect(LocalScale(latitude: 50).errorMeters(within: 1000) < 0.045)
    #expect(LocalScale(latitude: 90).errorMeters(within: 1) == .infinity)
  }

  @Test("An offset leads back to its place, over the antimeridian too")
  func roundTrip() {
    var random = RandomPlaces(43)
    for index in 0..<500 {
      let origin = Coordinate.at(
        latitude: random.number(in: -85...85),
        longitude: index % 2 == 0 ? 179.9999 : random.number(in: -180...180))
      let scale = LocalScale(latitude: origin.latitude)
      let east = random.number(in: -1000...1000)
      let north = random.number(in: -1000...1000)
      let there = scale.coordinate(east: east, north: north, from: origin)
      expectAlways(abs(there.longitude) <= 180, "\(random)")
      let offset = scale.offset(of: there, from: origin)
      expectAlways(abs(offset.east - east) < 1e-7 && abs(offset.north - north) < 1e-7, "\(random) \(origin)")
    }
  }

  @Test("A plane at a pole stays on the globe")
  func pole() {
    let scale = LocalScale(latitude: 90)
    let there = scale.coordinate(east: 5, north: 5, from: Coordinate.at(latitude: 90, longitude: 0))
    #expect(Coordinate(latitude: there.latitude, longitude: there.longitude) != nil)
  }
}
