import LocationBus
import LocationCore
import LocationFormats

/// What BlueZ looks for in place of the daemon (`org.bluez.AdvertisementMonitor`, BlueZ 5.56 and later): it scans by itself
/// and tells when a device with one of our patterns comes and goes, not each of its advertisements.
struct AdvertisementMonitors {
  /// What is told.
  enum News: Hashable {
    case found(Beacon)
    /// Nil for all.
    case lost(Beacon?)
    case trouble(String)
  }

  private static let service = "org.bluez"
  private static let manager = "org.bluez.AdvertisementMonitorManager1"
  private static let monitor = "org.bluez.AdvertisementMonitor1"
  /// Seconds without an advertisement after which BlueZ tells that a device is lost.
  private static let lostSeconds: UInt16 = 10
  /// Seconds for which BlueZ must hear a device before it tells that it is found: the least there is.
  private static let foundSeconds: UInt16 = 1
  /// Any strength of a signal is good enough, dBm.
  private static let leastSignal: Int16 = -127

  private var beacons: [Beacon] = []
  /// Tells one list of beacons from the one before.
  private var generation = 0
  /// Adapters that were asked, by the number of the call.
  private var asked: [UInt64: String] = [:]
  /// Adapters at which we are registered.
  private var adapters: Set<String> = []
  /// What was found.
  private var found: [Sighting: Beacon] = [:]

  /// A device that a monitor has found. It may be several beacons.
  private struct Sighting: Hashable {
    var monitor: String
    var device: String
  }

  private var root: String { "/org/locwatch/beacons/\(generation)" }

  /// Learns when BlueZ comes and goes, and when it has another adapter.
  mutating func begin(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    try bus.watchOwners(of: Self.service)
    try bus.match("type='signal',sender='\(Self.service)',interface='\(MessageBus.objectManager)'")
  }

  /// Looks for other beacons from now on.
  mutating func watch(_ beacons: [Beacon], on bus: borrowing MessageBus) throws(MessageBus.Failure) -> [News]
  {
    guard beacons != self.beacons else { return [] }
    for adapter in adapters {
      _ = try bus.send(Self.service, adapter, Self.manager, "UnregisterMonitor", [.path(root)])
    }
    self.beacons = beacons
    generation += 1
    return try forgetAll() + register(on: bus)
  }

  private mutating func forgetAll() -> [News] {
    let had = !found.isEmpty
    adapters = []
    asked = [:]
    found = [:]
    return had ? [.lost(nil)] : []
  }

  /// Asks every adapter that can do it.
  private mutating func register(on bus: borrowing MessageBus) throws(MessageBus.Failure) -> [News] {
    guard !beacons.isEmpty else { return [] }
    let paths: [String]
    do throws(MessageBus.Failure) {
      paths = try bus.objects(of: Self.service).filter { $0.has(Self.manager) }.map(\.path)
    } catch {
      return [.trouble("BlueZ does not answer: \(error)")]
    }
    guard !paths.isEmpty else {
      return [.trouble("BlueZ has no adapter that looks for beacons; start bluetoothd with --experimental")]
    }
    for path in paths { try register(at: path, on: bus) }
    return []
  }

  private mutating func register(
    at adapter: String, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    // BlueZ asks us what we look for before it answers.
    asked[try bus.send(Self.service, adapter, Self.manager, "RegisterMonitor", [.path(root)])] = adapter
  }

  /// BlueZ has lost an adapter, and with it what was found there. Nobody tells that of each device.
  private mutating func forget(_ adapter: String) -> [News] {
    asked = asked.filter { $0.value != adapter }
    guard adapters.remove(adapter) != nil else { return [] }
    let gone = found.filter { $0.key.device.hasPrefix(adapter + "/") }
    found = found.filter { gone[$0.key] == nil }
    let lost = Set(gone.values).subtracting(found.values).sorted { $0.text < $1.text }.map { News.lost($0) }
    return adapters.isEmpty ? lost + [.trouble("BlueZ has lost its adapter: no beacon is looked for")] : lost
  }

