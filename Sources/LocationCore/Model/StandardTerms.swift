/// What a subscriber asks of standard updates (rules B2, B3, B6 and B7).
public struct StandardTerms: Hashable, Sendable, Codable, Blank {
  /// How exact a position has to be to be worth an update: tiers as in Core Location.
  public enum DesiredAccuracy: String, Hashable, Sendable, Codable, CaseIterable {
    case best
    case tenMeters = "10m"
    case hundredMeters = "100m"
    case kilometer = "1km"
    case threeKilometers = "3km"

    /// The largest 68 % radius that passes, metres.
    public var radiusMeters: Double {
      switch self {
      case .best: .infinity
      case .tenMeters: 10
      case .hundredMeters: 100
      case .kilometer: 1000
      case .threeKilometers: 3000
      }
    }
  }

  /// What moves, and so what a rest looks like.
  public enum Activity: String, Hashable, Sendable, Codable, CaseIterable {
    case other, automotive, fitness
    case otherNavigation = "other-navigation"
    case airborne
  }

  /// How exact a position has to be.
  public var desiredAccuracy = DesiredAccuracy.best
  /// What moves.
  public var activity = Activity.other
  /// Whether updates stop while nothing moves (rule B6).
  public var pausesAutomatically = false
  /// Metres of way over which background updates are kept back; nil for no such limit (rule B7).
  public var deferMeters: Double?
  /// Seconds for which background updates are kept back; nil for no such limit (rule B7).
  public var deferSeconds: Double?

  /// Every fix, at once.
  public init() {}

  /// Whether background updates are kept back at all.
  public var defers: Bool { deferMeters != nil || deferSeconds != nil }
}

extension StandardTerms.Activity {
  /// Metres within which a position rests. 30 m for most; a vehicle, a boat and an aircraft on the ground sway and
  /// are shunted. Our numbers: nobody publishes theirs.
  var restMeters: Double {
    switch self {
    case .other, .fitness: 30
    case .automotive, .otherNavigation: 50
    case .airborne: 500
    }
  }

  /// Seconds of rest after which updates pause: three minutes; five where traffic stops for that long; ten for an
  /// aircraft, which waits at a gate or circles.
  var restSeconds: Double {
    switch self {
    case .other, .fitness: 180
    case .automotive, .otherNavigation: 300
    case .airborne: 600
    }
  }
}
