/// A part that draws power.
public enum PowerComponent: String, Hashable, Sendable, Codable, CaseIterable {
  case receiverAcquiring = "receiver_acquiring"
  case receiverTracking = "receiver_tracking"
  case receiverPowerSave = "receiver_power_save"
  case receiverLinger = "receiver_linger"
  case receiverBackup = "receiver_backup"
  case networkLocation = "network_location"
  case motion
  case machineAwake = "machine_awake"
  case wake
  case subscriberRun = "subscriber_run"
  case relaunch
  case wifiScan = "wifi_scan"
  case cellRead = "cell_read"
  case radioPromotion = "radio_promotion"
  case radioActive = "radio_active"
  case radioTail = "radio_tail"
}

/// What one payer spent in one component under one rule.
public struct PowerEntry: Hashable, Sendable, Codable {
  /// The part that drew it.
  public var component: PowerComponent
  /// The subscriber, or `shared` where nobody in particular caused it.
  public var subscriber: String
  /// What caused it.
  public var rule: Rule
  /// Energy, joules.
  public var joules: Double
  /// Seconds in the state, shared out like the energy; 0 for impulses.
  public var seconds: Double
}

/// A subscriber could have had the same events of a cheaper service (rule B10).
public struct Advice: Hashable, Sendable, Codable {
  /// Whom it is about.
  public var subscriber: String
  /// The service it used.
  public var rule: Rule
  /// The service that would have done.
  public var cheaper: Rule
  /// Updates of the service it used.
  public var updates: Int
  /// Joules booked for it under that service.
  public var joules: Double
}

extension PowerEntry: SingleTypeRecord {
  package static let name = "power"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("component", component.rawValue, "see [below](#components)", column: .reason)
    visitor.text(
      "subscriber", subscriber, "the subscriber that caused it, or `shared` if none in particular did")
    visitor.number("joules", joules, .joules, "energy")
    visitor.number(
      "seconds", seconds, .seconds,
      "time in that state, divided like the energy; core seconds for `subscriber_run`; 0 for counted impulses"
    )
    visitor.text("rule", rule.rawValue, "the rule that caused it")
  }

  /// People get the energy from the summary.
  package static func text(_ fields: RecordFields) -> TextRecord? { nil }

  package static var samples: [Record.Body] {
    [
      .power(
        PowerEntry(component: .wake, subscriber: "a", rule: .significantChange, joules: 1, seconds: 1))
    ]
  }
}

extension Advice: SingleTypeRecord {
  package static let name = "advice"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whom it is about")
    visitor.text("rule", rule.rawValue, "the rule of the service it used")
    visitor.text("cheaper", cheaper.rawValue, "the rule of the cheaper service", column: .reason)
    visitor.count("updates", updates, "how many updates it received")
    visitor.number("joules", joules, .joules, "its energy under `rule`")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let updates = Wording.count(Int(fields.number("updates") ?? 0), "update")
    return TextRecord(
      "advice",
      "\(fields.text("subscriber")): rule \(fields.text("cheaper")) would have told its \(updates) of rule \(fields.text("rule")) too"
    )
  }

  package static var samples: [Record.Body] {
    [.advice(Advice(subscriber: "a", rule: .standard, cheaper: .significantChange, updates: 1, joules: 1))]
  }
}
