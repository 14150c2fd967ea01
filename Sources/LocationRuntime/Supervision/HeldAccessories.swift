import Glibc
import LocationCore
import LocationFormats

/// The accessories of one program: opened for it, passed to it, and watched (rule J1). Nothing is read or written here,
/// so no byte moves. Those on a wire are closed with its process; those of Bluetooth go on without it, and are passed to
/// the next (rule J3). Used by the supervisor's thread alone.
final class HeldAccessories {
  private struct Held {
    var terms: AccessoryTerms
    /// Nil while its device is not there.
    var device: WatchedSocket?
    /// Whether the process has been passed it.
    var isPassed = false
    /// Whether it was told that it is connected.
    var isTold = false
    /// Whether the other side is gone, and there is something left to be read.
    var isOver = false
    /// Bytes that had been lost before it was opened.
    var lostBefore = 0
    /// How often it is still looked for, a second apart.
    var looksLeft = HeldAccessories.looks
    /// Whether the log has why its device can't be had.
    var hasComplained = false

    var isOfBluetooth: Bool { terms.kind == .gatt }
  }

  /// The name of the program.
  private let name: String
  /// By which the process is passed descriptors; nil where it has nothing of the kind.
  private var carrier: Descriptor?
  /// Whether there is a process.
  private var hasProcess = false
  private var held: [Held] = []
  /// Tells when something appears where devices are; nil while no session is open.
  private var news: Descriptor?
  /// Whether there is no process, or a suspended one.
  private var isWatching = true
  private var nextLook: Int64?

  /// Whether the carrier may be written to: not in the middle of a line.
  private var mayPass: () -> Bool = { true }

  /// Looks for a device after something has happened: its owner and rights are set some time after it appears.
  private static let looks = 5
  private static let lookMilliseconds: Int64 = 1_000
  /// Milliseconds until the next attempt to pass a device. They grow: the process may never read what it is passed.
  private var passWait = HeldAccessories.lookMilliseconds
  private static let longestPassMilliseconds: Int64 = 300_000

  init(of name: String) { self.name = name }

  // MARK: Processes

  /// A process has started: it is passed what goes on from the one before.
  func begin(carrier: Descriptor?, mayPass: @escaping () -> Bool = { true }) {
    self.carrier = carrier
    self.mayPass = mayPass
    hasProcess = true
    stopWatching()
    for place in held.indices { passOn(place, at: MonotonicTime.milliseconds) }
  }

  /// The process has ended.
  func end(at now: Int64) {
    carrier = nil
    mayPass = { true }
    hasProcess = false
    held.removeAll { !$0.isOfBluetooth }
    for place in held.indices { held[place].isPassed = false }
    forgetUnneeded()
    watch(at: now)
  }

  /// The sessions that go on without a process, in the order in which they were opened.
  var lasting: [String] { held.filter(\.isOfBluetooth).map(\.terms.session) }

  // MARK: Sessions

  /// Opens a session, now where its device is there, else when it comes.
  func open(_ terms: AccessoryTerms, at now: Int64) -> [SupervisorReport] {
    if terms.kind == .gatt, held.contains(where: { $0.terms.isSameSession(as: terms) }) { return [] }
    close(terms.session)
    held.append(Held(terms: terms))
    listen()
    return look(at: now)
  }

  func close(_ session: String) {
    for held in held where held.terms.session == session { Self.cutOff(held) }
    held.removeAll { $0.terms.session == session }
    forgetUnneeded()
  }

  /// Closes all.
  func closeAll() {
    for held in held { Self.cutOff(held) }
    held = []
    forgetUnneeded()
  }

  /// Shuts down the socket of a Bluetooth session, so that the program it was passed to gets no more notifications.
  private static func cutOff(_ held: Held) {
    guard held.isOfBluetooth, let device = held.device else { return }
    _ = shutdown(device.descriptor.number, Int32(SHUT_RDWR))
  }

  /// Whether the device of a session is there.
  func isConnected(_ session: String) -> Bool {
    held.contains { $0.terms.session == session && $0.device != nil }
  }

  private func forgetUnneeded() {
    if held.allSatisfy(\.isOfBluetooth) { news = nil }
    if held.isEmpty { nextLook = nil }
  }

