import Glibc
package import LocationFormats

/// The records a daemon keeps, and those it will, for whoever reads along.
package struct EventFeed: ~Copyable {
  private let state: String
  private var cursor: Int
  private var client: ControlClient?
  private var file: StateFile

  /// - Parameter id: only records with higher ids.
  package init(state: String, since id: Int) {
    self.state = state
    cursor = id
    file = StateFile(path: state)
  }

  /// Only records that come from now on.
  package init(fromNowOn state: String) throws(Failure) {
    self.init(state: state, since: 0)
    cursor = try open()?.lastEventID() ?? 0
  }

  /// Hands on every line that is there, in pieces.
  package mutating func read(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    guard let database = try open() else { return }
    while true {
      let page = try database.events(after: cursor)
      guard let last = page.lastID else { return }
      try body(page.bytes)
      cursor = last
      guard page.isFull else { return }
    }
  }

  /// Hands on what comes, for ever. Where no daemon runs it waits for one, looking once a second.
  package mutating func follow(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    while true {
      if client == nil { client = try connect() }
      // What came before the daemon knew of us.
      try read(body)
      guard let client else {
        PollSet.pause(milliseconds: Self.lookMilliseconds)
        continue
      }
      while let news = client.waitForNews() { try take(news, body) }
      self.client = nil
    }
  }

  /// Hands on what is new: from what the daemon sent where nothing is missing before it, else from the database.
  private mutating func take(_ news: EventNews, _ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    guard news.newest > cursor else { return }
    guard news.count > 0, news.after == cursor else { return try read(body) }
    try body(news.lines)
    cursor = news.newest
  }

  private static let lookMilliseconds: Int32 = 1_000

  /// The database; nil while there is none.
  package mutating func open() throws(Failure) -> StateDatabase? {
    // A file that was begun anew counts from 1.
    if try file.open(), let last = try file.database?.lastEventID(), last < cursor { cursor = 0 }
    return file.database
  }

  private mutating func connect() throws(Failure) -> ControlClient? {
    guard let client = try ControlClient.connect(state: state, database: try open()) else { return nil }
    do throws(Failure) {
      _ = try client.ask("follow")
    } catch {
      guard error.code == .unavailable else { throw error }
      return nil
    }
    return client
  }
}
