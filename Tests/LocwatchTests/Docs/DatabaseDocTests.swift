import GRDB
import TestSupport
import Testing

/// `Docs/Wire.md` has the tables of the state file.
@Suite struct DatabaseDocTests {
  @Test func `every table of the state file is described with its columns, and no other`() async throws {
    let folder = TemporaryFolder()
    let state = folder("s.db")
    let run = try await Binary.run(["regions", "add", "home", "--circle", "48,11,100", "--state", state])
    #expect(run.status == 0, "\(run)")
    let (version, tables) = try await DatabaseQueue(path: state).read { database in
      let names = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      let tables = try names.map { ($0, try database.columns(in: $0).map(\.name)) }
      return (try Int.fetchOne(database, sql: "PRAGMA user_version"), tables)
    }
    let section = try #require(try Markdown("Docs/Wire.md").section("Database"))
    #expect(section.contains("the version of the schema: \(version ?? 0)."))
    let rows = Markdown.rows(in: section)
    #expect(Set(rows.flatMap { Markdown.codes(in: $0[0]) }) == Set(tables.map(\.0)))
    for (table, columns) in tables {
      let described = rows.first { Markdown.codes(in: $0[0]) == [table] }.map { Markdown.codes(in: $0[2]) }
      #expect(Set(columns).isSubset(of: described ?? []), "\(table)")
    }
  }
}
