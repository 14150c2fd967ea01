import LocationCore
import LocationFormats
import LocationRuntime

/// What happens, as server-sent events, while somebody has the page open.
///
/// It follows the daemon by its control socket: `event: record` for each record, with its id, `event: fix` for each
/// accepted fix, `event: daemon` when one has come or gone. Records are read from the state file, so none is missing.
struct NewsFeed {
  private let state: String
  private let database: StateDatabase?
  private var client: ControlClient?
  private var isWanted = false
  /// The id of the last record that was told.
  private var cursor = 0
  /// Whether the page was last told that a daemon runs; nil where it was not told.
  private var wasThere: Bool?
  /// When a daemon is looked for again.
  private(set) var dueAt: EngineInstant?

  /// Seconds until a daemon that is not there is looked for again.
  private static let lookSeconds = 2.0

  init(state: String) throws(Failure) {
    self.state = state
    // Opened once: to close one starts threads that wake the process.
    database = try StateDatabase.openToRead(path: state)
  }

  /// What `poll` is to wait for; -1 where there is nothing.
  var readable: Int32 { client?.readable ?? -1 }

  /// Somebody listens from now on.
  ///
  /// - Parameter id: the last record that it has; nil for the newest.
  mutating func begin(after id: Int?, at now: EngineInstant) {
    guard !isWanted else { return }
    isWanted = true
    cursor = id ?? (try? database?.lastEventID()) ?? 0
    dueAt = now
  }

  /// Nobody listens any more.
  mutating func end() {
    isWanted = false
    client = nil
    dueAt = nil
    wasThere = nil
  }

  /// What is to be told.
  ///
  /// - Parameter hasNews: whether ``readable`` is.
  mutating func take(_ hasNews: Bool, at now: EngineInstant) -> [UInt8] {
    guard isWanted else { return [] }
    var frames: [UInt8] = []
    if hasNews { frames += listen(at: now) }
    if client == nil, let due = dueAt, due <= now { frames += connect(at: now) }
    return frames
  }

  private mutating func connect(at now: EngineInstant) -> [UInt8] {
    dueAt = now.advanced(bySeconds: Self.lookSeconds)
    if let found = try? ControlClient.connect(state: state, database: database),
      (try? found.ask("follow", [.init(key: "fixes", value: .boolean(true))])) != nil
    {
      client = found
      dueAt = nil
    }
    let isThere = client != nil
    defer { wasThere = isThere }
    return (wasThere == isThere ? [] : Self.frame("daemon", isThere ? "true" : "false")) + records()
  }

  private mutating func listen(at now: EngineInstant) -> [UInt8] {
    guard let lines = client?.takeLines() else {
      client = nil
      dueAt = now
      return []
    }
    var frames: [UInt8] = []
    var hasRecords = false
    for line in lines {
      guard let tree = try? JSONTree(line) else { continue }
      if tree["newest"] != nil { hasRecords = true }
      if let fix = tree["fix"] { frames += Self.frame("fix", fix.text) }
    }
    return frames + (hasRecords ? records() : [])
  }

  private mutating func records() -> [UInt8] {
    let frames = Self.records(database, after: cursor)
    if let last = frames.last { cursor = last }
    return frames.bytes
  }

  /// The records with higher ids, at most some thousands.
  static func records(_ database: StateDatabase?, after id: Int) -> (bytes: [UInt8], last: Int?) {
    guard let page = try? database?.events(after: id, limit: 2_000) else { return ([], nil) }
    var bytes: [UInt8] = []
    for line in page.bytes.split(separator: UInt8(ascii: "\n")) {
      bytes += Self.frame("record", String(decoding: line, as: UTF8.self))
    }
    return (bytes, page.lastID)
  }

  /// One event (WHATWG HTML, section 9.2): data is one line.
  static func frame(_ event: String, _ data: String) -> [UInt8] {
    Array("event: \(event)\ndata: \(data)\n\n".utf8)
  }
}
