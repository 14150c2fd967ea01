import GRDB
import LocationFormats

extension StateDatabase {
  /// What has names that the user chooses.
  enum Named {
    case region, subscriber, outlet

    fileprivate var query: String {
      switch self {
      case .region: "SELECT id FROM regions WHERE length(id) <> length(CAST(id AS BLOB))"
      case .subscriber: "SELECT name FROM subscribers WHERE length(name) <> length(CAST(name AS BLOB))"
      case .outlet: "SELECT name FROM outlet_settings WHERE length(name) <> length(CAST(name AS BLOB))"
      }
    }

    fileprivate var words: (what: String, list: String) {
      switch self {
      case .region: ("a region", "copy its id from locwatch regions list")
      case .subscriber: ("a subscriber", "copy its name from locwatch subscribers list")
      case .outlet: ("an outlet", "copy its name from locwatch outlets list")
      }
    }
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
        what: "there is \(named.words.what) \"\(name)\" already, whose accents are written in other bytes",
        remedy: "\(named.words.list), or remove it first")
    }
  }

  /// The same for one name.
  func requireOneSpelling(_ name: String, of named: Named, _ database: Database) throws {
    var spellings: Set<String>?
    try requireOneSpelling(name, of: named, among: &spellings, database)
  }
}
