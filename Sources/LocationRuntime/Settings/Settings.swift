public import LocationCore

/// The thresholds a user may set: the only file that knows their keys.
///
/// ```yaml
/// significant_change: {distance_m: 500, window_s: 300}
/// fix: {max_accuracy_m: 300, max_speed_mps: 100}
/// visits: {radius_m: 50, arrival_s: 300}
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
    if let node = map.optional(.visits) { try readVisits(node, into: &configuration.visits) }
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

  private enum Key: String, CaseIterable {
    case significantChange = "significant_change"
    case fix, visits, policy
  }

  private enum SignificantKey: String, CaseIterable {
    case distance = "distance_m"
    case window = "window_s"
  }

  private enum FixKey: String, CaseIterable {
    case maxAccuracy = "max_accuracy_m"
    case maxSpeed = "max_speed_mps"
    case maxAge = "max_age_s"
    case gap = "gap_s"
  }

  private enum VisitKey: String, CaseIterable {
    case radius = "radius_m"
    case provisional = "provisional_s"
    case arrival = "arrival_s"
    case gap = "gap_s"
    case mergeDistance = "merge_distance_m"
    case merge = "merge_s"
  }

  private static func readVisits(
    _ node: StrictYAML, into visits: inout VisitConfiguration
  ) throws(Failure) {
    let keys = try node.map(VisitKey.self)
    try set(&visits.radiusMeters, keys.optional(.radius), 1...1e5)
    try set(&visits.provisionalSeconds, keys.optional(.provisional), 1...1e6)
    try set(&visits.confirmedSeconds, keys.optional(.arrival), 1...1e6)
    try set(&visits.gapSeconds, keys.optional(.gap), 1...1e7)
    try set(&visits.mergeMeters, keys.optional(.mergeDistance), 0...1e5)
    try set(&visits.mergeSeconds, keys.optional(.merge), 0...1e6)
  }

  private enum PolicyKey: String, CaseIterable {
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
