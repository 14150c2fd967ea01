/// A change of who waits for what: what a journal keeps beside the events.
public enum OutboxChange: Hashable, Sendable {
  /// An event waits for a subscriber, and whether the running process has been handed it.
  case put(subscriber: String, event: Int, isHanded: Bool)
  /// An event waits for a subscriber no longer.
  case remove(subscriber: String, event: Int)
  /// The subscriber is gone, and nothing waits for it.
  case removeAll(subscriber: String)
}

/// The events that a subscriber has not acknowledged, oldest first.
///
/// It notes its own changes, so that nobody has to compare all that waits before and after each event. The notes are
/// no part of the state: an engine tells them with the effects of the event that caused them.
struct Outbox: Sendable {
  /// What happened to one event.
  enum Change: Hashable, Sendable {
    case put(event: Int, isHanded: Bool)
    case remove(event: Int)
  }

  private var entries: [Session.Pending] = []
  /// What has changed and was not told.
  private(set) var changes: [Change] = []

  /// Adds an event that waits.
  mutating func append(_ pending: Session.Pending) {
    entries.append(pending)
    note(pending)
  }

  /// Adds an event that has waited before, in the order of ids.
  mutating func insert(_ pending: Session.Pending) {
    entries.insert(pending, at: entries.firstIndex { $0.event > pending.event } ?? entries.endIndex)
    note(pending)
  }

  /// Removes the events of which that is true.
  mutating func removeAll(where isGone: (Session.Pending) -> Bool) {
    for entry in entries where isGone(entry) { changes.append(.remove(event: entry.event)) }
    entries.removeAll(where: isGone)
  }

  /// Removes the event at `place`.
  mutating func remove(at place: Int) { changes.append(.remove(event: entries.remove(at: place).event)) }

  /// The trigger of the event at `place`, without a copy of the whole entry.
  @inline(__always) func trigger(at place: Int) -> Trigger { entries[place].trigger }

  /// The trigger of the last event with an id; nil where none waits.
  func trigger(of event: Int) -> Trigger? {
    entries.lastIndex { $0.event == event }.map { entries[$0].trigger }
  }

  /// The changes since the last call, in order.
  mutating func takeChanges() -> [Change] {
    defer { changes.removeAll() }
    return changes
  }

  private mutating func note(_ pending: Session.Pending) {
    // An event is mostly handed over as soon as it waits: that is one change.
    if case .put(let event, _)? = changes.last, event == pending.event { changes.removeLast() }
    changes.append(.put(event: pending.event, isHanded: pending.isHanded))
  }
}

extension Outbox: RandomAccessCollection, MutableCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { entries.count }

  subscript(place: Int) -> Session.Pending {
    // A `_read` here makes Swift 6.3.1, without optimization, read a rule that does not exist from
    // `outbox[place].trigger.row`.
    @inline(__always) get { entries[place] }
    set {
      let wasHanded = entries[place].isHanded
      entries[place] = newValue
      if newValue.isHanded != wasHanded { note(newValue) }
    }
  }
}

extension Outbox: Hashable {
  static func == (one: Outbox, other: Outbox) -> Bool { one.entries == other.entries }

  func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension Outbox: Codable {
  init(from decoder: any Decoder) throws { entries = try [Session.Pending](from: decoder) }

  func encode(to encoder: any Encoder) throws { try entries.encode(to: encoder) }
}
