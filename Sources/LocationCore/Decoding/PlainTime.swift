/// Reads times of the layout that nearly all files have: `2026-05-01T06:00:00Z`, with or without a fraction.
///
/// It keeps the day last read, because the next time is most often of the same day. What it does not know,
/// such as offsets, leap seconds and midnight as 24:00:00, is left to ``UTCTime/init(rfc3339:)-(Span<UInt8>)``.
struct PlainTime {
  /// `YYYY-MM-` and `DD` as they were read; no text has zeros there.
  private var monthText: UInt64 = 0
  private var dayText: UInt16 = 0
  private var dayMicroseconds: Int64 = 0

  /// A time at a place.
  struct Reading {
    var time: UTCTime
    /// Its length, bytes; 0 where there is no plain time.
    var count: Int
  }

  /// The time that begins at a cursor.
  @inline(never)
  mutating func read(_ cursor: ScanCursor) -> Reading {
    let none = Reading(time: UTCTime(microseconds: 0), count: 0)
    let month = cursor.word
    let day = UInt16(truncatingIfNeeded: cursor.word(at: 8))
    if month != monthText || day != dayText {
      guard readDay(cursor) else { return none }
    }
    guard month != 0, cursor.word(at: 10) & 0xFF == UInt64(UInt8(ascii: "T")),
      var microseconds = Self.clock(cursor.word(at: 11))
    else { return none }
    var end = cursor
    end.skip(19)
    if end.take(".") {
      guard let fraction = Self.fraction(&end) else { return none }
      microseconds &+= fraction
    }
    guard end.take("Z") else { return none }
    return Reading(
      time: UTCTime(microseconds: dayMicroseconds &+ microseconds), count: end.distance(from: cursor))
  }

  /// Microseconds from midnight of `hh:mm:ss`.
  @inline(__always)
  private static func clock(_ word: UInt64) -> Int64? {
    // Colons become zeros, all else stays as it is.
    let digits = word ^ 0x0000_0A00_000A_0000
    guard word & 0x0000_FF00_00FF_0000 == 0x0000_3A00_003A_0000, ScanCursor.leadingDigits(digits) == 8 else {
      return nil
    }
    let hour = pair(digits)
    let minute = pair(digits >> 24)
    let second = pair(digits >> 48)
    guard hour <= 23, minute <= 59, second <= 59 else { return nil }
    return ((hour &* 60 &+ minute) &* 60 &+ second) &* 1_000_000
  }

  /// The number that the two lowest bytes make.
  @inline(__always)
  private static func pair(_ digits: UInt64) -> Int64 {
    let tens = Int64(digits & 0x0F)
    let ones = Int64((digits >> 8) & 0x0F)
    return tens &* 10 &+ ones
  }

  /// Microseconds of a fraction of a second, further digits cut off; nil where there is no digit.
  @inline(__always)
  private static func fraction(_ cursor: inout ScanCursor) -> Int64? {
    var weight: Int64 = 100_000
    var microseconds: Int64 = 0
    let start = cursor
    while let digit = cursor.byte.decimalDigit {
      microseconds &+= Int64(digit) &* weight
      weight /= 10
      cursor.skip(1)
    }
    return cursor.distance(from: start) > 0 ? microseconds : nil
  }

  /// Keeps the day that stands at the cursor; false where there is none.
  @inline(never)
  private mutating func readDay(_ cursor: ScanCursor) -> Bool {
    var reading = cursor
    guard let year = reading.takeDigits(4), reading.take("-"), let month = reading.takeDigits(2),
      reading.take("-"), let day = reading.takeDigits(2), year >= 1,
      let date = CivilDate(year: year, month: month, day: day)
    else { return false }
    monthText = cursor.word
    dayText = UInt16(truncatingIfNeeded: cursor.word(at: 8))
    dayMicroseconds = Int64(date.daysSince1970) * 86_400_000_000
    return true
  }
}

extension ScanCursor {
  /// Moves over exactly so many digits.
  fileprivate mutating func takeDigits(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = byte.decimalDigit else { return nil }
      value = value * 10 + digit
      skip(1)
    }
    return value
  }
}
