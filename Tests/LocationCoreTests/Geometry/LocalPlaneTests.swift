import Testing

@testable import LocationCore

@Suite struct LocalPlaneTests {
  @Test func isRightToItsStatedError() throws {
    var noise = SeededNoise(seed: 12)
    for _ in 0..<20_000 {
      let latitude = noise.uniform(-80...80)
      let plane = LocalPlane(latitude: latitude)
      let west = noise.uniform(-180...180)
      let a = Coordinate(
        uncheckedLatitude: latitude + noise.uniform(-0.06...0.06),
        longitude: Geodesy.normalizedLongitude(west))
      let b = Coordinate(
        uncheckedLatitude: latitude + noise.uniform(-0.06...0.06),
        longitude: Geodesy.normalizedLongitude(west + noise.uniform(-0.3...0.3)))
      guard let meters = plane.distanceMeters(a, b) else { continue }
      #expect(abs(meters - Geodesy.distanceMeters(a, b)) < LocalPlane.errorMeters)
    }
    let here = Coordinate(uncheckedLatitude: 50, longitude: 7)
    #expect(LocalPlane(latitude: 50.01).distanceMeters(here, here) == 0)
    #expect(LocalPlane(latitude: 51).distanceMeters(here, here) == nil)
  }
}
