import Glibc
import LocationCore
import LocationFormats

/// The daemon's side of the control socket: its clients, their requests, and the answers that they have not read yet.
///
/// No client can keep the others or the daemon waiting. A turn reads at most one piece of each client and takes at
/// most ``DaemonLimits/requestsInTurn`` requests, from each client in its turn. A client that does not read its
/// answers is not read either. A silent client is closed, at once if its place is needed.
struct ControlSocket: ~Copyable {
  /// One connection.
  private struct Client {
    /// No other client ever has it, unlike the number of its descriptor.
    let id: Int
    let descriptor: Descriptor
    var input = LineBuffer(limit: DaemonLimits.requestBytes)
    /// Whether there may be lines in ``input`` that nobody has looked at.
    var hasLines = false
    /// Whether it sends no more.
    var hasEnded = false
    var output: [UInt8] = []
    /// How much of ``output`` was sent.
    var sent = 0
    /// Whether it wants to hear of new records.
    var follows = false
    /// Whether it also wants to hear of fixes.
    var followsFixes = false
    /// The id of the newest record that it was not sent, because it had not read what it was sent before.
    var missedID: Int?
    /// When it last sent a request or read an answer.
    var activeAt: EngineInstant
    /// Since when it takes none of ``output``; nil where it does, or is sent nothing.
    var unreadSince: EngineInstant?
    var isDone = false

    init(_ id: Int, _ descriptor: Descriptor, at now: EngineInstant) {
      self.id = id
      self.descriptor = descriptor
      activeAt = now
    }

    var hasOutput: Bool { sent < output.count }
    /// Whether it is to be read.
    var wantsInput: Bool { !hasLines && !hasEnded && output.count - sent <= DaemonLimits.unreadBytes }
    /// Whether its lines are to be looked at.
    var isReady: Bool { hasLines && output.count - sent <= DaemonLimits.unreadBytes }
    /// Since when it has neither asked for anything nor read what it is sent; nil where it does, or follows.
    var idleSince: EngineInstant? {
      if follows { return nil }
      return unreadSince ?? (hasLines || hasOutput ? nil : activeAt)
    }
  }

  /// What was asked, and by whom.
  struct Question {
    /// The ``Client/id`` of who asked.
    var client: Int
    /// Or why it is no request.
    var request: Result<JSONTree, Failure>
  }

  let path: String
  private var listener: Descriptor
  /// The one that was made here, and is removed with us; nil where systemd has made it.
  private var own: UnixListener?
  private var clients: [Client] = []
  private var lastID = 0
  /// The client whose lines are looked at first in the next turn.
  private var first = 0
  /// Until when no client is accepted, because there are no descriptors.
  private var pausedUntil: EngineInstant?
  /// What the log is to be told.
  private var trouble: String?

  /// Uses the socket that systemd hands over, or listens on one of our own, which its owner and group may use.
  ///
  /// - Throws: ``Failure`` of code 73 where it can't listen.
  init(_ address: ControlAddress) throws(Failure) {
    if let (descriptor, path) = Self.handedOver() {
      listener = descriptor
      self.path = path
      own = nil
      return
    }
    let own = try UnixListener(path: address.path, waiting: Int32(DaemonLimits.clients))
    path = own.path
    listener = own.descriptor
    self.own = own
  }

