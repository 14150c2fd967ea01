import GRDB
import LocationCore
import LocationFormats

/// The regions that the engine has and had. A snapshot refers to them by its number and does not repeat them.
extension StateDatabase {
  static let regionVersionsMigration = Migration(
    name: "region versions",
    sql: """
      CREATE TABLE region_versions (       -- a region as the engine has or had it
        id TEXT NOT NULL,
        since INTEGER NOT NULL,            -- the row of the journal that added it; 0: before the first
        until INTEGER,                     -- the row that removed it; NULL while the engine has it
        geojson TEXT NOT NULL,             -- a Feature, as in regions
        UNIQUE (id, since)
      ) STRICT;
      ALTER TABLE snapshots ADD COLUMN regions TEXT NOT NULL DEFAULT 'here'; -- here: in engine; else: versions
      """)

  /// Where the regions of a snapshot are.
  enum SnapshotRegions: String {
    /// In the snapshot itself, as before there were versions, and where those are not what the engine has.
    case here
    /// In the table of versions.
    case versions
  }

  /// A region that an event added or removed.
  struct RegionVersionChange {
    /// Place of the event among the rows of a batch.
    var row: Int
    var id: String
    /// The Feature; nil where the region was removed.
    var geoJSON: String?
  }

  /// Notes what became of regions.
  ///
  /// - Parameter number: of the row of the journal before the first of the batch.
  static func apply(_ changes: [RegionVersionChange], after number: Int64, _ database: Database) throws {
    for change in changes {
      let row = number + 1 + Int64(change.row)
      try database.cachedStatement(
        sql: "UPDATE region_versions SET until = ? WHERE id = ? AND until IS NULL"
      ).execute(arguments: [row, change.id])
      guard let geoJSON = change.geoJSON else { continue }
      try database.cachedStatement(
        sql: "INSERT OR REPLACE INTO region_versions (id, since, geojson) VALUES (?, ?, ?)"
      ).execute(arguments: [change.id, row, geoJSON])
    }
  }

  /// Whether the versions are all the regions that an engine has.
  func hasVersions(ofAll regionCount: Int) throws(Failure) -> Bool {
    try read("region_versions") { database in
      try Int.fetchOne(database, sql: "SELECT count(*) FROM region_versions WHERE until IS NULL")
    } == regionCount
  }

  /// Ids of regions that the engine has and the table of regions has no more.
  func removedRegionIDs() throws(Failure) -> [String] {
    try read("region_versions") { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT id FROM region_versions
          WHERE until IS NULL AND id NOT IN (SELECT id FROM regions) ORDER BY id
          """)
    }
  }

  /// Begins the versions anew with those regions that an engine has as the table of regions has them.
  ///
  /// - Parameter regions: the table's.
  func adoptVersions(_ regions: [StoredRegion], of engine: borrowing Engine) throws(Failure) {
    var same: [StoredRegion] = []
    for stored in regions where engine.region(stored.region.id) == stored.region { same.append(stored) }
    try write { database in
      let number = try Self.lastJournalNumber(database)
      try database.execute(
        sql: "UPDATE region_versions SET until = ? WHERE until IS NULL", arguments: [number])
      let changes = same.map { RegionVersionChange(row: -1, id: $0.region.id, geoJSON: $0.geoJSON) }
      try Self.apply(changes, after: number, database)
    }
  }

  /// The regions that the engine had at a snapshot.
  func versions(at number: Int64) throws(Failure) -> [Region] {
    let bytes = try read("region_versions") { database in
      try Self.lines(
        of: String.fetchCursor(
          database,
          sql: """
            SELECT geojson FROM region_versions WHERE since <= ?1 AND (until IS NULL OR until > ?1)
            """, arguments: [number]))
    }
    return try file(of: bytes, table: "region_versions").regions
  }

  /// Forgets versions that no snapshot needs.
  static func discardVersions(_ database: Database) throws {
    try database.execute(
      sql: "DELETE FROM region_versions WHERE until <= (SELECT min(number) FROM snapshots)")
  }
}
