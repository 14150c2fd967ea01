/// What is stored of events that an engine is shown again, because the daemon was killed. The engine of another build may
/// record more or less of them, or the same a little earlier or later.
///
/// What it records again has the id that it had. So what was told is not told under another id, and an acknowledgement in
/// the journal means what it meant. A record of the same time is the same. Stored records of which the engine has none at
/// their time stand, in order, for what it records of the same kind and subject at another time.
package struct PastRecords: Sendable {
  /// What a record is about, whatever it says of it.
  package struct Subject: Hashable, Sendable {
    /// Its key `type`.
    package var type: String
    /// Those of ``keys`` that it has.
    package var names: [String: String]

    /// The keys of records that name something.
    package static let keys = ["region", "subscriber", "kind", "session", "notification", "push"]

    package init(type: String, names: [String: String]) {
      self.type = type
      self.names = names
    }

    init(_ body: Record.Body) {
      var reader = NameReader()
      body.describe(to: &reader)
      self.init(type: reader.type, names: reader.names)
    }
  }

  /// A record that is stored.
  package struct Stored: Sendable {
    /// Its id.
    package var id: Int
    /// Its UTC.
    package var time: UTCTime
    /// What it is about.
    package var subject: Subject

    package init(id: Int, time: UTCTime, subject: Subject) {
      self.id = id
      self.time = time
      self.subject = subject
    }
  }

  /// An event that waits for a subscriber.
  package struct Waiting: Sendable {
    /// Its id.
    package var event: Int
    /// What it is about.
    package var subject: Subject
    /// Whether a process was handed it.
    package var wasHanded: Bool

    package init(event: Int, subject: Subject, wasHanded: Bool) {
      self.event = event
      self.subject = subject
      self.wasHanded = wasHanded
    }
  }

  /// Ids that were not taken, in order; with a time where the engine has a record of that time.
  private var ids: [Subject: [(id: Int, time: UTCTime?)]] = [:]
  private let keptSince: UTCTime?

  /// - Parameters:
  ///   - keptSince: before this time what was stored may be gone; nil where nothing is stored.
  ///   - recorded: what the engine records of the same events if it knows of none of this.
  package init(_ stored: [Stored], keptSince: UTCTime?, recordedAgain recorded: [Record]) {
    self.keptSince = keptSince
    struct Moment: Hashable {
      var subject: Subject
      var time: UTCTime
    }
    var counts: [Moment: Int] = [:]
    for record in recorded {
      counts[Moment(subject: Subject(record.body), time: record.time), default: 0] += 1
    }
    for record in stored {
      let moment = Moment(subject: record.subject, time: record.time)
      let isAgain = counts[moment, default: 0] > 0
      if isAgain { counts[moment, default: 0] -= 1 }
      ids[record.subject, default: []].append((record.id, isAgain ? record.time : nil))
    }
  }

  /// The id that a record had, or 0 where that is not kept any more; nil where it is new.
  mutating func take(_ body: Record.Body, at time: UTCTime) -> Int? {
    let subject = Subject(body)
    guard let left = ids[subject],
      let place = left.firstIndex(where: { $0.time == time }) ?? left.firstIndex(where: { $0.time == nil })
    else { return keptSince.map { time < $0 } == true ? 0 : nil }
    return ids[subject]?.remove(at: place).id
  }
}

/// Reads what a record is about.
private struct NameReader: RecordVisitor {
  var type = ""
  var names: [String: String] = [:]

  mutating func visit<Family: RecordFamily>(_ family: Family) {
    type = family.type
    family.describe(to: &self)
  }

  mutating func text(_ key: StaticString, _ value: String?, _ meaning: StaticString, column: CSVColumn?) {
    let key = "\(key)"
    if PastRecords.Subject.keys.contains(key) { names[key] = value }
  }
}

extension Record {
  /// The subscriber it is about, which is its field of that name; nil where it has none.
  package var subscriber: String? { PastRecords.Subject(body).names["subscriber"] }
}

extension Engine {
  /// Records under the ids that they had what it is shown again from here on, and what is new under ids above `last`.
  package mutating func recall(_ past: PastRecords, through last: Int) {
    self.past.wrappedValue = past
    state.nextID = max(state.nextID, last + 1)
  }

  /// Was shown everything. What is stored says who waits for which event up to `last`: of those another build has taken
  /// the acknowledgements, and handed over the others.
  ///
  /// - Returns: what can't be kept: a call for a mode, which this engine makes when it finds it due.
  package mutating func endRecall(
    waiting stored: [String: [PastRecords.Waiting]], through last: Int
  ) -> [(subscriber: String, event: Int)] {
    past.wrappedValue = nil
    let instant = state.instant
    var lost: [(subscriber: String, event: Int)] = []
    state.policy.forEachSession { policy, index in
      let name = policy.sessions[index].subscriber.name
      policy.update(index) { session in
        for event in session.settle(stored[name] ?? [], through: last, at: instant) {
          lost.append((name, event))
        }
      }
    }
    refreshDeadline()
    return lost
  }
}

extension Session {
  /// Has those events up to `last` wait that are stored as waiting, and no others; those that can't.
  fileprivate mutating func settle(
    _ stored: [PastRecords.Waiting], through last: Int, at instant: EngineInstant
  ) -> [Int] {
    let ids = Set(stored.map(\.event))
    let gone = Set(outbox.map(\.event).filter { $0 <= last && !ids.contains($0) })
    outbox.removeAll { gone.contains($0.event) }
    assertions.removeAll { $0.reason == .delivery && gone.contains($0.owner) }
    var lost: [Int] = []
    for one in stored where !outbox.contains(where: { $0.event == one.event }) {
      guard let trigger = trigger(of: one.subject), outbox.count < Limits.outbox else {
        lost.append(one.event)
        continue
      }
      outbox.insert(
        Pending(
          event: one.event, trigger: trigger, wasHanded: one.wasHanded, region: one.subject.names["region"],
          isCoarse: subscriber.accuracy == .reduced ? true : nil))
      // One that does not run has nobody who would hand it over.
      if state == .notRunning, relaunchAt == nil { relaunchAt = instant }
    }
    // They are stored.
    _ = outbox.takeChanges()
    return lost
  }

  /// What an event of a location service is handed over for; nil where it is of none.
  private func trigger(of subject: PastRecords.Subject) -> Trigger? {
    if subject.type == LocationUpdate.name { return updateTrigger }
    guard let kind = EventKind(type: subject.type) else { return nil }
    switch kind {
    case .enter, .exit, .dwell, .cross: return .region.of(kind)
    case .arrive, .leave: return .visit.of(kind)
    case .move: return .significantChange.of(kind)
    }
  }
}

extension EventKind {
  /// The kind of a record's type; nil for records of which no kind is made.
  package init?(type: String) {
    guard let kind = Self.allCases.first(where: { $0.recordType == type }) else { return nil }
    self = kind
  }

  /// The key `type` of its records.
  private var recordType: String {
    switch self {
    case .enter: "region.enter"
    case .exit: "region.exit"
    case .dwell: "region.dwell"
    case .cross: "region.cross"
    case .arrive: "visit.arrive"
    case .leave: "visit.depart"
    case .move: SignificantChangeEvent.name
    }
  }
}
