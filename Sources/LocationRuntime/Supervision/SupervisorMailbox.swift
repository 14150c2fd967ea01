import LocationCore
import LocationFormats
import Synchronization

/// What the engine's side asks of the supervisor's thread.
enum SupervisorCommand: Sendable {
  case add(Subscriber)
  case remove(name: String)
  case perform(Order, recordLine: [UInt8])
  case userLaunch(name: String, UserLaunch)
  case hold(name: String, session: String, Descriptor)
  case withdraw(name: String, event: Int)
  case measure(name: String)
  case answer(name: String, SubscriberReply)
  case stop

  /// Whose process it tells to end, and how; nil where it ends none.
  var dismissed: (name: String, Dismissal)? {
    switch self {
    case .perform(.terminate(let name), _): (name, .ended)
    case .add(let subscriber): (subscriber.name, .removed)
    case .remove(let name): (name, .removed)
    // What programs say at the end of the daemon is for the next one.
    case .perform, .userLaunch, .hold, .withdraw, .measure, .answer, .stop: nil
    }
  }
}

/// The two queues between the engine's side and the supervisor's thread, behind one lock.
final class SupervisorMailbox: Sendable {
  private struct State {
    var commands: [SupervisorCommand] = []
    /// Whether what is posted is held back.
    var isGathering = false
    /// Nothing comes between the reports of one element.
    var reports: [[SupervisorReport]] = []
    /// Who was told to end, as long as the thread does not know.
    var dismissed: [String: Dismissal] = [:]
    /// How many ends by themselves were reported of each program, and how many of them the engine's side knows.
    var toldEnds: [String: Int] = [:]
    var heardEnds: [String: Int] = [:]
    /// Whether the thread waits for room.
    var wantsRoom = false
    /// Whether the thread has ended.
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// Rings for the supervisor's thread.
  let commandBell: WakePipe
  /// Rings for the engine's side.
  let reportBell: WakePipe

  init() throws(Failure) {
    commandBell = try WakePipe()
    reportBell = try WakePipe()
  }

  // MARK: The engine's side

  func post(_ command: SupervisorCommand) {
    let isAll = state.withLock { state in
      if let (name, dismissal) = command.dismissed {
        // The engine already takes it for ended: that it had ended by itself is no news any more, and would be taken
        // for the end of a later start. And it asks for nothing any more.
        if state.dismissed[name] != .removed { state.dismissed[name] = dismissal }
        for place in state.reports.indices {
          state.reports[place].removeAll { $0.subscriber == name && !$0.counts(after: dismissal) }
        }
        state.heardEnds[name] = state.toldEnds[name]
      }
      state.commands.append(command)
      return !state.isGathering
    }
    if isAll { commandBell.ring() }
  }

  /// Holds back what is posted until ``release()``.
  func gather() { state.withLock { $0.isGathering = true } }

  /// Lets the thread have what was gathered.
  func release() {
    let isAny = state.withLock { state in
      state.isGathering = false
      return !state.commands.isEmpty
    }
    if isAny { commandBell.ring() }
  }

  /// Moves the oldest reports to the end of `reports`, until it has moved `limit` of them. The bell rings for the rest.
  func take(into reports: inout [SupervisorReport], upTo limit: Int = .max) {
    reportBell.silence()
    let (taken, wantedRoom, areLeft) = state.withLock { state in
      var taken: [SupervisorReport] = []
      var groups = 0
      while groups < state.reports.count, taken.count < limit {
        taken += state.reports[groups]
        groups += 1
      }
      for report in taken where report.isEnd { state.heardEnds[report.subscriber, default: 0] += 1 }
      state.reports.removeFirst(groups)
      defer { state.wantsRoom = false }
      return (taken, state.wantsRoom, !state.reports.isEmpty)
    }
    reports += taken
    if areLeft { reportBell.ring() }
    if wantedRoom { commandBell.ring() }
  }

  func heardEnds(of name: String) -> Int { state.withLock { $0.heardEnds[name] ?? 0 } }

  // MARK: The thread's side

  func takeCommands(into commands: inout [SupervisorCommand]) {
    commandBell.silence()
    state.withLock { state in
      guard !state.isGathering else { return }
      swap(&commands, &state.commands)
      state.commands.removeAll(keepingCapacity: true)
      state.dismissed.removeAll(keepingCapacity: true)
    }
  }

  /// Adds reports that belong together: nothing comes between them.
  func report(_ reports: [SupervisorReport]) {
    state.withLock { state in
      let reports = reports.filter { report in
        if let dismissal = state.dismissed[report.subscriber], !report.counts(after: dismissal) {
          return false
        }
        if report.isEnd { state.toldEnds[report.subscriber, default: 0] += 1 }
        return true
      }
      state.reports.append(reports)
    }
    reportBell.ring()
  }

  func toldEnds(of name: String) -> Int { state.withLock { $0.toldEnds[name] ?? 0 } }

  /// Whether programs may be read; where not, the command bell rings when they may again.
  func hasRoom() -> Bool {
    state.withLock { state in
      state.wantsRoom = state.reports.reduce(0) { $0 + $1.count } >= SupervisorLimits.reports
      return !state.wantsRoom
    }
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    reportBell.ring()
  }

  /// Whether the thread has ended.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }
}