  /// What can be heard of a characteristic has come from BlueZ.
  func hold(_ descriptor: Descriptor, as session: String, at now: Int64) -> [SupervisorReport] {
    guard let place = held.firstIndex(where: { $0.terms.session == session && $0.isOfBluetooth }) else {
      return []
    }
    held[place].device = WatchedSocket(descriptor)
    if isWatching { held[place].device?.watch(at: now) }
    held[place].isPassed = false
    held[place].isTold = false
    held[place].isOver = false
    return look(at: now)
  }

  /// Listens for devices that come: in `/dev`, and in the directory of each that was asked for.
  private func listen() {
    let wanted = held.filter { !$0.isOfBluetooth }
    guard !wanted.isEmpty else { return }
    if news == nil { news = Descriptor.fileWatch() }
    guard let news else { return }
    for directory in Set(["/dev"] + wanted.map { Self.directory(of: $0.terms.device) }) {
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
  private func look(at now: Int64) -> [SupervisorReport] {
    var reports: [SupervisorReport] = []
    nextLook = nil
    for place in held.indices {
      if held[place].device == nil, !held[place].isOfBluetooth {
        do throws(SerialLine.Obstacle) { try connect(place) } catch {
          if held[place].looksLeft > 0 {
            held[place].looksLeft -= 1
            nextLook = now + Self.lookMilliseconds
          } else if let reason = error.reason, !held[place].hasComplained {
            held[place].hasComplained = true
            let terms = held[place].terms
            reports.append(
              .note(
                subscriber: name, .noDevice(session: terms.session, device: terms.device, reason: reason)))
          }
        }
      }
      guard held[place].device != nil else { continue }
      passOn(place, at: now)
      guard !held[place].isTold, held[place].isPassed || !hasProcess else { continue }
      held[place].isTold = true
      let event = AccessoryEvent.connected(session: held[place].terms.session)
      reports.append(.event(subscriber: name, .mode(.accessory(event))))
    }
    return reports
  }

  private func connect(_ place: Int) throws(SerialLine.Obstacle) {
    let descriptor = try SerialLine.open(held[place].terms)
    held[place].hasComplained = false
    held[place].lostBefore = SerialLine.lostBytes(descriptor) ?? 0
    held[place].device = WatchedSocket(descriptor)
    if isWatching { held[place].device?.watch(at: MonotonicTime.milliseconds) }
  }

  /// Passes a device to the process, unless it has it; later where that can't be now.
  private func passOn(_ place: Int, at now: Int64) {
    guard hasProcess, let device = held[place].device, !held[place].isPassed else { return }
    guard pass(device.descriptor, held[place].terms.session) else {
      nextLook = now + passWait
      passWait = min(2 * passWait, Self.longestPassMilliseconds)
      return
    }
    passWait = Self.lookMilliseconds
    held[place].isPassed = true
    guard held[place].isOver else { return }
    held[place].device = nil
    held[place].isOver = false
  }

  /// Passes a descriptor to the process, with a line that names its session.
  private func pass(_ descriptor: Descriptor, _ session: String) -> Bool {
    guard let carrier else { return true }
    guard mayPass() else { return false }
    return PassedDescriptor.send(descriptor, over: carrier, with: SubscriberReply.accessory(session).line)
  }

  /// Something has changed where devices are.
  func takeNews(at now: Int64) -> [SupervisorReport] {
    guard let news else { return [] }
    news.drain()
    for place in held.indices { held[place].looksLeft = Self.looks }
    listen()
    return look(at: now)
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
      guard let device = held.device, !held.isOver else { return nil }
      return (held.terms.session, device.descriptor, device.isDue(at: now) ? POLLIN : 0)
    }
  }

  /// When something is due by time.
  func deadline(at now: Int64) -> Int64? {
    let quiet = held.compactMap { $0.device?.isWatched == true && !$0.isOver ? $0.device?.quietUntil : nil }
      .filter { $0 > now }.min()
    return [quiet, nextLook].compactMap { $0 }.min()
  }

  /// Does what is due by time.
  func passTime(at now: Int64) -> [SupervisorReport] {
    guard let nextLook, nextLook <= now else { return [] }
    return look(at: now)
  }

  /// A device has something to read, or is gone. It is not looked at again before the next suspension.
  func note(_ session: String, _ events: Int32, at now: Int64) -> [SupervisorReport] {
    guard let place = held.firstIndex(where: { $0.terms.session == session }),
      let device = held[place].device
    else { return [] }
    func report(_ event: AccessoryEvent) -> SupervisorReport {
      .event(subscriber: name, .mode(.accessory(event)))
    }
    guard events & (POLLHUP | POLLERR | POLLNVAL) == 0 else {
      let gone = report(.disconnected(session: session))
      guard held[place].isOfBluetooth else {
        held[place].device = nil
        held[place].isPassed = false
        held[place].isTold = false
        held[place].looksLeft = Self.looks
        nextLook = now + Self.lookMilliseconds
        return [gone]
      }
      let bytes = device.waitingBytes ?? 0
      let isNews = device.isWatched && bytes > 0
      let data = isNews ? [report(.data(session: session, bytes: bytes, lost: nil))] : []
      // Nobody else has what is left: the next process reads it.
      held[place].isOver = !held[place].isPassed && bytes > 0
      if !held[place].isOver { held[place].device = nil }
      return data + [gone]
    }
    guard device.isWatched else { return [] }
    held[place].device?.note()
    let lost = SerialLine.lostBytes(device.descriptor).map { $0 - held[place].lostBefore }
    return [report(.data(session: session, bytes: device.waitingBytes, lost: lost))]
  }

  /// Tells of devices of which the program read something before it was stopped, as of sockets.
  func readBeforeStop(at now: Int64) -> [SupervisorReport] {
    held.filter { $0.device?.wasRead == true }.flatMap { note($0.terms.session, POLLIN, at: now) }
  }
}

extension SupervisedSubscriber {
  /// Carries out an order that is about one of its accessories.
  func perform(_ order: AccessoryOrder, _ session: String, at now: Int64) {
    switch order {
    case .open(let terms):
      guard terms.kind == .gatt || hasProcess else { return }
      let isKnown = accessories.lasting.contains(session)
      let reports = accessories.open(terms, at: now)
      // Whether a service is offered, nobody here knows: a program that asks again was told before.
      if !accessories.isConnected(session), !(isKnown && terms.isOfService) {
        answer(.accessoryAwaited(session))
      }
      tellOf(reports)
    case .close: accessories.close(session)
    // The daemon does it.
    case .publish: break
    }
  }

