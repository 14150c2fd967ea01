import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// The tables of `Docs/Policy.md`: what the rules demand, and that the engine does it.
@Suite struct PolicyDocTests {
  @Test func `the tables are those of the expectation`() throws {
    let document = try Markdown("Docs/Policy.md")
    var text: Markdown = document
    for (name, body) in [
      ("triggers", triggers), ("numbers", numbers),
      ("location services", decisions(on: [.significantChange, .region, .visit])),
      ("standard updates", decisions(on: [.standard])),
      ("background location", decisions(on: [.backgroundLocation])),
      ("pairs", pairs), ("moves", moves),
    ] {
      text = Markdown(
        path: document.path,
        text: try #require(text.replacing(generated: name, with: body), "no place for \(name)"))
    }
    Golden.expect(document.path, text.text)
  }

  @Test func `every rule of the program is in the table of rules`() throws {
    let section = try #require(try Markdown("Docs/Policy.md").section("The rules"))
    let inTable = Markdown.rows(in: section).flatMap { Markdown.codes(in: $0[0]) }
    #expect(Set(Rule.allCases.map(\.rawValue)).isSubset(of: inTable))
    #expect(inTable == inTable.sorted { Self.order($0) < Self.order($1) })
  }

  private static func order(_ id: String) -> (Character, Int) { (id.first ?? " ", Int(id.dropFirst()) ?? 0) }

  // MARK: Triggers and numbers

  private var triggers: String {
    let rows = BackgroundMode.all.map { mode in
      let trigger = mode.trigger
      let isOfUser = trigger.afterForceQuit == .userLaunch
      return [
        mode.name, "`\(trigger.rule.rawValue)`", isOfUser ? "user launch" : Self.yes(trigger.wakes),
        isOfUser ? "user launch" : Self.yes(trigger.relaunches), trigger.afterForceQuit.rawValue,
        trigger.beforeUnlock.rawValue, trigger.withoutDelivery.rawValue, trigger.inLowPower.rawValue,
        Self.seconds(of: trigger.budget), Self.words(trigger.waiting),
      ]
    }
    return Markdown.table(
      [
        "trigger", "rule", "wakes", "relaunches", "force-quit", "before the first unlock",
        "`background_delivery: false`", "low power", "budget, s", "waits for the subscriber",
      ], rows)
  }

  private static func seconds(of budget: Trigger.Budget) -> String {
    let seconds = Policy.Configuration().wakes.seconds(of: budget)
    return seconds > 0 ? plain(seconds) : "-"
  }

  private static func words(_ waiting: Trigger.Waiting) -> String {
    switch waiting {
    case .none: "-"
    case .neverKept: "never kept"
    case .upTo(let count): "\(count)"
    case .mergesLater: "1, later ones merge"
    case .latest: "1, latest wins"
    case .onceEach: "1 an issue"
    }
  }

  private var numbers: String {
    Markdown.table(["`Policy.Configuration`", "default"], Self.numbers(of: Policy.Configuration()))
  }

  /// The members of a configuration, and those of its parts.
  private static func numbers(of configuration: Any, in part: String = "") -> [[String]] {
    Mirror(reflecting: configuration).children.flatMap { child in
      let name = part + (child.label ?? "")
      if let number = child.value as? Double { return [["`\(name)`", plain(number)]] }
      guard let preset = Mirror(reflecting: child.value).children.first else {
        return [["`\(name)`", "\(child.value)"]]
      }
      // What wraps a part is named with an underscore.
      return numbers(of: preset.value, in: "\(name.dropFirst()).")
    }
  }

  private static func yes(_ value: Bool) -> String { value ? "yes" : "no" }

  private static func plain(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  // MARK: Decisions

  /// Each state with what bears on it, and each authorization, as the rules demand it.
  private func decisions(on services: [PolicyExpectation.Service]) -> String {
    let rights: [Subscriber.Authorization] = [.always, .whenInUse, .denied]
    var rows: [[String]] = []
    for state in PolicyExpectation.states {
      for (name, adjust) in Self.circumstances(of: state) {
        rows.append(
          ["`\(state.rawValue)`" + name]
            + rights.map { right in
              let words = services.map { service in
                var it = PolicyExpectation.Case(service: service, state: state, authorization: right)
                adjust(&it)
                let decision = PolicyExpectation.decision(it) ?? "-"
                return services.count > 1
                  ? decision.replacing(", \(service.rule) ", with: ", its rule, ") : decision
              }
              return words[0]
            })
      }
    }
    return Markdown.table(["state"] + rights.map { "`\($0.rawValue)`" }, rows)
  }

  /// What bears on a decision about a subscriber in a state, beside its authorization.
  private static func circumstances(
    of state: SubscriberState
  ) -> [(String, (inout PolicyExpectation.Case) -> Void)] {
    switch state {
    case .active, .inactive, .background: return [("", { _ in })]
    case .suspended:
      return [
        ("", { _ in }), (", `background_delivery: false`", { $0.backgroundDelivery = false }),
        (", force-quit", { $0.wasForceQuit = true }),
      ]
    case .notRunning:
      return [
        ("", { _ in }),
        (", force-quit", { $0.wasForceQuit = true }),
        (
          ", force-quit, `force_quit_blocks_location`",
          {
            $0.wasForceQuit = true
            $0.forceQuitBlocks = true
          }
        ),
        (", not unlocked", { $0.isUnlocked = false }),
        (
          ", force-quit, not unlocked",
          {
            $0.wasForceQuit = true
            $0.isUnlocked = false
          }
        ),
        (", memory critically short", { $0.isCritical = true }),
        (", `exits_on_suspend`", { $0.exitsOnSuspend = true }),
        (", `background_delivery: false`", { $0.backgroundDelivery = false }),
      ]
    }
  }

  @Test(arguments: PolicyExpectation.Service.allCases)
  func `A1 to B8 every state with every trigger and every right is decided as the rules demand`(
    _ service: PolicyExpectation.Service
  ) {
    let cases = PolicyExpectation.Case.all.filter { $0.service == service }
    #expect(cases.count >= 1_400)
    for it in cases {
      let expected = PolicyExpectation.decision(it)
      #expect(Self.decision(it) == expected, "\(it)")
    }
  }

  /// What the policy decides in a case.
  private static func decision(_ it: PolicyExpectation.Case) -> String? {
    var configuration = Policy.Configuration()
    configuration.forceQuitBlocksLocation = it.forceQuitBlocks
    var policy = Policy(configuration: configuration)
    let subscriber = Subscriber(
      name: "a", services: it.service.services, modes: it.service == .backgroundLocation ? [.location] : [],
      authorization: it.authorization, accuracy: it.accuracy, exitsOnSuspend: it.exitsOnSuspend,
      backgroundDelivery: it.backgroundDelivery)
    let instant = Drive.instant(0)
    var turn = PolicyTurn(instant: instant)
    _ = policy.add(subscriber, state: it.state, in: &turn)
    policy.update(0) { $0.wasForceQuit = it.wasForceQuit }
    policy.pressure = it.isCritical ? .critical : .none
    policy.isUnlocked = it.isUnlocked
    let fix = Fix(
      time: UTCTime(microseconds: instant.microseconds), instant: instant, coordinate: Drive.origin,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
    switch it.service {
    case .significantChange: policy.offer(event: 1, trigger: .significantChange, in: &turn)
    case .region: policy.offer(event: 1, trigger: .region, region: "r", in: &turn)
    case .visit: policy.offer(event: 1, trigger: .visit, in: &turn)
    case .standard, .backgroundLocation:
      var takers: [StandardTaker] = []
      policy.observe(fix, at: instant, into: &takers)
      for taker in takers {
        if case .reduced = taker.what {
          let owed = Session.Owed(trigger: policy.sessions[taker.index].updateTrigger, visit: nil)
          policy.offerReduced(owed, event: 1, to: taker.index, in: &turn)
        } else {
          policy.offerUpdate(event: 1, fix, to: taker.index, in: &turn)
        }
      }
    }
    // A coarse position is its own event, of the same trigger.
    if case .reduced(_, let owed, _)? = turn.steps.first {
      turn.steps = []
      policy.offer(event: 2, trigger: owed.trigger, isCoarse: true, to: 0, in: &turn)
    }
    for step in turn.steps {
      if case .decided(let decision) = step {
        return "\(decision.action.rawValue), \(decision.rule.rawValue) `\(decision.reason.rawValue)`"
      }
    }
    return nil
  }

  // MARK: Moves

  private var moves: String {
    Markdown.table(
      [""] + PolicyExpectation.states.map { "`\($0.rawValue)`" },
      PolicyExpectation.moves.map { [$0.name] + $0.after })
  }

  /// Which state may follow which.
  private var pairs: String {
    let states = PolicyExpectation.states
    let rows = states.map { before in
      ["`\(before.rawValue)`"]
        + states.map { after in
          before == after ? "" : PolicyExpectation.legalMoves[before]?.contains(after) == true ? "yes" : "no"
        }
    }
    return Markdown.table(["from, to"] + states.map { "`\($0.rawValue)`" }, rows)
  }

  @Test func `A1 every pair of states is a move or none, as the rules demand`() {
    for before in SubscriberState.allCases {
      for after in SubscriberState.allCases {
        let isLegal = PolicyExpectation.legalMoves[before]?.contains(after) == true
        #expect(before.mayBecome(after) == isLegal, "\(before) to \(after)")
      }
    }
  }

  @Test func `A1 A4 A7 B2 C1 C4 K3 what else happens moves every state as the rules demand`() {
    for (name, event, after) in PolicyExpectation.moves {
      for (state, expected) in zip(PolicyExpectation.states, after) {
        #expect(move(state, on: event) == expected, "\(name), \(state)")
      }
    }
  }

  private func move(_ state: SubscriberState, on event: Event) -> String {
    var drive = Drive()
    drive.add(0, .addSubscriber(Subscriber(name: "a"), state))
    drive.add(1, event)
    var words: [String] = []
    for record in drive.effects().records {
      if case .decision(let decision) = record.body {
        let after = decision.after == decision.before ? "" : " → `\(decision.after.rawValue)`"
        words.append("\(decision.action.rawValue), \(decision.rule.rawValue)\(after)")
      } else if case .subscriberState(let move) = record.body {
        words.append("→ `\(move.after.rawValue)`")
      }
    }
    return words.isEmpty ? "-" : words.joined(separator: " ")
  }
}

extension PolicyExpectation.Service {
  fileprivate var services: Subscriber.Services {
    switch self {
    case .significantChange: .significantChange
    case .region: .regions
    case .visit: .visits
    case .standard, .backgroundLocation: .standard
    }
  }
}
