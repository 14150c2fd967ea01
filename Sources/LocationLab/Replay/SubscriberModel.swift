import LocationCore
import LocationRuntime

/// The programs of a replay: they do what the engine orders, and acknowledge what they are handed after the time
/// such a program takes. They decide nothing. Notifications are shown at once.
struct SubscriberModel {
  /// Something a modelled program will do.
  struct Outcome: Hashable {
    var at: EngineInstant
    var subscriber: String
    var event: SubscriberEvent
    /// The transfer that does it, which needs no program; nil where none does.
    var transfer: Int?

    /// Whether its program does it, and so has to run.
    var isOfProgram: Bool {
      if case .mode(.presented) = event { false } else { transfer == nil }
    }

    /// Whether it is the end of a process of a oneshot.
    var isEnd: Bool {
      if case .finished = event { return true }
      return isLastEnd
    }

    /// Whether it is the end of the last of them, after which the program does not run.
    var isLastEnd: Bool { if case .exited = event { true } else { false } }
  }

  /// Seconds a program takes for one event.
  let handlingSeconds: Double
  /// The programs of style `oneshot`: each event has a process of its own, which then ends.
  private var oneshots: Set<String> = []
  /// What will be done, in order.
  private var outcomes: [Outcome] = []
  /// Until when each program is busy.
  private var busyUntil: [String: EngineInstant] = [:]
  /// Programs that answer nothing.
  private var hanging: [String: Hang] = [:]
  /// Bytes that each program holds, where a scenario says so.
  private var memory: [String: Int64] = [:]
  /// Bytes to be freed until memory is no longer short; nil where no such number is known (rule A4).
  private var missingBytes: Int64?
  /// Tokens the engine gave out, counted: it numbers the tasks of a subscriber from 1.
  private var tasks: [String: Int] = [:]

  /// How each program answers a good moment to fetch, where a scenario says so.
  private var fetchAnswers: [String: FetchAnswer] = [:]
  /// Seconds that the handlers of each program's calls take, where a scenario says so.
  private var handlerSeconds: [String: Double] = [:]
  /// What the programs are called for, by the id of the record, until they have done it.
  private var calls: [Int: ModeCall.Kind] = [:]
  /// Pushes that the programs will be handed, by the id of the record.
  private var pushes: Set<Int> = []
  /// Sessions that are open, and those whose accessories are unplugged, by subscriber.
  private var openAccessories: [String: Set<String>] = [:]
  private var unplugged: [String: Set<String>] = [:]
  /// Open sessions of Bluetooth, which go on without the program, by subscriber.
  private var lastingAccessories: [String: Set<String>] = [:]

  /// How open transfers go, and the seconds that each has left, by subscriber and number.
  private var transfers: [String: [Int: RunningTransfer]] = [:]

  /// A transfer that has not ended.
  private struct RunningTransfer {
    var model: Scenario.ModelledTransfer
    var leftSeconds: Double
    /// Since when it runs; nil while it does not.
    var since: EngineInstant?
  }

  /// What a program that answers nothing does as soon as it answers again.
  private struct Hang {
    /// What it was about to answer.
    var outcomes: [Outcome] = []
    /// What it was handed meanwhile.
    var orders: [Order] = []
  }

  /// What a program answers to a good moment to fetch.
  struct FetchAnswer: Hashable {
    var result: FetchResult
    /// Seconds until it answers.
    var seconds: Double
    /// Bytes it received; nil where nobody counts them.
    var bytes: Int?

    /// Of a program of which the scenario says nothing: nothing new, after a second.
    static let usual = FetchAnswer(result: .noData, seconds: 1)
  }

  init(handlingSeconds: Double) { self.handlingSeconds = handlingSeconds }

  /// A program is known from now on.
  mutating func add(_ subscriber: Subscriber) {
    if subscriber.style == .oneshot {
      oneshots.insert(subscriber.name)
    } else {
      oneshots.remove(subscriber.name)
    }
  }

  /// When a program will do something next.
  var next: EngineInstant? { outcomes.isEmpty ? nil : outcomes[0].at }

  /// Takes the next thing a program will do off the list.
  mutating func removeNext() -> Outcome? {
    guard !outcomes.isEmpty else { return nil }
    if case .acknowledged(let event, _) = outcomes[0].event { calls[event] = nil }
    return outcomes.removeFirst()
  }

