public import LocationCore

/// The thresholds a user may set: the only file that knows their keys.
///
/// ```yaml
/// significant_change: {distance_m: 500, window_s: 300}
/// fix: {max_accuracy_m: 300, max_speed_mps: 100}
/// policy: {force_quit_blocks_location: false}
/// ```
public enum Settings {
  /// Reads a settings file over the defaults.
  /// - Throws: ``Failure`` of code 78 with file, line, key and, for an unknown one, the nearest that is valid.
  public static func read(path: String, into configuration: inout EngineConfiguration) throws(Failure) {
    let map = try StrictYAML(path: path, code: .config).map(Key.self)
    if let node = map.optional(.significantChange) {
      let keys = try node.map(SignificantKey.self)
      try set(&configuration.significant.distanceMeters, keys.optional(.distance), 1...1e7)
      try set(&configuration.significant.windowSeconds, keys.optional(.window), 0...1e7)
    }
    if let node = map.optional(.fix) {
      let keys = try node.map(FixKey.self)
      try set(&configuration.gate.maxAccuracyMeters, keys.optional(.maxAccuracy), 1...1e7)
      try set(&configuration.gate.maxSpeedMetersPerSecond, keys.optional(.maxSpeed), 1...1e5)
      try set(&configuration.gate.maxAgeSeconds, keys.optional(.maxAge), 1...1e5)
      try set(&configuration.gapSeconds, keys.optional(.gap), 1...1e7)
    }
    if let node = map.optional(.policy) {
      let keys = try node.map(PolicyKey.self)
      if let node = keys.optional(.forceQuitBlocksLocation) {
        configuration.policy.forceQuitBlocksLocation = try node.bool()
      }
      if let node = keys.optional(.protectUntilFirstUnlock) {
        configuration.policy.protectUntilFirstUnlock = try node.bool()
      }
      try set(&configuration.policy.graceSeconds, keys.optional(.grace), 0...60)
      try set(&configuration.policy.taskBudgetSeconds, keys.optional(.taskBudget), 1...600)
    }
  }

  enum Key: String, CaseIterable {
    case significantChange = "significant_change"
    case fix, policy
  }

  enum SignificantKey: String, CaseIterable {
    case distance = "distance_m"
    case window = "window_s"
  }

  enum FixKey: String, CaseIterable {
    case maxAccuracy = "max_accuracy_m"
    case maxSpeed = "max_speed_mps"
    case maxAge = "max_age_s"
    case gap = "gap_s"
  }

  enum PolicyKey: String, CaseIterable {
    case forceQuitBlocksLocation = "force_quit_blocks_location"
    case protectUntilFirstUnlock = "protect_until_first_unlock"
    case grace = "grace_s"
    case taskBudget = "task_budget_s"
  }

  private static func set(
    _ value: inout Double, _ node: StrictYAML?, _ range: ClosedRange<Double>
  ) throws(Failure) {
    if let node { value = try node.double(in: range) }
  }
}
