import Glibc
import LocationCore

/// Regions and a track in a square of 2 by 2 degrees at 48 N 11 E, the same as `peers/geos_regions.c` makes.
struct Scene {
  enum Kind: String { case circles, polygons, mixed }
  enum Motion: String { case walk, drive }

  let kind: Kind
  let regions: Int
  let vertices: Int
  let motion: Motion
  let fixes: Int

  static let south = 47.0
  static let west = 10.0
  static let side = 2.0

  /// The regions, one after another from the seed.
  func makeRegions() -> [Region] {
    var made: [Region] = []
    made.reserveCapacity(regions)
    makeEach { made.append($0) }
    return made
  }

  /// Makes each region and keeps none; how many.
  @discardableResult
  func makeEach(_ body: (Region) throws -> Void) rethrows -> Int {
    var random = Seeded(state: 7)
    var count = 0
    for index in 0..<regions {
      guard let region = makeRegion(index, &random) else { continue }
      try body(region)
      count += 1
    }
    return count
  }

  /// Of ten mixed regions six are circles, three polygons and one a corridor.
  private func makeRegion(_ index: Int, _ random: inout Seeded) -> Region? {
    let latitude = Self.south + Self.side * random.unit()
    let longitude = Self.west + Self.side * random.unit()
    let radius = 50 + 450 * random.unit() * random.unit()
    let kind = self.kind != .mixed ? self.kind : index % 10 < 6 ? .circles : .polygons
    let id = "r\(index)"
    if self.kind == .mixed, index % 10 == 9 {
      let turn = 2 * Double.pi * random.unit()
      let (x, y) = (2 * radius * cos(turn), 2 * radius * sin(turn))
      let line = [(-x, -y), (-0.2 * y, 0.2 * x), (x, y)].compactMap { east, north in
        Coordinate(latitude: latitude + north * 9e-6, longitude: longitude + east * 1.35e-5)
      }
      return Region(
        id: id, shape: .corridor(line: line, bufferMeters: 10 + 40 * random.unit()), initial: .silent)
    }
    guard kind == .polygons else {
      return Coordinate(latitude: latitude, longitude: longitude).map {
        Region(id: id, shape: .circle(center: $0, radiusMeters: radius), initial: .silent)
      }
    }
    var ring: [Coordinate] = []
    ring.reserveCapacity(vertices + 1)
    for corner in 0..<vertices {
      let turn = 2 * Double.pi * Double(corner) / Double(vertices)
      let reach = radius * (1 - 0.3 * random.unit())
      let north = latitude + reach * sin(turn) * 9e-6
      let east = longitude + reach * cos(turn) * 1.35e-5
      guard let place = Coordinate(latitude: north, longitude: east) else { return nil }
      ring.append(place)
    }
    ring.append(ring[0])
    return Region(id: id, shape: .polygon(Region.Polygon(shell: ring)), initial: .silent)
  }

  /// One fix a second.
  func makeFixes() -> [Fix] {
    var track = Track(isDrive: motion == .drive)
    return (0..<fixes).compactMap { second in
      let (latitude, longitude) = track.next()
      let microseconds = Int64(second) * 1_000_000
      return Coordinate(latitude: latitude, longitude: longitude).map { place in
        Fix(
          time: UTCTime(microseconds: microseconds), instant: EngineInstant(microseconds: microseconds),
          coordinate: place, accuracy: Accuracy(radiusMeters: 7.5, source: .reported))
      }
    }
  }
}

/// A walk of up to 10 m a step in any direction, or a drive at 30 m/s with slow turns; it bounces off the sides.
private struct Track {
  var random = Seeded(state: 99)
  var latitude = 48.0
  var longitude = 11.0
  var east = 30.0
  var north = 0.0
  let isDrive: Bool

  mutating func next() -> (Double, Double) {
    if isDrive {
      let turn = (random.unit() - 0.5) * 0.1
      (east, north) = (east - turn * north, north + turn * east)
      let scale = 30 / (east * east + north * north).squareRoot()
      east *= scale
      north *= scale
    } else {
      east = (random.unit() - 0.5) * 20
      north = (random.unit() - 0.5) * 20
    }
    latitude += north * 9e-6
    longitude += east * 1.35e-5
    if latitude < Scene.south || latitude > Scene.south + Scene.side {
      latitude -= 2 * north * 9e-6
      north = -north
    }
    if longitude < Scene.west || longitude > Scene.west + Scene.side {
      longitude -= 2 * east * 1.35e-5
      east = -east
    }
    return (latitude, longitude)
  }
}
