import LocationCore
package import LocationFormats

/// One device as the fleet knows it now: its snapshot, and the fixes that came since.
package struct DeviceReport {
  /// As `alice.phone`.
  package let name: String
  /// Its partition.
  package let partition: Int
  /// Its state.
  package let device: FleetDevice

  /// - Parameter name: as `alice/phone` or `alice.phone`.
  /// - Throws: `.conditionFails` where nothing was ever heard of it.
  package init(_ name: String, _ layout: FleetLayout) throws(Failure) {
    let name = try Self.subject(of: name)
    self.name = name
    let settings = EngineSettings(booksPower: false)
    let partitions = try layout.settings().partitions
    partition = FleetLayout.partition(ofDevice: name.utf8, among: partitions)
    let subject = "fix.\(partition).\(name)"
    // Before the snapshot, which then goes at least as far. A damaged one does not keep the device from being told of.
    let kept = try layout.fleet.get(Checkpoint.key(partition))
    let checkpoint = (try? Checkpoint(kept, of: partition)) ?? Checkpoint()
    let entry = try layout.devices.get("\(partition).\(name)").flatMap { $0.isDeleted ? nil : $0 }
    let isHeard = try !layout.stream.subjects(of: FleetLayout.fixes, matching: subject).isEmpty
    guard entry != nil || isHeard else {
      throw DeviceHistory.nothing(of: FleetLine.track(of: name))
    }
    let catalog = try layout.currentCatalog()
    let device: FleetDevice
    if let entry {
      device = try FleetDevice(name, restoring: entry.value, settings: settings) { _ in catalog }
    } else {
      device = FleetDevice(name, settings: settings, catalog: catalog)
    }
    self.device = device
    // Without a snapshot a worker begins after the checkpoint, up to which every other device has one.
    let isBehind = entry == nil || device.place.era < checkpoint.era ?? 0
    let last = isBehind ? checkpoint.sequence : device.sequence
    let rest = JetStream.Selection(stream: FleetLayout.fixes, subject: subject, from: last + 1)
    try layout.stream.read(rest) { message, place in
      guard let report = FixMessage(message, among: partitions)?.report else { return }
      var effects: [Effect] = []
      device.take(report, sequence: place.sequence, catalog: catalog, into: &effects)
    }
  }

  /// The end of a device's subjects: `alice/phone` is `alice.phone`.
  ///
  /// - Throws: `.usage` where it is not a user and a device, or stands for more than one.
  package static func subject(of name: String) throws(Failure) -> String {
    let bytes = name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: ".") : $0 }
    let subject = String(decoding: bytes, as: UTF8.self)
    guard FleetLayout.canName(subject) else {
      throw Failure(
        .usage, what: "\"\(name)\" is no device", remedy: "say USER/DEVICE, without dots, *, > and spaces")
    }
    return subject
  }

  /// For people.
  package var text: String {
    let (fixes, accepted) = device.counts
    var text =
      "\(FleetLine.track(of: name)): partition \(partition), \(Wording.count(fixes, "fix", plural: "fixes")), "
      + "\(Wording.count(accepted)) believed\n"
    if let fix = device.lastFix {
      text += "  last fix  \(fix.time.rfc3339)  \(Self.degrees(fix.coordinate.latitude)), "
      text +=
        "\(Self.degrees(fix.coordinate.longitude)) within \(Int(fix.accuracy.radiusMeters.rounded())) m\n"
    }
    let inside = device.regionsInside
    text += "  inside    \(inside.isEmpty ? "no region" : inside.joined(separator: ", "))\n"
    text += "  place     \(device.visitStage.rawValue)\n"
    text += "  regions   version \(device.catalogVersion); message \(device.sequence) of the stream\n"
    return text
  }

  private static func degrees(_ value: Double) -> String { JSONTree.fixed(value, 6).text }

  /// One JSON object.
  package var json: String {
    let (fixes, accepted) = device.counts
    let fix = device.lastFix
    return JSONTree.object([
      "v": .integer(1), "device": .string(FleetLine.track(of: name)), "partition": .integer(partition),
      "fixes": .integer(fixes), "accepted": .integer(accepted), "inside": .strings(device.regionsInside),
      "place": .string(device.visitStage.rawValue), "catalog": .integer(device.catalogVersion),
      "sequence": .integer(device.sequence), "time": fix.map { .string($0.time.rfc3339) },
      "lat": fix.map { .fixed($0.coordinate.latitude, FixedPoint.degrees) },
      "lon": fix.map { .fixed($0.coordinate.longitude, FixedPoint.degrees) },
      "acc_m": fix.map { .fixed($0.accuracy.radiusMeters, FixedPoint.meters) },
    ]).text
  }
}
