import LocationCore
import TestSupport
import Testing

@testable import LocationFormats

@Suite struct RegionLocatorTests {
  /// Every region asked, as a check on the tree.
  static func slowly(_ regions: [Region], _ place: Coordinate) throws -> (
    inside: [Int], nearest: Int, edge: Double
  ) {
    var inside: [Int] = []
    var nearest = (index: -1, edge: Double.infinity)
    for (index, region) in regions.enumerated() {
      let edge = try ShapeGeometry(region.shape).edgeMeters(at: place)
      if edge <= 0 { inside.append(index) }
      if abs(edge) < abs(nearest.edge) { nearest = (index, edge) }
    }
    return (inside, nearest.index, nearest.edge)
  }

  static func randomPlace(_ random: inout SeededRandom, near centers: [Coordinate]) -> Coordinate {
    switch random.next() % 4 {
    case 0:
      return Coordinate(latitude: random.uniform(in: -90...90), longitude: random.uniform(in: -180...180))!
    case 1:
      // Poles, the antimeridian and round numbers.
      let latitudes: [Double] = [-90, 90, 0, 89.999, -89.9999, 45]
      let longitudes: [Double] = [180, -180, 0, 90, -90, 179.9999, -179.9999]
      return Coordinate(
        latitude: latitudes[Int(random.next() % 6)], longitude: longitudes[Int(random.next() % 7)])!
    default:
      let center =
        centers.isEmpty
        ? Coordinate(latitude: 0, longitude: 0)! : centers[Int(random.next() % UInt64(centers.count))]
      let latitude = min(90, max(-90, center.latitude + random.normal(sigma: 0.05)))
      return Coordinate(
        latitude: latitude,
        longitude: Geodesy.normalizedLongitude(center.longitude + random.normal(sigma: 0.05)))!
    }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 65, 700])
  func `finds what asking every region finds`(count: Int) throws {
    var random = SeededRandom(UInt64(4_000 + count))
    var centers: [Coordinate] = []
    var regions: [Region] = []
    for number in 0..<count {
      let center = Self.randomPlace(&random, near: centers)
      centers.append(center)
      // From metres to most of the Earth.
      let radius = min(2e7, 10 * Trig.exp(random.uniform(in: 0...(random.chance(0.05) ? 14.5 : 8))))
      regions.append(Region(id: "\(number)", shape: .circle(center: center, radiusMeters: radius)))
    }
    var locator = try RegionLocator(regions)
    var answer = RegionLocator.Answer()
    for _ in 0..<300 {
      let place = Self.randomPlace(&random, near: centers)
      locator.locate(place, into: &answer)
      let wanted = try Self.slowly(regions, place)
      #expect(answer.inside == wanted.inside, "\(random) \(place)")
      #expect(answer.nearest?.index ?? -1 == wanted.nearest, "\(random) \(place)")
      #expect(answer.nearest?.edgeMeters ?? .infinity == wanted.edge, "\(random) \(place)")
    }
  }

  @Test func `a box in the Earth-centred frame holds its places and is never too far`() throws {
    var random = SeededRandom(77)
    for _ in 0..<500 {
      let south = random.uniform(in: -90...90)
      let north = random.uniform(in: south...90)
      let west = random.uniform(in: -180...180)
      let width = random.chance(0.1) ? 360 : random.uniform(in: 0...360)
      let box = GeocentricBox(GeoBox(south: south, north: north, west: west, width: width))
      let within = Coordinate(
        latitude: random.uniform(in: south...north),
        longitude: Geodesy.normalizedLongitude(west + random.uniform(in: 0...width)))!
      let point = GeocentricBox.point(within)
      #expect(all(point .>= box.low) && all(point .<= box.high), "\(random)")
      let other = Self.randomPlace(&random, near: [within])
      let miss = pointwiseMax(
        pointwiseMax(box.low - GeocentricBox.point(other), GeocentricBox.point(other) - box.high), .zero)
      let distance = Double((miss * miss).sum().squareRoot())
      #expect(distance <= Geodesy.distanceMeters(within, other) + 1, "\(random)")
    }
  }
}
