import LocationCore
import Testing

@testable import LocationLab

@Suite struct GeodesicLegTests {
  static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)!
  }

  @Test(arguments: [
    (place(52.5163, 13.3777), place(52.5251, 13.3694)),
    (place(52.5163, 13.3777), place(52.5163001, 13.3777001)),
    (place(0, 0), place(0, 10)),
    (place(0, 179.99), place(0, -179.99)),
    (place(-16.85, 179.9), place(-17.2, -178.95)),
    (place(-45, 10), place(45, 40)),
    (place(70, -179), place(71, 178)),
    (place(52, 13), place(-33, -70)),
    (place(89, 0), place(89, 170)),
    (place(10, 20), place(-10, 20)),
  ])
  func `a leg ends where it was to end`(start: Coordinate, end: Coordinate) {
    let leg = GeodesicLeg(from: start, to: end)
    #expect(Geodesy.distanceMeters(leg.coordinate(at: leg.lengthMeters), end) < 1e-4)
    #expect(Geodesy.distanceMeters(leg.coordinate(at: 0), start) < 1e-6)
    let half = leg.coordinate(at: leg.lengthMeters / 2)
    let sum = Geodesy.distanceMeters(start, half) + Geodesy.distanceMeters(half, end)
    #expect(abs(sum - leg.lengthMeters) < 1e-3)
  }

  @Test func `any two places up to a quarter of the Earth apart are joined`() {
    var random = SplitMix64(seed: 20)
    for _ in 0..<2000 {
      let start = Self.place(random.uniform(in: -89...89), random.uniform(in: -180...180))
      // Lengths of every size from a centimetre on.
      let length = GeodesicLeg.longestMeters * Trig.exp(-random.uniform(in: 0...20))
      let azimuth = random.uniform(in: 0...360)
      let end = Geodesy.direct(from: start, azimuthDegrees: azimuth, distanceMeters: length)
      let leg = GeodesicLeg(from: start, to: end)
      let miss = Geodesy.distanceMeters(leg.coordinate(at: leg.lengthMeters), end)
      #expect(miss < 1e-3, "\(start) \(end) \(length)")
    }
  }

  @Test(arguments: [(0.0, 1.0, 0.0), (1, 0, 90), (0, -1, 180), (-1, 0, -90)])
  func `the course is the direction of travel`(east: Double, north: Double, degrees: Double) {
    let start = Self.place(0, 20)
    let leg = GeodesicLeg(from: start, to: Self.place(north / 100, 20 + east / 100))
    let turn = (leg.courseDegrees(at: 500) - degrees).remainder(dividingBy: 360)
    #expect(abs(turn) < 0.01)
  }

  @Test func `a leg to where it starts is nothing`() {
    #expect(GeodesicLeg(from: Self.place(1, 2), to: Self.place(1, 2)).lengthMeters == 0)
  }
}
