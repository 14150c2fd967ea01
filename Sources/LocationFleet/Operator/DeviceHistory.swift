package import LocationCore
package import LocationFormats

/// The messages of one device that the stream still has.
package struct DeviceHistory {
  private let layout: FleetLayout
  private let name: String
  private let partitions: Int

  /// - Parameter name: as `alice/phone` or `alice.phone`.
  /// - Throws: `.usage` where it stands for more than one device.
  package init(_ name: String, _ layout: FleetLayout) throws(Failure) {
    self.layout = layout
    self.name = try DeviceReport.subject(of: name)
    partitions = try layout.settings().partitions
  }

  /// What is said where nothing was ever heard of a device.
  ///
  /// - Parameter name: as `alice/phone`.
  package static func nothing(of name: String) -> Failure {
    Failure(
      .conditionFails, what: "no fix of \(name) is kept",
      remedy: "locwatch-fleet devices lists those that are known")
  }

  /// Hands on each fix as it was published, a line each. What a worker takes for no fix is left out.
  ///
  /// - Returns: where the first and the last of them stand in the stream.
  /// - Throws: `.conditionFails` where the stream has none.
  @discardableResult
  package func fixes(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) -> ClosedRange<UInt64> {
    var (first, last): (UInt64?, UInt64) = (nil, 0)
    try readFixes { message, _, place throws(Failure) in
      first = first ?? place.sequence
      last = place.sequence
      try body(message.payload.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
    }
    return (first ?? last)...last
  }

  /// Replays them on this machine with the regions that held at each, and hands on each event as a line.
  ///
  /// Where the stream has the whole of the device's past, these are the events that the workers published.
  ///
  /// - Throws: `.conditionFails` where the stream has none.
  package func replay(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var catalogs = try catalogs()
    var device: FleetDevice?
    let track = FleetLine.track(of: name)
    var line = FleetLine()
    try readFixes { _, report, place throws(Failure) in
      let catalog = try catalogs.catalog(at: place.sequence)
      let present =
        device ?? FleetDevice(name, settings: EngineSettings(booksPower: false), catalog: catalog)
      device = present
      var effects: [Effect] = []
      present.take(report, sequence: place.sequence, catalog: catalog, into: &effects)
      for case .record(let record) in effects {
        try body(line.encode(record, of: track, sequence: place.sequence))
      }
    }
  }

  /// The regions of its partition over time.
  package func catalogs() throws(Failure) -> PartitionCatalogs {
    try PartitionCatalogs(of: partition, among: partitions, layout)
  }

  /// Which of its messages was the last fix of a time or before; nil where there is none.
  package func lastSequence(until time: UTCTime) throws(Failure) -> UInt64? {
    var last: UInt64?
    try readFixes { _, report, place throws(Failure) in
      if let own = report.time, own <= time { last = place.sequence }
    }
    return last
  }

  private var partition: Int { FleetLayout.partition(ofDevice: name.utf8, among: partitions) }

  private func readFixes(
    _ body: (borrowing NATSMessage, FixReport, Place) throws(Failure) -> Void
  ) throws(Failure) {
    let all = JetStream.Selection(
      stream: FleetLayout.fixes, subject: "fix.\(partition).\(name)", from: 1)
    var (messages, fixes) = (0, 0)
    try layout.stream.read(all) { message, place throws(Failure) in
      messages += 1
      guard let report = FixMessage(message, among: partitions)?.report else { return }
      fixes += 1
      try body(message, report, place)
    }
    guard fixes == 0 else { return }
    let track = FleetLine.track(of: name)
    guard messages > 0 else { throw Self.nothing(of: track) }
    throw Failure(
      .conditionFails, what: "none of the \(Wording.count(messages, "message")) of \(track) is a fix",
      remedy: "nats stream view \(FleetLayout.deadLetters) shows dead letters, with the reason of each")
  }
}

/// The versions of the regions that hold in one partition, each from one message of the stream on.
package struct PartitionCatalogs {
  private let layout: FleetLayout
  /// In the order of the stream.
  private let changes: [(sequence: UInt64, version: Int)]
  /// The version before the first of these.
  private let first: Int
  private var loaded: [Int: FleetCatalog] = [:]

  init(of partition: Int, among partitions: Int, _ layout: FleetLayout) throws(Failure) {
    self.layout = layout
    let announcements = JetStream.Selection(
      stream: FleetLayout.fixes, subject: "fix.\(partition).\(FleetLayout.control)", from: 1)
    var changes: [(sequence: UInt64, version: Int)] = []
    try layout.stream.read(announcements) { message, place throws(Failure) in
      guard case .catalog(let version)? = FixMessage(message, among: partitions)?.content,
        version > changes.last?.version ?? 0
      else { return }
      changes.append((place.sequence, version))
    }
    self.changes = changes
    if let change = changes.first {
      first = change.version - 1
    } else {
      first = try layout.currentCatalog().version
    }
  }

  /// The regions at a message of the stream.
  mutating package func catalog(at sequence: UInt64) throws(Failure) -> FleetCatalog {
    let version = changes.last { $0.sequence <= sequence }?.version ?? first
    if let catalog = loaded[version] { return catalog }
    let catalog = try layout.catalog(version)
    loaded[version] = catalog
    return catalog
  }

  /// The last version that has a region; nil where none has.
  mutating package func last(with region: String) throws(Failure) -> FleetCatalog? {
    for sequence in changes.reversed().map(\.sequence) + [0] {
      let catalog = try catalog(at: sequence)
      if catalog.entries.contains(where: { $0.feature.region.id == region }) { return catalog }
    }
    return nil
  }

  /// How often the regions changed after the first of these messages, and up to the last.
  package func changeCount(within messages: ClosedRange<UInt64>) -> Int {
    changes.count { $0.sequence > messages.lowerBound && $0.sequence <= messages.upperBound }
  }
}
