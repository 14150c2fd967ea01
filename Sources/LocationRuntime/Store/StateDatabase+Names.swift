import GRDB
import LocationFormats

extension StateDatabase {
  /// What has names that the user chooses.
  struct Named {
    fileprivate let what: String
    fileprivate let table: String
    fileprivate let column: String
    /// How the user sees the names as they are written.
    fileprivate let list: String

    static let region = Named(what: "a region", table: "regions", column: "id", list: "regions list")
    static let subscriber = Named(
      what: "a subscriber", table: "subscribers", column: "name", list: "subscribers list")
    static let outlet = Named(
      what: "an outlet", table: "outlet_settings", column: "name", list: "outlets list")

    /// The names with a character of more than one byte.
    fileprivate var query: String {
      "SELECT \(column) FROM \(table) WHERE length(\(column)) <> length(CAST(\(column) AS BLOB))"
    }
  }

  /// Whether a name is there, and is to be replaced. A new name is refused where another has it in other bytes.
  ///
  /// - Throws: a ``Failure``, `.cantCreate`, where it is there and may not be replaced; what the database throws.
  func replaces(
    _ name: String, of named: Named, ifAsked isAsked: Bool, _ database: Database
  ) throws -> Bool {
    let query = "SELECT 1 FROM \(named.table) WHERE \(named.column) = ?"
    guard try Int.fetchOne(database, sql: query, arguments: [name]) != nil else {
      try requireOneSpelling(name, of: named, database)
      return false
    }
    guard isAsked else { throw isThere(name, of: named) }
    return true
  }

  /// What is said of a name that is there and may not be replaced.
  func isThere(_ name: String, of named: Named) -> Failure {
    Failure(
      .cantCreate, file: path, what: "there is \(named.what) \"\(name)\" already",
      remedy: "add --replace, or remove it first")
  }

  /// Refuses a new name that another has in other bytes: "é" can be one character or two, and is the same text.
  ///
  /// - Parameter spellings: the names with such characters; read when the first is asked for.
  /// - Throws: a ``Failure``, `.cantCreate`, where there is one; what the database throws.
  func requireOneSpelling(
    _ name: String, of named: Named, among spellings: inout Set<String>?, _ database: Database
  ) throws {
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return }
    var known = try spellings ?? String.fetchSet(database, sql: named.query)
    let isNew = known.insert(name).inserted
    spellings = known
    guard isNew else {
      throw Failure(
        .cantCreate, file: path,
        what: "there is \(named.what) \"\(name)\" already, whose accents are written in other bytes",
        remedy: "copy its \(named.column) from locwatch \(named.list), or remove it first")
    }
  }

  /// The same for one name.
  func requireOneSpelling(_ name: String, of named: Named, _ database: Database) throws {
    var spellings: Set<String>?
    try requireOneSpelling(name, of: named, among: &spellings, database)
  }
}
