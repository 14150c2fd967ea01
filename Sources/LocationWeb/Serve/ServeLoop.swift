import Glibc
import LocationCore
import LocationFormats
import LocationRuntime

/// The one loop of `locwatch serve`: it waits for browsers, for news of the daemon, and for what is due.
///
/// No client can keep the others waiting, but for the time in which the journal is read for it: each has a time by which its request must have come and its answer been
/// read, a bound on what is kept for it, and one request. Connections are closed after an answer; only streams of
/// events go on.
struct ServeLoop: ~Copyable {
  /// Bounds on what a client may take.
  enum Limits {
    /// Connections at once. A further one takes the place of the one that is there longest and follows no events.
    static let clients = 64
    /// Seconds that each keeps its place at least.
    static let placeSeconds = 1.0
    /// Seconds that the daemon has for an answer: all clients wait meanwhile.
    static let daemonSeconds = 2.0
    /// Seconds for a whole request.
    static let requestSeconds = 10.0
    /// Seconds without progress while an answer is read.
    static let answerSeconds = 30.0
    /// Seconds for the rest of a request that was answered.
    static let drainSeconds = 2.0
    /// Bytes that may wait for a client of a stream.
    static let streamBytes = 1 << 18
    /// Seconds between signs of life on a stream, so that clients that are gone are found.
    static let heartbeatSeconds = 45.0
    /// Streams at once, so that requests have places left.
    static let streams = 32
  }

  private struct Client {
    let descriptor: Descriptor
    /// When it may lose its place.
    let isSafeUntil: EngineInstant
    var input: [UInt8] = []
    var output: [UInt8] = []
    var sent = 0
    var isStream = false
    /// The last record that a stream has.
    var lastID = 0
    /// Whether there may be records that a stream does not have.
    var isBehind = false
    /// Whether it gets nothing more than its output.
    var isAnswered = false
    var isDone = false
    /// When it is closed, or, of a stream, sent a sign of life.
    var dueAt: EngineInstant

    var hasOutput: Bool { sent < output.count }
  }

  private let listener: Descriptor
  private var routes: ServeRoutes
  private var news: NewsFeed
  private let clock = SystemClock()
  private var clients: [Client] = []
  private var polled = PollSet()
  private static let signals = [SIGINT, SIGTERM]

  init(_ listener: Descriptor, _ routes: ServeRoutes, _ news: NewsFeed) {
    self.listener = listener
    self.routes = routes
    self.news = news
  }

  /// Serves until a signal ends it.
  ///
  /// - Parameter isReady: is called once a signal would end it in good order.
  mutating func run(isReady: () throws(Failure) -> Void) throws(Failure) {
    _ = signal(SIGPIPE, SIG_IGN)
    let signals = try SignalBell.install(Self.signals)
    defer { SignalBell.uninstall(Self.signals) }
    try isReady()
    while true {
      polled.removeAll()
      polled.watch(signals)
      polled.watch(news.readable)
      if hasPlace(at: clock.instant) { polled.watch(listener.number) }
      for client in clients {
        let isRead = client.isStream || !client.isAnswered || !client.hasOutput
        polled.watch(
          client.descriptor.number, for: (isRead ? POLLIN : 0) | (client.hasOutput ? POLLOUT : 0))
      }
      let isFeeding = clients.contains { $0.isBehind && !$0.hasOutput }
      let times = clients.map(\.dueAt) + [news.dueAt, nextPlaceAt].compactMap { $0 }
      let due = isFeeding ? clock.instant : times.min()
      let count = polled.wait(atMost: clock.milliseconds(until: due))
      if count < 0 || polled.has(signals), !SignalBell.take().isEmpty { return }
      for index in clients.indices { serve(index, polled.events(of: clients[index].descriptor.number)) }
      if polled.has(listener.number) { accept() }
      tellStreams(polled.has(news.readable))
      sweep()
    }
  }

  private mutating func accept() {
    while hasPlace(at: clock.instant), let descriptor = listener.accept() {
      if clients.count >= Limits.clients, let oldest = eldest { clients.remove(at: oldest) }
      descriptor.stopWaiting()
      clients.append(
        Client(
          descriptor: descriptor, isSafeUntil: due(Limits.placeSeconds), dueAt: due(Limits.requestSeconds)))
    }
  }

  /// The one that is there longest and follows no events.
  private var eldest: Int? {
    clients.indices.filter { !clients[$0].isStream }.min { clients[$0].isSafeUntil < clients[$1].isSafeUntil }
  }

  /// Whether there is a place for a further one.
  private func hasPlace(at now: EngineInstant) -> Bool {
    clients.count < Limits.clients || eldest.map { clients[$0].isSafeUntil <= now } ?? false
  }

