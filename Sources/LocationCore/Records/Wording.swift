/// How numbers and times are said to people.
package enum Wording {
  /// `48.13710, 11.57540`
  package static func place(_ coordinate: Coordinate) -> String {
    "\(number(coordinate.latitude, 5)), \(number(coordinate.longitude, 5))"
  }

  /// `12 s`, `5 min 3 s`, `2 h 5 min`, `3 d 4 h`
  package static func duration(_ seconds: Double) -> String {
    if seconds < 10 && seconds != seconds.rounded() { return "\(number(seconds, 1)) s" }
    let whole = Int(min(max(seconds.rounded(), 0), 1e15))
    func pair(_ big: Int, _ bigUnit: String, _ small: Int, _ smallUnit: String) -> String {
      small == 0 ? "\(count(big)) \(bigUnit)" : "\(count(big)) \(bigUnit) \(small) \(smallUnit)"
    }
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return pair(whole / 60, "min", whole % 60, "s") }
    if whole < 86_400 { return pair(whole / 3600, "h", whole % 3600 / 60, "min") }
    return pair(whole / 86_400, "d", whole % 86_400 / 3600, "h")
  }

  /// `0.42 J`, `313 J`, `24.7 kJ`
  package static func energy(_ joules: Double) -> String {
    if joules < 10 { return "\(figure(joules, 2)) J" }
    if joules < 10_000 { return "\(figure(joules, 0)) J" }
    return joules < 1e7 ? "\(figure(joules / 1e3, 1)) kJ" : "\(figure(joules / 1e6, 1)) MJ"
  }

  /// The same in watt hours: `87 mWh`, `6.9 Wh`.
  package static func wattHours(_ joules: Double) -> String {
    let hours = joules / 3600
    if hours < 0.1 { return "\(figure(1000 * hours, hours < 0.01 ? 1 : 0)) mWh" }
    return "\(figure(hours, hours < 10 ? 2 : 1)) Wh"
  }

  /// `90 % interval 96 J to 175 J`
  package static func interval(_ lowJoules: Double, _ highJoules: Double) -> String {
    "90 % interval \(energy(lowJoules)) to \(energy(highJoules))"
  }

  /// `3,600`
  package static func count(_ value: Int) -> String { grouped(String(value)) }

  /// Digits with a separator between each three.
  private static func grouped(_ digits: String) -> String {
    var characters = Array(digits)
    let first = characters.first == "-" ? 1 : 0
    var place = characters.count - 3
    while place > first {
      characters.insert(",", at: place)
      place -= 3
    }
    return String(characters)
  }

  /// A number with so many decimals, for people: `12,345.6`
  package static func figure(_ value: Double, _ decimals: Int) -> String {
    let parts = number(value, decimals).split(separator: ".", maxSplits: 1)
    guard let whole = parts.first else { return "" }
    return grouped(String(whole)) + (parts.count > 1 ? "." + parts[1] : "")
  }

  /// A share as `0.4 %`, `5.2 %`, `95 %`.
  package static func percent(_ share: Double) -> String {
    let percent = 100 * share
    return "\(figure(percent, percent < 9.95 ? 1 : 0)) %"
  }

  /// `1 wake`, `2 wakes`
  package static func count(_ value: Int, _ noun: String, plural: String? = nil) -> String {
    "\(count(value)) \(value == 1 ? noun : plural ?? noun + "s")"
  }

  /// A number with so many decimals, for programs.
  package static func number(_ value: Double, _ decimals: Int) -> String {
    var bytes: [UInt8] = []
    FixedPoint.append(value, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The time of day in UTC: `06:12:05`
  package static func clock(_ time: UTCTime) -> Substring { time.rfc3339.dropFirst(11).prefix(8) }
}

extension String {
  /// Followed by spaces up to so many characters.
  package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
