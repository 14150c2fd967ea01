import GRDB
import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Regions as GeoJSON, with what they are looked up by.
  static let regionsMigration = Migration(
    name: "regions",
    sql: """
      CREATE TABLE regions (
        number INTEGER PRIMARY KEY,     -- their order: as they were added
        id TEXT NOT NULL UNIQUE,
        name TEXT,
        tags TEXT NOT NULL,             -- a JSON list of strings
        geojson TEXT NOT NULL           -- a Feature; id, name and tags follow from it
      ) STRICT;
      """)

  /// What became of regions that were put.
  package struct PutCount: Hashable, Sendable {
    /// Were not there before.
    package var added = 0
    /// Were there, and differ now.
    package var changed = 0
    /// Were there to the letter.
    package var unchanged = 0
  }

  /// Which regions are meant.
  package enum RegionChoice: Hashable, Sendable {
    case all
    case ids([String])
    /// Those that have the tag.
    case tag(String)
    /// Those that the engine does not have, or not like that.
    case unapplied
  }

  /// A region, and the Feature that it is stored as.
  struct StoredRegion {
    var region: Region
    var geoJSON: String
  }

  /// Stores every region of some files, or none of them; those of the same id are replaced in place.
  ///
  /// - Parameter changing: whether regions that are there already may be replaced.
  /// - Throws: `.cantCreate` where one is there already and may not be replaced; `.data` where two files have
  ///   the same id; whatever SQLite meets.
  package func put(_ files: [RegionFile], changing: Bool) throws(Failure) -> PutCount {
    try write { database in
      var count = PutCount()
      let find = try database.makeStatement(sql: "SELECT geojson FROM regions WHERE id = ?")
      let insert = try database.makeStatement(
        sql: "INSERT INTO regions (id, name, tags, geojson) VALUES (?, ?, ?, ?)")
      let update = try database.makeStatement(
        sql: "UPDATE regions SET name = ?2, tags = ?3, geojson = ?4 WHERE id = ?1")
      var seen: Set<String> = []
      var spellings: Set<String>?
      for file in files {
        for index in file.regions.indices {
          let feature = try file.feature(at: index)
          let region = feature.region
          guard files.count == 1 || seen.insert(region.id).inserted else {
            throw Failure(
              .data, file: file.name, what: "region \"\(region.id)\" is in an earlier file too",
              remedy: "ids are unique")
          }
          let row: StatementArguments = [
            region.id, region.name, JSONText.strings(feature.tags), feature.geoJSON,
          ]
          if let was = try String.fetchOne(find, arguments: [region.id]) {
            guard changing else { throw isThere(region.id, of: .region) }
            if was == feature.geoJSON {
              count.unchanged += 1
            } else {
              try update.execute(arguments: row)
              count.changed += 1
            }
          } else {
            try requireOneSpelling(region.id, of: .region, among: &spellings, database)
            try insert.execute(arguments: row)
            count.added += 1
          }
        }
      }
      return count
    }
  }

  /// Puts a region in the place of another, under its id or a new one, if that is still as it was read.
  ///
  /// - Parameters:
  ///   - was: the Feature that was read.
  ///   - file: the one region.
  /// - Throws: `.tryAgain` where it was changed or removed meanwhile; `.cantCreate` where the new id is taken.
  package func replace(_ id: String, as was: RegionFeature, with file: RegionFile) throws(Failure) {
    let feature = try file.feature(at: 0)
    try write { try replace(id, as: was, with: feature, $0) }
  }

  /// The same within a transaction.
  func replace(
    _ id: String, as was: RegionFeature, with feature: RegionFeature, _ database: Database
  ) throws {
    let find = try database.makeStatement(sql: "SELECT geojson FROM regions WHERE id = ?")
    guard try String.fetchOne(find, arguments: [id]) == was.geoJSON else {
      throw Failure(
        .tryAgain, file: path, what: "region \"\(id)\" was changed or removed meanwhile",
        remedy: "try again")
    }
    let new = feature.region.id
    if new != id, try String.fetchOne(find, arguments: [new]) != nil {
      throw Failure(
        .cantCreate, file: path, what: "there is a region \"\(new)\" already", remedy: "remove it first")
    }
    if new != id {
      try requireOneSpelling(new, of: .region, database)
    }
    try database.execute(
      sql: "UPDATE regions SET id = ?, name = ?, tags = ?, geojson = ? WHERE id = ?",
      arguments: [new, feature.region.name, JSONText.strings(feature.tags), feature.geoJSON, id])
  }

  /// The regions that are meant, in the order in which they were added, as one file of GeoJSON.
  ///
  /// - Throws: `.data` where what is stored can't be read.
  package func regions(_ choice: RegionChoice = .all) throws(Failure) -> RegionFile { try rows(choice).file }

  /// The regions that are meant, in the order in which they were added, each with its text.
  ///
  /// - Throws: `.data` where what is stored can't be read.
  func storedRegions(_ choice: RegionChoice) throws(Failure) -> [StoredRegion] {
    let (texts, file) = try rows(choice)
    return zip(file.regions, texts).map { StoredRegion(region: $0, geoJSON: $1) }
  }

  /// The texts of some regions, and what they say.
  ///
  /// - Throws: `.data` with the first that can't be read, or is another region's.
  private func rows(_ choice: RegionChoice) throws(Failure) -> (texts: [String], file: RegionFile) {
    var ids: [String] = []
    var texts: [String] = []
    var bytes: [UInt8] = []
    try read("regions") { database in
      let rows = try Self.rows(choice, database)
      while let row = try rows.next() {
        guard let id = String.fromDatabaseValue(row[0]), let text = String.fromDatabaseValue(row[1]) else {
          throw Self.damage("a row of its table regions has no text", path)
        }
        ids.append(id)
        texts.append(text)
        bytes += text.utf8
        bytes.append(UInt8(ascii: "\n"))
      }
    }
    let file: RegionFile
    do throws(Failure) {
      file = try self.file(of: bytes, table: "regions")
    } catch {
      throw unreadable(among: choice) ?? error
    }
    guard file.regions.lazy.map(\.id).elementsEqual(ids) else {
      throw unreadable(among: choice) ?? Self.damage("a row of its table regions is not one region", path)
    }
    return (texts, file)
  }

  private static func rows(_ choice: RegionChoice, _ database: Database) throws -> RowCursor {
    let (condition, arguments) = condition(choice)
    return try Row.fetchCursor(
      database, sql: "SELECT id, geojson FROM regions \(condition) ORDER BY number", arguments: arguments)
  }

  /// The first of some regions whose Feature can't be read, by its id; nil where each can be read by itself.
  private func unreadable(among choice: RegionChoice) -> Failure? {
    try? read { database in
      var seen: Set<String> = []
      let rows = try Self.rows(choice, database)
      while let row = try rows.next() {
        guard let id = String.fromDatabaseValue(row[0]), let text = String.fromDatabaseValue(row[1]),
          !id.unicodeScalars.contains(where: { $0.value < 0x20 })
        else { return nil }
        guard seen.insert(id).inserted else {
          return Self.unreadable(id, "another region has the same id in other bytes", path)
        }
        do throws(Failure) {
          let regions = try RegionFile.read(bytes: Array(text.utf8), name: path).regions
          guard regions.count == 1, let region = regions.first else {
            return Self.unreadable(id, "it is not one region", path)
          }
          guard region.id == id else {
            return Self.unreadable(id, "its Feature has the id \"\(region.id)\"", path)
          }
        } catch {
          return Self.unreadable(id, error.what, path)
        }
      }
      return nil
    }
  }

  private static func unreadable(_ id: String, _ what: String, _ path: String) -> Failure {
    UnreadableRow(.region, id, what).failure(path)
  }

  /// Stored Features, a line each.
  static func lines(of features: FastDatabaseValueCursor<String>) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let text = try features.next() {
      bytes.append(contentsOf: text.utf8)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// Reads stored Features, a line each.
  ///
  /// - Parameter table: where they are from, for messages.
  func file(of bytes: [UInt8], table: String) throws(Failure) -> RegionFile {
    guard !bytes.isEmpty else { return RegionFile(name: path) }
    do throws(Failure) {
      return try RegionFile.read(bytes: bytes, name: path)
    } catch {
      throw Self.damage("its table \(table) can't be read: \(error.what)", path)
    }
  }

  /// Removes the regions that are meant; how many.
  package func remove(_ choice: RegionChoice) throws(Failure) -> Int {
    try write { database in
      let (condition, arguments) = Self.condition(choice)
      try database.execute(sql: "DELETE FROM regions \(condition)", arguments: arguments)
      return database.changesCount
    }
  }

  /// Those of the ids that no region has, in their order.
  package func unknown(among ids: [String]) throws(Failure) -> [String] {
    try read { database in
      let find = try database.makeStatement(sql: "SELECT 1 FROM regions WHERE id = ?")
      return try ids.filter { try Int.fetchOne(find, arguments: [$0]) == nil }
    }
  }

  /// Ids of the regions that are meant, in the order in which they were added.
  package func regionIDs(_ choice: RegionChoice = .all) throws(Failure) -> [String] {
    let (condition, arguments) = Self.condition(choice)
    return try read {
      try String.fetchAll(
        $0, sql: "SELECT id FROM regions \(condition) ORDER BY number", arguments: arguments)
    }
  }

  private static func condition(_ choice: RegionChoice) -> (sql: String, arguments: StatementArguments) {
    switch choice {
    case .all: ("", [])
    // One argument however many ids there are: SQLite has a limit of 32,766. To it a zero byte ends a text, and no id has
    // one.
    case .ids(let ids):
      (
        "WHERE id IN (SELECT value FROM json_each(?))",
        [JSONText.strings(ids.filter { !$0.utf8.contains(0) })]
      )
    case .tag(let tag): ("WHERE EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)", [tag])
    case .unapplied:
      (
        """
        WHERE NOT EXISTS (
          SELECT 1 FROM region_versions AS v
          WHERE v.id = regions.id AND v.until IS NULL AND v.geojson = regions.geojson)
        """, []
      )
    }
  }
}
