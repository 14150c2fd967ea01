import LocationCore
import Testing

@Suite struct GeodesyLocalTests {
  @Test("The local distance is never wronger than it says")
  func bound() {
    var random = RandomPlaces(21)
    for _ in 0..<10_000 {
      let a = random.place()
      let b = random.place(from: a, meters: random.size(in: 1e-3...8e6))
      let local = Geodesy.localDistance(a, b)
      // What the exact one may itself be wrong.
      let rounding = 3e-8
      expectAlways(
        abs(local.meters - Geodesy.exactDistance(a, b)) <= local.errorMeters + rounding,
        "\(random) \(a) \(b)")
    }
  }

  @Test(
    "The local distance is good enough to be asked first",
    arguments: [
      // latitude, metres, the error it may claim
      (0.0, 1000.0, 1e-10), (50, 5000, 1e-9), (50, 50_000, 1e-4), (50, 500_000, 10),
      (70, 20_000, 1e-5), (-85, 2000, 1e-8), (89, 1000, 1e-4),
    ] as [(Double, Double, Double)])
  func usefulness(latitude: Double, meters: Double, errorMeters: Double) {
    var random = RandomPlaces(22)
    for _ in 0..<100 {
      let a = Coordinate.at(latitude: latitude, longitude: random.number(in: -180...180))
      let b = random.place(from: a, meters: meters)
      expectAlways(Geodesy.localDistance(a, b).errorMeters < errorMeters, "\(random) \(b)")
    }
  }

  @Test(
    "The local distance says so where it knows nothing",
    arguments: [
      ((90.0, 0.0), (90.0, 90.0)), ((89.9999, 0), (89.9999, 180)), ((0, 0), (0, 120)), ((90, 0), (-90, 0)),
    ] as [((Double, Double), (Double, Double))])
  func ignorance(a: (Double, Double), b: (Double, Double)) {
    let local = Geodesy.localDistance(
      Coordinate.at(latitude: a.0, longitude: a.1), Coordinate.at(latitude: b.0, longitude: b.1))
    #expect(local.errorMeters == .infinity)
  }
}
