/// A time zone as a pure value: its name, and the rule of POSIX by which its local time follows from UTC.
///
/// The engine has no files and no clock, so the rule is an input: it stands in a subscriber, and so in every journal
/// and recording. It is the zone's present rule; of the years before, it knows nothing.
public struct TimeZoneRule: Hashable, Sendable {
  /// As people call it, such as `Europe/Berlin`.
  public let name: String
  /// The rule as in the variable TZ, such as `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX.1-2024, 8.3, with the extensions of
  /// RFC 9636, 3.3.1).
  public let posix: String
  /// Seconds by which the standard time is ahead of UTC.
  private let standardSeconds: Int
  fileprivate let summer: Summer?

  fileprivate struct Summer: Hashable {
    /// Seconds by which it is ahead of UTC.
    var seconds: Int
    var begins: Change
    var ends: Change
  }

  /// When the clocks change.
  fileprivate struct Change: Hashable {
    var day: Day
    /// Seconds from midnight, by the time before the change.
    var seconds: Int
  }

  fileprivate enum Day: Hashable {
    /// 1 to 365, as if no year had a 29 February.
    case withoutLeapDay(Int)
    /// 0 to 365.
    case fromZero(Int)
    /// The first to fifth such weekday of a month, the fifth being the last; 0 is Sunday.
    case weekday(Int, week: Int, month: Int)
  }

  /// UTC itself.
  public static let utc = TimeZoneRule(name: "UTC", posix: "UTC0", standardSeconds: 0, summer: nil)

}

extension TimeZoneRule {
  /// Nil where the text is no such rule.
  public init?(name: String, posix: String) {
    var reader = RuleReader(bytes: Array(posix.utf8))
    guard reader.skipName(), let standard = reader.offset() else { return nil }
    guard !reader.isAtEnd else {
      self.init(name: name, posix: posix, standardSeconds: -standard, summer: nil)
      return
    }
    guard reader.skipName() else { return nil }
    var ahead = 3600 - standard
    if !reader.isAtEnd, !reader.isNext(",") {
      guard let offset = reader.offset() else { return nil }
      ahead = -offset
    }
    guard reader.skip(","), let begins = reader.change(), reader.skip(","), let ends = reader.change(),
      reader.isAtEnd
    else { return nil }
    let summer = Summer(seconds: ahead, begins: begins, ends: ends)
    self.init(name: name, posix: posix, standardSeconds: -standard, summer: summer)
  }

  /// Seconds by which local time is ahead of UTC at a time.
  public func secondsAhead(at time: UTCTime) -> Int {
    guard let summer else { return standardSeconds }
    let seconds = Int(time.microseconds.flooredDivision(by: 1_000_000))
    let year = CivilDate(daysSince1970: (seconds + standardSeconds).flooredDivision(by: 86_400)).year
    let begin = summer.begins.seconds(in: year) - standardSeconds
    let end = summer.ends.seconds(in: year) - summer.seconds
    let isSummer =
      begin < end ? begin <= seconds && seconds < end : !(end <= seconds && seconds < begin)
    return isSummer ? summer.seconds : standardSeconds
  }
}

extension TimeZoneRule: Codable {
  private enum CodingKeys: String, CodingKey { case name, posix }

  /// Decodes a name and a rule.
  /// - Throws: where the rule is none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let posix = try values.decode(String.self, forKey: .posix)
    guard let rule = TimeZoneRule(name: try values.decode(String.self, forKey: .name), posix: posix) else {
      throw DecodingError.dataCorruptedError(
        forKey: .posix, in: values, debugDescription: "\"\(posix)\" is no rule of a time zone")
    }
    self = rule
  }
}

extension TimeZoneRule.Change {
  /// Local seconds since 1970 in a year.
  fileprivate func seconds(in year: Int) -> Int { day.daysSince1970(in: year) * 86_400 + seconds }
}

extension TimeZoneRule.Day {
  fileprivate func daysSince1970(in year: Int) -> Int {
    let first = CivilDate.daysSince1970(year: year, month: 1, day: 1)
    switch self {
    case .withoutLeapDay(let day): return first + day - 1 + (CivilDate.isLeap(year) && day >= 60 ? 1 : 0)
    case .fromZero(let day): return first + day
    case .weekday(let weekday, let week, let month):
      let start = CivilDate.daysSince1970(year: year, month: month, day: 1)
      let wait = (weekday - Weekdays.index(ofDay: start) + 7) % 7
      let length = CivilDate.days(inMonth: month, of: year)
      // The fifth is the last, which in most months is the fourth.
      let day = wait + 7 * (week - 1)
      return start + (day < length ? day : day - 7)
    }
  }
}

/// Reads a rule from left to right.
private struct RuleReader {
  let bytes: [UInt8]
  private var place = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  func isNext(_ character: Unicode.Scalar) -> Bool {
    place < bytes.count && bytes[place] == UInt8(ascii: character)
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    place += 1
    return true
  }

  /// Three letters or more, or anything in angle brackets.
  mutating func skipName() -> Bool {
    if skip("<") {
      while !isAtEnd, !isNext(">") { place += 1 }
      return skip(">")
    }
    let start = place
    while !isAtEnd, Self.isLetter(bytes[place]) { place += 1 }
    return place - start >= 3
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & ~0x20)
  }

  mutating func number(in range: ClosedRange<Int>) -> Int? {
    var value = 0
    let start = place
    while !isAtEnd, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]), place - start < 4 {
      value = value * 10 + Int(bytes[place] - UInt8(ascii: "0"))
      place += 1
    }
    return place > start && range.contains(value) ? value : nil
  }

  /// `[+|-]hh[:mm[:ss]]`, in seconds; RFC 9636 allows 167 hours.
  mutating func offset() -> Int? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hours = number(in: 0...167) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] where skip(":") {
      guard let value = number(in: 0...59) else { return nil }
      seconds += value * unit
    }
    return isNegative ? -seconds : seconds
  }

  fileprivate mutating func change() -> TimeZoneRule.Change? {
    guard let day = day() else { return nil }
    // At two o'clock where nothing else is said.
    guard skip("/") else { return TimeZoneRule.Change(day: day, seconds: 7200) }
    return offset().map { TimeZoneRule.Change(day: day, seconds: $0) }
  }

  private mutating func day() -> TimeZoneRule.Day? {
    if skip("J") { return number(in: 1...365).map { .withoutLeapDay($0) } }
    guard skip("M") else { return number(in: 0...365).map { .fromZero($0) } }
    guard let month = number(in: 1...12), skip("."), let week = number(in: 1...5), skip("."),
      let weekday = number(in: 0...6)
    else { return nil }
    return .weekday(weekday, week: week, month: month)
  }
}
