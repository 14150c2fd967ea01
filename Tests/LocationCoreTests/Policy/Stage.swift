import LocationCore
import TestSupport

/// An engine with programs that acknowledge what they are handed after a tenth of a second, unless they hang.
struct Stage: ~Copyable {
  var engine: Engine
  var effects: [Effect] = []
  /// Names of programs that answer nothing.
  var hanging: Set<String> = []
  /// Seconds from an event to its acknowledgement.
  var answerSeconds = 0.1
  /// How programs answer good moments to fetch, after how many seconds, with how many bytes.
  var answers: [String: (result: FetchResult, seconds: Double, bytes: Int?)] = [:]
  /// Whether who shows notifications takes each.
  var presents = true
  private var outcomes: [(at: EngineInstant, name: String, event: SubscriberEvent)] = []
  private var performed = 0

  init(_ adjust: (inout EngineConfiguration) -> Void = { _ in }) {
    var configuration = EngineConfiguration.priced
    adjust(&configuration)
    engine = Engine(configuration: configuration)
  }

  /// One on which `a` has been woken for a significant change at 0 and hangs.
  static func hung(_ subscriber: Subscriber = .mover) -> Stage {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(subscriber, .suspended)
    stage.fix(0, east: 0)
    return stage
  }

  mutating func add(_ subscriber: Subscriber, _ state: SubscriberState, at seconds: Double = -1) {
    take(seconds, .addSubscriber(subscriber, state))
  }

  mutating func say(_ seconds: Double, _ event: SubscriberEvent, of name: String = "a") {
    take(seconds, .subscriber(name: name, event))
  }

  mutating func fix(_ seconds: Double, east: Double, accuracy: Double = 5) {
    take(seconds, .fix(Drive.report(seconds, east: east, accuracy: accuracy)))
  }

  mutating func take(_ seconds: Double, _ event: Event) {
    wait(until: seconds)
    engine.handle(Stamped(at: Drive.instant(seconds), event), into: &effects)
    note(at: Drive.instant(seconds))
  }

  /// Lets time pass: deadlines fire, programs answer.
  mutating func wait(until seconds: Double) {
    let end = Drive.instant(seconds)
    while let due = [engine.nextDeadline, outcomes.first?.at].compactMap({ $0 }).min(), due <= end {
      if let outcome = outcomes.first, outcome.at <= due {
        outcomes.removeFirst()
        engine.handle(
          Stamped(at: outcome.at, .subscriber(name: outcome.name, outcome.event)), into: &effects)
      } else {
        engine.advance(to: due, into: &effects)
      }
      note(at: due)
    }
    engine.advance(to: end, into: &effects)
    note(at: end)
  }

  private mutating func note(at instant: EngineInstant) {
    let orders = effects.orders
    for order in orders[performed...] {
      switch order {
      case .deliver(let name, let event, _):
        guard !hanging.contains(name) else { continue }
        let isFetch = effects.records.contains { record in
          if case .call(let call) = record.body { record.id == event && call.kind == .fetch } else { false }
        }
        if isFetch, let answer = answers[name] {
          add(
            (
              instant.advanced(bySeconds: answer.seconds), name,
              .mode(.fetched(answer.result, bytes: answer.bytes, coreSeconds: 0.1))
            ))
        } else {
          add(
            (instant.advanced(bySeconds: answerSeconds), name, .acknowledged(event: event, coreSeconds: 0.1)))
        }
      case .suspend(let name), .terminate(let name): outcomes.removeAll { $0.name == name }
      case .wake, .relaunch, .warn, .announce, .refuse, .open, .keep, .audio, .transfer, .accessory,
        .advertise:
        break
      case .notify(let name, let event, _, _):
        guard presents else { continue }
        engine.handle(
          Stamped(at: instant, .subscriber(name: name, .mode(.presented(event: event)))), into: &effects)
      }
    }
    performed = orders.count
  }

  private mutating func add(_ outcome: (at: EngineInstant, name: String, event: SubscriberEvent)) {
    outcomes.insert(outcome, at: outcomes.firstIndex { $0.at > outcome.at } ?? outcomes.endIndex)
  }

  /// Notifications that were due, in order.
  var notified: [NotificationRecord] {
    effects.records.compactMap { if case .notification(let record) = $0.body { record } else { nil } }
  }

  /// What a program was told of its audio sessions, in order.
  func audio(of name: String = "a") -> [String] {
    effects.orders.compactMap { order in
      if case .audio(name, let notice) = order { "\(notice.change.rawValue) \(notice.token)" } else { nil }
    }
  }

  /// What was ordered of transfers, in order.
  var transferOrders: [String] {
    effects.orders.compactMap { order in
      if case .transfer(_, let number, let order) = order { "\(order.rawValue) \(number)" } else { nil }
    }
  }

