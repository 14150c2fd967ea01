/// What an event is, in the words of `locwatch on` and of a manifest's `events`.
public enum EventKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// A region is entered, left, stayed in, or passed through between two fixes (rule B4).
  case enter, exit, dwell, cross
  /// A place is arrived at, or left (rule B5).
  case arrive, leave
  /// The position has moved significantly (rule B1).
  case move

  /// The service that reports it.
  public var service: Subscriber.Services {
    switch self {
    case .enter, .exit, .dwell, .cross: .regions
    case .arrive, .leave: .visits
    case .move: .significantChange
    }
  }

  /// What a region has to report for it; nothing where it is about no region.
  package var notify: Region.Notify {
    switch self {
    case .enter: .enter
    case .exit: .exit
    case .dwell: .dwell
    case .cross: .cross
    case .arrive, .leave, .move: []
    }
  }
}

/// Which events of its services a subscriber is offered at all.
///
/// The engine decides by it, from the times of events alone, so that a replay decides the same.
public struct OfferFilter: Hashable, Sendable, Codable {
  /// Only events of these kinds; nil for all.
  public var kinds: [EventKind]?
  /// Only at these times of day; nil for all day.
  public var hours: DayHours?
  /// Only on these days.
  public var days = Weekdays.all
  /// The zone of ``hours`` and ``days``.
  public var zone = TimeZoneRule.utc
  /// Seconds from one event to the next, at least; nil for none.
  public var cooldownSeconds: Double?

  /// A filter that lets everything pass.
  public init() {}

  /// Whether events of a kind pass at some time.
  public func has(_ kind: EventKind) -> Bool { kinds?.contains(kind) ?? true }

  /// Whether a time is within ``hours`` on one of ``days``. Hours that pass midnight belong to the day on which they
  /// begin.
  public func isWithinHours(_ time: UTCTime) -> Bool {
    guard hours != nil || days != .all else { return true }
    let seconds = Int(time.microseconds.flooredDivision(by: 1_000_000)) + zone.secondsAhead(at: time)
    let day = seconds.flooredDivision(by: 86_400)
    let minute = (seconds - day * 86_400) / 60
    guard let hours else { return days.contains(day: day) }
    if hours.from < hours.to {
      return hours.from <= minute && minute < hours.to && days.contains(day: day)
    }
    if minute >= hours.from { return days.contains(day: day) }
    return minute < hours.to && days.contains(day: day - 1)
  }
}

/// A part of each day, in minutes since midnight. Where it ends before it begins, it passes midnight.
public struct DayHours: Hashable, Sendable, Codable {
  /// When it begins, 0 to 1439.
  public var from: Int
  /// When it is over, 0 to 1439: the first minute that is outside.
  public var to: Int

  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

/// Days of the week.
public struct Weekdays: OptionSet, Hashable, Sendable, Codable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Every day.
  public static let all = Weekdays(rawValue: 0x7F)
  /// As people write them, Sunday first.
  public static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// One day by its place in ``names``.
  public init(index: Int) { rawValue = 1 << UInt8(index) }

  /// The place in ``names`` of a day since 1970-01-01, which was a Thursday.
  static func index(ofDay day: Int) -> Int { ((day + 4) % 7 + 7) % 7 }

  /// Whether a day since 1970-01-01 is one of these.
  func contains(day: Int) -> Bool { contains(Weekdays(index: Self.index(ofDay: day))) }
}
