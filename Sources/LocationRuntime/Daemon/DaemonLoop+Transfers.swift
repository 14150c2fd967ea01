import Glibc
package import LocationCore
package import LocationFormats

/// The processes that carry files, and what waits to be erased.
struct TransferSet {
  /// By subscriber.
  var processes: [String: TransferProcess] = [:]
  /// How often in a row a transfer of a subscriber could not be started.
  var refusals: [String: Int] = [:]
  /// Transfers that have ended, until that is stored.
  var ended: [(name: String, number: Int)] = []
  let spool: TransferSpool

  init(state: String) { spool = TransferSpool(state: state) }

  /// When one is started again.
  var nextDeadline: EngineInstant? { processes.values.compactMap(\.retryAt).min() }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) {
    for process in processes.values {
      polled.watch(process.readable)
      polled.watch(process.writable, for: POLLOUT)
    }
  }

  /// Has a transfer begin or go on.
  ///
  /// - Throws: why it can't.
  mutating func start(
    _ number: Int, for subscriber: Subscriber, environment: [String], _ settings: DaemonSettings
  ) throws(Failure) {
    guard let job = spool.job(number, of: subscriber.name) else {
      throw Failure(.noInput, what: "what transfer \(number) is was lost")
    }
    let folders = try spool.folders(of: subscriber)
    let authority = settings.transferAuthority
    let line = JSONTree.object([
      "start": .integer(number), "job": job,
      "parts": .integer(ProgramStart.folderNumber),
      "directory": .string(folders.directory),
      "files": folders.files.map { _ in .integer(ProgramStart.folderNumber + 1) },
      "limit": .integer(Int(settings.transferBytes)),
      "retry": .number("\(settings.transferRetrySeconds)"),
      "longestRetry": .number("\(settings.transferRetryLimitSeconds)"),
      "authority": authority.isEmpty ? nil : .string(authority),
      "failures": processes[subscriber.name]?.failedRequests[number].map { .integer($0) },
    ])
    try processes[subscriber.name, default: TransferProcess()].start(
      number, line.text, in: folders, for: subscriber, environment: environment)
  }

  /// Erases what has ended and is stored.
  mutating func eraseEnded() {
    for (name, number) in ended { spool.erase(number, of: name) }
    ended = []
  }
}

/// Transfers (section I): what programs ask for, and what becomes of it.
extension DaemonLoop {
  /// A program asks for a transfer.
  mutating func take(_ request: TransferRequest, of name: String) throws(Failure) {
    guard TransferProcess.isThere else {
      return refuseAndCount(name, "transfer", "no_helper")
    }
    guard let job = job(request, of: name) else {
      return refuseAndCount(name, "transfer", "invalid")
    }
    // Before it begins it has to be known whether it may.
    try alignConditions(isForTransfer: true)
    if let reason = try ask(.transfer(request.terms), of: name) {
      return refuse(name, "transfer", reason)
    }
    let number = live.engine.lastTransfer(of: name)
    // One of that number, of a subscriber that was removed, may have been delivered a moment too late to be erased.
    transfers.spool.erase(number, of: name)
    guard store(job, number, of: name) else {
      try handle(.cancelTransfer(number: number), of: name)
      return refuseAndCount(name, "transfer", TransferRecord.Reason.noSpace.rawValue)
    }
    live.add(.answer(name, .transfer(number: number)))
  }

  /// Stores what a transfer needs; false, with a line in the log, where that can't be written.
  private func store(_ job: JSONTree, _ number: Int, of name: String) -> Bool {
    do throws(Failure) {
      try transfers.spool.store(job.text, number, of: name)
      return true
    } catch {
      Self.log("\(name): \(error)")
      return false
    }
  }

  /// What a transfer needs, with the address of issues in its manifest where the program gives none (rule I5); nil
  /// where there is neither.
  private func job(_ request: TransferRequest, of name: String) -> JSONTree? {
    if request.job["url"] != nil { return request.job }
    guard let url = live.engine.subscriber(name)?.subscriber.issues?.url else { return nil }
    return JSONTree.object(["url": .string(url)]).over(request.job)
  }

  /// A program gives what a server asked for.
  mutating func take(_ answer: TransferAnswer, of name: String) throws(Failure) {
    let event = ModeEvent.answerTransfer(number: answer.number)
    let isAskedFor = live.engine.isGivenBack(by: .mode(event), of: name)
    if isAskedFor, case .object(let members) = transfers.spool.job(answer.number, of: name) ?? .null {
      var job = JSONTree.object(members.filter { !["user", "password"].contains($0.key) })
      for (key, value) in [("user", answer.user), ("password", answer.password)] {
        if let value { job = JSONTree.object([key: .string(value)]).over(job) }
      }
      guard store(job, answer.number, of: name) else {
        return refuseAndCount(name, "answer", TransferRecord.Reason.noSpace.rawValue)
      }
    }
    if let reason = try ask(event, of: name) {
      refuse(name, "answer", reason)
    }
  }

  /// Does with a transfer what the engine orders.
  mutating func perform(_ order: TransferOrder, _ number: Int, of name: String) throws(Failure) {
    switch order {
    case .start:
      guard let subscriber = live.engine.subscriber(name)?.subscriber else { return }
      do throws(Failure) {
        try transfers.start(number, for: subscriber, environment: environment, settings)
        transfers.refusals[name] = nil
      } catch {
        Self.log("\(name): transfer \(number): \(error)")
        guard transfers.spool.job(number, of: name) != nil else {
          return try end(number, of: name, .failed(.file), bytes: nil)
        }
        // Its user may not be known yet, or memory be short: what is there stays.
        let refusals = transfers.refusals[name] ?? 0
        transfers.refusals[name] = refusals + 1
        let seconds = settings.transferRetrySeconds.doubled(
          refusals, atMost: settings.transferRetryLimitSeconds)
        try handle(.transferBroke(number: number, retrySeconds: seconds), of: name)
      }
    case .pause: transfers.processes[name]?.stop(number, erasing: false)
    case .cancel:
      transfers.processes[name]?.stop(number, erasing: true)
      transfers.ended.append((name, number))
    }
  }

