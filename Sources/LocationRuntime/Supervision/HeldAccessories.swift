import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The accessories of one process: opened for it, passed to it, and watched (rule J1). Nothing is read or written here,
/// so no byte moves. They are closed with their owner. Used by the supervisor's thread alone.
final class HeldAccessories {
  private struct Held {
    var terms: AccessoryTerms
    /// Nil while its device is not there.
    var device: WatchedSocket?
    /// Whether the program has been passed it.
    var isPassed = false
    /// Bytes that had been lost before it was opened.
    var lostBefore = 0
    /// How often it is still looked for, a second apart.
    var looksLeft = HeldAccessories.looks
  }

  /// By which the program is passed descriptors; nil where it has nothing of the kind.
  private let carrier: Descriptor?
  private var held: [Held] = []
  /// Tells when something appears where devices are; nil while no session is open.
  private var news: Descriptor?
  private var isWatching = false
  private var nextLook: Int64?

  /// Whether the carrier may be written to: not in the middle of a line.
  private let mayPass: () -> Bool

  init(carrier: Descriptor?, mayPass: @escaping () -> Bool = { true }) {
    self.carrier = carrier
    self.mayPass = mayPass
  }

  /// Looks for a device after something has happened: its owner and rights are set some time after it appears.
  private static let looks = 5
  private static let lookMilliseconds: Int64 = 1_000

  // MARK: Sessions

  /// Opens a session, now where its device is there, else when it comes.
  func open(_ terms: AccessoryTerms, of name: String, at now: Int64) -> [SupervisorReport] {
    close(terms.session)
    held.append(Held(terms: terms))
    listen()
    return look(of: name, at: now)
  }

  func close(_ session: String) {
    held.removeAll { $0.terms.session == session }
    if held.isEmpty {
      news = nil
      nextLook = nil
    }
  }

  /// Listens for devices that come: in `/dev`, and in the directory of each that was asked for.
  private func listen() {
    if news == nil {
      let number = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK))
      if number >= 0 { news = Descriptor(number) }
    }
    guard let news else { return }
    for directory in Set(["/dev"] + held.map { Self.directory(of: $0.terms.device) }) {
      _ = unsafe inotify_add_watch(news.number, directory, Self.changes)
    }
  }

  /// What is told of a directory: an entry is made, moved there, or gets other rights.
  private static var changes: UInt32 { UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  // MARK: Devices that come

  /// Opens what is there by now.
  private func look(of name: String, at now: Int64) -> [SupervisorReport] {
    var reports: [SupervisorReport] = []
    nextLook = nil
    for place in held.indices {
      if held[place].device == nil {
        connect(place)
        if held[place].device == nil, held[place].looksLeft > 0 {
          held[place].looksLeft -= 1
          nextLook = now + Self.lookMilliseconds
        }
      }
      guard let device = held[place].device, !held[place].isPassed else { continue }
      guard pass(device.descriptor, held[place].terms.session) else {
        nextLook = now + Self.lookMilliseconds
        continue
      }
      held[place].isPassed = true
      let event = AccessoryEvent.connected(session: held[place].terms.session)
      reports.append(.event(subscriber: name, .mode(.accessory(event))))
    }
    return reports
  }

  private func connect(_ place: Int) {
    guard let descriptor = SerialLine.open(held[place].terms) else { return }
    held[place].lostBefore = SerialLine.lostBytes(descriptor) ?? 0
    held[place].device = WatchedSocket(descriptor)
    if isWatching { held[place].device?.watch(at: MonotonicTime.milliseconds) }
  }

  /// Passes a descriptor to the program, with a line that names its session.
  private func pass(_ descriptor: Descriptor, _ session: String) -> Bool {
    guard let carrier else { return true }
    guard mayPass() else { return false }
    return PassedDescriptor.send(descriptor, over: carrier, with: SubscriberReply.accessory(session).line)
  }

  /// Something has changed where devices are.
  func takeNews(of name: String, at now: Int64) -> [SupervisorReport] {
    guard let news else { return [] }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while unsafe buffer.withUnsafeMutableBytes({ unsafe SystemCall.readBytes(news.number, $0) }) > 0 {}
    for place in held.indices { held[place].looksLeft = Self.looks }
    listen()
    return look(of: name, at: now)
  }

  // MARK: Watching

  /// The program is suspended.
  func watch(at now: Int64) {
    isWatching = true
    for place in held.indices { held[place].device?.watch(at: now) }
  }

  /// The program runs again, and reads by itself.
  func stopWatching() {
    isWatching = false
    for place in held.indices { held[place].device?.isWatched = false }
  }

  /// Where devices come; nil while none is waited for.
  var listening: Descriptor? { news }

  /// What `poll` is to wait for. That a device is gone is told by itself, also while the program runs.
  func watched(at now: Int64) -> [(session: String, descriptor: Descriptor, events: Int32)] {
    held.compactMap { held in
      guard let device = held.device else { return nil }
      return (held.terms.session, device.descriptor, device.isDue(at: now) ? POLLIN : 0)
    }
  }

  /// When something is due by time.
  func deadline(at now: Int64) -> Int64? {
    let quiet = held.compactMap { $0.device?.isWatched == true ? $0.device?.quietUntil : nil }
      .filter { $0 > now }.min()
    return [quiet, nextLook].compactMap { $0 }.min()
  }

  /// Does what is due by time.
  func passTime(of name: String, at now: Int64) -> [SupervisorReport] {
    guard let nextLook, nextLook <= now else { return [] }
    return look(of: name, at: now)
  }

  /// A device has something to read, or is gone. It is not looked at again before the next suspension.
  func note(_ session: String, _ events: Int16, of name: String, at now: Int64) -> [SupervisorReport] {
    guard let place = held.firstIndex(where: { $0.terms.session == session }),
      let device = held[place].device
    else { return [] }
    func report(_ event: AccessoryEvent) -> SupervisorReport {
      .event(subscriber: name, .mode(.accessory(event)))
    }
    guard events & Int16(POLLHUP | POLLERR | POLLNVAL) == 0 else {
      held[place].device = nil
      held[place].isPassed = false
      held[place].looksLeft = Self.looks
      nextLook = now + Self.lookMilliseconds
      return [report(.disconnected(session: session))]
    }
    guard device.isWatched else { return [] }
    held[place].device?.note()
    let lost = SerialLine.lostBytes(device.descriptor).map { $0 - held[place].lostBefore }
    return [report(.data(session: session, bytes: device.waitingBytes, lost: lost))]
  }
}
