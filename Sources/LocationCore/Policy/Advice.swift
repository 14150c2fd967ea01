/// What one subscriber's own record says of the service it could have used.
struct AdviceRecord: Hashable, Sendable, Codable {
  private(set) var updates = 0
  /// Updates that would have been significant changes.
  private(set) var significant = 0
  private var last: Told?

  private struct Told: Hashable, Sendable, Codable {
    var coordinate: Coordinate
    var instant: EngineInstant
  }

  /// Notes a standard update it was told, and whether it would have been a significant change by the numbers in force.
  mutating func note(_ fix: Fix, _ configuration: SignificantChange.Configuration) {
    updates += 1
    let told = Told(coordinate: fix.coordinate, instant: fix.instant)
    defer { last = told }
    guard let last else {
      significant += 1
      return
    }
    guard last.instant.seconds(to: fix.instant) >= configuration.windowSeconds,
      Geodesy.isAtLeast(configuration.distanceMeters, from: last.coordinate, to: fix.coordinate)
    else { return }
    significant += 1
  }

  /// The advice, where standard updates came no oftener than significant changes would have.
  func conclusion(for subscriber: Subscriber, joules: Double) -> Advice? {
    guard updates >= Self.leastUpdates, joules > 0,
      Double(significant) >= Self.share * Double(updates)
    else { return nil }
    let rule: Rule = subscriber.modes.contains(.location) ? .backgroundLocation : .standard
    return Advice(
      subscriber: subscriber.name, rule: rule, cheaper: .significantChange, updates: updates, joules: joules)
  }

  /// With fewer updates there is no advice.
  static let leastUpdates = 5
  /// The share of the updates that the cheaper service would have told too, at least.
  static let share = 0.95
}
