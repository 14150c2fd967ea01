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
  /// - Throws: `.data` where nothing was ever heard of it.
  package init(_ name: String, _ layout: FleetLayout) throws(Failure) {
    let name = try Self.subject(of: name)
    self.name = name
    let settings = EngineSettings(booksPower: false)
    let subjects = try layout.stream.subjects(of: FleetLayout.fixes, matching: "fix.*.\(name)").keys
    var key = subjects.first.flatMap { Self.partition(of: $0) }
    if key == nil {
      key = try layout.stream.subjects(
        of: "KV_\(layout.devices.name)", matching: layout.devices.subject("*.\(name)")
      ).keys.first.flatMap { Int($0.split(separator: ".")[2]) }
    }
    guard let partition = key else {
      throw Failure(
        .data, what: "no fix of \(FleetLine.track(of: name)) is kept",
        remedy: "locwatch-fleet devices lists those that are known")
    }
    self.partition = partition
    let entry = try layout.devices.get("\(partition).\(name)")
    let catalog = try layout.currentCatalog()
    let device: FleetDevice
    if let entry {
      device = try FleetDevice(name, restoring: entry.value, settings: settings) { _ in catalog }
    } else {
      device = FleetDevice(name, settings: settings, catalog: catalog)
    }
    self.device = device
    let rest = JetStream.Selection(
      stream: FleetLayout.fixes, subject: "fix.\(partition).\(name)", from: device.sequence + 1)
    try layout.stream.read(rest) { message, place in
      guard let report = FixMessage(message)?.report else { return }
      var effects: [Effect] = []
      device.take(report, sequence: place.sequence, catalog: catalog, into: &effects)
    }
  }

  /// The end of a device's subjects: `alice/phone` is `alice.phone`.
  ///
  /// - Throws: `.usage` where it stands for more than one device.
  package static func subject(of name: String) throws(Failure) -> String {
    guard !name.isEmpty, !name.contains(where: { "*> \t".contains($0) }) else {
      throw Failure(
        .usage, what: "\"\(name)\" is no device", remedy: "say USER/DEVICE, without *, > and spaces")
    }
    return String(decoding: name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
  }

  private static func partition(of subject: String) -> Int? {
    let words = subject.split(separator: ".")
    return words.count > 2 ? Int(words[1]) : nil
  }

  /// For people.
  package var text: String {
    let (fixes, accepted) = device.counts
    var text = "\(FleetLine.track(of: name)): partition \(partition), \(fixes) fixes, \(accepted) believed\n"
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
    var members: [JSONTree.Member] = [
      .init(key: "v", value: .number("1")), .init(key: "device", value: .string(FleetLine.track(of: name))),
      .init(key: "partition", value: .number("\(partition)")),
      .init(key: "fixes", value: .number("\(fixes)")),
      .init(key: "accepted", value: .number("\(accepted)")),
      .init(key: "inside", value: .array(device.regionsInside.map { .string($0) })),
      .init(key: "place", value: .string(device.visitStage.rawValue)),
      .init(key: "catalog", value: .number("\(device.catalogVersion)")),
      .init(key: "sequence", value: .number("\(device.sequence)")),
    ]
    if let fix = device.lastFix {
      members.append(.init(key: "time", value: .string(fix.time.rfc3339)))
      members.append(.init(key: "lat", value: .fixed(fix.coordinate.latitude, FixedPoint.degrees)))
      members.append(.init(key: "lon", value: .fixed(fix.coordinate.longitude, FixedPoint.degrees)))
      members.append(.init(key: "acc_m", value: .fixed(fix.accuracy.radiusMeters, 1)))
    }
    return JSONTree.object(members).text
  }
}