  /// BlueZ has another object, or has lost one.
  private mutating func takeObject(
    _ message: borrowing BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> [News] {
    guard let path = try message.text() else { return [] }
    if message.isSignal(MessageBus.objectManager, "InterfacesRemoved") { return forget(path) }
    let object = BusObject(path: path, told: try message.value())
    let isKnown = adapters.contains(path) || asked.values.contains(path)
    if !isKnown, !beacons.isEmpty, object.has(Self.manager) {
      try register(at: path, on: bus)
    }
    return []
  }

  // MARK: - What comes

  /// Takes a message: what is to be told.
  mutating func take(
    _ message: borrowing BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> [News] {
    switch message.kind {
    case .signal:
      guard let change = try message.ownerChange() else { return try takeObject(message, on: bus) }
      guard !change.after.isEmpty else { return forgetAll() }
      // It may have come for our own question.
      return asked.isEmpty && adapters.isEmpty ? try register(on: bus) : []
    case .answer, .error:
      guard let adapter = message.replyTo.flatMap({ asked.removeValue(forKey: $0) }) else { return [] }
      guard message.kind == .error else {
        adapters.insert(adapter)
        return []
      }
      return [.trouble("\(adapter) does not look for beacons: \(message.errorText)")]
    case .call: return try answer(message, on: bus)
    case _: return []
    }
  }

  private mutating func answer(
    _ call: borrowing BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> [News] {
    switch (call.interface, call.member) {
    case (MessageBus.objectManager, "GetManagedObjects") where call.path == root:
      try bus.reply(to: call, [managedObjects])
    case (MessageBus.properties, "GetAll"):
      guard let place = place(of: call.path) else { return try refuse(call, on: bus) }
      try bus.reply(to: call, [.map(Self.description(of: beacons[place]))])
    case (Self.monitor, "Activate"), (Self.monitor, "Release"): try bus.reply(to: call)
    case (Self.monitor, "DeviceFound"):
      let device = try call.text() ?? ""
      try bus.reply(to: call)
      guard let place = place(of: call.path), let beacon = beacon(of: device, as: beacons[place], on: bus)
      else { return [] }
      let isNew = !found.values.contains(beacon)
      found[Sighting(monitor: call.path, device: device)] = beacon
      return isNew ? [.found(beacon)] : []
    case (Self.monitor, "DeviceLost"):
      let device = try call.text() ?? ""
      try bus.reply(to: call)
      let sighting = Sighting(monitor: call.path, device: device)
      guard let beacon = found.removeValue(forKey: sighting), !found.values.contains(beacon) else {
        return []
      }
      return [.lost(beacon)]
    case _: return try refuse(call, on: bus)
    }
    return []
  }

  private func refuse(_ call: borrowing BusMessage, on bus: borrowing MessageBus) throws(MessageBus.Failure)
    -> [News]
  {
    try bus.refuseUnknown(call)
    return []
  }

  private func place(of path: String) -> Int? {
    guard path.hasPrefix(root + "/"), let place = Int(path.dropFirst(root.utf8.count + 1)),
      beacons.indices.contains(place)
    else { return nil }
    return place
  }

  /// Which of these beacons a device is that was found for them; nil where BlueZ does not know any more.
  ///
  /// A device may be several beacons, and say other things between: BlueZ knows the last of each kind.
  private func beacon(of device: String, as wanted: Beacon, on bus: borrowing MessageBus) -> Beacon? {
    // The pattern has nothing left to tell.
    if wanted.instance != nil || wanted.major != nil && wanted.minor != nil { return wanted }
    return beacons(of: device, on: bus).first(where: wanted.includes)
  }

  /// What a device calls itself, as BlueZ knows it.
  private func beacons(of device: String, on bus: borrowing MessageBus) -> [Beacon] {
    let values = bus.properties(of: device, "org.bluez.Device1", at: Self.service)
    var all: [Beacon] = []
    for (company, bytes) in Self.bytes(values, "ManufacturerData") {
      guard case .uint16(let number) = company else { continue }
      let value = [UInt8(number & 0xFF), UInt8(number >> 8)] + bytes
      if let beacon = BeaconAdvertisement.beacon(type: BeaconAdvertisement.manufacturerData, value) {
        all.append(beacon)
      }
    }
    for (service, bytes) in Self.bytes(values, "ServiceData")
    where service == .text("0000feaa-0000-1000-8000-00805f9b34fb") {
      if let beacon = BeaconAdvertisement.beacon(type: BeaconAdvertisement.serviceData, [0xAA, 0xFE] + bytes)
      {
        all.append(beacon)
      }
    }
    return all
  }

  /// A property that is a dictionary of bytes.
  private static func bytes(
    _ values: [BusValue.Entry], _ key: String
  ) -> [(key: BusValue, bytes: [UInt8])] {
    switch values.first(where: { $0.key == key })?.value {
    case .group(let entries):
      entries.compactMap { entry in
        guard case .group(let pair) = entry, pair.count == 2, case .variant(let value) = pair[1] else {
          return nil
        }
        return (pair[0], value.content)
      }
    case .map(let entries): entries.map { (.text($0.key), $0.value.content) }
    case _: []
    }
  }

  // MARK: - What BlueZ is told

  /// Our monitors, as an object manager lists them.
  private var managedObjects: BusValue {
    BusObject.value(
      of: beacons.indices.map { place in
        BusObject(
          path: "\(root)/\(place)", interfaces: [(Self.monitor, Self.description(of: beacons[place]))])
      })
  }

  private static func description(of beacon: Beacon) -> [BusValue.Entry] {
    let patterns = beacon.patterns.map { pattern in
      BusValue.group([
        .byte(pattern.start), .byte(pattern.type), .bytes(pattern.content),
      ])
    }
    return [
      BusValue.Entry("Type", .text("or_patterns")), BusValue.Entry("Patterns", .list("(yyay)", patterns)),
      BusValue.Entry("RSSILowThreshold", .int16(leastSignal)),
      BusValue.Entry("RSSIHighThreshold", .int16(leastSignal)),
      BusValue.Entry("RSSILowTimeout", .uint16(lostSeconds)),
      BusValue.Entry("RSSIHighTimeout", .uint16(foundSeconds)),
    ]
  }
}
