/// The notifications of one subscriber: those that are scheduled, and those that the user was shown and may open.
struct NotificationBook: Hashable, Sendable, Codable {
  /// One that is scheduled.
  struct Entry: Hashable, Sendable, Codable {
    /// What its program calls it.
    var id: String
    var notification: LocalNotification
    /// When the first is due; nil for one of a region, and for a time on the wall, which depends on the zone. If that
    /// repeats by hours or minutes, it is set once the first was due.
    var first: UTCTime?
    /// How many of a repeating one have been due.
    var count = 0
    /// When it came due while nothing could be shown (rule D5); nil where it did not.
    var heldAt: UTCTime?
    /// Whether it has come due before the first unlock and a decision has said so (rule A9); nil where it has not.
    var isDeferred: Bool?
    /// The record of the push whose alert it is (rule H3); nil for one that its program has scheduled.
    var event: Int?
    /// That push, where its program is handed it only if it runs then; nil where it is handed it anyway.
    var push: Push?
    /// Whether its program was handed it and did not acknowledge it; nil where it was not.
    var isUnacknowledged: Bool?

    /// Whether it is the same one. The alert of a push and what the program schedules may have one name.
    func isSame(as other: Entry) -> Bool { id == other.id && event == other.event }

    /// Whether it is due once so many seconds have passed. The times at which it repeats are of the calendar.
    var isAfterSeconds: Bool { if case .after = notification.when { count == 0 } else { false } }

    /// When it is due next; nil for one of a region that has nothing to show.
    func time(in machineZone: TimeZoneRule) -> UTCTime? {
      if let heldAt { return heldAt }
      return time(count, in: machineZone)
    }

    /// When its n-th repetition is due.
    private func time(_ count: Int, in machineZone: TimeZoneRule) -> UTCTime? {
      let zone = notification.zone ?? machineZone
      if case .wall(let wall) = notification.when, first == nil {
        guard let unit = notification.repeats, count > 0 else { return zone.time(of: wall) }
        switch unit {
        // An hour is an hour, whatever the clocks do meanwhile.
        case .minute, .hour: return unit.time(count, after: zone.time(of: wall), in: zone)
        case .day, .weekday, .week, .month, .quarter, .year:
          return zone.time(of: unit.wall(count, after: wall))
        }
      }
      guard let first else { return nil }
      guard let unit = notification.repeats else { return first }
      return unit.time(count, after: first, in: zone)
    }

    /// Moves a repeating one that begins in the past to the next that is due.
    mutating func skipPast(_ now: UTCTime, in machineZone: TimeZoneRule) {
      skip(to: now, in: machineZone)
      if notification.repeats != nil, let due = time(count, in: machineZone), due < now { count += 1 }
      if count > 0 { fixFirst(in: machineZone) }
    }

    /// The first is past: hours and minutes count from there, and a change of the zone moves them no more (rules D2 and
    /// D5). The other units go by the calendar, and follow the zone.
    mutating func fixFirst(in machineZone: TimeZoneRule) {
      guard first == nil, case .wall(let wall) = notification.when,
        notification.repeats == .hour || notification.repeats == .minute
      else { return }
      first = (notification.zone ?? machineZone).time(of: wall)
    }

    /// Moves a repeating one to the latest that is due by a time: of several that were missed only that is shown, and
    /// the rhythm goes on (rule D5).
    mutating func skip(to now: UTCTime, in machineZone: TimeZoneRule) {
      guard let unit = notification.repeats, let due = time(count, in: machineZone), due < now else { return }
      let passed = Int(min(due.seconds(to: now) / unit.nominalSeconds, 1e12))
      var place = count + max(0, passed - 2)
      while place > count, let time = time(place, in: machineZone), time > now { place -= 1 }
      while let time = time(place + 1, in: machineZone), time <= now { place += 1 }
      count = place
    }
  }

  /// One that the user was shown.
  struct Shown: Hashable, Sendable, Codable {
    var id: String
    /// The id of its record.
    var event: Int
    var data: String?
  }

  /// One that its program was handed instead, and has not acknowledged.
  struct Unshown: Hashable, Sendable, Codable {
    var id: String
    var content: LocalNotification.Content
  }

  /// One that is on its way to the user: after an end of the daemon it is shown again, under the same id.
  struct Showing: Hashable, Sendable, Codable {
    var id: String
    /// The id of its record.
    var event: Int
    var content: LocalNotification.Content
  }

