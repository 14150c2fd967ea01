package import LocationCore

/// A square of the web's maps: in zoom 0 one holds the world, and each further zoom halves them
/// (https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames).
package struct MapTile: Hashable, Sendable {
  /// 0 to 30.
  package var zoom: Int
  /// From 0 at 180 degrees west to the east.
  package var x: Int
  /// From 0 in the north to the south.
  package var y: Int

  package init(zoom: Int, x: Int, y: Int) {
    self.zoom = zoom
    self.x = x
    self.y = y
  }

  /// The tile that holds a place. Places beyond the map's edge, 85.05 degrees, are in the last row.
  package init(zoom: Int, holding place: Coordinate) {
    let tiles = Double(1 << zoom)
    let sine = min(max(Trig.sin(place.latitude * Trig.radiansPerDegree), -0.9999), 0.9999)
    let down = 0.5 - Trig.log((1 + sine) / (1 - sine)) / (4 * Double.pi)
    let east = place.longitude / 360 + 0.5
    self.init(
      zoom: zoom, x: min(max(Int(east * tiles), 0), (1 << zoom) - 1),
      y: min(max(Int(down * tiles), 0), (1 << zoom) - 1))
  }

  /// The number of the tile in a PMTiles archive: those of lesser zooms first, then along a Hilbert curve.
  var hilbertNumber: UInt64 {
    var number: UInt64 = 0
    for level in 0..<zoom { number += 1 << UInt64(2 * level) }
    var (x, y) = (x, y)
    var side = zoom > 0 ? 1 << (zoom - 1) : 0
    while side > 0 {
      let right = x & side > 0 ? 1 : 0
      let lower = y & side > 0 ? 1 : 0
      number += UInt64(side) * UInt64(side) * UInt64((3 * right) ^ lower)
      if lower == 0 {
        if right == 1 {
          x = side - 1 - (x & (side - 1))
          y = side - 1 - (y & (side - 1))
        }
        swap(&x, &y)
      }
      side /= 2
    }
    return number
  }
}

/// A picture of a tile.
package enum TilePicture {
  /// The media type of a picture, or of vectors, by its first bytes; nil for what is neither.
  package static func mediaType(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.count > 12, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
      return "image/webp"
    }
    // Vectors are packed with gzip, or begin with a layer, which is field 3 (vector tile specification, section 4.1).
    if bytes.starts(with: [0x1F, 0x8B]) || bytes.first == 0x1A {
      return "application/vnd.mapbox-vector-tile"
    }
    return nil
  }
}

/// A file of tiles.
package protocol TileArchive: ~Copyable {
  /// Who made the map, as it asks to be named; may be empty. Plain text.
  var attribution: String { get }
  /// The zooms that it has tiles of.
  var zooms: ClosedRange<Int> { get }
  /// The bytes of a tile; nil where the archive has none.
  ///
  /// - Throws: ``Failure`` where the file can't be read.
  mutating func tile(_ tile: MapTile) throws(Failure) -> [UInt8]?
}
