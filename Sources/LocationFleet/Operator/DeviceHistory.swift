import LocationCore
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
  /// - Throws: `.conditionFails` where the stream has none.
  package func fixes(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    try readFixes { message, _, _ throws(Failure) in
      try body(message.payload.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
    }
  }

  /// Replays them on this machine with a version of the regions, and hands on each event as a line.
  ///
  /// Where the stream has the whole of the device's past, and the regions did not change meanwhile, these are the events
  /// that the workers published.
  ///
  /// - Throws: `.conditionFails` where the stream has none.
  package func replay(
    _ catalog: FleetCatalog, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let device = FleetDevice(name, settings: EngineSettings(booksPower: false), catalog: catalog)
    let track = FleetLine.track(of: name)
    var line = FleetLine()
    try readFixes { _, report, place throws(Failure) in
      var effects: [Effect] = []
      device.take(report, sequence: place.sequence, catalog: catalog, into: &effects)
      for case .record(let record) in effects {
        try body(line.encode(record, of: track, sequence: place.sequence))
      }
    }
  }

  private func readFixes(
    _ body: (borrowing NATSMessage, FixReport, Place) throws(Failure) -> Void
  ) throws(Failure) {
    let partition = FleetLayout.partition(ofDevice: name.utf8, among: partitions)
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
