#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The records a daemon keeps, and those it will, for whoever reads along.
package struct EventFeed: ~Copyable {
  private let state: String
  private var cursor: Int
  private var client: ControlClient?
  private var database: StateDatabase?

  /// - Parameter id: only records with higher ids.
  package init(state: String, since id: Int) {
    self.state = state
    cursor = id
  }

  /// Hands on every line that is there, in pieces.
  package mutating func read(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    if database == nil { database = try StateDatabase.openToRead(path: state) }
    guard let database else { return }
    while true {
      let page = try database.events(after: cursor)
      guard let last = page.lastID else { return }
      try body(page.bytes)
      cursor = last
    }
  }

  /// Hands on what comes, for ever. Where no daemon runs it waits for one, looking once a second.
  package mutating func follow(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    while true {
      if client == nil { client = try connect() }
      // What came before the daemon knew of us.
      try read(body)
      guard let client else {
        _ = poll(nil, 0, Self.lookMilliseconds)
        continue
      }
      if !client.waitForNews() { self.client = nil }
    }
  }

  private static let lookMilliseconds: Int32 = 1_000

  private func connect() throws(Failure) -> ControlClient? {
    guard let client = try ControlClient.connect(state: state) else { return nil }
    do throws(Failure) {
      _ = try client.ask("follow")
    } catch {
      guard error.code == .unavailable else { throw error }
      return nil
    }
    return client
  }
}
