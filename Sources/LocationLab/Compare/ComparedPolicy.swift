import LocationCore

/// A way to learn of the same places, side by side with the others.
package enum ComparedPolicy: String, Sendable, CaseIterable {
  /// Every fix of a receiver that is always on: what the others are held against.
  case continuous
  /// The same receiver, but only the fixes 50 m apart are handed on.
  case standard
  /// The engine switches the receiver for significant changes alone.
  case significantChange = "significant-change"
  /// The engine switches the receiver for the regions alone.
  case regions
  /// The engine switches the receiver for visits alone.
  case visits
  /// The engine switches the receiver for regions and significant changes.
  case adaptive
  /// One fix each 120 s, whatever it says.
  case fixed120 = "fixed-120-s"

  /// What it is, for people.
  package var title: String {
    switch self {
    case .continuous: "continuous"
    case .standard: "standard, 50 m"
    case .significantChange: "significant change"
    case .regions: "regions, adaptive"
    case .visits: "visits, adaptive"
    case .adaptive: "both, adaptive"
    case .fixed120: "fixed 120 s"
    }
  }

  /// What is asked for.
  var services: Subscriber.Services {
    switch self {
    case .continuous, .standard, .adaptive, .fixed120: [.significantChange, .regions]
    case .significantChange: .significantChange
    case .regions: .regions
    case .visits: .visits
    }
  }

  /// When the receiver is on.
  var sampling: SamplingConfiguration.Mode {
    switch self {
    case .continuous, .standard: .continuous
    case .significantChange, .regions, .visits, .adaptive: .adaptive
    case .fixed120: .fixed(periodSeconds: 120)
    }
  }

  /// Whether it is for telling what a service tells: with the fixes a program finds visits itself.
  func asks(for service: Subscriber.Services) -> Bool { handsOnFixes || services.contains(service) }

  /// Metres between two fixes that are handed on; nil where there is no such filter.
  var distanceFilterMeters: Double? { self == .standard ? 50 : nil }

  /// Whether the program is handed fixes, and decides itself; else it is told events only.
  var handsOnFixes: Bool {
    switch self {
    case .continuous, .standard: true
    case .significantChange, .regions, .visits, .adaptive, .fixed120: false
    }
  }
}
