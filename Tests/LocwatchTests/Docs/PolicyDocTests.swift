import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// The tables of `Docs/Policy.md` that the engine itself fills.
@Suite struct PolicyDocTests {
  @Test func `the tables are what the engine does`() throws {
    let document = try Markdown("Docs/Policy.md")
    var text: Markdown = document
    for (name, body) in [
      ("triggers", triggers), ("numbers", numbers), ("significant change", decisions(on: .significantChange)),
      ("region", decisions(on: .region)), ("moves", moves),
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
    let rows = [("significant change", Trigger.significantChange), ("region", .region)].map { name, trigger in
      [
        name, "`\(trigger.rule.rawValue)`", Self.yes(trigger.wakes), Self.yes(trigger.relaunches),
        Self.yes(trigger.outlivesForceQuit), Self.plain(trigger.budgetSeconds),
      ]
    }
    return Markdown.table(
      ["trigger", "rule", "wakes", "relaunches", "also after a force-quit", "budget, s"], rows)
  }

  private var numbers: String {
    let rows = Mirror(reflecting: Policy.Configuration()).children.map { child in
      let value = (child.value as? Double).map(Self.plain) ?? "\(child.value)"
      return ["`\(child.label ?? "")`", value]
    }
    return Markdown.table(["`Policy.Configuration`", "default"], rows)
  }

  private static func yes(_ value: Bool) -> String { value ? "yes" : "no" }

  private static func plain(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  // MARK: Decisions

  /// A subscriber's situation when a trigger comes.
  private struct Situation {
    var name: String
    var state: SubscriberState
    var exitsOnSuspend = false
    var configuration = EngineConfiguration()
    /// What happened before, from second 2 on.
    var before: [Event] = []
  }

  private var situations: [Situation] {
    var locked = EngineConfiguration()
    locked.policy.protectUntilFirstUnlock = true
    var older = EngineConfiguration()
    older.policy.forceQuitBlocksLocation = true
    var patient = EngineConfiguration()
    patient.policy.backOffSeconds = 10_000
    patient.policy.backOffLimitSeconds = 10_000
    let quit = Event.subscriber(name: "a", .quit)
    let start = Region(
      id: "start", shape: .circle(center: Drive.origin, radiusMeters: 200), initial: .event)
    return [
      Situation(name: "`active`", state: .active),
      Situation(name: "`inactive`", state: .inactive),
      Situation(name: "`background`", state: .background),
      Situation(name: "`suspended`", state: .suspended),
      Situation(name: "`notRunning`", state: .notRunning),
      Situation(name: "`notRunning`, force-quit", state: .suspended, before: [quit]),
      Situation(
        name: "`notRunning`, force-quit, `force_quit_blocks_location`", state: .suspended,
        configuration: older, before: [quit]),
      Situation(
        name: "`notRunning`, booted and not unlocked, `protect_until_first_unlock`", state: .suspended,
        configuration: locked, before: [.machine(.reboot)]),
      Situation(name: "`notRunning`, `exits_on_suspend`", state: .notRunning, exitsOnSuspend: true),
      Situation(
        name: "`notRunning`, its last start failed just now", state: .suspended, configuration: patient,
        before: [
          .addRegion(start), .fix(Drive.report(3, east: 0)), .subscriber(name: "a", .exited(status: 1)),
        ]),
    ]
  }

  /// Every situation, with each authorization, when the trigger comes.
  private func decisions(on trigger: Trigger) -> String {
    let rights: [Subscriber.Authorization] = [.always, .whenInUse, .denied]
    let rows = situations.map { situation in
      [situation.name] + rights.map { decision(in: situation, on: trigger, with: $0) }
    }
    return Markdown.table(["state"] + rights.map { "`\($0.rawValue)`" }, rows)
  }

  private func decision(
    in situation: Situation, on trigger: Trigger, with right: Subscriber.Authorization
  ) -> String {
    var drive = Drive()
    drive.fix(0, east: 0)
    drive.add(
      1,
      .addSubscriber(
        Subscriber(
          name: "a", services: [.significantChange, .regions], exitsOnSuspend: situation.exitsOnSuspend),
        situation.state))
    for (index, event) in situation.before.enumerated() { drive.add(2 + Double(index), event) }
    drive.add(20, .subscriber(name: "a", .authorization(right)))
    let isRegion = trigger == .region
    if isRegion {
      drive.add(21, .addRegion(Region(id: "far", shape: .circle(center: Self.far, radiusMeters: 200))))
      drive.add(22, .fix(Drive.report(22, east: 0)))
      for second in [100.0, 101, 102, 103] { drive.fix(second, east: 2_000) }
    } else {
      drive.fix(400, east: 2_000)
    }
    let records = drive.effects(situation.configuration).records
    let cause = records.last { record in
      switch record.body {
      case .significant: !isRegion
      case .region(let event): isRegion && event.kind == .enter && event.region == "far"
      case .gap, .source, .fixAccepted, .fixRejected, .decision, .subscriberState, .power, .receiver,
        .refused:
        false
      }
    }
    for record in records {
      if case .decision(let decision) = record.body, decision.event == cause?.id {
        return Self.words(decision)
      }
    }
    return "?"
  }

  private static let far: Coordinate = {
    let report = Drive.report(0, east: 2_000)
    return Coordinate(latitude: report.latitude, longitude: report.longitude)!
  }()

  private static func words(_ decision: Decision) -> String {
    "\(decision.action.rawValue), \(decision.rule.rawValue) `\(decision.reason.rawValue)`"
  }

  // MARK: Moves

  private var moves: String {
    let states: [SubscriberState] = [.active, .inactive, .background, .suspended, .notRunning]
    let events: [(String, Event)] = [
      ("the user opens it", .subscriber(name: "a", .foreground)),
      ("the user turns to something else", .subscriber(name: "a", .background)),
      ("the user force-quits it", .subscriber(name: "a", .quit)),
      ("its process ends", .subscriber(name: "a", .exited(status: 0))),
      ("the machine boots", .machine(.reboot)),
      ("memory is critically short", .machine(.memoryPressure(.critical))),
    ]
    let rows = events.map { name, event in [name] + states.map { move($0, on: event) } }
    return Markdown.table([""] + states.map { "`\($0.rawValue)`" }, rows)
  }

  private func move(_ state: SubscriberState, on event: Event) -> String {
    var drive = Drive()
    drive.add(0, .addSubscriber(Subscriber(name: "a"), state))
    drive.add(1, event)
    var words: [String] = []
    for record in drive.effects().records {
      switch record.body {
      case .decision(let decision):
        let after = decision.after == decision.before ? "" : " → `\(decision.after.rawValue)`"
        words.append("\(decision.action.rawValue), \(decision.rule.rawValue)\(after)")
      case .subscriberState(let move): words.append("→ `\(move.after.rawValue)`")
      case .significant, .region, .gap, .source, .fixAccepted, .fixRejected, .power, .receiver, .refused:
        break
      }
    }
    return words.isEmpty ? "-" : words.joined(separator: " ")
  }
}
