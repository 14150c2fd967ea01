public import LocationCore

/// Who decides when the receiver is on, as people say it.
public enum SamplingChoice: String, Hashable, Sendable, CaseIterable {
  /// Nobody: it is always on.
  case continuous
  /// The engine.
  case adaptive

  /// The same for an engine.
  public var mode: SamplingConfiguration.Mode {
    switch self {
    case .continuous: .continuous
    case .adaptive: .adaptive
    }
  }
}

extension SamplingConfiguration.Mode {
  /// The word for it.
  package var word: String {
    switch self {
    case .continuous: SamplingChoice.continuous.rawValue
    case .adaptive: SamplingChoice.adaptive.rawValue
    // For comparison only: no file and no option says it.
    case .fixed: "fixed"
    }
  }
}
