import LocationCore
package import LocationFormats
import LocationRuntime

extension Explanation {
  /// The answer that a state file holds, whether a daemon runs on it or not.
  ///
  /// - Throws: ``Failure`` of code 1 where there is no such file, or nothing is kept of that moment, or what is asked
  ///   about was not there then.
  package init(_ question: Question, state path: String) throws(Failure) {
    guard let database = try StateDatabase.openToRead(path: path) else { throw DaemonSeat.noState(path) }
    let past = try database.past(before: question.until, event: question.event)
    guard let begins = past.begins else { throw DaemonSeat.noJournal(path) }
    var kept: Explanation?
    if let id = question.event { kept = try Self.kept(id, database) }
    let isBefore = question.until.map { $0 < begins } ?? false
    guard !past.snapshots.isEmpty, !isBefore else {
      if let kept {
        self = kept
        return
      }
      throw Failure(
        .conditionFails, file: path, what: "its journal begins later, at \(begins.rfc3339)",
        remedy: "locwatch events tells what happened before; state.journal_rows is how much is kept")
    }
    let (lastID, lastTime) = (try database.lastEventID(), try database.newestTime())
    for number in past.snapshots {
      var inquiry = try Inquiry(question, from: database.snapshot(number: number))
      try database.journal(after: number) { inquiry.take($0) == .before }
      inquiry.end(lastEventID: lastID, at: lastTime)
      // Right after a snapshot nothing is known of how the last fix came to be taken: look farther back.
      let isLast = number == past.snapshots.last
      guard inquiry.seen.fix != nil || inquiry.engine.tally.last == nil || isLast else { continue }
      let subject = inquiry.seen.subject.map { JSONTree($0) }
      if let kept, subject.map(kept.isAbout) != true {
        self = kept
        return
      }
      if let event = question.event, subject == nil { throw Self.unknown(event) }
      try self.init(question, inquiry)
      try look(around: inquiry.seen.subject?.id ?? inquiry.engine.nextID, database)
      return
    }
    throw Failure(.software, what: "no snapshot to begin with")
  }

  /// What is said where nothing has that id.
  static func unknown(_ event: Int) -> Failure {
    Failure(
      .conditionFails, what: "nothing has the id \(event)", remedy: "locwatch events tells the ids of records"
    )
  }

  /// A record of which only itself is kept, and what was decided about it; nil where not even that.
  private static func kept(_ id: Int, _ database: StateDatabase) throws(Failure) -> Explanation? {
    guard let event = try database.event(id: id) else { return nil }
    let time = event["time"]?.string.flatMap { UTCTime(rfc3339: $0) }
    var explanation = Explanation(time: time ?? UTCTime(microseconds: 0))
    explanation.event = event
    explanation.decisions = try database.decisions(about: id)
    explanation.isCut = true
    return explanation
  }

  /// Whether it is about a record. To an engine of another build than the one that told it, its id may be that of another.
  private func isAbout(_ record: JSONTree) -> Bool {
    ["type", "time", "region", "subscriber"].allSatisfy { event?[$0] == record[$0] }
  }

  /// Adds what records tell of before and after.
  private mutating func look(around id: Int, _ database: StateDatabase) throws(Failure) {
    for index in places.indices {
      let region = places[index].region
      if places[index].last == nil { places[index].last = try database.regionEvent(region, before: id) }
      places[index].next = try database.regionEvent(region, from: event == nil ? id : id + 1)
    }
    for index in listeners.indices where listeners[index].last == nil {
      listeners[index].last = try database.lastDecision(of: listeners[index].view.subscriber.name, before: id)
    }
    if event != nil { decisions = try database.decisions(about: id) }
  }
}
