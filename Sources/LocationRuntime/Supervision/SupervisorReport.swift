package import LocationCore

/// What the supervisor tells: what became of orders, and what programs said.
package enum SupervisorReport: Hashable, Sendable {
  /// For the engine.
  case event(subscriber: String, SubscriberEvent)
  /// For the engine, if it waits for that: it acknowledges an event that it was handed. It may have answered it in
  /// another way, as a push, or may no longer know of it.
  case acknowledged(subscriber: String, event: Int, coreSeconds: Double)
  /// For whoever can answer it, with ``Supervisor/answer(_:_:)``.
  case request(subscriber: String, SubscriberRequest)
  /// For the engine's side, which ends it (rule K3): when it was suspended it held locks on files that are not its own.
  case held(subscriber: String, [HeldLock])
  /// What it takes, in answer to ``Supervisor/measure(_:)``; nil where it does not run.
  case usage(subscriber: String, ProgramUsage?)
  /// For the engine's side, which does it again: the user launched it when its process had ended, and that was not heard
  /// of before. Nothing was started, for that end would be taken for the end of the new process.
  case missed(subscriber: String, UserLaunch)
  /// For the log: nothing follows from it.
  case note(subscriber: String, SupervisorNote)

  /// Whom it is about.
  var subscriber: String {
    switch self {
    case .event(let name, _), .acknowledged(let name, _, _), .request(let name, _), .held(let name, _),
      .usage(let name, _), .missed(let name, _), .note(let name, _):
      name
    }
  }

  /// Whether it still counts after its process was told to end (``Dismissal``).
  func counts(after dismissal: Dismissal) -> Bool {
    switch self {
    case .note, .usage: true
    case .acknowledged: dismissal == .ended
    case .event(_, .mode(.accessory(let event))): dismissal == .ended && event.isOfDevice
    case .event, .request, .held, .missed: false
    }
  }

  /// The event that its process is done with; nil for anything else.
  var acknowledgedEvent: Int? {
    switch self {
    case .acknowledged(_, let event, _), .event(_, .acknowledged(let event, _)): event
    case .event, .request, .held, .usage, .missed, .note: nil
    }
  }

  /// Whether it is the end of its program by itself.
  var isEnd: Bool { if case .event(_, .exited) = self { true } else { false } }

  /// Whether its process says it, and it asks for something.
  var isAsked: Bool {
    switch self {
    case .event(_, .exited), .event(_, .finished), .missed: false
    case .event, .request, .acknowledged, .held, .usage, .note: !counts(after: .ended)
    }
  }
}

extension AccessoryEvent {
  /// Whether it is the device's doing, which may outlive a process (rule J3).
  fileprivate var isOfDevice: Bool {
    switch self {
    case .connected, .disconnected, .data: true
    case .open, .close, .want, .allow, .permitBluetooth, .request, .publish, .anew: false
    }
  }
}

/// How a process was told to end. What it says from then on asks for nothing: whoever has its name by then has other
/// rights, may be started for another reason, or was ended by the user.
enum Dismissal {
  /// By an order of the engine. Its acknowledgements still count.
  case ended
  /// With its subscriber, which was removed or replaced. Nothing it says counts: another subscriber may have its name.
  case removed
}

/// Something worth a line in the log.
package enum SupervisorNote: Hashable, Sendable {
  /// A process was started for it.
  case started(pid: Int32)
  /// It can't be started, and why; it counts as an exit with status 126 or 127.
  case startFailed(reason: String)
  /// It runs without a cgroup of its own, and why: it will be suspended by SIGSTOP.
  case noCgroup(reason: String)
  /// None of its processes runs any more.
  case suspended(SuspensionMethod)
  /// It listens at these ports, where nobody answers while it is suspended.
  case listens(ports: [Int])
  /// It and its children have more descriptors open than these, at which alone its suspension looks. Told once for each
  /// process.
  case manyDescriptors(seen: Int)
  /// It did not end within 5 s of SIGTERM and was killed.
  case killed
  /// It ended as it was ordered to, with this status.
  case ended(status: Int32)
  /// It has ended and left these processes running, each with its number and name; they were killed.
  case leftRunning([String])
  /// So many lines of it were no answer, the last of which begins so. Told at 1, 2, 4, 8 and so on.
  case notUnderstood(lines: Int, last: String)
  /// So many lines of it were longer than ``SupervisorLimits/lineBytes``, or, of those by which it has a text kept, than
  /// ``SupervisorLimits/preservationLineBytes``. Told at 1, 2, 4, 8 and so on.
  case lineTooLong(lines: Int)
  /// It does not read: ``SupervisorLimits/queueBytes`` wait for it, and no more are kept until it is started again.
  case queueFull
  /// It closed its standard input: it can't be told anything until it is started again.
  case closedInput
  /// Its program, which is no child of ours, has connected and said its name; 0 where its process is not known.
  case registered(pid: Int32)
  /// The socket at which its program connects was removed, and was made anew.
  case madeSocket
  /// The socket was removed and can't be made anew, and why.
  case noSocket(reason: String)
  /// Its program is not connected, and did not connect when its command had been started; or it has none.
  case notConnected
  /// It closed its standard output but runs on: it can't acknowledge anything until it is started again.
  case closedOutput
  /// The device of a session is there and can't be had, and why. It is tried again whenever something changes there.
  case noDevice(session: String, device: String, reason: String)
}
