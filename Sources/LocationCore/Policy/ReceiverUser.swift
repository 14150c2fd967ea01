/// A subscriber that needs a part of the device, and the rule under which it does.
struct ReceiverUser: Hashable, Sendable, Codable {
  var subscriber: String
  var rule: Rule
}

/// What the policy knows that the power ledger needs.
extension Policy {
  // These three change nothing. They are `mutating` only so that the compiler does not copy the policy for the call.

  /// Who needs the receiver now, by name, each under the rule of the most demanding service in use (rule L2).
  mutating func findReceiverUsers() -> [ReceiverUser] {
    var users: [ReceiverUser] = []
    for index in sessions.indices {
      guard let rule = receiverRule(sessions[index]) else { continue }
      users.append(ReceiverUser(subscriber: sessions[index].subscriber.name, rule: rule))
    }
    return users
  }

  /// Who runs in the background now and so keeps the machine awake, by name, each under the rule that lets it.
  mutating func findBackgroundUsers() -> [ReceiverUser] {
    var users: [ReceiverUser] = []
    for index in sessions.indices where sessions[index].state == .background {
      let rule = backgroundRule(sessions[index])
      users.append(ReceiverUser(subscriber: sessions[index].subscriber.name, rule: rule))
    }
    return users
  }

  /// The subscribers with a running transfer, by name (rule M6). While the daemon is absent no transfer runs.
  mutating func findTransferringUsers() -> [ReceiverUser] {
    guard !isAbsent else { return [] }
    var users: [ReceiverUser] = []
    for index in sessions.indices where sessions[index].modes.transfers.map({ $0.runningCount > 0 }) == true {
      users.append(ReceiverUser(subscriber: sessions[index].subscriber.name, rule: .transfer))
    }
    return users
  }

  /// The rule of what holds off suspension: a task or audio if there is one, else a delivery, else the grace.
  @inline(__always)
  private func backgroundRule(_ session: Session) -> Rule {
    for assertion in session.assertions {
      switch assertion.reason {
      case .task: return .taskBudget
      case .audio: return .audioSession
      case .delivery, .grace: break
      }
    }
    // The newest delivery counts. The others are not looked for: many events may wait.
    for assertion in session.assertions.reversed() where assertion.reason == .delivery {
      if let trigger = session.outbox.trigger(of: assertion.owner) { return trigger.rule }
    }
    return .suspension
  }

  /// The rule that granted an event whose acknowledgment has not come.
  func rule(ofPending event: Int, subscriber: String) -> Rule? {
    guard let index = index(of: subscriber) else { return nil }
    if sessions[index].modes.audio?.answered.contains(event) == true { return .remoteControl }
    return sessions[index].outbox.trigger(of: event)?.rule
  }

  /// The rule of what a program answers with `fetched`: a good moment where one waits for that, else a push.
  func rule(ofFetchedBy subscriber: String) -> Rule? {
    guard let session = session(subscriber) else { return nil }
    let row: Rule = session.modes.fetch?.askedAt == nil ? .push : .goodMoment
    return session.outbox.first { $0.trigger.row == row && $0.isHanded }?.trigger.rule
  }

  /// The rule under which a subscriber needs the receiver; nil where it does not.
  @inline(__always)
  func receiverRule(_ session: Session) -> Rule? {
    guard canReach(session) else { return session.watchesForNotifications ? .notificationRegion : nil }
    let subscriber = session.subscriber
    if session.standard.request != nil { return .standard }
    if subscriber.services.contains(.standard), !session.standard.isPaused {
      if session.state.isRunning { return .standard }
      if subscriber.modes.contains(.location), session.state == .suspended { return .backgroundLocation }
    }
    if session.watchesRegions { return .regions }
    if session.watchesForNotifications { return .notificationRegion }
    if subscriber.services.contains(.visits) { return .visits }
    if subscriber.services.contains(.significantChange) { return .significantChange }
    // Whether it has moved on has to be looked for (rule B6).
    return session.standard.isPaused && session.takesUpdates ? .automaticPause : nil
  }

  /// Whether a subscriber can be told where the position is before the user launches it: it has the right (rule B8),
  /// and it runs or may be started for that (rules A5 and A7).
  @inline(__always) func canReach(_ session: Session) -> Bool {
    session.locationObjection == nil && !awaitsUser(session)
  }

  /// Whether nothing but a launch by the user starts a subscriber for where the position is (rules A5 and A7). Nothing of
  /// that is kept for it: at its next start it is told where it is (rule L1).
  @inline(__always) func awaitsUser(_ session: Session) -> Bool {
    guard session.state == .notRunning else { return false }
    return session.subscriber.exitsOnSuspend || session.wasForceQuit && configuration.forceQuitBlocksLocation
  }
}
