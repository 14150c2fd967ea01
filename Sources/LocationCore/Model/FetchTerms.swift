/// What a manifest asks of good moments to fetch (rule G1).
public struct FetchTerms: Hashable, Sendable, Codable {
  /// Seconds from one to the next, as the program wishes; nil for never.
  public var intervalSeconds: Double? = FetchTerms.defaultIntervalSeconds
  /// Whether a network that counts what it carries will do.
  public var metered = false

  public init() {}

  /// Seconds that are wished where the manifest says nothing.
  public static let defaultIntervalSeconds = 3600.0
}

/// What came of a good moment, as the program says (rule G2).
public enum FetchResult: String, Hashable, Sendable, Codable, CaseIterable {
  case newData
  case noData
  case failed
}

/// What the machine's network is like.
public enum NetworkState: String, Hashable, Sendable, Codable, CaseIterable {
  /// None can be reached.
  case unreachable = "none"
  /// One that counts what it carries.
  case metered
  /// One that does not, or of which nobody knows.
  case free
}

/// What the machine runs on.
public struct PowerSupply: Hashable, Sendable, Codable {
  /// Whether it runs on its battery.
  public var isOnBattery: Bool
  /// How full the battery is, percent; nil where nobody says.
  public var percent: Double?

  /// On its battery, or on mains.
  public init(isOnBattery: Bool, percent: Double? = nil) {
    self.isOnBattery = isOnBattery
    self.percent = percent
  }

  /// On mains, or without a battery.
  public static let mains = PowerSupply(isOnBattery: false)

  /// Whether it runs on a battery that has less than so many percent (rule G1).
  func isLow(below limit: Double) -> Bool { isOnBattery && (percent ?? 100) < limit }
}
