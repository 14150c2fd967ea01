import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// The rows of triggers of the background modes (rules M1 to M4): every row in every state, under every obstacle, held
/// to what the rules demand. The location services have the same in `PolicyDocTests`.
@Suite struct TriggerTests {
  /// Everything that bears on a call.
  struct Case: Hashable {
    var kind: ModeCall.Kind
    var state: SubscriberState
    var isDeclared = true
    var wasForceQuit = false
    var isUnlocked = true
    var backgroundDelivery = true
    var isLowPower = false
    var pressure = MemoryPressure.none

    static let all: [Case] = {
      var all: [Case] = []
      for kind in ModeCall.Kind.allCases {
        for state in SubscriberState.allCases {
          for pressure in [MemoryPressure.none, .warning, .critical] {
            for bits in 0..<32 {
              func bit(_ place: Int) -> Bool { bits & (1 << place) != 0 }
              all.append(
                Case(
                  kind: kind, state: state, isDeclared: !bit(0), wasForceQuit: bit(1), isUnlocked: !bit(2),
                  backgroundDelivery: !bit(3), isLowPower: bit(4), pressure: pressure))
            }
          }
        }
      }
      return all
    }()
  }

  /// What the rules say of each kind: its rule, whether it wakes, whether it relaunches, whether it waits.
  static let demands: [ModeCall.Kind: (rule: String, wakes: Bool, relaunches: Bool, waits: Bool)] = [
    .keepAlive: ("E2", true, false, true), .traffic: ("E4", true, false, true),
    .boot: ("E5", false, true, true), .restart: ("E5", false, true, true),
    .audio: ("F5", true, true, true), .fetch: ("G1", true, true, false),
    .issue: ("I5", true, true, true),
  ]

  /// Action, rule and reason by the rules alone: the first line that applies. Of location rights nothing depends.
  static func demanded(_ it: Case) throws -> String {
    let row = try #require(demands[it.kind])
    switch it.state {
    case .active, .inactive: return "deliver \(row.rule) foreground"
    case .background: return "deliver \(row.rule) running"
    case .suspended, .notRunning: break
    }
    let isStart = it.state == .notRunning
    // What never wakes, or never relaunches, is not raised then; if it were, it would wait for the next start.
    if isStart ? !row.relaunches : !row.wakes {
      return "defer \(row.rule) \(isStart ? "not_running" : "suspended")"
    }
    let keeps = row.waits ? "defer" : "drop"
    if !it.isDeclared { return "\(keeps) \(row.rule) no_mode" }
    if !it.backgroundDelivery { return "\(keeps) B8 background_delivery_off" }
    if it.wasForceQuit { return "\(keeps) A7 force_quit" }
    if isStart, !it.isUnlocked { return "\(keeps) A8 locked" }
    if isStart, it.pressure == .critical { return "\(keeps) A4 memory_pressure" }
    if it.kind == .issue, it.isLowPower { return "\(keeps) I5 low_power" }
    return "\(isStart ? "relaunch" : "wake") \(row.rule) good_moment"
  }

  @Test func `M2 M3 every row in every state under every obstacle is decided as the rules demand`() throws {
    #expect(Case.all.count == 7 * 5 * 3 * 32)
    for it in Case.all {
      let demanded = try Self.demanded(it)
      #expect(Self.decided(it) == demanded, "\(it)")
    }
  }

  private static func decided(_ it: Case) -> String? {
    var policy = Policy()
    let modes: Subscriber.Modes = it.isDeclared ? [.voip, .audio, .fetch, .newsstandContent] : []
    // Rights of location play no part (rule M3).
    let subscriber = Subscriber(
      name: "a", services: [], modes: modes, authorization: .denied, accuracy: .reduced,
      backgroundDelivery: it.backgroundDelivery)
    var turn = PolicyTurn(instant: Drive.instant(0))
    _ = policy.add(subscriber, state: it.state, in: &turn)
    policy.update(0) { $0.wasForceQuit = it.wasForceQuit }
    policy.isUnlocked = it.isUnlocked
    policy.isLowPower = it.isLowPower
    policy.pressure = it.pressure
    let call = ModeCall(subscriber: "a", kind: it.kind, reason: .goodMoment)
    policy.offer(event: 1, trigger: it.kind.trigger, call: call, to: 0, in: &turn)
    return turn.steps.firstDecision
  }

  // MARK: Waiting

  @Test func `M2 a second call of a kind that waits is merged, and of remote control the latest wins`() throws
  {
    for (kind, expected, left) in [
      (ModeCall.Kind.restart, ["coalesce E5 merged"], [1]),
      (.audio, ["drop F5 merged", "defer A8 locked"], [2]),
    ] {
      var policy = Self.locked()
      var turn = PolicyTurn(instant: Drive.instant(0))
      Self.offer(1, kind, &policy, in: &turn)
      #expect(turn.steps.firstDecision == "defer A8 locked")
      turn = PolicyTurn(instant: Drive.instant(0))
      Self.offer(2, kind, &policy, in: &turn)
      #expect(turn.steps.decisions == expected, "\(kind)")
      #expect(policy.sessions[0].outbox.map(\.event) == left, "\(kind)")
    }
  }

  // MARK: Handed over again