  /// The first descriptor of sd_listen_fds(3).
  private static func handedOver() -> (Descriptor, path: String)? {
    guard EnvironmentVariable.value("LISTEN_PID").flatMap({ pid_t($0) }) == getpid(),
      let count = EnvironmentVariable.value("LISTEN_FDS").flatMap({ Int($0) }), count >= 1
    else { return nil }
    let number: Int32 = 3
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(number, $0, &length)
      }
    }
    // One that is no such socket is not ours to close.
    guard code == 0, Int32(address.sun_family) == AF_UNIX else { return nil }
    let descriptor = Descriptor(number)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    descriptor.stopWaiting()
    let bytes = unsafe withUnsafeBytes(of: address.sun_path) { unsafe Array($0.prefix { $0 != 0 }) }
    return (descriptor, String(decoding: bytes, as: UTF8.self))
  }

  /// Leaves nothing behind.
  func close() { own?.remove() }

  /// Listens anew where somebody has removed its entry: without one a command takes it that no daemon runs.
  private mutating func restoreEntry() {
    do throws(Failure) {
      guard try own?.restoreEntry() == true, let own else { return }
      listener = own.descriptor
      trouble = "the control socket \(path) was removed, and is there again"
    } catch {
      trouble = "the control socket was removed, and commands do not find the daemon: \(error)"
    }
  }

  // MARK: - Waiting

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet, at now: EngineInstant) {
    let isOpen = (pausedUntil.map { $0 <= now } ?? true) && (hasRoom || victim(at: now) != nil)
    if isOpen { polled.watch(listener.number) }
    if let changes = own?.changes { polled.watch(changes.number) }
    for client in clients {
      let events = (client.wantsInput ? POLLIN : 0) | (client.hasOutput ? POLLOUT : 0)
      polled.watch(client.descriptor.number, for: events)
    }
  }

  /// When there is something to do even if nothing comes; nil where nothing is.
  func nextDeadline(at now: EngineInstant) -> EngineInstant? {
    if clients.contains(where: \.isReady) { return now }
    var next = pausedUntil.flatMap { $0 > now ? $0 : nil }
    let limits = [DaemonLimits.silentSeconds] + (hasRoom ? [] : [DaemonLimits.evictionSeconds])
    for idleSince in clients.lazy.compactMap(\.idleSince) {
      for seconds in limits {
        let due = idleSince.advanced(bySeconds: seconds)
        if due > now { next = min(next ?? due, due) }
      }
    }
    return next
  }

  /// Why clients have to wait, or what became of its entry, once; nil where there is nothing to tell.
  mutating func takeTrouble() -> String? { trouble.take() }

  /// Takes what came; what was asked.
  mutating func serve(_ polled: PollSet, at now: EngineInstant) -> [Question] {
    for index in clients.indices {
      let events = polled.events(of: clients[index].descriptor.number)
      if events & POLLOUT != 0 { send(index, at: now) }
      let isGone = events & (POLLHUP | POLLERR) != 0
      if isGone, clients[index].hasOutput {
        clients[index].isDone = true
      } else if events & POLLIN != 0 || isGone, clients[index].wantsInput {
        receive(index)
      }
    }
    let questions = takeQuestions(at: now)
    if polled.has(listener.number) { accept(at: now) }
    sweep(at: now)
    if let changes = own?.changes, polled.has(changes.number) { restoreEntry() }
    return questions
  }

  /// Forgets clients that are gone, and closes those that have been idle for too long.
  private mutating func sweep(at now: EngineInstant) {
    clients.removeAll { client in
      let isOver = client.hasEnded && !client.hasLines && !client.hasOutput
      let isIdle = client.idleSince.map { $0.seconds(to: now) >= DaemonLimits.silentSeconds } ?? false
      return client.isDone || isOver || isIdle
    }
    if first >= clients.count { first = 0 }
  }

  private var hasRoom: Bool { clients.count < DaemonLimits.clients }

  /// The client that has been idle for longest, where that is long enough to close it for another.
  private func victim(at now: EngineInstant) -> Int? {
    var victim: (index: Int, idleSince: EngineInstant)?
    for (index, client) in clients.enumerated() {
      guard let idleSince = client.idleSince, idleSince < victim?.idleSince ?? now else { continue }
      victim = (index, idleSince)
    }
    guard let victim, victim.idleSince.seconds(to: now) >= DaemonLimits.evictionSeconds else { return nil }
    return victim.index
  }

  private mutating func accept(at now: EngineInstant) {
    pausedUntil = nil
    // Nobody is closed for a client that is not there.
    while hasRoom || PollSet.wait(on: listener.number, atMost: 0) != 0 && makeRoom(at: now) {
      guard let descriptor = listener.accept() else {
        let code = errno
        guard code != EAGAIN else { return }
        // The client stays in the queue, which would wake us again at once.
        if !makeRoom(at: now) { pausedUntil = now.advanced(bySeconds: DaemonLimits.pauseSeconds) }
        if pausedUntil != nil { trouble = "clients have to wait: \(SystemReason.text(code))" }
        return
      }
      descriptor.stopWaiting()
      lastID += 1
      clients.append(Client(lastID, descriptor, at: now))
    }
  }

  /// Closes the client that has been idle for longest; false where none has been for long.
  private mutating func makeRoom(at now: EngineInstant) -> Bool {
    guard let victim = victim(at: now) else { return false }
    clients.remove(at: victim)
    return true
  }

  /// Reads one piece.
  private mutating func receive(_ index: Int) {
    let number = clients[index].descriptor.number
    let count = unsafe withUnsafeTemporaryAllocation(byteCount: DaemonLimits.pieceBytes, alignment: 1) {
      buffer in
      let count = unsafe recv(number, buffer.baseAddress, buffer.count, 0)
      if count > 0 {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
        unsafe clients[index].input.append(bytes.bindMemory(to: UInt8.self).span)
      }
      return count
    }
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    if count < 0 { clients[index].isDone = true }
    if count == 0 { clients[index].hasEnded = true }
    if count > 0 { clients[index].hasLines = true }
  }

  /// The requests of this turn: a few of each client, then a few more, beginning where the last turn ended.
  private mutating func takeQuestions(at now: EngineInstant) -> [Question] {
    var questions: [Question] = []
    var taken = -1
    while questions.count > taken, questions.count < DaemonLimits.requestsInTurn {
      taken = questions.count
      takeRound(into: &questions, at: now)
    }
    return questions
  }

  private mutating func takeRound(into questions: inout [Question], at now: EngineInstant) {
    let start = first
    for step in 0..<clients.count {
      let index = (start + step) % clients.count
      guard questions.count < DaemonLimits.requestsInTurn else {
        first = index
        return
      }
      guard clients[index].isReady else { continue }
      for _ in 0..<DaemonLimits.requestsOfClient {
        guard let question = nextQuestion(of: index) else { break }
        clients[index].activeAt = now
        questions.append(question)
      }
    }
  }

  /// The next request of a client; nil where it has none. Blank lines are passed over.
  private mutating func nextQuestion(of index: Int) -> Question? {
    let id = clients[index].id
    while true {
      switch clients[index].input.next() {
      case .none:
        clients[index].hasLines = false
        return nil
      case .tooLong:
        clients[index].isDone = true
        return nil
      case .line(let range):
        if range.isEmpty { continue }
        let line = Array(clients[index].input.bytes[range])
        if line.allSatisfy(\.isXMLSpace) { continue }
        do throws(JSONError) {
          return Question(client: id, request: .success(try JSONTree(whole: line)))
        } catch {
          let failure = Failure(.data, what: "not a request: \(error.what)")
          return Question(client: id, request: .failure(failure))
        }
      }
    }
  }

  // MARK: - Answering

  /// Answers a client that asked, where it is still there.
  mutating func answer(_ client: Int, _ line: [UInt8], at now: EngineInstant) {
    guard let index = clients.firstIndex(where: { $0.id == client }) else { return }
    clients[index].activeAt = now
    clients[index].output.removeFirst(clients[index].sent)
    clients[index].sent = 0
    clients[index].output += line
    clients[index].output.append(UInt8(ascii: "\n"))
    send(index, at: now)
  }

  /// The same with members of an object that says all went well.
  mutating func answer(_ client: Int, _ members: [JSONTree.Member] = [], at now: EngineInstant) {
    let all =
      [JSONTree.Member(key: "v", value: .integer(1)), .init(key: "ok", value: .boolean(true))] + members
    answer(client, Array(JSONTree.object(all).text.utf8), at: now)
  }

  /// The same with what went wrong.
  mutating func answer(_ client: Int, _ failure: Failure, at now: EngineInstant) {
    answer(client, Array(ControlAnswer.tree(failure).text.utf8), at: now)
  }

  /// From now on this client hears of new records.
  ///
  /// - Throws: ``Failure`` of code 75 where as many follow as may: some places are for commands.
  mutating func follow(_ client: Int, fixes: Bool = false) throws(Failure) {
    guard let index = clients.firstIndex(where: { $0.id == client }) else { return }
    guard clients[index].follows || clients.count(where: \.follows) < DaemonLimits.followers else {
      throw Failure(
        .tryAgain, what: "\(DaemonLimits.followers) clients follow already", remedy: "end one of them")
    }
    clients[index].follows = true
    clients[index].followsFixes = fixes
  }

  /// Whether somebody wants to hear of fixes.
  var hasFixFollowers: Bool { clients.contains(where: \.followsFixes) }

  /// Tells those who want to know of a fix. One who has not read what it was told before misses it.
  mutating func tellFollowers(ofFix line: JSONTree, at now: EngineInstant) {
    for index in clients.indices where clients[index].followsFixes && !clients[index].hasOutput {
      clients[index].output = Array((line.text + "\n").utf8)
      clients[index].sent = 0
      send(index, at: now)
    }
  }

  /// Tells those who follow of new records. One who has not read what it was told before finds them in the database
  /// once it has.
  mutating func tellFollowers(_ news: EventNews, at now: EngineInstant) {
    for index in clients.indices where clients[index].follows {
      guard !clients[index].hasOutput else {
        clients[index].missedID = news.newest
        continue
      }
      clients[index].output = news.bytes
      clients[index].sent = 0
      send(index, at: now)
    }
  }

  /// Sends what waits, as far as it is taken; then that there is more, to one who has missed some.
  private mutating func send(_ index: Int, at now: EngineInstant) {
    while true {
      if !clients[index].hasOutput {
        clients[index].output = clients[index].missedID.take().map { EventNews(newest: $0).bytes } ?? []
        clients[index].sent = 0
      }
      guard clients[index].hasOutput else { return }
      let client = clients[index]
      let count = unsafe client.output.withUnsafeBytes { bytes in
        unsafe SystemCall.sendBytes(
          client.descriptor.number, UnsafeRawBufferPointer(rebasing: bytes[client.sent...]))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        clients[index].unreadSince = clients[index].unreadSince ?? now
        break
      }
      guard count > 0 else {
        clients[index].isDone = true
        return
      }
      clients[index].sent += count
      clients[index].activeAt = now
      clients[index].unreadSince = nil
    }
    if clients[index].output.count - clients[index].sent > DaemonLimits.answerBytes {
      clients[index].isDone = true
    }
  }
}