  /// What was told of transfers, in order: type, number and reason.
  var transferRecords: [String] {
    effects.records.compactMap { record in
      guard case .transfer(let transfer) = record.body else { return nil }
      let reason = transfer.reason.map { " \($0.rawValue)" } ?? ""
      return "\(transfer.event.rawValue) \(transfer.transfer)\(reason)"
    }
  }

  /// What was ordered of accessories, in order.
  var accessoryOrders: [String] {
    effects.orders.compactMap { order in
      guard case .accessory(_, let session, let order) = order else { return nil }
      return switch order {
      case .open: "open \(session)"
      case .close: "close \(session)"
      case .publish(_, let value): "publish \(session) \(value)"
      }
    }
  }

  /// What was told of accessories, in order: session, event and counts.
  var accessories: [String] {
    effects.records.compactMap { record in
      guard case .accessory(let accessory) = record.body else { return nil }
      let bytes = accessory.event == .data ? accessory.bytes.map { " \($0)" } ?? "" : ""
      let lost = accessory.lost.map { " lost \($0)" } ?? ""
      let value = accessory.request?.value.map { " \($0)" } ?? ""
      return "\(accessory.session) \(accessory.event.rawValue)\(bytes)\(lost)\(value)"
    }
  }

  /// Pushes that were taken, in order: name, and what they have.
  var pushes: [String] {
    effects.records.compactMap { record in
      guard case .push(let push) = record.body else { return nil }
      return (push.push ?? "-") + (push.hasAlert ? " alert" : "") + (push.isForProgram ? " content" : "")
    }
  }

  /// Names of the notifications that the user was shown, in order.
  var shown: [String] {
    effects.orders.compactMap { order in
      if case .notify(_, _, let notification, _) = order { notification } else { nil }
    }
  }

  /// What programs were told that the user opened from a notification, in order.
  var opened: [Order.Launch] {
    effects.orders.compactMap { if case .open(_, let launch) = $0 { launch } else { nil } }
  }

  /// What came of good moments to fetch, in order.
  var fetches: [FetchRecord] {
    effects.records.compactMap { if case .fetch(let record) = $0.body { record } else { nil } }
  }

  /// Action, rule, states and reason of every decision about a subscriber.
  func log(of name: String = "a") -> [String] {
    effects.decisions.filter { $0.subscriber == name }.map {
      "\($0.action) \($0.rule.rawValue) \($0.before)>\($0.after) \($0.reason.rawValue)"
    }
  }

  func state(of name: String = "a") -> SubscriberState? { engine.subscriberState(name) }

  /// Types of the records a subscriber was handed, in order.
  func handed(to name: String = "a") -> [Int] {
    effects.orders.compactMap { order in
      if case .deliver(name, let event, _) = order { event } else { nil }
    }
  }

  var locations: [(id: Int, update: LocationUpdate)] {
    effects.records.compactMap { record in
      if case .location(let update) = record.body { (record.id, update) } else { nil }
    }
  }

  /// What a subscriber was warned of, in order.
  func warnings(of name: String = "a") -> [Order.Warning] {
    effects.orders.compactMap { order in
      if case .warn(name, let warning) = order { warning } else { nil }
    }
  }

  /// What a subscriber was told of its starts and wakes, in order.
  func launches(of name: String = "a") -> [Order.Launch] {
    effects.orders.compactMap { order in
      switch order {
      case .wake(name, let launch), .relaunch(name, let launch): launch
      case _: nil
      }
    }
  }

  var pauses: [PauseEvent] {
    effects.records.compactMap { if case .pause(let event) = $0.body { event } else { nil } }
  }

  /// The moves of programs from state to state, in order.
  func moves() -> [String] {
    effects.records.compactMap { record in
      guard case .subscriberState(let move) = record.body else { return nil }
      return "\(move.before)>\(move.after) \(move.cause)"
    }
  }

  /// What a program was told of regions and moves, in order: the type of the record, and what it says.
  func told() -> [String] {
    let handed = Set(handed())
    return effects.records.filter { handed.contains($0.id) }.compactMap { record in
      switch record.body {
      case .region(let event):
        if case .state(let state) = event.kind {
          return "\(event.region) \(state.rawValue) \(event.reason.rawValue)"
        }
        return "\(event.region) \(event.kind.name)"
      case .significant(let change): return "move \(change.reason.rawValue)"
      case _: return nil
      }
    }
  }
}

extension Subscriber {
  /// Who wants to hear of significant changes alone.
  static let mover = Subscriber(name: "a", services: [.significantChange])
  /// Who measures all the way, in the background too.
  static let logger = Subscriber(name: "a", services: [.standard], modes: [.location])
}
