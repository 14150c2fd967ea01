/// What kind of fix the receiver had.
public enum FixMode: UInt8, Hashable, Sendable, Codable {
  /// The source does not say; taken as a fix.
  case unknown
  /// The source says it had none.
  case noFix
  /// Latitude and longitude.
  case twoD
  /// Latitude, longitude and altitude.
  case threeD
  /// Latitude and longitude from Wi-Fi networks and cells, not from a satellite receiver.
  case network
}

/// One position as a source claims it, unchecked: what a reader hands to the engine.
///
/// Values may be out of range or missing; ``FixGate`` turns a report into a ``Fix`` or refuses it by name.
public struct FixReport: Hashable, Sendable, Codable {
  /// UTC as the source claims it; nil where it gave none.
  public var time: UTCTime?
  /// Degrees north as given; NaN where the source gave none or nonsense.
  public var latitude: Double
  /// Degrees east as given; NaN where the source gave none or nonsense.
  public var longitude: Double
  /// 68 % radius and who said so.
  public var accuracy: Accuracy
  /// Kind of fix.
  public var mode: FixMode
  /// Metres a second over ground; nil where unknown.
  public var speedMetersPerSecond: Double?
  /// Degrees from true north; nil where unknown.
  public var courseDegrees: Double?
  /// Metres; nil where unknown.
  public var altitudeMeters: Double?
  /// UTC of the system clock when a live report arrived; nil in a replay of a track.
  public var received: UTCTime?

  public init(
    time: UTCTime?, latitude: Double, longitude: Double, accuracy: Accuracy, mode: FixMode = .unknown,
    speedMetersPerSecond: Double? = nil, courseDegrees: Double? = nil, altitudeMeters: Double? = nil,
    received: UTCTime? = nil
  ) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.mode = mode
    self.speedMetersPerSecond = speedMetersPerSecond
    self.courseDegrees = courseDegrees
    self.altitudeMeters = altitudeMeters
    self.received = received
  }
}

/// One position the engine believes: every value has been checked.
public struct Fix: Hashable, Sendable, Codable {
  /// UTC as the receiver claimed it.
  public var time: UTCTime
  /// When it happened on the engine's axis.
  public var instant: EngineInstant
  /// Where.
  public var coordinate: Coordinate
  /// 68 % radius, finite and positive, and who said so.
  public var accuracy: Accuracy
  /// Metres a second over ground, not negative; nil where unknown.
  @Maybe public var speedMetersPerSecond: Double?
  /// Degrees from true north; nil where unknown.
  @Maybe public var courseDegrees: Double?

  public init(
    time: UTCTime, instant: EngineInstant, coordinate: Coordinate, accuracy: Accuracy,
    speedMetersPerSecond: Double? = nil, courseDegrees: Double? = nil
  ) {
    self.time = time
    self.instant = instant
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.speedMetersPerSecond = speedMetersPerSecond
    self.courseDegrees = courseDegrees
  }
}