  /// Takes what the processes say.
  mutating func takeTransfers() throws(Failure) {
    let now = clock.instant
    for name in transfers.processes.keys.sorted() {
      guard let (lines, lost) = transfers.processes[name]?.take(at: now) else { continue }
      for line in lines { try take(line, of: name) }
      if !lost.isEmpty { Self.log("\(name): locwatch-transfer ended unasked and is started again") }
      if transfers.processes[name]?.takeRetry(at: now) == true { try resumeTransfers(of: name) }
    }
  }

  private mutating func take(_ line: JSONTree, of name: String) throws(Failure) {
    let bytes = line["bytes"]?.integer.map { min(max($0, 0), Self.mostBytes) }
    if let number = line["done"]?.integer {
      try end(number, of: name, .done, bytes: bytes)
    } else if let number = line["failed"]?.integer {
      let reason = line["reason"]?.string.flatMap { TransferRecord.Reason(rawValue: $0) } ?? .file
      try end(number, of: name, .failed(reason, status: line["status"]?.integer), bytes: bytes)
    } else if let number = line["asks"]?.integer {
      try handle(.transferAsks(number: number), of: name)
    } else if let number = line["waits"]?.integer {
      let seconds = min(max(line["seconds"]?.double ?? 0, 0), Self.longestRetrySeconds)
      try handle(.transferBroke(number: number, retrySeconds: seconds), of: name)
    }
  }

  /// More than any file has.
  private static let mostBytes = 1 << 40
  /// A server may ask for a longer wait.
  private static let longestRetrySeconds = 86_400.0

  private mutating func end(
    _ number: Int, of name: String, _ outcome: TransferOutcome, bytes: Int?
  ) throws(Failure) {
    guard live.engine.subscriberState(name) != nil else { return }
    try handle(.transferEnded(number: number, outcome, bytes: bytes), of: name)
    transfers.ended.append((name, number))
  }

  /// Goes on with what ran when the daemon before ended, and erases what is nobody's.
  mutating func resumeTransfers() throws(Failure) {
    let names = live.engine.subscribers.map(\.subscriber.name)
    var open: [String: Set<Int>] = [:]
    for name in names { open[name] = Set(live.engine.transfers(of: name).map(\.number)) }
    transfers.spool.sweep(except: open)
    for name in names { try resumeTransfers(of: name) }
  }

  private mutating func resumeTransfers(of name: String) throws(Failure) {
    for view in live.engine.transfers(of: name) where view.isRunning {
      guard transfers.processes[name]?.carries(view.number) != true else { continue }
      try perform(.start, view.number, of: name)
    }
  }

  /// What commands ask of transfers.
  mutating func transfers(_ request: JSONTree) throws(Failure) -> [JSONTree.Member] {
    let name = try subscriber(request)
    guard request["do"] == .string("cancel-transfer") else {
      return [.init(key: "transfers", value: .array(live.engine.transfers(of: name).map(\.tree)))]
    }
    guard let number = request["transfer"]?.integer else {
      throw Failure(.usage, what: "no \"transfer\" in the request")
    }
    if try handle(.cancelTransfer(number: number), of: name) != nil {
      throw .noTransfer(number, of: name)
    }
    return []
  }
}

extension DaemonSeat {
  /// The open transfers of a subscriber, each as one JSON object, by number.
  package func transfers(of name: String) throws(Failure) -> [JSONTree] {
    if let client = try connect() {
      let answer = try client.ask("transfers", ["subscriber": .string(name)])
      guard case .array(let list) = answer["transfers"] ?? .null else { return [] }
      return list
    }
    guard let database = try StateDatabase.openToRead(path: state) else { return [] }
    try Self.require(name, in: database)
    let restored = try RestoredEngine(database)
    return restored.engine.transfers(of: name).map(\.tree)
  }

  /// Cancels a transfer, now or at the next start of the daemon.
  ///
  /// - Returns: Whether that is done; false where it waits for a daemon.
  package func cancelTransfer(_ number: Int, of name: String) throws(Failure) -> Bool {
    try evenIfDaemonStarts { () throws(Failure) in
      guard let client = try connect() else {
        try leave(.cancelTransfer(number: number), for: name)
        return false
      }
      _ = try client.ask("cancel-transfer", ["subscriber": .string(name), "transfer": .integer(number)])
      return true
    }
  }
}

extension TransferView {
  /// As one JSON object.
  package var tree: JSONTree {
    let state =
      if needsAnswer { "needs_answer" } else if isRunning { "running" } else {
        obstacle?.rawValue ?? "waiting"
      }
    return .object([
      "transfer": .integer(number), "session": .string(terms.session),
      "kind": .string(terms.kind.rawValue), "discretionary": .boolean(terms.isDiscretionary),
      "state": .string(state),
    ])
  }
}

extension Failure {
  /// A subscriber has no transfer of that number, or no more.
  static func noTransfer(_ number: Int, of name: String) -> Failure {
    Failure(
      .conditionFails, what: "\(name) has no transfer \(number)",
      remedy: "locwatch transfers list \(CommandText.word(name)) lists what it has")
  }
}
