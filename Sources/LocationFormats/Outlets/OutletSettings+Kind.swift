extension OutletSettings {
  /// What speaks to the other side. The switches below have all that tells one kind from another outside of what it
  /// sends and its connection.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// An HTTP POST for each event.
    case webhook
    /// An MQTT broker.
    case mqtt

    /// The scheme of its addresses without TLS; with TLS it has an `s` more.
    package var scheme: String {
      switch self {
      case .webhook: "http"
      case .mqtt: "mqtt"
      }
    }

    /// Whether the other side is to know at any time whether the daemon runs.
    package var staysConnected: Bool {
      switch self {
      case .webhook: false
      case .mqtt: true
      }
    }

    /// The waits after the first, second and further counted failures, seconds; after the last of them the outlet is
    /// disabled. Empty: the wait is doubled, and the outlet is tried for ever.
    package var retrySteps: [Double] {
      switch self {
      // 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h (Standard Webhooks 1.0.0, "Deliverability and reliability").
      case .webhook: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
      case .mqtt: []
      }
    }
  }

  /// The settings for one made-up event beside a daemon that uses the outlet too.
  package var trial: OutletSettings {
    var trial = self
    // A broker ends the older one of two connections of one name.
    trial.instance += "-test"
    trial.isTrial = true
    switch kind {
    case .webhook: break
    case .mqtt:
      // Nobody is to take it for the device: it has a topic of its own, and is announced to nobody.
      trial.topic = deviceTopic + "/test"
      trial.announces = nil
      trial.takesCommands = nil
      // The broker would keep a session for them.
      trial.takesPushes = nil
    }
    return trial
  }
}
