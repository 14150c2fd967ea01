import Glibc
import LocationCore
package import LocationFormats

/// A command's side of the control socket.
package final class ControlClient {
  private let descriptor: Descriptor
  /// Seconds that the daemon has for an answer.
  private let answerSeconds: Double
  private var input = LineBuffer(limit: .max)

  private init(_ descriptor: Descriptor, answerSeconds: Double) {
    self.descriptor = descriptor
    self.answerSeconds = answerSeconds
  }

  /// What is said where nothing comes in time. What was asked waits in the socket.
  private static let noAnswer = Failure(
    .unavailable, what: "the daemon does not answer",
    remedy: "it does what it was asked when it goes on; locwatch status tells what it stored")

  private static let gone = Failure(
    .unavailable, what: "the daemon is gone, without an answer", remedy: "try again")

  /// Whether a failure is that there was no answer.
  package static func isNoAnswer(_ failure: Failure) -> Bool { failure == noAnswer || failure == gone }

  /// Whether a failure is that the daemon has ended.
  static func isGone(_ failure: Failure) -> Bool { failure == gone }

  /// Connects to the daemon of a state file; nil where none runs.
  ///
  /// - Parameters:
  ///   - database: the state file, where it is open already.
  ///   - answerSeconds: how long it is waited for.
  /// - Throws: ``Failure`` of code 77 where there is one and we may not, 69 where it takes no connections.
  package static func connect(
    state: String, database: StateDatabase? = nil, answerSeconds: Double = DaemonLimits.answerSeconds
  ) throws(Failure) -> ControlClient? {
    guard let descriptor = ControlAddress.newSocket(waits: true) else {
      throw Failure(.tryAgain, what: "can't make a socket: \(SystemReason.text(errno))")
    }
    // While its queue is full, connecting waits as sending does (unix(7)).
    var limit = timeval()
    limit.tv_sec = Int(answerSeconds)
    _ = unsafe setsockopt(
      descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    // Only where nobody listens beside the state file is that opened for it: a file that was put in the place of a
    // daemon's has the log of another.
    var address = ControlAddress.beside(state)
    var code = address.connect(descriptor)
    if Self.isNotThere(code) {
      address = stored(state: state, database: database)
      code = address.connect(descriptor)
    }
    if code == 0 { return ControlClient(descriptor, answerSeconds: answerSeconds) }
    if code == EAGAIN { throw noAnswer }
    guard code == EACCES || code == EPERM else { return nil }
    throw Failure(
      .noPermission, file: address.path, what: "the daemon may not be asked: \(SystemReason.text(EACCES))",
      remedy: "ask as its user, or as a member of its group, which takes a new login")
  }

  /// Where the daemon of a state file listens that does not listen beside it. Where the database can't be read it can't
  /// say; the socket may be usable all the same.
  private static func stored(state: String, database: StateDatabase?) -> ControlAddress {
    let path: String? =
      if let database { try? database.meta(.control) } else { StateDatabase.storedControl(path: state) }
    if let path { return ControlAddress(path: path) }
    let isForbidden = unsafe access(state, R_OK) != 0 && errno == EACCES
    return .unstored(state: state, isForbidden: isForbidden)
  }

  /// Whether an attempt to connect found no daemon: none listens there, or the folder is closed to us.
  private static func isNotThere(_ code: Int32) -> Bool { code != 0 && code != EAGAIN }

  /// Whether a daemon listens, of whatever version, and whether or not we may ask it. Nobody is waited for.
  static func hasDaemon(state: String, database: StateDatabase? = nil) -> Bool {
    var code = ControlAddress.beside(state).probe()
    if isNotThere(code) { code = stored(state: state, database: database).probe() }
    // Its queue may be full.
    return [0, EAGAIN, EACCES, EPERM].contains(code)
  }

  /// Asks for something, with what is needed for it.
  ///
  /// - Throws: what the daemon answers went wrong; ``Failure`` of code 69 where it answers nothing.
  package func ask(
    _ what: String, _ members: KeyValuePairs<String, JSONTree?> = [:]
  ) throws(Failure) -> JSONTree {
    try request(what, members)
    return try answer()
  }

  /// The answer to the oldest request that has none yet.
  ///
  /// - Throws: as ``ask(_:_:)``.
  func answer() throws(Failure) -> JSONTree {
    guard let line = try receive(seconds: answerSeconds) else { throw Self.noAnswer }
    let answer: JSONTree
    do throws(JSONError) {
      answer = try JSONTree(line)
    } catch {
      throw Failure(.software, what: "the daemon's answer can't be read: \(error.what)")
    }
    if let failure = ControlAnswer.failure(in: answer) { throw failure }
    return answer
  }

  /// Asks for something without waiting for the answer, which comes as the next line.
  ///
  /// - Throws: ``Failure`` of code 69 where the daemon is gone.
  package func request(_ what: String, _ members: KeyValuePairs<String, JSONTree?> = [:]) throws(Failure) {
    let request = JSONTree.object(JSONTree.members(["do": .string(what)]) + JSONTree.members(members))
    try send(Array(request.text.utf8) + [UInt8(ascii: "\n")])
  }

  /// What `poll` is to wait for.
  package var readable: Int32 { descriptor.number }

  /// The lines that have come, without waiting; nil where the daemon is gone.
  package func takeLines() -> [[UInt8]]? {
    var isGone = false
    while true {
      let count = read(MSG_DONTWAIT)
      if count < 0, errno == EINTR { continue }
      isGone = count == 0 || count < 0 && errno != EAGAIN
      if count <= 0 { break }
    }
    var lines: [[UInt8]] = []
    input.each { lines.append(Array($0)) }
    return isGone && lines.isEmpty ? nil : lines
  }

  /// Reads what has come; how many bytes, or -1 with `errno`.
  private func read(_ flags: Int) -> Int {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor.number, &piece, piece.count, Int32(flags))
    if count > 0 { input.append(piece.span.extracting(0..<count)) }
    return count
  }

  /// Waits for new records; nil where the daemon is gone.
  func waitForNews() -> EventNews? {
    do throws(Failure) {
      guard let line = try receive(seconds: nil), var news = EventNews(line: line) else { return nil }
      for _ in 0..<news.count {
        guard let record = try receive(seconds: nil) else { return nil }
        news.lines += record
        news.lines.append(UInt8(ascii: "\n"))
      }
      return news
    } catch {
      return nil
    }
  }

  private func send(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe SystemCall.sendBytes(descriptor.number, $0) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { throw Self.noAnswer }
      guard count > 0 else { throw Self.gone }
      rest = rest.dropFirst(count)
    }
  }

  /// The next line without its end; nil where none comes in time.
  ///
  /// - Throws: ``gone``.
  private func receive(seconds: Double?) throws(Failure) -> [UInt8]? {
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    while true {
      if case .line(let range) = input.next() { return Array(input.bytes[range]) }
      var polled = PollSet()
      polled.watch(descriptor.number)
      let left = end.map { (ContinuousClock.now.duration(to: $0) / .milliseconds(1)).rounded(.up) }
      let ready = polled.wait(atMost: left.map { Int32(max(0, $0)) } ?? -1)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = read(0)
      guard count > 0 || count < 0 && errno == EINTR else { throw Self.gone }
    }
  }
}
