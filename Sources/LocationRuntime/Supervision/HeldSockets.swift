import Glibc
import LocationCore
import LocationFormats

/// The sockets that one process has passed: duplicates of its descriptors, watched while it is suspended (rule E4).
/// Nothing is read, written or accepted here, so no byte moves. They are closed with their owner (rule E4a). Used by the
/// supervisor's thread alone.
final class HeldSockets {
  /// One that the engine has agreed to.
  private struct Held {
    var tag: String
    var socket: WatchedSocket
  }

  /// A program without a connection of its own passes them by this.
  private var channel: Descriptor?
  /// Passed beside a line that has not been read yet.
  private var unnamed: [Descriptor] = []
  /// Named, and not agreed to yet, in order.
  private var asked: [(tag: String, descriptor: Descriptor)] = []
  private var held: [Held] = []
  private var isWatching = false
  /// Messages that were taken in the present second.
  private var said = 0
  private var secondEnds: Int64 = 0

  /// - Parameter channel: nil where they come with the program's lines.
  init(channel: Descriptor?) { self.channel = channel }

  /// What `poll` is to tell of a watched socket: something to read, or the end of what comes. Hang-up and error it
  /// tells by itself.
  static var events: Int32 { POLLIN | PollSet.endOfInput }

  // MARK: Passing

  /// A descriptor has come with what the program says.
  func arrive(_ descriptor: Descriptor) {
    if unnamed.count < Limits.sockets { unnamed.append(descriptor) }
  }

  /// Closes the descriptors that came with lines of before the registration, which nobody hears.
  func dropUnnamed() { unnamed = [] }

  /// Closes the oldest descriptor: the tag that the program gave it is none.
  func dropOldestUnnamed() { if !unnamed.isEmpty { unnamed.removeFirst() } }

  /// The program names the oldest descriptor that has come: for the engine, which agrees or not.
  func tag(_ tag: String, of name: String) -> SupervisorReport {
    guard !unnamed.isEmpty else { return .request(subscriber: name, .invalid("tag")) }
    return ask(tag, unnamed.removeFirst(), of: name)
  }

  private func ask(_ tag: String, _ descriptor: Descriptor, of name: String) -> SupervisorReport {
    guard WatchedSocket.canWatch(descriptor) else { return .request(subscriber: name, .invalid("tag")) }
    asked.append((tag, descriptor))
    return .event(subscriber: name, .mode(.tag(tag)))
  }

  /// The channel, where something may be taken from it now.
  func readable(at now: Int64) -> Descriptor? { mayTake(at: now) ? channel : nil }

  private func mayTake(at now: Int64) -> Bool {
    now >= secondEnds || said < SupervisorLimits.socketsPerSecond
  }

  /// Takes what has come by the channel: each message is a line with its descriptor.
  func receive(of name: String, at now: Int64) -> [SupervisorReport] {
    if now >= secondEnds {
      secondEnds = now + 1_000
      said = 0
    }
    var reports: [SupervisorReport] = []
    var buffer = [UInt8](repeating: 0, count: SupervisorLimits.tagBytes)
    while let channel, said < SupervisorLimits.socketsPerSecond {
      let (count, passed) = unsafe buffer.withUnsafeMutableBytes {
        unsafe PassedDescriptor.receive(from: channel, into: $0)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { break }
      guard count > 0 else {
        self.channel = nil
        break
      }
      said += 1
      var line = buffer[..<count]
      while line.last == UInt8(ascii: "\n") { line.removeLast() }
      guard let passed, case .tag(let tag)? = SubscriberAnswer(line: Array(line)) else {
        reports.append(.request(subscriber: name, .invalid("tag")))
        continue
      }
      reports.append(ask(tag, passed, of: name))
    }
    return reports
  }

  /// The engine agrees: the socket is watched from now on; false where the program is another by now.
  func keep(_ tag: String) -> Bool {
    guard let place = asked.firstIndex(where: { $0.tag == tag }) else { return false }
    let socket = WatchedSocket(asked.remove(at: place).descriptor)
    held.removeAll { $0.tag == tag }
    held.append(Held(tag: tag, socket: socket))
    if isWatching { held[held.count - 1].socket.watch(at: MonotonicTime.milliseconds) }
    return true
  }

  /// The numbers of the files of those that are kept.
  var fileNumbers: Set<UInt64> { Set(held.map(\.socket.descriptor.fileNumber)) }

  /// The engine does not agree to the oldest that it was asked for.
  func letGo() { if !asked.isEmpty { asked.removeFirst() } }

  // MARK: Watching

  /// The program is suspended.
  func watch(at now: Int64) {
    isWatching = true
    for place in held.indices { held[place].socket.watch(at: now) }
  }

  /// The program runs again, or is to be woken, and reads by itself.
  func stopWatching() {
    isWatching = false
    for place in held.indices { held[place].socket.isWatched = false }
  }

  /// What `poll` is to wait for.
  func watched(at now: Int64) -> [(tag: String, descriptor: Descriptor)] {
    held.compactMap { $0.socket.isDue(at: now) ? ($0.tag, $0.socket.descriptor) : nil }
  }

  /// When something is due by time.
  func deadline(at now: Int64) -> Int64? {
    let quiet = held.compactMap { $0.socket.isWatched ? $0.socket.quietUntil : nil }.filter { $0 > now }.min()
    guard channel != nil, !mayTake(at: now) else { return quiet }
    return min(quiet ?? secondEnds, secondEnds)
  }

  /// A watched socket has something to read; nil where it is not watched any more.
  ///
  /// A wake names one socket, so no other is looked at before the next suspension: what it has to read is told then.
  /// Among several the one that was told last comes last.
  func traffic(_ tag: String, of name: String) -> SupervisorReport? {
    guard let place = held.firstIndex(where: { $0.tag == tag && $0.socket.isWatched }) else { return nil }
    stopWatching()
    var told = held.remove(at: place)
    let report = ModeEvent.traffic(tag: tag, bytes: told.socket.newBytes, lost: told.socket.lost)
    told.socket.note()
    held.append(told)
    return .event(subscriber: name, .mode(report))
  }

  /// Tells of a watched socket of which the program read something before it was stopped: it may not have got to do
  /// anything with that.
  func readBeforeStop(of name: String) -> [SupervisorReport] {
    held.filter(\.socket.wasRead).compactMap { traffic($0.tag, of: name) }
  }
}
