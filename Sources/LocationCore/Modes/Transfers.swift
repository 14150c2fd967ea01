/// Section I: transfers that go on without their program.
extension BackgroundMode {
  /// Rule I1: one of several has ended, which wakes nobody.
  public static let transferResult = BackgroundMode(
    name: "transfer ended, its session has not", kind: "transfer", trigger: .transferResult)

  /// Rule I2.
  public static let transferSession = BackgroundMode(
    name: "session needs it", kind: "transfer", trigger: .transferSession)
}

extension Trigger {
  /// Rule I1. The result waits for the end of its session, or for whatever else wakes the program.
  public static let transferResult = Trigger(
    rule: .transfer, wakes: false, relaunches: false, afterForceQuit: .cancelled, budget: .long,
    waiting: .upTo(Policy.Configuration.Transfers().openLimit))

  /// Rule I2: all transfers of a session have ended, or one needs an answer.
  public static let transferSession = Trigger(
    rule: .transferSession, wakes: true, relaunches: true, afterForceQuit: .cancelled, budget: .long,
    waiting: .upTo(Policy.Configuration.Transfers().openLimit))

  /// What wakes a program for a session of transfers.
  fileprivate static func transferEnd(because reason: Decision.Reason) -> Trigger {
    reason == .issueDone ? .issue : .transferSession
  }
}

extension SubscriberView {
  /// How many of its transfers have not ended (rule I1); nil for none.
  fileprivate var openTransfers: Int? {
    session.modes.transfers.map(\.entries.count).flatMap { $0 > 0 ? $0 : nil }
  }
}

extension ModeMember {
  static let transfers = ModeMember(
    key: "transfers", title: "transfers", write: { $2.member($1, $0.openTransfers) },
    phrase: { "\($0) open" },
    sentences: { $0.openTransfers.map { ["\(Wording.count($0)) open (I1)"] } ?? [] })
}

extension ModePart {
  static let transfers = ModePart(
    deadline: { policy, session in
      session.modes.transfers?.entries.map { $0.deadline(policy.configuration.transfers) }.min()
    },
    fire: { $0.fireTransfers($1, in: &$3) },
    giveBack: { $0.transfers?.giveBack(seconds: $1) })
}

extension Policy.Configuration {
  /// The numbers of rules I1 and I2.
  public struct Transfers: Hashable, Sendable, Codable, Blank {
    /// Open transfers of one subscriber, at most (rule I1).
    public var openLimit = 1000
    /// Transfers of one subscriber that run at once (rule I1).
    public var runningLimit = 4
    /// Seconds after which a transfer has failed (rule I1).
    public var expirySeconds = 604_800.0
    /// Seconds for which a transfer waits for an answer of its program (rule I2).
    public var answerSeconds = 3600.0

    public init() {}
  }
}

/// Something that a program is told of a transfer.
struct DueTransfer: Hashable {
  var record: TransferRecord
  /// Why it wakes or relaunches the program; nil where it does not.
  var reason: Decision.Reason?
}

// MARK: - What its program asks for

extension Policy {
  /// Takes a transfer (rules I1 and I1a). What begins in the background has time.
  mutating func transfer(_ terms: TransferTerms, _ index: Int, in turn: inout PolicyTurn) {
    // One of the style socket may be connected without having been started.
    guard sessions[index].state != .notRunning || sessions[index].subscriber.style == .socket else {
      return decide(.refuse, .transfer, .notRunning, index, in: &turn)
    }
    var book = sessions[index].modes.transfers ?? TransferBook()
    guard book.entries.count < configuration.transfers.openLimit else {
      return decide(.refuse, .transfer, .tooManyTransfers, index, in: &turn)
    }
    var terms = terms
    if !sessions[index].state.isForeground { terms.isDiscretionary = true }
    book.add(terms, isOfIssue: sessions[index].modes.issues?.name == terms.session, at: turn.instant)
    update(index) { $0.modes.transfers = book }
  }

  /// Its program, or the user, wants a transfer no longer. Where it was the last of its session, the results of the
  /// others have waited for it (rule I2).
  mutating func cancelTransfer(_ number: Int, _ index: Int, in turn: inout PolicyTurn) {
    guard let entry = sessions[index].modes.transfers?.entries.first(where: { $0.number == number }) else {
      return decide(.refuse, .transfer, .unknownTransfer, index, in: &turn)
    }
    if let reason = cancel(entry, index, in: &turn) {
      let end = TransferBook.SessionEnd(session: entry.terms.session, reason: reason)
      releaseResults(of: end, index, in: &turn)
    }
  }

  /// The last open transfer of a session was cancelled: wakes the program for the results of the others, at once or, where
  /// it was handed them, should it end without having acknowledged them.
  mutating func releaseResults(of end: TransferBook.SessionEnd, _ index: Int, in turn: inout PolicyTurn) {
    guard
      let place = sessions[index].outbox.lastIndex(where: {
        $0.session == end.session && $0.trigger.row == Trigger.transferResult.row
      })
    else { return }
    let trigger = Trigger.transferEnd(because: end.reason)
    update(index) { $0.outbox[place].trigger = trigger }
    redeliver(index, rule: trigger.rule, reason: end.reason, in: &turn)
  }

