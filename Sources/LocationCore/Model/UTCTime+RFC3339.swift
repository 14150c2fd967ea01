extension UTCTime {
  /// From the text of an RFC 3339 time or an `xsd:dateTime`, read as UTC; nil where it is neither.
  ///
  /// Surrounding white space is allowed, as XML Schema has it. A fraction of any length is cut to
  /// microseconds. A missing zone means UTC, because GPX says that all its times are UTC. `24:00:00` is the
  /// next midnight, and the leap second `23:59:60` is the second after it. Years run from 1 to 9999,
  /// offsets from -14:00 to +14:00 (XML Schema part 2, 3.2.7).
  ///
  /// Three spellings beyond both standards have only one meaning and are read: `t` and `z` in lower case,
  /// one space instead of `T`, and an offset as `+0200` or `+02`.
  public init?(rfc3339 text: Span<UInt8>) {
    let body = text.rangeWithinXMLSpace
    var cursor = TimeCursor(index: body.lowerBound, end: body.upperBound)
    guard let day = cursor.date(in: text), cursor.separator(in: text),
      let clock = cursor.clock(in: text), let offsetMinutes = cursor.zone(in: text), cursor.isAtEnd
    else { return nil }
    let minuteOfUTC = clock.hour * 60 + clock.minute - offsetMinutes
    if clock.second == 60 {
      // A leap second stands at the end of a day of UTC, never elsewhere.
      guard (minuteOfUTC + 1) % (24 * 60) == 0 else { return nil }
    }
    let seconds = day * 86_400 + minuteOfUTC * 60 + clock.second
    guard Self.printableSeconds.contains(seconds) else { return nil }
    self.init(microseconds: Int64(seconds) * 1_000_000 + Int64(clock.microseconds))
  }

  /// From the text of an RFC 3339 time or an `xsd:dateTime`, read as UTC; nil where it is neither.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    self.init(rfc3339: bytes.span)
  }

  /// `YYYY-MM-DDThh:mm:ss.mmmZ`, rounded down to the millisecond.
  ///
  /// A year before 0000 has a minus, one after 9999 has more than four digits.
  public var rfc3339: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.rfc3339ByteCount)
    appendRFC3339(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The length of ``rfc3339`` for the years 0 to 9999.
  public static let rfc3339ByteCount = 24

  /// Appends ``rfc3339`` and allocates nothing where the buffer has room for it.
  public func appendRFC3339(to bytes: inout [UInt8]) {
    let milliseconds = microseconds.flooredDivision(by: 1000)
    let days = milliseconds.flooredDivision(by: 86_400_000)
    let rest = Int(milliseconds - days * 86_400_000)
    let date = CivilDate(daysSince1970: Int(days))
    if date.year < 0 { bytes.append(UInt8(ascii: "-")) }
    FixedPoint.append(UInt64(abs(date.year)), minimumDigits: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    FixedPoint.append(UInt64(date.month), minimumDigits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    FixedPoint.append(UInt64(date.day), minimumDigits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    FixedPoint.append(UInt64(rest / 3_600_000), minimumDigits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    FixedPoint.append(UInt64(rest / 60_000 % 60), minimumDigits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    FixedPoint.append(UInt64(rest / 1000 % 60), minimumDigits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    FixedPoint.append(UInt64(rest % 1000), minimumDigits: 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Whole seconds since 1970 of the years 1 to 9999, which is what RFC 3339 and GPX can name.
  static let printableSeconds = -62_135_596_800..<253_402_300_800
}

/// A day of the proleptic Gregorian calendar.
struct CivilDate {
  var year: Int
  var month: Int
  var day: Int

  /// Fails where the calendar has no such day.
  init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Years are counted from 1 March, so that the leap day is the last of its year; eras have 146,097 days
  /// (Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`).
  init(daysSince1970 days: Int) {
    let shifted = days + 719_468
    let era = shifted.flooredDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  var daysSince1970: Int { Self.daysSince1970(year: year, month: month, day: day) }

  /// Days since 1970-01-01 of a day that the calendar has (the same source, `days_from_civil`).
  static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = yearFromMarch.flooredDivision(by: 400)
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func days(inMonth month: Int, of year: Int) -> Int {
    if month == 2 { return isLeap(year) ? 29 : 28 }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
  }

  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

/// A place in the text of a time, moved on by each part that is read.
private struct TimeCursor {
  var index: Int
  let end: Int

  var isAtEnd: Bool { index == end }

  /// `YYYY-MM-DD`, as days since 1970.
  mutating func date(in text: Span<UInt8>) -> Int? {
    guard let century = digits2(in: text), let yearOfCentury = digits2(in: text),
      skip(UInt8(ascii: "-"), in: text), let month = digits2(in: text),
      skip(UInt8(ascii: "-"), in: text), let day = digits2(in: text)
    else { return nil }
    let year = century * 100 + yearOfCentury
    // XML Schema 1.0 has no year 0000.
    guard year >= 1 else { return nil }
    return CivilDate(year: year, month: month, day: day)?.daysSince1970
  }

  mutating func separator(in text: Span<UInt8>) -> Bool {
    skip(UInt8(ascii: "T"), in: text) || skip(UInt8(ascii: "t"), in: text)
      || skip(UInt8(ascii: " "), in: text)
  }

  /// `hh:mm:ss` with an optional fraction.
  mutating func clock(
    in text: Span<UInt8>
  ) -> (hour: Int, minute: Int, second: Int, microseconds: Int)? {
    guard let hour = digits2(in: text), skip(UInt8(ascii: ":"), in: text),
      let minute = digits2(in: text), skip(UInt8(ascii: ":"), in: text),
      let second = digits2(in: text), hour <= 24, minute <= 59, second <= 60
    else { return nil }
    var microseconds = 0
    var isWhole = true
    if skip(UInt8(ascii: "."), in: text) {
      var weight = 100_000
      let first = index
      while index < end, let digit = text[index].decimalDigit {
        microseconds += digit * weight
        weight /= 10
        if digit != 0 { isWhole = false }
        index += 1
      }
      guard index > first else { return nil }
    }
    if hour == 24 {
      guard minute == 0, second == 0, isWhole else { return nil }
    }
    return (hour, minute, second, microseconds)
  }

  /// `Z`, an offset or nothing, as minutes east.
  mutating func zone(in text: Span<UInt8>) -> Int? {
    if isAtEnd || skip(UInt8(ascii: "Z"), in: text) || skip(UInt8(ascii: "z"), in: text) { return 0 }
    let isWest = skip(UInt8(ascii: "-"), in: text)
    guard isWest || skip(UInt8(ascii: "+"), in: text), let hours = digits2(in: text) else { return nil }
    var minutes = 0
    if !isAtEnd {
      _ = skip(UInt8(ascii: ":"), in: text)
      guard let read = digits2(in: text) else { return nil }
      minutes = read
    }
    guard minutes <= 59, hours * 60 + minutes <= 14 * 60 else { return nil }
    return isWest ? -(hours * 60 + minutes) : hours * 60 + minutes
  }

  private mutating func digits2(in text: Span<UInt8>) -> Int? {
    guard end - index >= 2, let tens = text[index].decimalDigit, let ones = text[index + 1].decimalDigit
    else { return nil }
    index += 2
    return tens * 10 + ones
  }

  private mutating func skip(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
    guard index < end, text[index] == byte else { return false }
    index += 1
    return true
  }
}

extension BinaryInteger {
  /// The quotient rounded towards minus infinity; `divisor` is positive.
  func flooredDivision(by divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
