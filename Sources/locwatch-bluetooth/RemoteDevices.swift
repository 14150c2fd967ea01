import LocationBus
import LocationFormats

/// Notifications of other devices (the role of a central). BlueZ can't wait for a device to appear, so connecting is
/// tried again: at once when BlueZ hears of the device, otherwise after growing waits.
struct RemoteDevices {
  private enum Phase: Equatable {
    /// Nothing is tried before then, unless BlueZ hears of the device; nil while BlueZ is not there.
    case waiting(until: Int64?)
    /// BlueZ looks for a device that it does not know.
    case searching(until: Int64)
    /// BlueZ was asked to connect, by the call of that number.
    case connecting(UInt64)
    /// BlueZ asks the device what services it has.
    case resolving(until: Int64)
    /// BlueZ was asked for the notifications, by the call of that number.
    case acquiring(UInt64)
    /// The daemon has the notifications.
    case held
  }

  private struct Session {
    var number: Int
    var address: String
    var service: String
    var characteristic: String
    /// What BlueZ calls the device; nil where it does not know it.
    var device: String?
    /// What it calls the characteristic that notifies.
    var notifier: String?
    var phase = Phase.waiting(until: nil)
    /// Attempts in a row that failed.
    var failures = 0
    var triedAt: Int64 = 0
    /// What the log was last told of it.
    var said: String?
  }

  private var sessions: [Session] = []
  /// The adapter that looks for devices now.
  private var searcher: String?
  /// Objects that BlueZ has lost, and whether it has an adapter that it had not or that was off, since that was last
  /// asked.
  private var lost: [String] = []
  private var hasNewAdapter = false

  private static let searchMilliseconds: Int64 = 15_000
  private static let resolveMilliseconds: Int64 = 30_000
  /// The shortest time between two attempts that a sight of the device causes.
  private static let sightMilliseconds: Int64 = 5_000
  private static let shortestWait: Int64 = 1_000
  private static let longestWait: Int64 = 300_000

  // MARK: What the daemon says

  mutating func take(_ line: JSONTree, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    if let number = line["close"]?.integer { return try close(number, on: bus) }
    guard let number = line["open"]?.integer, let address = line["device"]?.string,
      let service = line["service"]?.string, let characteristic = line["characteristic"]?.string
    else { return }
    sessions.append(
      Session(number: number, address: address, service: service, characteristic: characteristic))
    try advance(sessions.count - 1, on: bus)
  }

  private mutating func close(_ number: Int, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    guard let place = sessions.firstIndex(where: { $0.number == number }) else { return }
    let session = sessions.remove(at: place)
    try stopSearchIfIdle(on: bus)
    guard let device = session.device, !sessions.contains(where: { $0.device == device }) else { return }
    _ = try bus.send(BlueZ.service, device, BlueZ.device, "Disconnect")
  }

  // MARK: One step

  /// Takes the next step towards notifications, from the state that the device is in.
  ///
  /// - Parameter wasConnected: whether BlueZ has just connected it: it is not asked for that at once again.
  private mutating func advance(
    _ place: Int, wasConnected: Bool = false, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    let now = BlueZ.milliseconds
    sessions[place].triedAt = now
    let all = BlueZ.all(on: bus)
    guard let all, !all.isEmpty else {
      say("BlueZ does not answer", of: place)
      // Nobody tells when it answers again; that it is there again the bus tells.
      return if all == nil { fail(place) } else { sessions[place].phase = .waiting(until: nil) }
    }
    let address = sessions[place].address
    guard let device = all.first(where: { $0.text(BlueZ.device, "Address")?.uppercased() == address }) else {
      return try search(place, all, on: bus)
    }
    sessions[place].device = device.path
    guard device.flag(BlueZ.device, "Connected") else {
      guard !wasConnected else { return fail(place) }
      let call = try bus.send(BlueZ.service, device.path, BlueZ.device, "Connect")
      sessions[place].phase = .connecting(call)
      return
    }
    guard device.flag(BlueZ.device, "ServicesResolved") else {
      return resolve(place)
    }
    guard let characteristic = characteristic(of: sessions[place], at: device.path, in: all) else {
      say("\(address) has no characteristic \(sessions[place].characteristic)", of: place)
      return fail(place)
    }
    let call = try bus.send(
      BlueZ.service, characteristic, BlueZ.characteristic, "AcquireNotify", [.map([])])
    sessions[place].notifier = characteristic
    sessions[place].phase = .acquiring(call)
  }