  /// When there is one; nil where that is now, or not in sight.
  private var nextPlaceAt: EngineInstant? {
    guard !hasPlace(at: clock.instant) else { return nil }
    return eldest.map { clients[$0].isSafeUntil }
  }

  private func due(_ seconds: Double) -> EngineInstant { clock.instant.advanced(bySeconds: seconds) }

  // MARK: - One client

  private mutating func serve(_ index: Int, _ events: Int32) {
    if events & POLLOUT != 0 { send(index) }
    guard events & (POLLIN | POLLHUP | POLLERR) != 0 else { return }
    guard let bytes = receive(clients[index].descriptor.number) else {
      clients[index].isDone = true
      return
    }
    // A stream's client has nothing more to say.
    guard !clients[index].isStream, !clients[index].isAnswered, !bytes.isEmpty else { return }
    clients[index].input += bytes
    switch HTTPRequest.read(clients[index].input) {
    case .partial: break
    case .bad(let status): answer(index, .refusal(status, status.phrase))
    case .whole(let request): answer(index, routes.answer(request))
    }
  }

  /// What has come; nil where the client is gone.
  private func receive(_ number: Int32) -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(number, $0) }
    if count < 0 { return errno == EAGAIN || errno == EINTR ? [] : nil }
    return count == 0 ? nil : Array(piece[..<count])
  }

  private mutating func answer(_ index: Int, _ response: HTTPResponse) {
    var response = response
    if response.isStream, clients.count(where: \.isStream) >= Limits.streams {
      response = .refusal(.unavailable, "\(Limits.streams) pages are open already")
    }
    clients[index].input = []
    clients[index].output = response.bytes
    clients[index].isAnswered = true
    clients[index].isStream = response.isStream
    clients[index].dueAt = due(response.isStream ? Limits.heartbeatSeconds : Limits.answerSeconds)
    if response.isStream {
      clients[index].output += news.greeting
      news.begin(at: clock.instant)
      clients[index].lastID = response.lastID ?? news.newest
      clients[index].isBehind = true
    }
    send(index)
  }

  private mutating func send(_ index: Int) {
    while clients[index].hasOutput {
      let client = clients[index]
      let count = unsafe client.output[client.sent...].withUnsafeBytes {
        unsafe SystemCall.sendBytes(client.descriptor.number, $0)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else {
        clients[index].isDone = true
        return
      }
      clients[index].sent += count
      if !client.isStream { clients[index].dueAt = due(Limits.answerSeconds) }
    }
    clients[index].output = []
    clients[index].sent = 0
    guard clients[index].isAnswered, !clients[index].isStream else { return }
    // What it still sends is read for a while: a reset would take the answer with it.
    shutdown(clients[index].descriptor.number, Int32(SHUT_WR))
    clients[index].dueAt = due(Limits.drainSeconds)
  }

  // MARK: - Streams

  private mutating func tellStreams(_ hasNews: Bool) {
    let news = self.news.take(hasNews, at: clock.instant)
    for index in clients.indices where clients[index].isStream {
      guard !news.isOtherFile else {
        // Its last event is of the old file.
        clients[index].isDone = true
        continue
      }
      if news.hasRecords { clients[index].isBehind = true }
      if !news.frames.isEmpty { append(news.frames, to: index) }
      feed(index)
    }
  }

  /// Gives a stream the next records once it has read what it was given, so that one with much to catch up with takes
  /// little memory, and keeps nobody waiting.
  private mutating func feed(_ index: Int) {
    guard clients[index].isBehind, !clients[index].hasOutput, !clients[index].isDone else { return }
    guard let records = news.records(after: clients[index].lastID) else {
      clients[index].isBehind = false
      return
    }
    clients[index].lastID = records.last
    clients[index].output = records.bytes
    send(index)
  }

  private mutating func append(_ bytes: [UInt8], to index: Int) {
    guard clients[index].output.count - clients[index].sent + bytes.count <= Limits.streamBytes else {
      // It asks again from the last event that it has.
      clients[index].isDone = true
      return
    }
    clients[index].output += bytes
    send(index)
  }

  private mutating func sweep() {
    let now = clock.instant
    for index in clients.indices where clients[index].dueAt <= now {
      guard clients[index].isStream else {
        // Its request may have come while another's was answered.
        if !clients[index].isAnswered { serve(index, POLLIN) }
        guard clients[index].dueAt <= now else { continue }
        if !clients[index].isAnswered { answer(index, .refusal(.requestTimeout, "the request did not come")) }
        clients[index].isDone = true
        continue
      }
      clients[index].dueAt = due(Limits.heartbeatSeconds)
      append(Array(": alive\n\n".utf8), to: index)
    }
    clients.removeAll(where: \.isDone)
    if !clients.contains(where: \.isStream) { news.end() }
  }
}
