@testable import LocationCore

/// One thing that can happen to a subscriber. That it hangs is no action of its own: it does nothing while time passes.
enum ModelAction: Hashable, CaseIterable {
  case launch, background, quit, exit, crash, done
  /// Its program comes to the socket by itself.
  case register
  case region, visit, move, update
  /// Calls of the background modes.
  case keepAlive, restart, remoteControl, goodMoment, issue
  /// What it says to the modes, and what its server, its listeners and its user do.
  case askKeepAlive, tag, traffic
  case beginAudio, endAudio, quiet, loud
  case notifySoon, openNotification
  case push, silentPush
  case transfer, transferEnds
  case advertise
  case openMeter, openBand, closeAll, plugIn, plugOut, accessoryData
  case acknowledgeOldest, acknowledgeAll
  /// A user acknowledges by hand.
  case dismissOldest
  case beginTask, endTask, locate
  /// A fix that is not exact enough to answer a request at once.
  case poorFix
  case warning, critical, relief
  case saveEnergy, spendEnergy
  case deny, whenInUse, always, reduced, full
  case backgroundDeliveryOff, backgroundDeliveryOn
  case reboot, unlock, lockScreen, interrupt, resume
  /// It holds a lock that others wait for; it takes too much of the processor.
  case hold, hog
  case second, fiveSeconds, tenSeconds, minute, tenMinutes

  /// Seconds that pass; nil where something happens at once.
  var seconds: Double? {
    switch self {
    case .second: 1
    case .fiveSeconds: 5
    case .tenSeconds: 10
    case .minute: 60
    case .tenMinutes: 600
    case _: nil
    }
  }
}

extension ModelState {
  /// Does an action that takes no time, and tells the witness what it saw of it.
  mutating func perform(_ action: ModelAction, in turn: inout PolicyTurn) {
    let now = now
    var made = PolicyTurn(instant: now)
    func say(_ body: (inout Policy, Int) -> Void) { _ = policy.withSession("a", body) }
    func mode(_ event: ModeEvent) {
      say { $0.take(event, $1, regionObjection: nil, in: &made) }
    }
    switch action {
    case .launch: say { $0.bringToForeground($1, in: &made) }
    case .background:
      witness.turnsAway(at: now)
      say { $0.sendToBackground($1, in: &made) }
    case .quit:
      say { $0.forceQuit($1, in: &made) }
      witness.isForceQuit()
    case .exit:
      witness.endsWell()
      say { $0.exited($1, status: 0, in: &made) }
    case .register: say { $0.registered($1, in: &made) }
    case .crash:
      witness.crashes()
      say { $0.exited($1, status: 1, in: &made) }
    case .done: say { $0.endGrace($1, in: &made) }
    case .region: raise(.region, region: "r", in: &made)
    case .visit: raise(.visit, in: &made)
    case .move: raise(.significantChange, in: &made)
    case .update:
      // As the engine does it: a fix is offered only where it may mean something.
      if policy.sessions[0].takesUpdates, !witness.isReduced {
        raise(policy.sessions[0].updateTrigger, in: &made)
      }
    case .keepAlive: call(.keepAlive, in: &made)
    case .restart: call(.restart, in: &made)
    case .remoteControl: call(.audio, in: &made)
    case .goodMoment: call(.fetch, in: &made)
    case .issue: call(.issue, in: &made)
    case .askKeepAlive: mode(.keepAlive(seconds: 600))
    case .tag: mode(.tag("t"))
    case .traffic: mode(.traffic(tag: "t", bytes: 1, lost: nil))
    case .beginAudio:
      let commands = policy.sessions[0].outbox.filter { $0.trigger.row == .remoteControl && $0.isHanded }
      mode(.audio(.begin(.play, mixes: false)))
      // That is its answer to them (rule F5).
      if !made.steps.contains(where: \.isRefusal) {
        for command in commands { witness.acknowledges(command.event, at: now) }
      }
    case .endAudio: mode(.audio(.end(token: nil)))
    case .quiet: mode(.audio(.level(decibels: -90)))
    case .loud: mode(.audio(.level(decibels: -10)))
    case .notifySoon:
      mode(.notify(LocalNotification(id: "n", title: "t", when: .after(seconds: 5))))
    case .openNotification: mode(.openNotification(id: "n"))
    case .push, .silentPush:
      let alert = action == .push ? LocalNotification.Content(title: "t") : nil
      let push = Push(alert: alert, isContentAvailable: true, payload: "{}")
      say { $0.take(push, $1, in: &made) }
    case .transfer:
      // Few, so that there are few states.
      if openTransfers.count < 2 { mode(.transfer(TransferTerms(session: "s"))) }
    case .transferEnds:
      if let number = openTransfers.first {
        mode(.transferEnded(number: number, .done, bytes: 0))
      }
    case .advertise:
      // Now it is published, now it is not.
      let port = policy.sessions[0].modes.advertised == nil ? 80 : 0
      mode(.advertise(AdvertisedService(type: "_x._tcp", port: port)))
    case .openMeter: mode(.accessory(.open(AccessoryTerms(session: "meter", device: "/dev/m"))))
    case .openBand: mode(.accessory(.open(Self.band)))
    case .closeAll: for session in accessories { mode(.accessory(.close(session: session))) }
    case .plugIn: for session in accessories { mode(.accessory(.connected(session: session))) }
    case .plugOut: for session in accessories { mode(.accessory(.disconnected(session: session))) }
    case .accessoryData:
      for session in accessories { mode(.accessory(.data(session: session, bytes: 1, lost: nil))) }
    case .acknowledgeOldest: acknowledge(witness.held.min().map { [$0] } ?? [], in: &made)
    case .acknowledgeAll: acknowledge(witness.held.sorted(), in: &made)
    case .dismissOldest:
      guard let event = witness.kept.first else { break }
      witness.dismisses(event, goesOn: isOneshot && witness.state.isRunning, at: now)
      say { $0.dismiss(event, $1, in: &made) }
    case .beginTask:
      let token = policy.sessions[0].nextTask
      say { $0.beginTask("t", $1, in: &made) }
      if !made.steps.contains(where: \.isRefusal) { witness.begins(task: token, at: now) }
    case .endTask:
      if let token = witness.openTasks.min() {
        witness.openTasks.remove(token)
        say { $0.endTask(token, $1, in: &made) }
      }
    case .locate:
      say { $0.locate($1, seconds: 30, in: &made) }
      if !made.steps.contains(where: \.isRefusal) { witness.asksForFix = true }
    case .poorFix:
      // Only a request remembers it; what else a fix means is raised by itself.
      guard policy.sessions[0].standard.request != nil else { break }
      var takers: [StandardTaker] = []
      policy.observe(Self.fix(radiusMeters: 500), at: now, into: &takers)
      for case .reduced(let trigger) in takers.map(\.what) where witness.asksForFix {
        say { $0.offerReduced(Session.Owed(trigger: trigger, visit: nil), event: 0, to: $1, in: &made) }
      }
    case .warning, .critical, .relief:
      let level = action.pressure
      witness.sees(level, at: now)
      policy.setPressure(level, in: &made)
    case .saveEnergy, .spendEnergy:
      witness.sees(lowPower: action == .saveEnergy)
      policy.setLowPower(action == .saveEnergy, in: &made)
    case .deny, .whenInUse, .always:
      let right = action.right
      witness.authorization = right
      say { $0.authorize(right, $1, in: &made) }
    case .reduced, .full:
      witness.isReduced = action == .reduced
      say { $0.limit(action == .reduced ? .reduced : .full, $1, in: &made) }
    case .backgroundDeliveryOff, .backgroundDeliveryOn:
      witness.backgroundDelivery = action == .backgroundDeliveryOn
      say { $0.setBackgroundDelivery(action == .backgroundDeliveryOn, $1, in: &made) }
    case .reboot:
      witness.reboots()
      policy.reboot(in: &made)
    case .unlock:
      witness.isLocked = false
      policy.unlock(in: &made)
    case .lockScreen:
      witness.turnsAway(at: now)
      policy.lockScreen(in: &made)
    case .interrupt, .resume: say { $0.interrupt($1, begins: action == .interrupt, in: &made) }
    case .hold: say { $0.noteLock(true, $1, in: &made) }
    case .hog: say { $0.endOverrun($1, in: &made) }
    case .second, .fiveSeconds, .tenSeconds, .minute, .tenMinutes: break
    }
    turn = made
  }

