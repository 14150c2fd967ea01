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

  /// Hands on each fix as it was published, a line each; how many messages the stream has. What a worker takes for no fix
  /// is left out.
  package func fixes(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) -> Int {
    var count = 0
    try read { message, _ throws(Failure) in
      count += 1
      guard FixMessage(message, among: partitions)?.report != nil else { return }
      try body(message.payload.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
    }
    return count
  }

  /// Replays them on this machine with a version of the regions, and hands on each event as a line.
  ///
  /// Where the stream has the whole of the device's past, and the regions did not change meanwhile, these are the events
  /// that the workers published.
  package func replay(_ catalog: FleetCatalog, _ body: ([UInt8]) throws(Failure) -> Void) throws(Failure)
    -> Int
  {
    let device = FleetDevice(name, settings: EngineSettings(booksPower: false), catalog: catalog)
    let track = FleetLine.track(of: name)
    var line = FleetLine()
    var count = 0
    try read { message, place throws(Failure) in
      count += 1
      guard let report = FixMessage(message, among: partitions)?.report else { return }
      var effects: [Effect] = []
      device.take(report, sequence: place.sequence, catalog: catalog, into: &effects)
      for case .record(let record) in effects {
        try body(line.encode(record, of: track, sequence: place.sequence))
      }
    }
    return count
  }

  private func read(_ body: (borrowing NATSMessage, Place) throws(Failure) -> Void) throws(Failure) {
    let partition = FleetLayout.partition(ofDevice: name.utf8, among: partitions)
    try layout.stream.read(
      JetStream.Selection(stream: FleetLayout.fixes, subject: "fix.\(partition).\(name)", from: 1), body)
  }
}