  private func characteristic(of session: Session, at device: String, in all: [BusObject]) -> String? {
    let services = all.filter {
      $0.path.hasPrefix(device + "/")
        && $0.text(BlueZ.gattService, "UUID")?.lowercased() == session.service
    }
    return all.first { object in
      object.text(BlueZ.characteristic, "UUID")?.lowercased() == session.characteristic
        && services.contains { object.path.hasPrefix($0.path + "/") }
    }?.path
  }

  /// Has BlueZ look for a device that it does not know, for some seconds.
  private mutating func search(
    _ place: Int, _ all: [BusObject], on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    sessions[place].device = nil
    guard let adapter = all.first(where: { $0.has(BlueZ.adapter) })?.path else {
      say("BlueZ has no adapter", of: place)
      return fail(place)
    }
    if searcher == nil {
      let filter = BusValue.map([BusValue.Entry("Transport", .text("le"))])
      _ = try bus.send(BlueZ.service, adapter, BlueZ.adapter, "SetDiscoveryFilter", [filter])
      _ = try bus.send(BlueZ.service, adapter, BlueZ.adapter, "StartDiscovery")
      searcher = adapter
    }
    sessions[place].phase = .searching(until: BlueZ.milliseconds + Self.searchMilliseconds)
  }

  private mutating func stopSearchIfIdle(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    let isNeeded = sessions.contains { if case .searching = $0.phase { true } else { false } }
    guard !isNeeded, let adapter = searcher else { return }
    searcher = nil
    _ = try bus.send(BlueZ.service, adapter, BlueZ.adapter, "StopDiscovery")
  }

  /// Tries again after a wait that grows.
  private mutating func fail(_ place: Int, leastWait: Int64 = shortestWait) {
    let wait = Self.shortestWait << Int64(min(sessions[place].failures, 9))
    sessions[place].failures += 1
    sessions[place].phase = .waiting(
      until: BlueZ.milliseconds + min(max(wait, leastWait), Self.longestWait))
  }

  private mutating func say(_ text: String, of place: Int) {
    guard sessions[place].said != text else { return }
    sessions[place].said = text
    BluetoothMain.note(text)
  }

  /// Waits until BlueZ knows again what services a device has: they have changed.
  private mutating func resolve(_ place: Int) {
    sessions[place].phase = .resolving(until: BlueZ.milliseconds + Self.resolveMilliseconds)
  }

  /// What has become of BlueZ's objects since this was last asked.
  mutating func takeObjects() -> (lost: [String], hasNewAdapter: Bool) {
    defer {
      lost = []
      hasNewAdapter = false
    }
    return (lost, hasNewAdapter)
  }

  // MARK: Time

  /// When something is due.
  var deadline: Int64? {
    sessions.compactMap { session in
      switch session.phase {
      case .waiting(let until): until
      case .searching(let until), .resolving(let until): until
      case .connecting, .acquiring, .held: nil
      }
    }.min()
  }

  /// Does what is due.
  mutating func passTime(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    let now = BlueZ.milliseconds
    for place in sessions.indices {
      switch sessions[place].phase {
      case .waiting(let until?) where until <= now: try advance(place, on: bus)
      case .searching(let until) where until <= now:
        // The radio is to be quiet for longer than it listens.
        fail(place, leastWait: 4 * Self.searchMilliseconds)
      case .resolving(let until) where until <= now: fail(place)
      case .waiting, .searching, .connecting, .resolving, .acquiring, .held: break
      }
    }
    try stopSearchIfIdle(on: bus)
  }

  // MARK: What BlueZ says

