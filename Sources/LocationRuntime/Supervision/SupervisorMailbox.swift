import LocationCore
import LocationFormats
import Synchronization

/// What the engine's side asks of the supervisor's thread.
enum SupervisorCommand: Sendable {
  case add(Subscriber)
  case remove(name: String)
  case perform(Order, recordLine: [UInt8])
  case userLaunch(name: String, restored: String?)
  case hold(name: String, session: String, Descriptor)
  case measure(name: String)
  case answer(name: String, SubscriberReply)
  case stop
}

/// The two queues between the engine's side and the supervisor's thread, behind one lock.
final class SupervisorMailbox: Sendable {
  private struct State {
    var commands: [SupervisorCommand] = []
    var reports: [SupervisorReport] = []
    /// Terminations that were ordered and not yet begun, by subscriber.
    var terminations: [String: Int] = [:]
    /// Whether the thread waits for room.
    var wantsRoom = false
    /// Whether the thread has ended, and who waits for that.
    var hasEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
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
    state.withLock { state in
      if case .perform(.terminate(let name), _) = command {
        state.terminations[name, default: 0] += 1
        // The engine already takes it for ended: that it had ended by itself is no news any more, and would be
        // taken for the end of a later start.
        state.reports.removeAll { Self.isExit($0, of: name) }
      }
      state.commands.append(command)
    }
    commandBell.ring()
  }

  /// Moves all reports to the end of `reports`.
  func take(into reports: inout [SupervisorReport]) {
    reportBell.silence()
    let wantedRoom = state.withLock { state in
      reports += state.reports
      state.reports.removeAll(keepingCapacity: true)
      defer { state.wantsRoom = false }
      return state.wantsRoom
    }
    if wantedRoom { commandBell.ring() }
  }

  /// Returns when the thread has ended.
  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  // MARK: The thread's side

  func takeCommands(into commands: inout [SupervisorCommand]) {
    commandBell.silence()
    state.withLock { state in
      swap(&commands, &state.commands)
      state.commands.removeAll(keepingCapacity: true)
      state.terminations.removeAll(keepingCapacity: true)
    }
  }

  /// Adds reports that belong together: nothing comes between them.
  func report(_ reports: [SupervisorReport]) {
    state.withLock { state in
      for report in reports {
        if case .event(let name, .exited) = report, state.terminations[name] != nil { continue }
        state.reports.append(report)
      }
    }
    reportBell.ring()
  }

  /// Whether programs may be read; where not, the command bell rings when they may again.
  func hasRoom() -> Bool {
    state.withLock { state in
      state.wantsRoom = state.reports.count >= SupervisorLimits.reports
      return !state.wantsRoom
    }
  }

  func end() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    reportBell.ring()
  }

  /// Whether the thread has ended.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  private static func isExit(_ report: SupervisorReport, of name: String) -> Bool {
    if case .event(name, .exited) = report { true } else { false }
  }
}