  /// Carries out an order that was given at `instant`.
  mutating func perform(_ order: Order, at instant: EngineInstant) {
    switch order {
    case .wake, .relaunch, .warn, .announce, .refuse, .open, .keep, .audio, .advertise: break
    case .notify(let name, let event, _, _):
      insert(Outcome(at: instant, subscriber: name, event: .mode(.presented(event: event))))
    // It runs no code: what it was about to say is not said.
    case .suspend(let name):
      outcomes.removeAll { $0.subscriber == name && $0.isOfProgram }
      hanging[name]?.outcomes = []
      busyUntil[name] = nil
    case .transfer(let name, let number, let order): perform(order, number, of: name, at: instant)
    case .accessory(let name, let session, let order): perform(order, session, of: name, at: instant)
    case .deliver(let name, let event, _):
      guard hanging[name] == nil else {
        hanging[name]?.orders.append(order)
        return
      }
      let start = max(instant, busyUntil[name] ?? instant)
      // One word answers both: a good moment to fetch, and a push.
      if calls[event] == .fetch || pushes.contains(event) {
        calls[event] = nil
        let answer = fetchAnswers[name] ?? .usual
        let fetched = ModeEvent.fetched(answer.result, bytes: answer.bytes, coreSeconds: handlingSeconds)
        // A oneshot has one process at a time.
        let isOneshot = oneshots.contains(name)
        let done = (isOneshot ? start : instant).advanced(bySeconds: answer.seconds)
        if isOneshot { busyUntil[name] = done }
        return finish(event, of: name, from: start, to: done, .mode(fetched))
      }
      let seconds = calls[event] == nil ? handlingSeconds : handlerSeconds[name] ?? Self.usualHandlerSeconds
      let done = start.advanced(bySeconds: seconds)
      busyUntil[name] = done
      finish(
        event, of: name, from: start, to: done, .acknowledged(event: event, coreSeconds: handlingSeconds))
    case .terminate(let name):
      if let bytes = memory.removeValue(forKey: name) { missingBytes = missingBytes.map { $0 - bytes } }
      end(name)
    }
  }

  /// Notes the answer to an event. The process of a oneshot ends with it; the last one also ends the program.
  private mutating func finish(
    _ event: Int, of name: String, from start: EngineInstant, to done: EngineInstant,
    _ answer: SubscriberEvent
  ) {
    guard oneshots.contains(name) else {
      return insert(Outcome(at: done, subscriber: name, event: answer))
    }
    outcomes.removeAll { $0.subscriber == name && $0.isLastEnd }
    if let place = outcomes.lastIndex(where: { $0.subscriber == name && $0.isEnd }),
      case .finished(var last) = outcomes[place].event
    {
      last.isFollowed = true
      outcomes[place].event = .finished(last)
    }
    let end = ProgramEnd(event: event, status: 0, seconds: start.seconds(to: done), lastLine: nil)
    for event in [SubscriberEvent.finished(end), answer, .exited(status: 0)] {
      insert(Outcome(at: done, subscriber: name, event: event))
    }
  }

  /// A program is called for something: it is handed the record of that id, now or later.
  mutating func note(_ call: ModeCall, as id: Int) { calls[id] = call.kind }

  /// A program has asked for a transfer, which has got a number.
  mutating func add(_ model: Scenario.ModelledTransfer, as number: Int, of name: String) {
    transfers[name, default: [:]][number] = RunningTransfer(model: model, leftSeconds: model.seconds)
  }

  private mutating func perform(
    _ order: TransferOrder, _ number: Int, of name: String, at instant: EngineInstant
  ) {
    guard var transfer = transfers[name]?[number] else { return }
    outcomes.removeAll { $0.subscriber == name && $0.transfer == number }
    switch order {
    case .start:
      transfer.since = instant
      var event = ModeEvent.transferEnded(
        number: number, transfer.model.outcome, bytes: transfer.model.bytes)
      var end = instant.advanced(bySeconds: transfer.leftSeconds)
      if transfer.model.asks {
        // It asks at once; what comes after the answer is the transfer.
        transfer.model.asks = false
        transfer.since = nil
        event = .transferAsks(number: number)
        end = instant
      }
      insert(Outcome(at: end, subscriber: name, event: .mode(event), transfer: number))
    case .pause:
      transfer.leftSeconds -= transfer.since?.seconds(to: instant) ?? 0
      transfer.since = nil
    case .cancel:
      transfers[name]?[number] = nil
      return
    }
    transfers[name]?[number] = transfer
  }

  /// An accessory is plugged in or out; what follows for a session that is open.
  mutating func plug(_ session: String, of name: String, isIn: Bool) -> AccessoryEvent? {
    if isIn {
      unplugged[name]?.remove(session)
    } else {
      unplugged[name, default: []].insert(session)
    }
    let isOpen = [openAccessories, lastingAccessories].contains { $0[name]?.contains(session) == true }
    guard isOpen else { return nil }
    return isIn ? .connected(session: session) : .disconnected(session: session)
  }

