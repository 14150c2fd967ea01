/// The open transfers of one subscriber (section I).
struct TransferBook: Hashable, Sendable, Codable {
  /// One that has not ended.
  struct Entry: Hashable, Sendable, Codable {
    var number: Int
    var terms: TransferTerms
    /// When it was asked for.
    var since: EngineInstant
    /// Whether it runs.
    var isRunning = false
    /// That its last request failed; nil where it runs or was not begun.
    var retry: Retry?
    /// What it was last said to wait for; nil where it was not.
    var obstacle: TransferRecord.Reason?
    /// Until when its program may answer; nil where nothing was asked.
    var answerBy: EngineInstant?
    /// The event by which it was asked last; nil where it was not.
    var askedBy: Int?
    /// How often its program has answered; nil where it has not.
    var answers: Int?
    /// Whether its session was that of the last issue when it was asked for (rule I5); nil where it was not, and in the
    /// snapshots of older versions.
    var isOfIssue: Bool?

    /// Whether it is tried again only later.
    var waitsToRetry: Bool { retry?.at != nil }

    /// When something is to be done for it: it is tried again, or fails.
    func deadline(_ numbers: Policy.Configuration.Transfers) -> EngineInstant {
      let end = end(numbers)
      return retry?.at.map { min($0, end) } ?? end
    }

    /// When it fails, if nothing happens before.
    func end(_ numbers: Policy.Configuration.Transfers) -> EngineInstant {
      let expiry = since.advanced(bySeconds: numbers.expirySeconds)
      return answerBy.map { min($0, expiry) } ?? expiry
    }
  }

  /// A transfer whose request failed. It has given up its place.
  struct Retry: Hashable, Sendable, Codable {
    /// When it is tried again; nil where it waits for a place.
    var at: EngineInstant?
  }

  /// Why the end of a session wakes its program.
  struct SessionEnd: Hashable, Sendable, Codable {
    var session: String
    var reason: Decision.Reason
  }

  /// By number.
  private(set) var entries: [Entry] = []
  /// The number of the one that was asked for last; 0 before the first.
  private(set) var lastNumber = 0
  /// The open sessions whose end is to wake the program, because a transfer that has ended wanted that; nil where there
  /// are none.
  private var ends: [SessionEnd]?

  /// How many run.
  var runningCount: Int { entries.count { $0.isRunning } }

  /// Whether a session has one that has not ended.
  func isOpen(_ session: String) -> Bool { entries.contains { $0.terms.session == session } }

  /// Adds one.
  mutating func add(_ terms: TransferTerms, isOfIssue: Bool = false, at instant: EngineInstant) {
    lastNumber += 1
    var entry = Entry(number: lastNumber, terms: terms, since: instant)
    if isOfIssue { entry.isOfIssue = true }
    entries.append(entry)
  }

  /// Notes why the end of an open session is to wake the program.
  mutating func note(_ end: SessionEnd) {
    if ends?.contains(where: { $0.session == end.session }) != true { ends = (ends ?? []) + [end] }
  }

  /// Why the end of a session, which it forgets, was to wake the program; nil where it was not.
  mutating func takeEnd(of session: String) -> Decision.Reason? {
    let reason = ends?.first { $0.session == session }?.reason
    ends?.removeAll { $0.session == session }
    if ends?.isEmpty == true { ends = nil }
    return reason
  }

  /// Removes one; nil where there is none of that number.
  mutating func remove(_ number: Int) -> Entry? {
    entries.firstIndex { $0.number == number }.map { entries.remove(at: $0) }
  }

  /// Nobody was there for some seconds: the program has as much longer to answer. How long a transfer may take in all is
  /// counted from when it was asked for.
  mutating func giveBack(seconds: Double) {
    for place in entries.indices {
      entries[place].answerBy = entries[place].answerBy?.advanced(bySeconds: seconds)
    }
  }

  /// Changes one, where there is one of that number.
  mutating func change(_ number: Int, _ body: (inout Entry) -> Void) {
    if let place = entries.firstIndex(where: { $0.number == number }) { body(&entries[place]) }
  }
}
