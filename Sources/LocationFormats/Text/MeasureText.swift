package import LocationCore

/// Durations, distances, hours and days as people write them on a command line and in a manifest.
package enum MeasureText {
  /// `90s`, `10m`, `1h30m`, `2d`, or seconds without a unit; in seconds.
  ///
  /// - Throws: `.usage`, with the forms or the range.
  package static func seconds(_ text: String) throws(Failure) -> Double {
    guard let seconds = sum(of: text, units: ["s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400]) else {
      throw Failure(.usage, what: "\"\(text)\" is no duration", remedy: "write 90s, 10m, 1h30m or 2d")
    }
    guard seconds <= 1e9 else {
      throw Failure(.usage, what: "\"\(text)\" is too long", remedy: "write at most 1,000,000,000 s")
    }
    return seconds
  }

  /// `100m`, `1.5km`, or metres without a unit; in metres.
  ///
  /// - Throws: `.usage`, with the forms or the range.
  package static func meters(_ text: String) throws(Failure) -> Double {
    let units = [
      "m": 1, "km": 1000, "ft": MeasureUnits.footMeters, "mi": MeasureUnits.mileMeters,
      "nmi": MeasureUnits.nauticalMileMeters,
    ]
    guard let meters = sum(of: text, units: units) else {
      throw Failure(.usage, what: "\"\(text)\" is no distance", remedy: "write 100m, 1.5km or 300ft")
    }
    guard meters > 0, meters <= 1e7 else {
      throw Failure(
        .usage, what: "\"\(text)\" is out of range", remedy: "write a distance above 0, at most 10,000 km")
    }
    return meters
  }

  /// Numbers, each followed by its unit; one number alone has the first unit of size 1. Nil where it is neither.
  private static func sum(of text: String, units: [String: Double]) -> Double? {
    var rest = Substring(text.filter { $0 != " " }.lowercased())
    guard !rest.isEmpty else { return nil }
    if let plain = number(rest) { return plain }
    var sum = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(letters.count)
      guard let value = number(digits), let unit = units[String(letters)] else { return nil }
      sum += value * unit
    }
    return sum
  }

  private static func number(_ text: Substring) -> Double? {
    Double(xsdDecimal: Array(text.utf8).span).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// `22:00-06:00`: a part of each day.
  ///
  /// - Throws: `.usage`, with the form.
  package static func hours(_ text: String) throws(Failure) -> DayHours {
    let parts = text.filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = minute(parts[0]), let to = minute(parts[1]), from != to,
      from % 1440 != to
    else {
      throw Failure(
        .usage, what: "\"\(text)\" is no span of hours", remedy: "write 22:00-06:00, the end excluded")
    }
    // A day that begins at 24:00 is the next one.
    return DayHours(from: from % 1440, to: to % 1440)
  }

  /// `6`, `06:30`, `24:00`, in minutes.
  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let hour = Int(parts[0]), (0...24).contains(hour) else { return nil }
    guard parts.count == 2 else { return hour * 60 }
    guard parts[1].count == 2, let minute = Int(parts[1]), (0...59).contains(minute), hour < 24 || minute == 0
    else { return nil }
    return hour * 60 + minute
  }

  /// `22:00-06:00`
  package static func text(_ hours: DayHours) -> String {
    "\(clock(hours.from))-\(clock(hours.to == 0 ? 24 * 60 : hours.to))"
  }

  private static func clock(_ minute: Int) -> String {
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }

  /// `mon-fri`, `sat,sun`, `fri-mon`: days of the week.
  ///
  /// - Throws: `.usage`, with the forms.
  package static func days(_ text: String) throws(Failure) -> Weekdays {
    var days: Weekdays = []
    for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { day(String($0)) }
      guard ends.count == 1 || ends.count == 2, let first = ends[0], let last = ends[ends.count - 1] else {
        throw Failure(
          .usage, what: "\"\(text)\" names no days of the week",
          remedy: "write mon-fri or sat,sun: \(Weekdays.names.joined(separator: ", "))")
      }
      var index = first
      days.insert(Weekdays(index: index))
      while index != last {
        index = (index + 1) % 7
        days.insert(Weekdays(index: index))
      }
    }
    return days
  }

  /// `mon` or `monday`, by its place in the week.
  private static func day(_ text: String) -> Int? {
    let name = text.filter { $0 != " " }
    return Weekdays.names.firstIndex { name.hasPrefix($0) && (name.count == 3 || name.hasSuffix("day")) }
  }

  /// `mon, tue, wed`: the days in the order of a week that begins with Monday.
  package static func text(_ days: Weekdays) -> String {
    (1...7).map { $0 % 7 }.filter { days.contains(Weekdays(index: $0)) }.map { Weekdays.names[$0] }
      .joined(separator: ",")
  }
}
