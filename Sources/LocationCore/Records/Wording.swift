/// How numbers and times are said to people.
package enum Wording {
  /// `48.13710, 11.57540`
  package static func place(_ coordinate: Coordinate) -> String {
    "\(number(coordinate.latitude, 5)), \(number(coordinate.longitude, 5))"
  }

  /// `±7 m`, marked where nobody measured it.
  package static func accuracy(_ accuracy: Accuracy) -> String {
    let meters = "±\(distance(accuracy.radiusMeters))"
    switch accuracy.source {
    case .reported: return meters
    case .hdop: return "\(meters) (from hdop)"
    case .assumed: return "\(meters) (assumed)"
    }
  }

  /// `512 m`, `12.3 km`
  package static func distance(_ meters: Double) -> String {
    let size = abs(meters)
    if size < 10 { return "\(number(meters, 1)) m" }
    return size < 10_000 ? "\(count(Int(meters.rounded()))) m" : "\(number(meters / 1000, 1)) km"
  }

  /// `1.4 m/s`, `17.2 m/s`
  package static func speed(_ metersPerSecond: Double) -> String { "\(number(metersPerSecond, 1)) m/s" }

  /// `12 s`, `5 min 3 s`, `2 h 5 min`, `3 d 4 h`
  package static func duration(_ seconds: Double) -> String {
    if seconds < 10 && seconds != seconds.rounded() { return "\(number(seconds, 1)) s" }
    let whole = Int(min(max(seconds.rounded(), 0), 1e15))
    func pair(_ big: Int, _ bigUnit: String, _ small: Int, _ smallUnit: String) -> String {
      small == 0 ? "\(big) \(bigUnit)" : "\(big) \(bigUnit) \(small) \(smallUnit)"
    }
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return pair(whole / 60, "min", whole % 60, "s") }
    if whole < 86_400 { return pair(whole / 3600, "h", whole % 3600 / 60, "min") }
    return pair(whole / 86_400, "d", whole % 86_400 / 3600, "h")
  }

  /// `0.42 J`, `313 J`, `24.7 kJ`
  package static func energy(_ joules: Double) -> String {
    if joules < 10 { return "\(number(joules, 2)) J" }
    return joules < 10_000 ? "\(number(joules, 0)) J" : "\(number(joules / 1000, 1)) kJ"
  }

  /// `3,600`
  package static func count(_ value: Int) -> String {
    var digits = Array(String(value))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return String(digits)
  }

  /// `1 wake`, `2 wakes`
  package static func count(_ value: Int, _ noun: String, plural: String? = nil) -> String {
    "\(count(value)) \(value == 1 ? noun : plural ?? noun + "s")"
  }

  /// A number with so many decimals.
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