  /// Whether the user lets the program show any (rule D8).
  var isAllowed = true
  /// By name.
  private(set) var entries: [Entry] = []
  /// The latest last.
  private(set) var shown: [Shown] = []
  /// Those of which nobody has said that the user was shown them, the latest last; nil where there is none.
  private(set) var showing: [Showing]?
  /// The name of the one that was scheduled last; nil before the first.
  var lastName: String?
  /// The number of the next name that the engine gives.
  private var nextName = 1

  /// Whether one of a region is scheduled (rule D7).
  var hasRegions: Bool {
    entries.contains { if case .region = $0.notification.when { true } else { false } }
  }

  /// Whether one is at a time on the wall of the machine's zone (rule D1).
  var followsZone: Bool {
    entries.contains {
      if case .wall = $0.notification.when { $0.notification.zone == nil && $0.first == nil } else { false }
    }
  }

  /// Whether one more can be scheduled under a name (rule D4). Alerts don't count. Those that are shown now count by
  /// themselves: they wait only while nothing can be shown.
  func hasRoom(for id: String?, isNow: Bool) -> Bool {
    let counted = entries.filter { $0.event == nil && ($0.notification.when == .now) == isNow }
    return counted.count < Limits.notifications || counted.contains { $0.id == id }
  }

  /// Whether its program has scheduled one of that name.
  func schedules(_ id: String) -> Bool { entries.contains { $0.id == id && $0.event == nil } }

  /// The oldest alert of a push that waits to be shown; nil where fewer than so many do.
  func oldestAlert(of count: Int) -> Entry? {
    let alerts = entries.filter { $0.event != nil }
    return alerts.count < count ? nil : alerts.min { ($0.event ?? 0) < ($1.event ?? 0) }
  }

  /// A name that nobody has.
  mutating func makeName() -> String {
    while true {
      defer { nextName += 1 }
      let name = "n\(nextName)"
      if !entries.contains(where: { $0.id == name }) { return name }
    }
  }

  /// Schedules one, in the place of the one that it changes.
  mutating func put(_ entry: Entry) {
    if let place = entries.firstIndex(where: { $0.isSame(as: entry) }) {
      entries[place] = entry
      return
    }
    entries.insert(entry, at: entries.firstIndex { $0.id > entry.id } ?? entries.endIndex)
  }

  /// Cancels one that the program has scheduled; false where there is none of that name.
  mutating func cancel(_ id: String) -> Bool {
    guard let place = entries.firstIndex(where: { $0.id == id && $0.event == nil }) else { return false }
    entries.remove(at: place)
    return true
  }

  /// Cancels all that the program has scheduled. The alerts of pushes are not its own.
  mutating func cancelAll() { entries.removeAll { $0.event == nil } }

  /// Forgets one.
  mutating func remove(_ entry: Entry) { entries.removeAll { $0.isSame(as: entry) } }

  /// Changes one that is scheduled.
  mutating func change(_ entry: Entry, _ body: (inout Entry) -> Void) {
    if let place = entries.firstIndex(where: { $0.isSame(as: entry) }) { body(&entries[place]) }
  }

  /// UTC is so many microseconds later than it was a moment ago: it was set, and no time has passed.
  mutating func noteJump(ofUTC microseconds: Int64) {
    func move(_ time: inout UTCTime?) {
      time = time.map { UTCTime(microseconds: $0.microseconds.saturatingAdd(microseconds)) }
    }
    for place in entries.indices {
      // What waits until something can be shown is due since it came, whatever the clock says.
      move(&entries[place].heldAt)
      if entries[place].isAfterSeconds || entries[place].notification.when == .now {
        move(&entries[place].first)
      }
    }
  }

  /// The machine was off, and only the clocks tell for how long: what was due after some seconds is due at that time.
  mutating func noteReboot() {
    for place in entries.indices where entries[place].isAfterSeconds {
      if let first = entries[place].first { entries[place].notification.when = .at(first) }
    }
  }

  /// Notes that one is on its way to the user.
  mutating func noteShowing(_ one: Showing) {
    showing = Array(((showing ?? []) + [one]).suffix(Limits.shownNotifications))
  }

  /// Forgets those that are on their way to the user, and returns them.
  mutating func takeShowing() -> [Showing] {
    defer { showing = nil }
    return showing ?? []
  }

  /// Notes that one has reached who shows it.
  mutating func notePresented(_ event: Int) {
    let rest = (showing ?? []).filter { $0.event != event }
    showing = rest.isEmpty ? nil : rest
  }

  /// Notes that the user may open one.
  mutating func noteShown(_ one: Shown) {
    shown.removeAll { $0.id == one.id }
    if shown.count >= Limits.shownNotifications { shown.removeFirst() }
    shown.append(one)
  }
}
