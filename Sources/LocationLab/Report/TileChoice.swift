import LocationCore
import LocationFormats

/// Which tiles a page gets: the whole surroundings of the track in coarse zooms, and in finer ones what lies along it.
struct TileChoice {
  /// From coarse to fine; within a zoom in the order of their places.
  private(set) var tiles: [MapTile] = []

  /// The pictures of a page come to no more than so many bytes; what is finer is left out then.
  static let mostBytes = 16 << 20
  /// A zoom is too coarse where the next shows everything in so few tiles.
  private static let fewTiles = 12
  /// The whole surroundings are taken up to so many tiles of one zoom.
  private static let mostAround = 48
  /// What lies along the track is taken up to so many.
  private static let mostAlong = 250

  /// - Parameter zooms: those that there are.
  init(_ report: TrackReport, zooms: ClosedRange<Int>) {
    let places = Self.places(report)
    guard !places.isEmpty else { return }
    func crossed(in zoom: Int) -> Set<MapTile> { Set(places.map { MapTile(zoom: zoom, holding: $0) }) }
    for zoom in zooms {
      if zoom < zooms.upperBound, Box(crossed(in: zoom + 1)).count <= Self.fewTiles { continue }
      let along = crossed(in: zoom)
      let box = Box(along)
      if box.count <= Self.mostAround {
        tiles += box.tiles(in: zoom)
        continue
      }
      let near = Set(along.flatMap { Box([$0]).tiles(in: zoom) })
      guard near.count <= Self.mostAlong else { return }
      tiles += near.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    }
  }

  private static func places(_ report: TrackReport) -> [Coordinate] {
    let points = report.points
    return points.uses.indices.compactMap { index in
      guard points.uses[index] != .refused else { return nil }
      return Coordinate(
        latitude: Double(points.latitudes[index]) / TrackReport.Points.scale,
        longitude: Double(points.longitudes[index]) / TrackReport.Points.scale)
    }
  }

  /// The tiles around some, with one more to each side, within the world.
  private struct Box {
    var columns = 0...0
    var rows = 0...0

    init(_ tiles: Set<MapTile>) {
      guard let any = tiles.first else { return }
      let last = (1 << any.zoom) - 1
      let west = tiles.reduce(any.x) { min($0, $1.x) }
      let east = tiles.reduce(any.x) { max($0, $1.x) }
      let north = tiles.reduce(any.y) { min($0, $1.y) }
      let south = tiles.reduce(any.y) { max($0, $1.y) }
      columns = max(0, west - 1)...min(last, east + 1)
      rows = max(0, north - 1)...min(last, south + 1)
    }

    var count: Int { columns.count * rows.count }

    func tiles(in zoom: Int) -> [MapTile] {
      columns.flatMap { x in rows.map { MapTile(zoom: zoom, x: x, y: $0) } }
    }
  }
}
