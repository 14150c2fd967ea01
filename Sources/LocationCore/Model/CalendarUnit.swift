/// A time of the clock on the wall: seconds since 1970-01-01 as if it were UTC.
public struct WallTime: Hashable, Sendable, Codable {
  /// Seconds since 1970-01-01T00:00 on the wall.
  public var seconds: Int

  /// The time so many seconds after 1970-01-01T00:00 on the wall.
  public init(seconds: Int) { self.seconds = seconds }

  /// A time such as `2026-05-01T07:30` or `2026-05-01T07:30:15`; nil for anything else.
  public init?(_ text: String) {
    let hasSeconds = text.utf8.count == 19
    guard hasSeconds || text.utf8.count == 16, let time = UTCTime(rfc3339: text + (hasSeconds ? "Z" : ":00Z"))
    else { return nil }
    seconds = Int(time.microseconds / 1_000_000)
  }

  /// Decodes a whole number of seconds in the years 1 to 9999.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    seconds = try container.decode(Int.self)
    guard UTCTime.printableSeconds.contains(seconds) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(seconds) is no time of the years 1 to 9999")
    }
  }

  public func encode(to encoder: any Encoder) throws { try seconds.encode(to: encoder) }
}

extension TimeZoneRule {
  /// What the clock on the wall shows at a time.
  public func wall(at time: UTCTime) -> WallTime {
    WallTime(seconds: time.wholeSeconds + secondsAhead(at: time))
  }

  /// When the clock on the wall shows a time: the first time, where a change of the clocks shows it twice, and the
  /// first instant after the change that skips it (rule D2).
  public func time(of wall: WallTime) -> UTCTime {
    func ahead(_ seconds: Int) -> Int { secondsAhead(at: UTCTime(seconds: seconds)) }
    let before = ahead(wall.seconds - Self.daySeconds)
    let after = ahead(wall.seconds + Self.daySeconds)
    for offset in [max(before, after), min(before, after)] where ahead(wall.seconds - offset) == offset {
      return UTCTime(seconds: wall.seconds - offset)
    }
    var low = wall.seconds - max(before, after)
    var high = wall.seconds - min(before, after)
    let first = ahead(low)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if ahead(middle) == first { low = middle } else { high = middle }
    }
    return UTCTime(seconds: high)
  }

  private static let daySeconds = 86_400
}

extension UTCTime {
  /// A time of whole seconds since 1970-01-01T00:00:00Z.
  init(seconds: Int) { self.init(microseconds: Int64(seconds) * 1_000_000) }

  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  fileprivate var wholeSeconds: Int { Int(microseconds.flooredDivision(by: 1_000_000)) }
}

/// What a notification repeats by (rule D2).
public enum CalendarUnit: String, Hashable, Sendable, Codable, CaseIterable {
  case minute, hour, day
  /// Monday to Friday.
  case weekday
  case week, month, quarter, year

  /// The time so many units after a first one.
  ///
  /// - Parameters:
  ///   - first: When the first was due.
  ///   - zone: By whose calendar.
  func time(_ count: Int, after first: UTCTime, in zone: TimeZoneRule) -> UTCTime {
    switch self {
    case .minute: return first.advanced(bySeconds: 60 * Double(count))
    case .hour: return first.advanced(bySeconds: 3600 * Double(count))
    case .day, .weekday, .week, .month, .quarter, .year:
      guard count > 0 else { return first }
      return zone.time(of: wall(count, after: zone.wall(at: first)))
    }
  }

  /// The time on the wall so many units of the calendar after a first one. A day that a month lacks is its last day.
  func wall(_ count: Int, after first: WallTime) -> WallTime {
    let day = first.seconds.flooredDivision(by: Self.daySeconds)
    let rest = first.seconds - day * Self.daySeconds
    func on(_ day: Int) -> WallTime { WallTime(seconds: day * Self.daySeconds + rest) }
    switch self {
    case .minute: return WallTime(seconds: first.seconds + 60 * count)
    case .hour: return WallTime(seconds: first.seconds + 3600 * count)
    case .day: return on(day + count)
    case .week: return on(day + 7 * count)
    case .weekday: return on(Self.weekday(count, after: day))
    case .month: return on(Self.months(count, after: day))
    case .quarter: return on(Self.months(3 * count, after: day))
    case .year: return on(Self.months(12 * count, after: day))
    }
  }

  /// Seconds of a unit, about: to guess how many have passed.
  var nominalSeconds: Double {
    switch self {
    case .minute: 60
    case .hour: 3600
    case .day: 86_400
    case .weekday: 86_400 * 7 / 5
    case .week: 604_800
    case .month: 2_629_746
    case .quarter: 7_889_238
    case .year: 31_556_952
    }
  }

  private static let daySeconds = 86_400

  /// The n-th weekday (Monday to Friday) after a day; days count from 1970-01-01, a Thursday.
  private static func weekday(_ count: Int, after day: Int) -> Int {
    guard count > 0 else { return day }
    // 0 is Monday. From a weekend the count begins with the Friday before.
    let index = ((day + 3) % 7 + 7) % 7
    let base = index > 4 ? day - (index - 4) : day
    let place = min(index, 4) + count
    return base - min(index, 4) + place / 5 * 7 + place % 5
  }

  private static func months(_ count: Int, after day: Int) -> Int {
    let date = CivilDate(daysSince1970: day)
    let month = date.year * 12 + date.month - 1 + count
    let year = month.flooredDivision(by: 12)
    let number = month - year * 12 + 1
    let last = CivilDate.days(inMonth: number, of: year)
    return CivilDate.daysSince1970(year: year, month: number, day: min(date.day, last))
  }
}