  mutating func take(
    _ message: borrowing BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    switch message.kind {
    case .answer, .error: try takeAnswer(message, on: bus)
    case .signal:
      if message.isSignal(MessageBus.properties, "PropertiesChanged") {
        let interface = try message.text()
        guard case .map(let changes)? = try message.value() else { return }
        if interface != BlueZ.adapter {
          try note(changes, of: message.path, on: bus)
        } else if changes.contains(where: { $0.key == "Powered" && $0.value == .flag(true) }) {
          try noteAdapter(on: bus)
        }
      } else if message.isSignal(MessageBus.objectManager, "InterfacesAdded") {
        guard let path = try message.text() else { return }
        try noteObject(BusObject(path: path, told: try message.value()), on: bus)
      } else if message.isSignal(MessageBus.objectManager, "InterfacesRemoved") {
        guard let path = try message.text() else { return }
        lost.append(path)
        for place in sessions.indices {
          if sessions[place].device == path {
            fail(place)
          } else if sessions[place].notifier == path, sessions[place].phase == .held {
            resolve(place)
          }
        }
      }
    case .call, nil: break
    }
  }

  private mutating func takeAnswer(
    _ message: borrowing BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    guard let call = message.replyTo else { return }
    if let place = sessions.firstIndex(where: { $0.phase == .connecting(call) }) {
      if message.kind == .answer { return try advance(place, wasConnected: true, on: bus) }
      say("\(sessions[place].address) does not connect: \(message.errorText)", of: place)
      return fail(place)
    }
    guard let place = sessions.firstIndex(where: { $0.phase == .acquiring(call) }) else { return }
    guard message.kind == .answer else {
      say("\(sessions[place].address) gives no notifications: \(message.errorText)", of: place)
      return fail(place)
    }
    guard ChannelPass.pass(try message.file(), held: sessions[place].number) else { return fail(place) }
    sessions[place].phase = .held
    sessions[place].failures = 0
    sessions[place].said = nil
  }

  /// BlueZ has come, or is gone and with it every connection.
  mutating func noteOwner(isThere: Bool, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    if !isThere { searcher = nil }
    for place in sessions.indices {
      if !isThere {
        sessions[place].device = nil
        sessions[place].phase = .waiting(until: nil)
        sessions[place].failures = 0
      } else if sessions[place].phase == .waiting(until: nil) {
        try advance(place, on: bus)
      }
    }
  }

  private mutating func note(
    _ changes: [BusValue.Entry], of path: String, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    func value(_ name: String) -> BusValue? { changes.first { $0.key == name }?.value }
    for place in sessions.indices where sessions[place].device == path {
      let session = sessions[place]
      switch session.phase {
      case .held, .resolving, .acquiring:
        if value("Connected") == .flag(false) {
          // It went by itself: it is connected again as soon as it is back.
          try advance(place, on: bus)
        } else if value("ServicesResolved") == .flag(false) {
          resolve(place)
        } else if case .resolving = session.phase, value("ServicesResolved") == .flag(true) {
          try advance(place, on: bus)
        }
      case .waiting:
        let isConnected = value("Connected") == .flag(true)
        let isSeen =
          value("RSSI") != nil && BlueZ.milliseconds - session.triedAt >= Self.sightMilliseconds
        if isConnected || isSeen { try advance(place, on: bus) }
      case .searching, .connecting: break
      }
    }
  }

  /// BlueZ has an adapter, a device or a characteristic that it had not.
  private mutating func noteObject(
    _ object: BusObject, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    if object.has(BlueZ.adapter) { return try noteAdapter(on: bus) }
    if let address = object.text(BlueZ.device, "Address")?.uppercased() {
      return try advanceIdle(on: bus) { $0.address == address }
    }
    guard object.has(BlueZ.characteristic) else { return }
    for place in sessions.indices
    where sessions[place].device.map({ object.path.hasPrefix($0 + "/") }) ?? false {
      let uuid = object.text(BlueZ.characteristic, "UUID")?.lowercased()
      if case .resolving = sessions[place].phase, sessions[place].characteristic == uuid {
        try advance(place, on: bus)
      }
    }
  }

  /// There is an adapter that can be used.
  private mutating func noteAdapter(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    hasNewAdapter = true
    try advanceIdle(on: bus) { _ in true }
  }

  /// Takes the next step for those sessions of some that wait or search.
  private mutating func advanceIdle(
    on bus: borrowing MessageBus, _ isMeant: (Session) -> Bool
  ) throws(MessageBus.Failure) {
    for place in sessions.indices where isMeant(sessions[place]) {
      switch sessions[place].phase {
      case .waiting, .searching: try advance(place, on: bus)
      case .connecting, .resolving, .acquiring, .held: break
      }
    }
    try stopSearchIfIdle(on: bus)
  }
}