  /// - Returns: Why its session, of which it was the last, wakes the program; nil where it does not.
  private mutating func cancel(
    _ entry: TransferBook.Entry, _ index: Int, in turn: inout PolicyTurn
  ) -> Decision.Reason? {
    update(index) { _ = $0.modes.transfers?.remove(entry.number) }
    orderTransfer(entry.number, .cancel, index, in: &turn)
    decide(.drop, .transferCancelled, .cancelled, index, in: &turn)
    // There is nothing to answer any more.
    drop(.transferCancelled, .cancelled, index, in: &turn) {
      $0.event == entry.askedBy && !$0.isHanded
    }
    return endReason(afterLast: entry, index)
  }

  /// The user force-quit the program, removes it, or gives it other files: all transfers end (rule I3).
  ///
  /// - Returns: The sessions whose other results have waited for what was cancelled, and would wake the program.
  @discardableResult
  mutating func cancelTransfers(_ index: Int, in turn: inout PolicyTurn) -> [TransferBook.SessionEnd] {
    var ends: [TransferBook.SessionEnd] = []
    for entry in sessions[index].modes.transfers?.entries ?? [] {
      guard let reason = cancel(entry, index, in: &turn) else { continue }
      ends.append(TransferBook.SessionEnd(session: entry.terms.session, reason: reason))
    }
    return ends
  }

  /// Its program has given what the server asked for (rule I2).
  mutating func answerTransfer(_ number: Int, _ index: Int, in turn: inout PolicyTurn) {
    let isAsked = sessions[index].modes.transfers?.entries.contains {
      $0.number == number && $0.answerBy != nil
    }
    guard isAsked == true else {
      return decide(.refuse, .transferSession, .unknownTransfer, index, in: &turn)
    }
    let now = turn.instant
    update(index) {
      $0.modes.transfers?.change(number) { entry in
        entry.answerBy = nil
        let refused = entry.answers ?? 0
        entry.answers = refused + 1
        // The server has refused what was given before. A program that gives the same again is to wait as for any
        // request that failed (rule I1).
        guard refused > 0 else { return }
        let seconds = 1.0.doubled(refused - 1, atMost: 3_600)
        entry.retry = TransferBook.Retry(at: now.advanced(bySeconds: seconds))
      }
    }
  }
}

// MARK: - What becomes of it

extension Policy {
  /// The server asks for credentials: the program has some time to give them (rule I2).
  mutating func askForTransfer(_ number: Int, _ index: Int, in turn: inout PolicyTurn) {
    let answerBy = turn.instant.advanced(bySeconds: configuration.transfers.answerSeconds)
    update(index) {
      $0.modes.transfers?.change(number) {
        $0.isRunning = false
        $0.answerBy = answerBy
      }
    }
    guard let entry = sessions[index].modes.transfers?.entries.first(where: { $0.number == number }) else {
      return
    }
    report(entry, .auth, reason: entry.terms.launchesEvents ? .needsAnswer : nil, index, in: &turn)
  }

  /// A request failed: until it is tried again another transfer has its place (rule I1).
  mutating func waitWithTransfer(_ number: Int, seconds: Double, _ index: Int, at instant: EngineInstant) {
    update(index) {
      $0.modes.transfers?.change(number) { entry in
        // One that was paused meanwhile begins when it may.
        guard entry.isRunning else { return }
        entry.isRunning = false
        entry.retry = TransferBook.Retry(at: instant.advanced(bySeconds: seconds))
      }
    }
  }

  /// A transfer has ended (rule I2), and what it carried is booked (rule M6).
  mutating func endTransfer(
    _ number: Int, _ outcome: TransferOutcome, bytes: Int?, _ index: Int, in turn: inout PolicyTurn
  ) {
    // One that was cancelled may end all the same.
    guard let entry = sessions[index].modes.transfers?.remove(number) else { return }
    // The ledger books the time of the radio while the transfer runs.
    if let bytes, bytes > 0 {
      turn.steps.append(
        .transferred(
          subscriber: sessions[index].subscriber.name, rule: .transfer, kilobytes: Double(bytes) / 1000,
          seconds: 0))
    }
    if let wanted = wantedReason(of: entry, index) {
      let end = TransferBook.SessionEnd(session: entry.terms.session, reason: wanted)
      update(index) { $0.modes.transfers?.note(end) }
    }
    let reason = endReason(afterLast: entry, index)
    switch outcome {
    case .done: report(entry, .done, bytes: bytes, reason: reason, index, in: &turn)
    case .failed(let why, let status):
      report(entry, .failed, bytes: bytes, status: status, why, reason: reason, index, in: &turn)
    }
  }

  /// Why a transfer wants the end of its session to wake or relaunch the program; nil where it does not.
  private func wantedReason(of entry: TransferBook.Entry, _ index: Int) -> Decision.Reason? {
    if let issues = sessions[index].modes.issues,
      entry.isOfIssue == true || issues.name == entry.terms.session
    {
      return .issueDone
    }
    return entry.terms.launchesEvents ? .transfersDone : nil
  }

