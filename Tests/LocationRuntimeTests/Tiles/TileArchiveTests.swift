import GRDB
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// Archives of map tiles.
@Suite struct TileArchiveTests {
  private let folder = TemporaryFolder()
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2, 3]

  /// The numbers of the specification's own table (PMTiles version 3, section 4.1).
  @Test(arguments: [
    (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5),
    (12, 3423, 1763, 19_078_479),
  ])
  func `tiles are numbered as the specification does`(zoom: Int, x: Int, y: Int, number: UInt64) {
    #expect(MapTile(zoom: zoom, x: x, y: y).hilbertNumber == number)
  }

  @Test func `each tile of a zoom has a number of its own`() {
    var numbers: Set<UInt64> = []
    for x in 0..<32 { for y in 0..<32 { numbers.insert(MapTile(zoom: 5, x: x, y: y).hilbertNumber) } }
    let first: UInt64 = 1 + 4 + 16 + 64 + 256
    #expect(numbers == Set(first..<first + 1024))
  }

  @Test func `a place is in the tile that the web's maps have it in`() throws {
    // The tiles of OpenStreetMap's wiki for Berlin, and those of a place on the other side.
    let berlin = try #require(Coordinate(latitude: 52.5200, longitude: 13.4050))
    #expect(MapTile(zoom: 10, holding: berlin) == MapTile(zoom: 10, x: 550, y: 335))
    let fiji = try #require(Coordinate(latitude: -17.0, longitude: 179.9999))
    #expect(MapTile(zoom: 3, holding: fiji) == MapTile(zoom: 3, x: 7, y: 4))
    let pole = try #require(Coordinate(latitude: 90, longitude: 0))
    #expect(MapTile(zoom: 3, holding: pole).y == 0)
  }

  /// An archive with one directory that is not packed: tile 0 of zoom 0, and a run of two of zoom 1.
  private func archive(_ metadata: String, version: UInt8 = 3) -> [UInt8] {
    // Count; numbers as differences; runs; lengths; offsets, where 0 is right behind the one before.
    let directory: [UInt8] = [2, 0, 1, 1, 2, 7, 7, 1, 0]
    func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let names = Array(metadata.utf8)
    let start = 127
    var bytes = Array("PMTiles".utf8) + [version]
    bytes += number(start) + number(directory.count)
    bytes += number(start + directory.count) + number(names.count)
    bytes += number(0) + number(0)
    bytes += number(start + directory.count + names.count) + number(14)
    bytes += number(3) + number(2) + number(2)
    bytes += [1, 1, 1, 2, 0, 1]
    bytes += [UInt8](repeating: 0, count: start - bytes.count)
    return bytes + directory + names + Self.png + Self.png.dropLast() + [9]
  }

  private func write(_ bytes: [UInt8]) throws -> String {
    let path = folder("map.pmtiles")
    try OutputFile(path: path, isPrivate: true).write(bytes)
    return path
  }

  @Test func `tiles come out of a PMTiles archive, also those of a run`() throws {
    let path = try write(archive(#"{"attribution":"<a href='x'>&copy; Someone</a>"}"#))
    var tiles = try PMTiles(path: path)
    #expect(tiles.attribution == "© Someone")
    #expect(tiles.zooms == 0...1)
    #expect(try tiles.tile(MapTile(zoom: 0, x: 0, y: 0)) == Self.png)
    #expect(try tiles.tile(MapTile(zoom: 1, x: 0, y: 0))?.last == 9)
    #expect(try tiles.tile(MapTile(zoom: 1, x: 0, y: 1))?.last == 9)
    #expect(try tiles.tile(MapTile(zoom: 1, x: 1, y: 1)) == nil)
    #expect(try tiles.tile(MapTile(zoom: 2, x: 0, y: 0)) == nil)
  }

  @Test func `an archive that is cut or of another version is refused`() throws {
    let whole = archive("{}")
    let other = try write(archive("{}", version: 2))
    #expect(throws: Failure.self) { _ = try PMTiles(path: other) }
    for length in [0, 7, 100, 126, 127] {
      let path = try write(Array(whole.prefix(length)))
      #expect(throws: Failure.self, "\(length)") { _ = try PMTiles(path: path) }
    }
    // A tile that lies behind the end.
    let path = try write(Array(whole.dropLast()))
    var tiles = try PMTiles(path: path)
    #expect(throws: Failure.self) { try tiles.tile(MapTile(zoom: 1, x: 0, y: 0)) }
  }

  @Test func `an MBTiles file counts its rows from the south`() throws {
    let path = folder("map.mbtiles")
    let queue = try DatabaseQueue(path: path)
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE metadata (name text, value text);
          CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
          INSERT INTO metadata VALUES ('attribution', '&copy; Someone');
          INSERT INTO tiles VALUES (2, 1, 3, x'89504E47010203');
          """)
    }
    var tiles = try MBTiles(path: path)
    #expect(tiles.attribution == "© Someone")
    #expect(tiles.zooms == 2...2)
    #expect(try tiles.tile(MapTile(zoom: 2, x: 1, y: 0)) == Self.png)
    #expect(try tiles.tile(MapTile(zoom: 2, x: 1, y: 3)) == nil)
    let other = folder.write("no.mbtiles", "SQLite format 3 it is not")
    #expect(throws: Failure.self) { _ = try MBTiles(path: other) }
  }
}
