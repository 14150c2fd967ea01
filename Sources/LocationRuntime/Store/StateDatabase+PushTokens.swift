import GRDB
package import LocationFormats

extension StateDatabase {
  /// What senders of pushes show to name a subscriber (section H).
  static let pushTokensMigration = Migration(
    name: "push tokens",
    sql: """
      CREATE TABLE push_tokens (
        subscriber TEXT PRIMARY KEY,
        token TEXT NOT NULL UNIQUE
      ) STRICT, WITHOUT ROWID;
      """)

  /// The token of a subscriber; nil where it has none.
  package func pushToken(of name: String) throws(Failure) -> String? {
    try read("push_tokens") { database in
      try String.fetchOne(
        database, sql: "SELECT token FROM push_tokens WHERE subscriber = ?", arguments: [name])
    }
  }

  /// Whose token it is; nil where it is nobody's.
  func subscriber(ofPushToken token: String) throws(Failure) -> String? {
    try read("push_tokens") { database in
      try String.fetchOne(
        database, sql: "SELECT subscriber FROM push_tokens WHERE token = ?", arguments: [token])
    }
  }

  /// Draws a token for each of these that has none.
  func drawPushTokens(for names: [String]) throws(Failure) {
    let known = try read("push_tokens") { database in
      try Set(String.fetchAll(database, sql: "SELECT subscriber FROM push_tokens"))
    }
    // What is drawn already costs no transaction.
    guard !known.isSuperset(of: names) else { return }
    try write { database in
      for name in names {
        try database.execute(
          sql: "INSERT OR IGNORE INTO push_tokens (subscriber, token) VALUES (?, ?)",
          arguments: [name, RandomToken.hex()])
      }
    }
  }
}