  /// What can be heard of a characteristic has come (rule J3).
  func hold(_ descriptor: Descriptor, as session: String, at now: Int64) {
    tellOf(accessories.hold(descriptor, as: session, at: now))
  }

  /// Something has changed where devices of accessories are.
  func takeDeviceNews(at now: Int64) {
    tellOf(accessories.takeNews(at: now))
  }

  /// An accessory has something to read, or is gone.
  func noteAccessory(_ session: String, _ events: Int32, at now: Int64) {
    tellOf(accessories.note(session, events, at: now))
  }

  /// Does what is due by time.
  func passTimeOfAccessories(at now: Int64) {
    tellOf(accessories.passTime(at: now))
  }

  private func tellOf(_ reports: [SupervisorReport]) {
    if !reports.isEmpty { tell(reports) }
  }
}

extension AccessoryTerms {
  /// Whether it is about a service of this machine.
  var isOfService: Bool { if case .peripheral? = gatt { true } else { false } }

  /// Whether a session of Bluetooth is the one that is open, whatever values of its service have been given since.
  func isSameSession(as other: AccessoryTerms) -> Bool {
    guard session == other.session, device == other.device else { return false }
    switch (gatt, other.gatt) {
    case (.central, .central): return gatt == other.gatt
    case (.peripheral(let one)?, .peripheral(let other)?):
      return one.uuid == other.uuid && one.name == other.name
        && one.characteristics.map(\.uuid) == other.characteristics.map(\.uuid)
        && one.characteristics.map(\.uses) == other.characteristics.map(\.uses)
    case _: return false
    }
  }
}
