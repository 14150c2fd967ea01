package import LocationCore

/// The lines of a recording: a header, then each event that reached the engine, with its instant.
///
/// ```
/// {"journal":"locwatch","v":1,"configuration":{…}}
/// {"at":1777615200000000,"fix":{"time":1777615199900000,"lat":48.1371,"lon":11.5754,"acc_m":5.0,"acc_source":"reported","mode":3}}
/// {"at":1777615201000000,"event":{"source":{"_0":{"found":{"name":"gpsd 3.22"}}}}}
/// ```
///
/// Times are whole microseconds, numbers the shortest that read back as the same double. What is nil is left out; a
/// position that is missing has no `lat` and `lon`. `Docs/Live.md` describes it for readers.
package enum JournalLine {
  /// How a recording begins, whatever its version.
  package static let signature: StaticString = "{\"journal\":\"locwatch\""
  /// The version that is written, and the only one that is read.
  package static let version = 1

  /// Appends the header.
  ///
  /// - Parameter snapshot: the engine as it was at the first event; nil for one that had seen nothing.
  /// - Throws: ``Failure`` where the configuration can't be encoded, which would be our fault.
  package static func append(
    header configuration: EngineConfiguration, snapshot: EngineSnapshot? = nil, to bytes: inout [UInt8]
  ) throws(Failure) {
    let configuration = try tree(of: configuration)
    let stored: JSONTree?
    do {
      stored = try snapshot.map { try SnapshotFormat.tree(of: $0) }
    } catch {
      throw Failure(.software, what: "can't record the engine: \(error)")
    }
    JSONTree.object([
      "journal": .string("locwatch"), "v": .integer(version), "configuration": configuration,
      "snapshot": stored,
    ]).append(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends an event.
  ///
  /// - Throws: ``Failure`` where it can't be encoded, which would be our fault.
  package static func append(_ stamped: Stamped, to bytes: inout [UInt8]) throws(Failure) {
    bytes += Array("{\"at\":\(stamped.at.microseconds),".utf8)
    if case .fix(let report) = stamped.event {
      bytes += Array("\"fix\":".utf8)
      Self.tree(of: report).append(to: &bytes)
    } else {
      bytes += Array("\"event\":".utf8)
      try tree(of: stamped.event).append(to: &bytes)
    }
    bytes += Array("}\n".utf8)
  }

  private static func tree(of value: some Encodable) throws(Failure) -> JSONTree {
    do {
      return try ExactEncoder.tree(of: value)
    } catch {
      throw Failure(.software, what: "can't record \(value): \(error)")
    }
  }

  private static func tree(of report: FixReport) -> JSONTree {
    func number(_ value: Double?) -> JSONTree? { value.map { ExactNumber.tree($0) } }
    func time(_ time: UTCTime?) -> JSONTree? { time.map { .integer($0.microseconds) } }
    return .object([
      "time": time(report.time), "lat": report.latitude.isNaN ? nil : number(report.latitude),
      "lon": report.longitude.isNaN ? nil : number(report.longitude),
      "acc_m": number(report.accuracy.radiusMeters),
      "acc_source": .string(report.accuracy.source.rawValue), "mode": .integer(report.mode.rawValue),
      "speed_mps": number(report.speedMetersPerSecond), "course_deg": number(report.courseDegrees),
      "alt_m": number(report.altitudeMeters), "received": time(report.received),
    ])
  }
}

// MARK: - Reading

extension JournalLine {
  /// What is wrong with a line.
  package struct Trouble: Error {
    /// In words.
    package var what: String
    /// Whether another version of locwatch may know what it is.
    package var isOtherVersion: Bool

    package init(what: String, isOtherVersion: Bool = false) {
      self.what = what
      self.isOtherVersion = isOtherVersion
    }
  }

  /// The configuration in a header, where what is not named is as by default, and the snapshot if there is one.
  package static func header(in line: [UInt8]) throws(Trouble) -> (EngineConfiguration, EngineSnapshot?) {
    let header = try tree(in: line)
    guard let text = header["v"], case .number(let number) = text, let version = Int(number) else {
      throw Trouble(what: "the recording has no version")
    }
    guard version == Self.version else {
      throw Trouble(
        what: "a recording of version \(version); this program reads version \(Self.version)",
        isOtherVersion: true)
    }
    do {
      let configuration = try SnapshotFormat.configuration(of: header["configuration"] ?? .object([]))
      let snapshot = try header["snapshot"].map { tree throws(SnapshotFormat.Trouble) in
        try SnapshotFormat.snapshot(of: tree, configuration: configuration)
      }
      return (configuration, snapshot)
    } catch {
      switch error {
      case .later(let version):
        throw Trouble(
          what: "a snapshot of version \(version); this program reads up to \(SnapshotFormat.version)",
          isOtherVersion: true)
      case .unreadable:
        throw Trouble(
          what: "the header's configuration or snapshot is none that this program knows", isOtherVersion: true
        )
      }
    }
  }

  /// The event in a line.
  package static func stamped(in line: [UInt8]) throws(Trouble) -> Stamped {
    let tree = try tree(in: line)
    do {
      guard let at = tree["at"] else { throw Trouble(what: "an event without its instant") }
      let instant = try ExactDecoder.value(EngineInstant.self, of: at)
      if let fix = tree["fix"] { return Stamped(at: instant, .fix(try report(of: fix))) }
      guard let event = tree["event"] else { throw Trouble(what: "an instant without its event") }
      return Stamped(at: instant, try ExactDecoder.value(Event.self, of: event))
    } catch let trouble as Trouble {
      throw trouble
    } catch {
      throw Trouble(what: "not an event that this program knows", isOtherVersion: true)
    }
  }

  private static func tree(in line: [UInt8]) throws(Trouble) -> JSONTree {
    do throws(JSONError) { return try JSONTree(whole: line) } catch { throw Trouble(what: error.what) }
  }

  private static func report(of tree: JSONTree) throws -> FixReport {
    func number(_ key: String) throws -> Double? {
      guard let value = tree[key] else { return nil }
      return try ExactDecoder.value(Double.self, of: value)
    }
    func time(_ key: String) throws -> UTCTime? {
      guard let value = tree[key] else { return nil }
      return try ExactDecoder.value(UTCTime.self, of: value)
    }
    guard let radius = try number("acc_m"), let source = tree["acc_source"], let mode = tree["mode"] else {
      throw Trouble(what: "a fix without its accuracy or mode")
    }
    let accuracy = Accuracy(
      radiusMeters: radius, source: try ExactDecoder.value(Accuracy.Source.self, of: source))
    return FixReport(
      time: try time("time"), latitude: try number("lat") ?? .nan, longitude: try number("lon") ?? .nan,
      accuracy: accuracy, mode: try ExactDecoder.value(FixMode.self, of: mode),
      speedMetersPerSecond: try number("speed_mps"), courseDegrees: try number("course_deg"),
      altitudeMeters: try number("alt_m"), received: try time("received"))
  }
}
