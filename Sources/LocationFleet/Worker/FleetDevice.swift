package import LocationCore
package import LocationFormats

/// One device of a fleet in memory: an engine without programs, and how far it has come in the stream.
package final class FleetDevice {
  /// Its user and its name, as `alice.phone`.
  package let name: String
  /// The last message that it has taken.
  package private(set) var sequence: UInt64 = 0
  /// The era of the stream in which that message stands (``Checkpoint/era``).
  private var era = 0
  /// The version of the regions that it watches.
  package private(set) var catalogVersion: Int
  /// The last message that is in the snapshot that is kept.
  var storedSequence: UInt64 = 0
  /// The revision of that snapshot; 0 where there is none.
  var revision: UInt64 = 0
  /// Events of it that the cluster has not confirmed.
  var unconfirmedEvents = 0
  /// When it was last used, in the worker's count of messages.
  var usedAt = 0
  private var engine: Engine

  /// A device that was never heard of.
  package init(_ name: String, settings: EngineSettings, catalog: FleetCatalog) {
    self.name = name
    catalogVersion = catalog.version
    engine = Engine(settings: settings, catalog: catalog.catalog)
  }

  /// As it is kept.
  private struct Stored: Codable {
    var sequence: Int
    var catalog: Int
    var engine: DeviceSnapshot
    /// Nil for 0.
    var era: Int?
  }

  /// A device as it was kept.
  ///
  /// - Parameter catalog: gives the regions of a version, or later ones. A snapshot may be ahead of the checkpoint, and
  ///   then it watches later regions than its partition.
  /// - Throws: `.data` where the snapshot is not to be read by this version, and what `catalog` throws.
  package init(
    _ name: String, restoring bytes: [UInt8], settings: EngineSettings,
    catalog: (_ version: Int) throws(Failure) -> FleetCatalog
  ) throws(Failure) {
    let stored: Stored
    do {
      stored = try CompactDecoder.value(Stored.self, of: bytes, settings: settings)
    } catch {
      throw Self.unreadable(name)
    }
    guard stored.engine.version == DeviceSnapshot.version else {
      throw Failure(
        .data, what: "the snapshot of \(FleetLine.track(of: name)) is of version \(stored.engine.version)",
        remedy: "update this locwatch")
    }
    guard let sequence = UInt64(exactly: stored.sequence) else { throw Self.unreadable(name) }
    self.name = name
    self.sequence = sequence
    storedSequence = sequence
    era = stored.era ?? 0
    catalogVersion = stored.catalog
    let catalog = try catalog(stored.catalog)
    engine = Engine(restoring: stored.engine, settings: settings, catalog: catalog.catalog)
    if catalog.version > catalogVersion { watch(catalog) }
  }

  private static func unreadable(_ name: String) -> Failure {
    Failure(
      .data,
      what: "the snapshot of \(FleetLine.track(of: name)) is damaged, or of a later version of locwatch",
      remedy: "update this locwatch, or see \"When something fails\" in Docs/Fleet.md")
  }

  /// Its snapshot, to be kept.
  package func snapshot(into bytes: inout [UInt8]) throws(Failure) {
    bytes.removeAll(keepingCapacity: true)
    do {
      try CompactEncoder.append(
        Stored(
          sequence: Int(sequence), catalog: catalogVersion, engine: engine.deviceSnapshot,
          era: era > 0 ? era : nil), to: &bytes)
    } catch {
      throw Failure(.software, what: "can't write the snapshot of \(name): \(error)")
    }
  }

  /// The message up to which a snapshot goes, and the era of the stream in which it stands.
  static func place(of bytes: [UInt8], settings: EngineSettings) -> (era: Int, sequence: UInt64)? {
    struct Head: Decodable {
      var sequence: Int
      var era: Int?
    }
    return (try? CompactDecoder.value(Head.self, of: bytes, settings: settings)).flatMap { head in
      UInt64(exactly: head.sequence).map { (head.era ?? 0, $0) }
    }
  }

  /// The message up to which the device goes, and the era of the stream in which it stands.
  var place: (era: Int, sequence: UInt64) { (era, sequence) }

  /// Takes a fix, and appends what follows from it: exactly what a replay of the device's track records.
  package func take(
    _ report: FixReport, sequence: UInt64, catalog: FleetCatalog, into effects: inout [Effect]
  ) {
    if catalog.version > catalogVersion { watch(catalog) }
    self.sequence = sequence
    engine.handle(report, at: engine.instant(ofReplayed: report), into: &effects)
    // Thousands of others come before its next fix.
    engine.freeMemory()
  }

  /// Goes on in an era of the stream. Where the snapshot is of an earlier one, it takes every message that comes.
  ///
  /// - Parameter end: the last message of the stream when its partition was taken. A snapshot beyond it is of a stream
  ///   that was lost, too.
  func goOn(in era: Int, from end: UInt64) {
    if era > self.era || sequence > end {
      sequence = 0
      storedSequence = 0
    }
    self.era = max(self.era, era)
  }

  private func watch(_ catalog: FleetCatalog) {
    let found = catalog.differences(from: catalogVersion)
    engine.watch(catalog.catalog, added: found.added, changed: found.changed)
    catalogVersion = catalog.version
  }

  /// Whether its snapshot is older than it is.
  var isDirty: Bool { storedSequence < sequence }

  // MARK: For people

  /// The last fix believed.
  package var lastFix: Fix? { engine.tally.last }
  /// Fixes that came, and of those that were believed.
  package var counts: (fixes: Int, accepted: Int) { (engine.tally.fixes, engine.tally.accepted) }
  /// Ids of the regions that it is in.
  package var regionsInside: [String] { engine.regionsInside }
  /// What is known of the place where it is.
  package var visitStage: VisitMonitor.Stage { engine.visitStage }
}

/// Events as lines of NDJSON.
package struct FleetLine {
  private var line = JSONLine()

  package init() {}

  /// The line of a record, without its end: that of `locwatch replay`, with the sequence of the fix that led to it.
  package mutating func encode(_ record: Record, of device: String, sequence: UInt64) -> [UInt8] {
    line.reset()
    line.open()
    line.member("v", 1)
    line.member("seq", Int(sequence))
    line.write(record, track: device)
    line.close()
    return line.bytes
  }

  /// The track's name in records: `alice.phone` is OwnTracks's alice/phone.
  package static func track(of device: String) -> String {
    String(decoding: device.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
  }
}