  @Test func `M4 when an obstacle ends what waited is handed over, oldest first, with the same id`() throws {
    var policy = Self.locked()
    var turn = PolicyTurn(instant: Drive.instant(0))
    Self.offer(1, .restart, &policy, in: &turn)
    Self.offer(2, .audio, &policy, in: &turn)
    turn = PolicyTurn(instant: Drive.instant(5))
    policy.unlock(in: &turn)
    #expect(turn.steps.decisions == ["relaunch A8 first_unlock", "deliver K5 kept"])
    let delivered = turn.steps.compactMap { step -> (event: Int, cause: Order.Cause)? in
      if case .ordered(.deliver(_, let event, let cause)) = step { (event, cause) } else { nil }
    }
    #expect(delivered.map(\.event) == [1, 2])
    // The first is what it is started for, the next speaks for itself.
    #expect(delivered.map(\.cause.rule) == [.firstUnlock, Trigger.remoteControl.rule])
    #expect(delivered.map(\.cause.kind) == ["redelivery", "audio"])
    let launch = try #require(
      turn.steps.compactMap { step -> Order.Launch? in
        if case .ordered(.relaunch(_, let launch)) = step { launch } else { nil }
      }.first)
    #expect(launch.kind == "redelivery")
    #expect(launch.eventKind == "restart")
    #expect(launch.budgetSeconds == 30)
  }

  @Test func `M4 every obstacle that ends hands over what it held back`() {
    let cases: [(begin: (inout Policy) -> Void, end: (inout Policy, inout PolicyTurn) -> Void)] = [
      ({ $0.pressure = .critical }, { $0.setPressure(.none, in: &$1) }),
      (
        { $0.update(0) { $0.subscriber.backgroundDelivery = false } },
        { $0.setBackgroundDelivery(true, 0, in: &$1) }
      ),
      (
        { $0.update(0) { $0.throttledUntil = Drive.instant(5) } },
        { $0.fire(in: &$1) }
      ),
      (
        { $0.update(0) { $0.wasForceQuit = true } },
        { $0.bringToForeground(0, in: &$1) }
      ),
      ({ $0.update(0) { $0.wasForceQuit = true } }, { $0.reboot(in: &$1) }),
    ]
    for (begin, end) in cases {
      var policy = Self.policy()
      begin(&policy)
      var turn = PolicyTurn(instant: Drive.instant(0))
      Self.offer(1, .audio, &policy, in: &turn)
      #expect(turn.steps.firstDecision?.hasPrefix("defer") == true)
      turn = PolicyTurn(instant: Drive.instant(5))
      end(&policy, &turn)
      for step in turn.steps {
        if case .redelivered(_, let rule) = step {
          policy.redeliver(0, rule: rule, in: &turn)
        }
      }
      let isHanded = turn.steps.contains { step in
        if case .ordered(.deliver("a", 1, _)) = step { true } else { false }
      }
      #expect(isHanded, "\(turn.steps.decisions)")
    }
  }

  // MARK: Declared modes

  @Test func `M1 what waits for a mode that a new manifest lacks is dropped, and a call is refused`() {
    var policy = Self.locked()
    var turn = PolicyTurn(instant: Drive.instant(0))
    Self.offer(1, .audio, &policy, in: &turn)
    turn = PolicyTurn(instant: Drive.instant(1))
    _ = policy.add(
      Subscriber(name: "a", services: []), state: .notRunning, in: &turn)
    #expect(turn.steps.decisions == ["drop F5 no_mode"])
    #expect(policy.sessions[0].outbox.isEmpty)
    turn = PolicyTurn(instant: Drive.instant(2))
    #expect(!policy.requires(.voip, .keepAlive, 0, in: &turn))
    #expect(turn.steps.decisions == ["refuse E2 no_mode"])
  }

  @Test func `a trigger is stored as the rule of its row`() throws {
    for trigger in BackgroundMode.all.map(\.trigger) + [.silentPush, .issueWanted] {
      #expect(try Coding.copy(trigger) == trigger)
    }
    var pause = Trigger.standard
    pause.rule = .automaticPause
    #expect(try Coding.copy(pause) == pause)
  }

  // MARK: Helpers

  private static func policy() -> Policy {
    var policy = Policy()
    var turn = PolicyTurn(instant: Drive.instant(0))
    _ = policy.add(
      Subscriber(name: "a", services: [], modes: [.voip, .audio, .fetch]), state: .notRunning, in: &turn)
    return policy
  }

  private static func locked() -> Policy {
    var policy = policy()
    policy.isUnlocked = false
    return policy
  }

  private static func offer(
    _ event: Int, _ kind: ModeCall.Kind, _ policy: inout Policy, in turn: inout PolicyTurn
  ) {
    let call = ModeCall(subscriber: "a", kind: kind, reason: .goodMoment)
    policy.offer(
      event: event, trigger: kind.trigger, call: call, to: 0, in: &turn)
  }
}

extension [PolicyStep] {
  /// Action, rule and reason of every decision, in order.
  var decisions: [String] {
    compactMap { step in
      guard case .decided(let decision) = step else { return nil }
      return "\(decision.action.rawValue) \(decision.rule.rawValue) \(decision.reason.rawValue)"
    }
  }

  var firstDecision: String? { decisions.first }
}

/// Writes a value and reads it again.
enum Coding {
  static func copy<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }
}
