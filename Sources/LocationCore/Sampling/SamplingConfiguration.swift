/// When the receiver is asked for a fix.
public struct SamplingConfiguration: Hashable, Sendable, Codable {
  /// Who decides.
  public enum Mode: Hashable, Sendable, Codable {
    /// Nobody: the receiver is always on.
    case continuous
    /// The engine: a fix is asked for only when something could have changed.
    case adaptive
    /// A clock: one fix every so many seconds, whatever it says. For comparison, not for use.
    case fixed(periodSeconds: Double)
  }

  /// Who decides.
  public var mode = Mode.continuous
  /// Metres a second that the machine does not exceed (144 km/h). What the promise of ``SamplingPlan`` rests on.
  public var maxSpeedMetersPerSecond = 40.0
  /// Seconds that a visit may last unseen, where a region does not say itself.
  public var latencySeconds = 120.0
  /// The longest time between two fixes of a machine at rest, as far as other regions allow it, seconds: the window of
  /// significant changes.
  public var restSeconds = 300.0
  /// The longest time between two fixes at all, seconds.
  public var longestSeconds = 1800.0
  /// Seconds without a fix after which a search is given up: three times a cold start under open sky.
  public var searchSeconds = 90.0
  /// Seconds until the next search, doubled for each further one without a fix.
  public var retrySeconds = 60.0
  /// The longest of these pauses.
  public var retryLimitSeconds = 300.0

  public init() {}

  /// Whether the receiver is ever switched off.
  public var isDutyCycled: Bool { mode != .continuous }
}

/// A word, or the period in seconds: one value, so that a recording's takes the place of the default's whole.
extension SamplingConfiguration.Mode {
  private static let words: [String: Self] = ["continuous": .continuous, "adaptive": .adaptive]

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let period = try? container.decode(Double.self) {
      self = .fixed(periodSeconds: period)
      return
    }
    guard let mode = Self.words[try container.decode(String.self)] else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no mode of sampling")
    }
    self = mode
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .continuous: try container.encode("continuous")
    case .adaptive: try container.encode("adaptive")
    case .fixed(let period): try container.encode(period)
    }
  }
}
