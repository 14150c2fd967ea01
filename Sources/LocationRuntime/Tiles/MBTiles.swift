import GRDB
import LocationCore
package import LocationFormats

/// An MBTiles file, version 1.3 (https://github.com/mapbox/mbtiles-spec/blob/master/1.3/spec.md).
package struct MBTiles: TileArchive {
  /// What every SQLite database begins with.
  package static let signature = Array("SQLite format 3".utf8)

  package let attribution: String
  package let zooms: ClosedRange<Int>
  private let path: String
  private let queue: DatabaseQueue

  /// Opens a file.
  ///
  /// - Throws: `.noInput` where there is none, `.data` where it has no tiles, and what SQLite says.
  package init(path: String) throws(Failure) {
    self.path = path
    var configuration = Configuration()
    configuration.readonly = true
    configuration.prepareDatabase { database in try database.execute(sql: "PRAGMA trusted_schema = OFF") }
    do {
      queue = try DatabaseQueue(path: path.hasPrefix("/") ? path : "./\(path)", configuration: configuration)
      let (text, least, most) = try queue.read { database in
        (
          try String.fetchOne(database, sql: "SELECT value FROM metadata WHERE name = 'attribution'"),
          try Int.fetchOne(database, sql: "SELECT min(zoom_level) FROM tiles") ?? 0,
          try Int.fetchOne(database, sql: "SELECT max(zoom_level) FROM tiles") ?? 0
        )
      }
      attribution = Markup.plain(text ?? "")
      let first = min(max(least, 0), 30)
      zooms = first...max(first, min(most, 30))
    } catch {
      throw Failure(
        .data, file: path, what: "no MBTiles file: \(Self.words(error))",
        remedy: "give a file of MBTiles or PMTiles")
    }
  }

  package mutating func tile(_ tile: MapTile) throws(Failure) -> [UInt8]? {
    do {
      return try queue.read { database in
        // Rows count from the south.
        let digits = try String.fetchOne(
          database,
          sql: "SELECT hex(tile_data) FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
          arguments: [tile.zoom, tile.x, (1 << tile.zoom) - 1 - tile.y])
        return digits.flatMap { [UInt8](hexadecimal: Array($0.utf8)) }
      }
    } catch {
      throw Failure(.data, file: path, what: "can't read its tiles: \(Self.words(error))")
    }
  }

  private static func words(_ error: any Error) -> String {
    (error as? DatabaseError).flatMap(\.message) ?? "\(error)"
  }
}