  /// Numbers of the transfers that have not ended.
  private var openTransfers: [Int] { policy.sessions[0].modes.transfers?.entries.map(\.number) ?? [] }

  /// Names of the sessions with accessories.
  private var accessories: [String] {
    policy.sessions[0].modes.accessories?.sessions.map(\.terms.session) ?? []
  }

  private static let band = AccessoryTerms(
    session: "band", device: "00:00:00:00:00:01", gatt: .central(service: "180d", characteristic: "2a37"))

  /// The engine calls the subscriber for a mode that its manifest declares.
  private mutating func call(_ kind: ModeCall.Kind, in turn: inout PolicyTurn) {
    guard policy.sessions[0].subscriber.declares(kind.trigger) else { return }
    turn.steps.append(.called(ModeCall(subscriber: "a", kind: kind, reason: .goodMoment)))
  }

  private mutating func acknowledge(_ events: [Int], in turn: inout PolicyTurn) {
    guard witness.state.isRunning else { return }
    let now = now
    for event in events {
      let isLast = witness.held.isSubset(of: [event])
      if isOneshot {
        // It acknowledges by its end. The next process follows at once, or none does.
        var end = ProgramEnd(event: event, status: 0, seconds: 0, lastLine: nil)
        end.isFollowed = isLast ? nil : true
        _ = policy.withSession("a") { $0.noteFinished(end, $1, in: &turn) }
      }
      witness.acknowledges(event, at: now)
      _ = policy.withSession("a") { $0.acknowledge(event, $1, in: &turn) }
      if isOneshot, isLast {
        witness.endsWell()
        _ = policy.withSession("a") { $0.exited($1, status: 0, in: &turn) }
      }
    }
  }

  /// Whether each event has a process of its own.
  private var isOneshot: Bool { policy.sessions[0].subscriber.style == .oneshot }
}

extension ModelAction {
  fileprivate var pressure: MemoryPressure {
    self == .warning ? .warning : self == .critical ? .critical : .none
  }

  fileprivate var right: Subscriber.Authorization {
    self == .deny ? .denied : self == .always ? .always : .whenInUse
  }
}

extension PolicyStep {
  fileprivate var isRefusal: Bool {
    if case .decided(let decision) = self { decision.action == .refuse } else { false }
  }
}
