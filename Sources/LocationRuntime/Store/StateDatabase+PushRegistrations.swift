import GRDB
package import LocationFormats

/// A subscriber's place at a distributor of pushes (UnifiedPush), with the keys that senders encrypt for. Keys are
/// base64url, as Web Push writes them.
package struct PushRegistration: Hashable, Sendable {
  /// What the distributor knows it by. Who has it may send.
  package var token: String
  /// Whose it is; nil where that one is gone, and the distributor has to be told.
  package var subscriber: String?
  /// Its private key, which stays on the machine.
  package var secret: String
  /// Its public key (`p256dh`).
  package var point: String
  /// What senders know beside it (`auth`).
  package var auth: String
  /// The bus name of the distributor that was told of it; nil where none was.
  package var distributor: String?
  /// Where senders post; nil where the distributor has not said.
  package var endpoint: String?

  /// One with a new token, of which no distributor knows yet.
  package init(subscriber: String, secret: String, point: String, auth: String) {
    token = RandomToken.hex()
    self.subscriber = subscriber
    self.secret = secret
    self.point = point
    self.auth = auth
  }

  /// The same keys under another token: what one distributor knew is of no use to the next.
  package func renewed() -> PushRegistration {
    var other = self
    other.token = RandomToken.hex()
    other.distributor = nil
    other.endpoint = nil
    return other
  }
}

extension PushRegistration {
  fileprivate init(_ row: Row) throws {
    token = try row.decode(forColumn: "token")
    subscriber = try row.decode(forColumn: "subscriber")
    secret = try row.decode(forColumn: "secret")
    point = try row.decode(forColumn: "point")
    auth = try row.decode(forColumn: "auth")
    distributor = try row.decode(forColumn: "distributor")
    endpoint = try row.decode(forColumn: "endpoint")
  }
}

extension StateDatabase {
  /// Where distributors deliver to (section H).
  static let pushRegistrationsMigration = Migration(
    name: "push registrations",
    sql: """
      CREATE TABLE push_registrations (
        token TEXT PRIMARY KEY,
        subscriber TEXT UNIQUE, -- NULL: gone, and the distributor is to be told
        secret TEXT NOT NULL,
        point TEXT NOT NULL,
        auth TEXT NOT NULL,
        distributor TEXT,
        endpoint TEXT
      ) STRICT, WITHOUT ROWID;
      """)

  /// All of them, those of subscribers by name first.
  package func pushRegistrations() throws(Failure) -> [PushRegistration] {
    try fetchPushRegistrations("ORDER BY subscriber IS NULL, subscriber, token")
  }

  /// The one of a token; nil where it is nobody's.
  package func pushRegistration(ofToken token: String) throws(Failure) -> PushRegistration? {
    try fetchPushRegistrations("WHERE token = ?", [token]).first
  }

  /// The one of a subscriber; nil where it has none.
  package func pushRegistration(of name: String) throws(Failure) -> PushRegistration? {
    try fetchPushRegistrations("WHERE subscriber = ?", [name]).first
  }

  private func fetchPushRegistrations(
    _ clause: String, _ arguments: StatementArguments = []
  ) throws(Failure) -> [PushRegistration] {
    try read("push_registrations") { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM push_registrations \(clause)", arguments: arguments
      ).map { try PushRegistration($0) }
    }
  }

  /// Stores one, in the place of the one of its token, or of another.
  package func put(
    _ registration: PushRegistration, insteadOf other: PushRegistration? = nil
  ) throws(Failure) {
    try write { database in
      try database.execute(
        sql: "DELETE FROM push_registrations WHERE token IN (?, ?)",
        arguments: [registration.token, other?.token])
      try database.execute(
        sql: """
          INSERT INTO push_registrations (token, subscriber, secret, point, auth, distributor, endpoint)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          registration.token, registration.subscriber, registration.secret, registration.point,
          registration.auth, registration.distributor, registration.endpoint,
        ])
    }
  }

  /// Forgets one.
  package func remove(_ registration: PushRegistration) throws(Failure) {
    try write { database in
      try database.execute(
        sql: "DELETE FROM push_registrations WHERE token = ?", arguments: [registration.token])
    }
  }
}