  private mutating func perform(
    _ order: AccessoryOrder, _ session: String, of name: String, at instant: EngineInstant
  ) {
    switch order {
    case .open(let terms):
      if terms.kind == .gatt {
        lastingAccessories[name, default: []].insert(session)
      } else {
        openAccessories[name, default: []].insert(session)
      }
      guard unplugged[name]?.contains(session) != true else { return }
      insert(
        Outcome(at: instant, subscriber: name, event: .mode(.accessory(.connected(session: session)))))
    case .close:
      openAccessories[name]?.remove(session)
      lastingAccessories[name]?.remove(session)
    case .publish: break
    }
  }

  /// A push has come for a program, which may be handed it more than once.
  mutating func note(_ push: PushRecord, as id: Int) { if push.isForProgram { pushes.insert(id) } }

  /// How a program answers good moments to fetch from now on.
  mutating func setFetchAnswer(of name: String, _ answer: FetchAnswer) { fetchAnswers[name] = answer }

  /// How long the handlers of a program's calls take from now on.
  mutating func setHandler(of name: String, seconds: Double) { handlerSeconds[name] = seconds }

  /// Of a program of which the scenario says nothing.
  private static let usualHandlerSeconds = 1.0

  /// A program holds so many bytes from now on.
  mutating func setMemory(of name: String, bytes: Int64) { memory[name] = bytes }

  /// Memory is short until so many bytes have been freed; nil where that does not end it.
  mutating func setMissing(bytes: Int64?) { missingBytes = bytes }

  /// Whether what was missing has been freed; true once.
  mutating func takeRelief() -> Bool {
    guard let missingBytes, missingBytes <= 0 else { return false }
    self.missingBytes = nil
    return true
  }

  /// A program opens a finite task and ends it after so many seconds.
  mutating func beginTask(of name: String, seconds: Double, at instant: EngineInstant) {
    let token = (tasks[name] ?? 0) + 1
    tasks[name] = token
    insert(
      Outcome(at: instant.advanced(bySeconds: seconds), subscriber: name, event: .endTask(token: token)))
  }

  /// A program answers nothing from now on; or answers again, also what it had before and was handed meanwhile.
  mutating func setHanging(_ name: String, _ hangs: Bool, at instant: EngineInstant) {
    if hangs {
      guard hanging[name] == nil else { return }
      func isHeld(_ outcome: Outcome) -> Bool {
        outcome.subscriber == name && outcome.isOfProgram && outcome.event.isAnswer
      }
      hanging[name] = Hang(outcomes: outcomes.filter(isHeld))
      outcomes.removeAll(where: isHeld)
    } else if let hang = hanging.removeValue(forKey: name) {
      for var outcome in hang.outcomes {
        outcome.at = max(outcome.at, instant)
        insert(outcome)
      }
      for order in hang.orders { perform(order, at: instant) }
    }
  }

  /// A program is gone, and with it what it was about to do.
  mutating func end(_ name: String) {
    outcomes.removeAll { $0.subscriber == name && $0.isOfProgram }
    openAccessories[name] = nil
    busyUntil[name] = nil
    if hanging[name] != nil { hanging[name] = Hang() }
  }

  private mutating func insert(_ outcome: Outcome) {
    let place = outcomes.firstIndex { $0.at > outcome.at } ?? outcomes.endIndex
    outcomes.insert(outcome, at: place)
  }
}

extension SubscriberEvent {
  /// Whether it is what came of an order of the engine: an answer to an event, or the end of a process.
  var isOfOrder: Bool {
    switch self {
    case .acknowledged, .dismissed, .done, .finished, .exited, .orphaned, .mode(.presented), .mode(.fetched):
      true
    case .foreground, .background, .quit, .begun, .registered, .unregistered, .beginTask, .endTask,
      .authorization, .accuracy, .backgroundDelivery, .start, .stop, .locate, .memory, .lock, .overran,
      .preserve, .interrupted, .mode:
      false
    }
  }

  /// Whether a program says or does it by itself.
  fileprivate var isAnswer: Bool {
    switch self {
    case .acknowledged, .beginTask, .endTask, .start, .stop, .locate, .mode, .finished, .exited: true
    case .foreground, .background, .quit, .orphaned, .begun, .registered, .unregistered, .authorization,
      .accuracy, .backgroundDelivery, .memory, .lock, .overran, .done, .preserve, .interrupted, .dismissed:
      false
    }
  }
}