  /// Why the end of a session wakes or relaunches its program: one of its transfers wanted it. Nil where none did, or
  /// others are open.
  ///
  /// - Parameter entry: The transfer of it that has just ended, or was cancelled.
  private mutating func endReason(
    afterLast entry: TransferBook.Entry, _ index: Int
  ) -> Decision.Reason? {
    let session = entry.terms.session
    guard sessions[index].modes.transfers?.isOpen(session) == false else { return nil }
    var reason: Decision.Reason?
    update(index) { reason = $0.modes.transfers?.takeEnd(of: session) }
    return wantedReason(of: entry, index) ?? reason
  }

  /// Has the program told of a transfer.
  private func report(
    _ entry: TransferBook.Entry, _ event: TransferRecord.Event, bytes: Int? = nil, status: Int? = nil,
    _ why: TransferRecord.Reason? = nil, reason: Decision.Reason?, _ index: Int,
    in turn: inout PolicyTurn
  ) {
    var record = record(entry, event, why, index)
    record.bytes = bytes
    record.status = status
    turn.steps.append(.reported(DueTransfer(record: record, reason: reason)))
  }

  private func record(
    _ entry: TransferBook.Entry, _ event: TransferRecord.Event, _ reason: TransferRecord.Reason?, _ index: Int
  ) -> TransferRecord {
    TransferRecord(
      event: event, subscriber: sessions[index].subscriber.name, transfer: entry.number,
      session: entry.terms.session, reason: reason)
  }

  /// Hands over, or keeps, what has its record.
  mutating func present(_ due: DueTransfer, event: Int, _ index: Int, in turn: inout PolicyTurn) {
    if due.record.event == .auth {
      update(index) { $0.modes.transfers?.change(due.record.transfer) { $0.askedBy = event } }
    }
    let trigger = due.reason.map(Trigger.transferEnd(because:)) ?? .transferResult
    offer(
      event: event, trigger: trigger, session: due.record.session, reason: due.reason, to: index, in: &turn)
  }
}

// MARK: - When it runs

extension Policy {
  /// Ends what has taken too long, pauses what may not run, and starts what may, the oldest first.
  mutating func fireTransfers(_ index: Int, in turn: inout PolicyTurn) {
    for entry in sessions[index].modes.transfers?.entries ?? [] {
      guard entry.end(configuration.transfers) <= turn.instant else { continue }
      orderTransfer(entry.number, .cancel, index, in: &turn)
      let isUnanswered = entry.answerBy.map { $0 <= turn.instant } ?? false
      endTransfer(
        entry.number, .failed(isUnanswered ? .unanswered : .expired), bytes: nil, index,
        in: &turn)
    }
    for entry in sessions[index].modes.transfers?.entries ?? [] where entry.answerBy == nil {
      let obstacle = transferObstacle(entry.terms)
      if entry.isRunning, obstacle != nil { orderTransfer(entry.number, .pause, index, in: &turn) }
      if let obstacle, obstacle != entry.obstacle {
        turn.steps.append(.noted(.transfer(record(entry, .wait, obstacle, index))))
      }
      guard obstacle != entry.obstacle || obstacle != nil && entry.isRunning else { continue }
      update(index) {
        $0.modes.transfers?.change(entry.number) {
          $0.obstacle = obstacle
          if obstacle != nil {
            $0.isRunning = false
            $0.retry = nil
          }
        }
      }
    }
    for entry in sessions[index].modes.transfers?.entries ?? [] {
      guard let retryAt = entry.retry?.at, retryAt <= turn.instant else { continue }
      update(index) { $0.modes.transfers?.change(entry.number) { $0.retry?.at = nil } }
    }
    for entry in sessions[index].modes.transfers?.entries ?? [] {
      guard let book = sessions[index].modes.transfers,
        book.runningCount < configuration.transfers.runningLimit
      else { return }
      guard !entry.isRunning, entry.answerBy == nil, entry.obstacle == nil, !entry.waitsToRetry else {
        continue
      }
      update(index) {
        $0.modes.transfers?.change(entry.number) {
          $0.isRunning = true
          $0.retry = nil
        }
      }
      // It was said when it began. Who waits for a server that is away is told once, however often it is tried.
      if entry.retry == nil { turn.steps.append(.noted(.transfer(record(entry, .start, nil, index)))) }
      orderTransfer(entry.number, .start, index, in: &turn)
    }
  }

  /// What a transfer waits for; nil where it may run (rules I1 and I1a).
  private func transferObstacle(_ terms: TransferTerms) -> TransferRecord.Reason? {
    let isDiscretionary = terms.isDiscretionary
    if network == .unreachable || network == .metered && (isDiscretionary || !terms.metered) {
      return .waitsForNetwork
    }
    guard isDiscretionary else { return nil }
    if supply.isOnBattery { return .waitsForPower }
    if isLowPower { return .lowPower }
    return pressure == .none ? nil : .pressure
  }

  private func orderTransfer(_ number: Int, _ order: TransferOrder, _ index: Int, in turn: inout PolicyTurn) {
    turn.order(.transfer(subscriber: sessions[index].subscriber.name, number: number, order))
  }
}
