@testable import LocationCore

/// What the rules demand of the policy, written down from the rules and from nothing of the engine. `PolicyDocTests`
/// prints it into `Docs/Policy.md` and holds the engine to it.
enum PolicyExpectation {
  /// What is said of an event, by who says it.
  enum Service: CaseIterable {
    case significantChange, region, visit
    /// A fix for a subscriber of standard updates, without and with the mode `location`.
    case standard, backgroundLocation

    var rule: String {
      switch self {
      case .significantChange: "B1"
      case .region: "B4"
      case .visit: "B5"
      case .standard: "B2"
      case .backgroundLocation: "B3"
      }
    }

    /// Whether it starts a program that is not running.
    var relaunches: Bool { self != .standard && self != .backgroundLocation }
  }

  /// Everything that bears on a decision.
  struct Case: Hashable {
    var service: Service
    var state: SubscriberState
    var authorization: Subscriber.Authorization
    var wasForceQuit = false
    var isUnlocked = true
    /// A5.
    var exitsOnSuspend = false
    /// A7, the older rule.
    var forceQuitBlocks = false
    /// The user lets things wake it.
    var backgroundDelivery = true
    var accuracy = Subscriber.AccuracyAuthorization.full
    /// A4.
    var isCritical = false

    /// Every case there is. What opted out of the background is never in it, nor suspended (A5).
    static let all: [Case] = {
      var all: [Case] = []
      for service in Service.allCases {
        for state in SubscriberState.allCases {
          for authorization in Subscriber.Authorization.allCases {
            for bits in 0..<128 {
              func bit(_ place: Int) -> Bool { bits & (1 << place) != 0 }
              let one = Case(
                service: service, state: state, authorization: authorization, wasForceQuit: bit(0),
                isUnlocked: !bit(1), exitsOnSuspend: bit(2), forceQuitBlocks: bit(3),
                backgroundDelivery: !bit(4), accuracy: bit(5) ? .reduced : .full,
                isCritical: bit(6))
              let isOutOfSight = state == .background || state == .suspended
              if !(one.exitsOnSuspend && isOutOfSight) { all.append(one) }
            }
          }
        }
      }
      return all
    }()
  }

  /// Action, rule and reason; nil where nothing is said. The first line that applies.
  static func decision(_ it: Case) -> String? {
    let runs = it.state == .active || it.state == .inactive || it.state == .background
    let isUpdate = it.service == .standard || it.service == .backgroundLocation

    // B8: who may know nothing is told nothing. Standard updates, one for each fix, are then not offered at all (B2).
    if it.service == .region && it.accuracy == .reduced { return "refuse, B8 `reduced`" }
    if it.authorization == .denied { return isUpdate ? nil : "refuse, B8 `denied`" }
    if it.authorization == .whenInUse && !runs { return isUpdate ? nil : "refuse, B8 `needs_always`" }

    switch it.state {
    case .active, .inactive:
      // B3 is for the background; in the foreground updates are B2's.
      return "deliver, \(isUpdate ? "B2" : it.service.rule) `foreground`"
    case .background:
      let isLocation = it.service == .backgroundLocation && it.authorization == .always
      let rule = isUpdate ? (isLocation ? "B3" : "B2") : it.service.rule
      return "deliver, \(rule) `running`"
    case .suspended:
      if it.service == .standard { return nil }
      if !it.backgroundDelivery { return "defer, B8 `background_delivery_off`" }
      // A7: after a relaunch under the mark only location services that relaunch wake.
      if it.wasForceQuit && !it.service.relaunches { return "defer, A7 `force_quit`" }
      return "wake, \(it.service.rule) `suspended`"
    case .notRunning:
      if !it.service.relaunches { return nil }
      // L1: whom the user alone can start is told where it is at that start, in place of what was kept.
      let awaitsUser = it.exitsOnSuspend || it.wasForceQuit && it.forceQuitBlocks
      if !it.backgroundDelivery { return "\(awaitsUser ? "drop" : "defer"), B8 `background_delivery_off`" }
      if it.exitsOnSuspend { return "drop, A5 `exits_on_suspend`" }
      if it.wasForceQuit && it.forceQuitBlocks { return "drop, A7 `force_quit`" }
      if !it.isUnlocked { return "defer, A8 `locked`" }
      if it.isCritical { return "defer, A4 `memory_pressure`" }
      if it.wasForceQuit { return "relaunch, A7 `force_quit_location`" }
      return "relaunch, \(it.service.rule) `not_running`"
    }
  }

  // MARK: Moves

  /// Rule A1: the moves there are, by state.
  static let legalMoves: [SubscriberState: Set<SubscriberState>] = [
    .notRunning: [.inactive, .background],
    .inactive: [.active, .background, .notRunning],
    .active: [.inactive, .notRunning],
    .background: [.suspended, .inactive, .notRunning],
    .suspended: [.background, .inactive, .notRunning],
  ]

  static let states: [SubscriberState] = [.active, .inactive, .background, .suspended, .notRunning]

  /// What the user, a program and the machine lead to at once, by state in the order of ``states``; "-" for nothing.
  static let moves: [(name: String, event: Event, after: [String])] = [
    (
      "the user opens it", .subscriber(name: "a", .foreground),
      [
        "refuse, A1", "→ `active`", "→ `inactive` → `active`", "→ `inactive` → `active`",
        "→ `inactive` → `active`",
      ]
    ),
    (
      "the user turns to something else", .subscriber(name: "a", .background),
      ["→ `inactive` → `background`", "→ `background`", "refuse, A1", "refuse, A1", "refuse, A1"]
    ),
    (
      "the user force-quits it", .subscriber(name: "a", .quit),
      [
        "terminate, A7 → `notRunning`", "terminate, A7 → `notRunning`", "terminate, A7 → `notRunning`",
        "terminate, A7 → `notRunning`", "terminate, A7",
      ]
    ),
    (
      "its process ends", .subscriber(name: "a", .exited(status: 0)),
      ["→ `notRunning`", "→ `notRunning`", "→ `notRunning`", "→ `notRunning`", "refuse, A1"]
    ),
    (
      "the machine boots", .machine(.reboot),
      ["→ `notRunning`", "→ `notRunning`", "→ `notRunning`", "→ `notRunning`", "-"]
    ),
    (
      "memory is critically short", .machine(.memoryPressure(.critical)),
      ["-", "-", "warn, A4", "purge, A4 → `notRunning`", "-"]
    ),
    (
      "it opens a task", .subscriber(name: "a", .beginTask(name: "t")),
      ["-", "-", "-", "refuse, C1", "refuse, C1"]
    ),
    (
      "it ends a task that is not open", .subscriber(name: "a", .endTask(token: 1)),
      ["refuse, C4", "refuse, C4", "refuse, C4", "refuse, C4", "refuse, C4"]
    ),
    (
      "it asks for one fix", .subscriber(name: "a", .locate(seconds: 30)),
      ["-", "-", "-", "refuse, B2", "refuse, B2"]
    ),
    (
      "it is found to hold a lock", .subscriber(name: "a", .lock(isHeld: true)),
      ["-", "-", "-", "terminate, K3 → `notRunning`", "-"]
    ),
  ]
}
