extension StateDatabase {
  /// What the daemon keeps: how it comes back as if it had never been away, and what it has told whom.
  static let daemonMigration = Migration(
    name: "daemon",
    sql: """
      CREATE TABLE meta (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE journal (               -- every event that reached the engine
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,               -- the engine's axis, microseconds
        line TEXT NOT NULL                 -- a line of a recording
      ) STRICT;

      CREATE TABLE snapshots (             -- the engine after the first so many rows of the journal
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        engine TEXT NOT NULL               -- JSON
      ) STRICT;

      CREATE TABLE events (                -- every record, in order
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id INTEGER NOT NULL UNIQUE,
        type TEXT NOT NULL,
        time INTEGER NOT NULL,             -- UTC, microseconds since 1970
        line TEXT NOT NULL                 -- NDJSON, all but v and seq
      ) STRICT;

      CREATE TABLE subscribers (
        name TEXT PRIMARY KEY,
        manifest TEXT NOT NULL,            -- JSON
        applied TEXT                       -- the manifest as the engine was last told it
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE outbox (                -- who has not acknowledged what
        subscriber TEXT NOT NULL,
        event INTEGER NOT NULL,            -- id of an event
        state TEXT NOT NULL,               -- waiting, or handed to the running process
        PRIMARY KEY (subscriber, event)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE requests (              -- for the daemon, made while none ran
        number INTEGER PRIMARY KEY,
        event TEXT NOT NULL                -- JSON
      ) STRICT;

      CREATE TABLE energy (
        day TEXT NOT NULL,                 -- UTC
        component TEXT NOT NULL,
        subscriber TEXT NOT NULL,
        rule TEXT NOT NULL,
        joules REAL NOT NULL,
        seconds REAL NOT NULL,
        PRIMARY KEY (day, component, subscriber, rule)
      ) STRICT, WITHOUT ROWID;
      """)
}
