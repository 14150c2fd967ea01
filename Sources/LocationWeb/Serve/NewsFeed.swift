import LocationCore
import LocationFormats
import LocationRuntime

/// What happens, as server-sent events, while somebody has the page open.
///
/// It follows the daemon by its control socket: `event: record` for each record, with its id, `event: fix` for each
/// accepted fix, `event: daemon` when one has come or gone. Records are read from the state file, for each listener from
/// the last one that it has, so none is missing.
struct NewsFeed {
  private let state: String
  private var file: StateFile
  private var client: ControlClient?
  /// Whether it has answered.
  private var isAnswered = false
  private var isWanted = false
  /// Whether the page was last told that a daemon runs; nil where it was not told.
  private var wasThere: Bool?
  /// When a daemon is looked for again, or one that has not answered is told as not there.
  private(set) var dueAt: EngineInstant?

  /// Seconds until a daemon that is not there is looked for again, and that one has to answer.
  private static let lookSeconds = 2.0
  /// Records that are read at once.
  private static let pageRecords = 200

  init(state: String) throws(Failure) {
    self.state = state
    file = StateFile(path: state)
    try file.open()
  }

  /// What `poll` is to wait for; -1 where there is nothing.
  var readable: Int32 { client?.readable ?? -1 }

  /// Somebody listens from now on.
  mutating func begin(at now: EngineInstant) {
    guard !isWanted else { return }
    isWanted = true
    dueAt = now
    _ = try? file.open()
  }

  /// Nobody listens any more.
  mutating func end() {
    isWanted = false
    client = nil
    dueAt = nil
    wasThere = nil
  }

  /// What all listeners are to be told.
  struct News {
    /// Frames of fixes and of the daemon.
    var frames: [UInt8] = []
    /// Whether there may be further records.
    var hasRecords = false
    /// Whether the state file is another one, with other ids.
    var isOtherFile = false
  }

  /// What a further listener is told first: whether a daemon runs. Empty where all are told of that soon.
  var greeting: [UInt8] { wasThere.map { Self.frame($0) } ?? [] }

  /// What is to be told.
  ///
  /// - Parameter isReady: whether ``readable`` is.
  mutating func take(_ isReady: Bool, at now: EngineInstant) -> News {
    var news = News()
    guard isWanted else { return news }
    if isReady { listen(into: &news, at: now) }
    if let due = dueAt, due <= now { look(into: &news, at: now) }
    return news
  }

  /// Looks for a daemon. Its answer is not waited for: it comes as a line, even if that takes long.
  private mutating func look(into news: inout News, at now: EngineInstant) {
    dueAt = nil
    guard client == nil else { return tell(false, into: &news) }
    isAnswered = false
    dueAt = now.advanced(bySeconds: Self.lookSeconds)
    let found = try? ControlClient.connect(
      state: state, database: file.database, answerSeconds: ServeLoop.Limits.daemonSeconds)
    guard let found, (try? found.request("follow", ["fixes": .boolean(true)])) != nil else {
      return tell(false, into: &news)
    }
    client = found
  }

  /// Tells whether a daemon is there, where that is new.
  private mutating func tell(_ isThere: Bool, into news: inout News) {
    // A daemon may have made it just now.
    if let isOther = try? file.open(), isOther { news.isOtherFile = true }
    if wasThere != isThere { news.frames += Self.frame(isThere) }
    news.hasRecords = true
    wasThere = isThere
  }

  private mutating func listen(into news: inout News, at now: EngineInstant) {
    guard let lines = client?.takeLines() else {
      client = nil
      dueAt = isAnswered ? now : now.advanced(bySeconds: Self.lookSeconds)
      return
    }
    for line in lines {
      guard let tree = try? JSONTree(line) else { continue }
      guard isAnswered else {
        guard tree["error"] == nil else {
          client = nil
          dueAt = now.advanced(bySeconds: Self.lookSeconds)
          return tell(false, into: &news)
        }
        isAnswered = true
        dueAt = nil
        tell(true, into: &news)
        continue
      }
      if tree["newest"] != nil { news.hasRecords = true }
      if let fix = tree["fix"] { news.frames += Self.frame("fix", fix.text) }
    }
  }

  /// The id of the newest record; 0 where there is none.
  var newest: Int { (try? file.database?.lastEventID()) ?? 0 }

  /// The next records with higher ids, some hundreds; nil where there is none.
  func records(after id: Int) -> (bytes: [UInt8], last: Int)? {
    guard let page = try? file.database?.events(after: id, limit: Self.pageRecords), let last = page.lastID
    else {
      return nil
    }
    var bytes: [UInt8] = []
    for line in page.bytes.split(separator: UInt8(ascii: "\n")) {
      bytes += Self.frame("record", String(decoding: line, as: UTF8.self))
    }
    return (bytes, last)
  }

  /// One event (WHATWG HTML, section 9.2): data is one line.
  static func frame(_ event: String, _ data: String) -> [UInt8] {
    Array("event: \(event)\ndata: \(data)\n\n".utf8)
  }

  private static func frame(_ isThere: Bool) -> [UInt8] { frame("daemon", isThere ? "true" : "false") }
}
