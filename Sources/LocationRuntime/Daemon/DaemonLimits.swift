/// Every bound of the daemon, in one place.
package enum DaemonLimits {
  /// Reports of programs that are taken before all else has its turn: our choice, half a second's answers of one.
  static let reportsPerTurn = 64
  /// Rows of the journal after which the engine is stored anew: 17 minutes of a fix a second, replayed in a moment.
  static let snapshotRows = 1_000
  /// Bytes of a snapshot for which one more row is waited: about what a row of the journal takes, so that the two
  /// write as much.
  static let snapshotShare = 256
  /// Transactions after which the log is written into the database: of a fix and what follows from it, seven pages
  /// each, fewer than the 1,000 pages after which SQLite does it before the next is told.
  static let commitsInLog = 128
  /// Transactions after which it is looked how much room the disk has, where it had plenty: 1 MB of fixes.
  static let commitsUnseen = 32
  /// Regions that are read, added or removed together, and stored before there are more.
  static let regionsAtOnce = 1_000
  /// How long the daemon waits for another program that writes to the state file, seconds: more than a command's
  /// transaction takes, and little for a fix, a program or a command that waits meanwhile.
  static let lockSeconds = 1.0
  /// Seconds by which something due may be late before the daemon takes itself for having been stopped.
  static let lateSeconds = 2.0
  /// Rows that wait in memory while the disk takes none: more than a day of a fix a second, some 40 MB.
  static let heldRows = 100_000
  /// The longest wait between two attempts to store, seconds.
  static let retrySeconds = 60.0
  /// Clients of the control socket at once.
  static let clients = 64
  /// Clients that may follow; the other places are for commands.
  static let followers = 48
  /// Requests that are answered in one turn, before fixes and programs are looked at again.
  static let requestsInTurn = 16
  /// Requests of one client in one turn.
  static let requestsOfClient = 4
  /// Events at once that are a burst: a receiver's ten fixes a second and what gpsd says beside them stay below.
  static let burstEvents = 32
  /// How much is read of a client at once, bytes.
  static let pieceBytes = 1 << 16
  /// Answers that a client may leave unread, bytes, before its next requests have to wait.
  static let unreadBytes = 1 << 18
  /// Seconds after which a client that neither asks nor follows is closed.
  static let silentSeconds = 10.0
  /// Seconds after which such a client is closed for another.
  static let evictionSeconds = 1.0
  /// Seconds until clients are accepted again after there were no descriptors for them.
  static let pauseSeconds = 1.0
  /// The longest request, bytes: the ids of some ten thousand regions.
  static let requestBytes = 1 << 20
  /// What may wait to be read by a client, bytes.
  static let answerBytes = 1 << 26
  /// Seconds after which a hook that does not end is killed.
  static let hookSeconds = 30.0
  /// Seconds that programs have in all to end with the daemon: their grace and some.
  static let stopSeconds = 10.0
  /// Seconds in which outlets may still accept what they were sending when the daemon began to end.
  static let settleSeconds = 2.0
  /// Seconds that a command waits for the daemon's answer.
  package static let answerSeconds = 30.0
}
