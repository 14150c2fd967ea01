/// How well a fix knows its place: the radius that holds the true position with 68 %, and who says so.
public struct Accuracy: Hashable, Sendable, Codable {
  /// Who said how accurate the fix is.
  public enum Source: String, Hashable, Sendable, Codable, CaseIterable {
    /// Metres, from the receiver or the file.
    case reported
    /// Derived from the horizontal dilution of precision.
    case hdop
    /// Nobody said; a typical value stands in.
    case assumed
  }

  /// Metres; the true position lies within it with 68 %.
  public var radiusMeters: Double
  /// Who said so.
  public var source: Source

  public init(radiusMeters: Double, source: Source) {
    self.radiusMeters = radiusMeters
    self.source = source
  }

  /// The standard deviation along one axis of the circular normal error, in metres.
  ///
  /// A circular normal holds 68.27 % within `sqrt(-2 ln 0.3173)` = 1.5152 standard deviations.
  @inlinable public var sigmaMeters: Double { radiusMeters * (1 / Self.sigmasIn68Percent) }

  /// `sqrt(-2 ln 0.3173)`: standard deviations in a 68 % radius.
  public static let sigmasIn68Percent = 1.5151729

  /// `sqrt(-2 ln 0.05)`: standard deviations in a 95 % radius.
  public static let sigmasIn95Percent = 2.4477468

  /// gpsd's constant for one unit of horizontal dilution, metres at 95 % (gpsd 3.22, `H_UERE` times
  /// its 95 % factor: eph = HDOP x 19.0). The same for a GPX `<hdop>`, so a replay agrees with live use.
  public static let metersPerHDOP95 = 19.0

  /// From a radius that holds the position with 95 %, metres.
  public static func from95Percent(_ meters: Double) -> Accuracy {
    Accuracy(radiusMeters: meters * (sigmasIn68Percent / sigmasIn95Percent), source: .reported)
  }

  /// From a horizontal dilution of precision.
  public static func fromHDOP(_ hdop: Double) -> Accuracy {
    Accuracy(
      radiusMeters: hdop * metersPerHDOP95 * (sigmasIn68Percent / sigmasIn95Percent), source: .hdop)
  }

  /// Where nobody said: a 95 % radius of 19 m for a fix in three dimensions or of unknown kind, 38 m in two; a 68 %
  /// radius of 100 m for one from networks, as `network_location_mw` of the power profiles takes it.
  public static func assumed(_ mode: FixMode) -> Accuracy {
    let radiusMeters =
      switch mode {
      case .unknown, .noFix, .threeD: 19 * (sigmasIn68Percent / sigmasIn95Percent)
      case .twoD: 38 * (sigmasIn68Percent / sigmasIn95Percent)
      case .network: 100.0
      }
    return Accuracy(radiusMeters: radiusMeters, source: .assumed)
  }
}
