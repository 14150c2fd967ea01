import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The daemon's side of the control socket: who is connected, what they ask, and what waits to be read by them.
struct ControlSocket: ~Copyable {
  /// One connection.
  private struct Client {
    let descriptor: Descriptor
    var input: [UInt8] = []
    var output: [UInt8] = []
    /// Whether it wants to hear of new records.
    var follows = false
    /// The id of the newest record it was not told of because it had not read what it was told before.
    var missedID: Int?
    var isDone = false
  }

  /// What was asked, and by whom.
  struct Question {
    var client: Int32
    var request: JSONTree
  }

  let path: String
  private let listener: Descriptor
  /// Whether it was made here, and goes with us.
  private let isOwn: Bool
  private var clients: [Client] = []

  /// Takes the socket that systemd hands over, or listens on one of our own, which its owner and group may use.
  ///
  /// - Throws: ``Failure`` of code 73 where it can't listen.
  init(_ address: ControlAddress) throws(Failure) {
    if let (descriptor, path) = Self.handedOver() {
      listener = descriptor
      self.path = path
      isOwn = false
      return
    }
    path = address.path
    func failure() -> Failure {
      let code = errno
      return Failure(
        .cantCreate, file: address.path, what: "can't listen there: \(SystemReason.text(code))",
        remedy: "check the folder and its permissions")
    }
    guard let descriptor = ControlAddress.newSocket(waits: false) else { throw failure() }
    // One that a daemon before has left; nobody uses it, because we hold the lock.
    unsafe unlink(address.path)
    let before = umask(0o117)
    let code = unsafe address.withAddress { unsafe bind(descriptor.number, $0, $1) }
    umask(before)
    guard code == 0, listen(descriptor.number, Int32(DaemonLimits.clients)) == 0 else { throw failure() }
    listener = descriptor
    isOwn = true
  }

  /// The first descriptor of sd_listen_fds(3).
  private static func handedOver() -> (Descriptor, path: String)? {
    guard ServiceNotice.variable("LISTEN_PID").flatMap({ pid_t($0) }) == getpid(),
      let count = ServiceNotice.variable("LISTEN_FDS").flatMap({ Int($0) }), count >= 1
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
  func close() { if isOwn { unsafe unlink(path) } }

  // MARK: - Waiting

  /// Adds what `poll` is to wait for; ``serve(_:)`` takes the same number of entries back.
  func watch(_ entries: inout [pollfd]) {
    let hasRoom = clients.count < DaemonLimits.clients
    entries.append(pollfd(fd: hasRoom ? listener.number : -1, events: Int16(POLLIN), revents: 0))
    for client in clients {
      let events = client.output.isEmpty ? POLLIN : POLLIN | POLLOUT
      entries.append(pollfd(fd: client.descriptor.number, events: Int16(events), revents: 0))
    }
  }

  /// Takes what came; what was asked.
  mutating func serve(_ entries: ArraySlice<pollfd>) -> [Question] {
    var questions: [Question] = []
    for (index, entry) in entries.dropFirst().enumerated() where entry.revents != 0 {
      if entry.revents & Int16(POLLOUT) != 0 { send(index) }
      if entry.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { receive(index, &questions) }
    }
    if let first = entries.first, first.revents != 0 { accept() }
    clients.removeAll(where: \.isDone)
    return questions
  }

  private mutating func accept() {
    while clients.count < DaemonLimits.clients, let descriptor = listener.accept() {
      descriptor.stopWaiting()
      clients.append(Client(descriptor: descriptor))
    }
  }

  private mutating func receive(_ index: Int, _ questions: inout [Question]) {
    let number = clients[index].descriptor.number
    while !clients[index].isDone {
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = unsafe recv(number, &piece, piece.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      guard count > 0 else {
        clients[index].isDone = true
        break
      }
      clients[index].input += piece[..<count]
      if clients[index].input.count > DaemonLimits.requestBytes { clients[index].isDone = true }
    }
    while let end = clients[index].input.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(clients[index].input[..<end])
      clients[index].input.removeSubrange(...end)
      do throws(JSONError) {
        var reader = JSONReader(line)
        questions.append(Question(client: number, request: try JSONTree(&reader)))
      } catch {
        answer(number, Failure(.data, what: "not a request: \(error.what)"))
      }
    }
  }

  // MARK: - Answering

  /// Answers whoever asked, where they are still there.
  mutating func answer(_ client: Int32, _ line: [UInt8]) {
    guard let index = clients.firstIndex(where: { $0.descriptor.number == client }) else { return }
    clients[index].output += line
    clients[index].output.append(UInt8(ascii: "\n"))
    send(index)
  }

  /// The same with members of an object that says all went well.
  mutating func answer(_ client: Int32, _ members: [JSONTree.Member] = []) {
    let all =
      [JSONTree.Member(key: "v", value: .number("1")), .init(key: "ok", value: .boolean(true))] + members
    answer(client, Array(JSONTree.object(all).text.utf8))
  }

  /// The same with what went wrong.
  mutating func answer(_ client: Int32, _ failure: Failure) {
    answer(client, Array(ControlAnswer.tree(failure).text.utf8))
  }

  /// From now on this client hears of new records.
  mutating func follow(_ client: Int32) {
    guard let index = clients.firstIndex(where: { $0.descriptor.number == client }) else { return }
    clients[index].follows = true
  }

  /// Tells those who follow of new records. One who has not read what it was told before finds them in the database
  /// once it has.
  mutating func tellFollowers(_ news: EventNews) {
    for index in clients.indices where clients[index].follows {
      guard clients[index].output.isEmpty else {
        clients[index].missedID = news.newest
        continue
      }
      clients[index].output = news.bytes
      send(index)
    }
  }

  /// Sends what waits, as far as it is taken; then that there is more, to one who has missed some.
  private mutating func send(_ index: Int) {
    while true {
      if clients[index].output.isEmpty, let id = clients[index].missedID.take() {
        clients[index].output = EventNews(newest: id).bytes
      }
      guard !clients[index].output.isEmpty else { return }
      let count = unsafe clients[index].output.withUnsafeBytes { bytes in
        unsafe SystemCall.sendBytes(clients[index].descriptor.number, bytes)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      guard count > 0 else {
        clients[index].isDone = true
        return
      }
      clients[index].output.removeFirst(count)
    }
    if clients[index].output.count > DaemonLimits.answerBytes { clients[index].isDone = true }
  }
}
