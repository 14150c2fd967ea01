package import LocationCore

/// Streams of events for tests, made by hand or by a seeded generator.
package struct Drive {
  /// 2026-05-01T06:00:00Z.
  package static let epoch: Int64 = 1_777_615_200_000_000
  package static let origin = Coordinate(latitude: 48.1371, longitude: 11.5754)!

  package var events: [Stamped] = []

  package init() {}

  /// The instant so many seconds after the epoch.
  package static func instant(_ seconds: Double) -> EngineInstant {
    EngineInstant(microseconds: epoch).advanced(bySeconds: seconds)
  }

  /// A report so many seconds after the epoch, metres east and north of the origin.
  package static func report(
    _ seconds: Double, east: Double, north: Double = 0, accuracy: Double = 5
  ) -> FixReport {
    let azimuth = atan2Degrees(east, north)
    let place = Geodesy.direct(
      from: origin, azimuthDegrees: azimuth, distanceMeters: (east * east + north * north).squareRoot())
    return FixReport(
      time: UTCTime(microseconds: instant(seconds).microseconds), latitude: place.latitude,
      longitude: place.longitude, accuracy: Accuracy(radiusMeters: accuracy, source: .reported))
  }

  /// Adds a fix.
  package mutating func fix(_ seconds: Double, east: Double, north: Double = 0, accuracy: Double = 5) {
    add(seconds, .fix(Self.report(seconds, east: east, north: north, accuracy: accuracy)))
  }

  /// Adds any event.
  package mutating func add(_ seconds: Double, _ event: Event) {
    events.append(Stamped(at: Self.instant(seconds), event))
  }

  /// The effects of all events on a new engine.
  package func effects(_ configuration: EngineConfiguration = EngineConfiguration()) -> [Effect] {
    var engine = Engine(configuration: configuration)
    var effects: [Effect] = []
    for event in events { engine.handle(event, into: &effects) }
    return effects
  }

  private static func atan2Degrees(_ y: Double, _ x: Double) -> Double {
    Trig.atan2(y, x) * 180 / .pi
  }
}

extension [Effect] {
  /// The records among them.
  package var records: [Record] {
    compactMap { if case .record(let record) = $0 { record } else { nil } }
  }

  /// The significant changes among them.
  package var changes: [SignificantChange.Change] {
    records.compactMap { if case .significant(let change) = $0.body { change } else { nil } }
  }

  /// The decisions among them.
  package var decisions: [Decision] {
    records.compactMap { if case .decision(let decision) = $0.body { decision } else { nil } }
  }

  /// The orders among them.
  package var orders: [Order] {
    compactMap { if case .perform(let order) = $0 { order } else { nil } }
  }
}
