package import LocationCore

/// Where the city lies that a time zone is named for.
package enum TimeZonePlace {
  /// The table of the time zone database; `zone.tab` is the one before it.
  private static let tables = ["/usr/share/zoneinfo/zone1970.tab", "/usr/share/zoneinfo/zone.tab"]

  /// The place of a zone such as `Europe/Berlin`; nil where the machine's tables do not have it.
  package static func place(of zone: String) -> Coordinate? {
    for table in tables {
      guard let bytes = try? FileBytes.read(path: table) else { continue }
      for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count >= 3, fields[2].elementsEqual(zone.utf8) else { continue }
        return place(String(decoding: fields[1], as: UTF8.self))
      }
    }
    return nil
  }

  /// `+5230+01322` or `+404251-0740023`: degrees, minutes and perhaps seconds north, then east (ISO 6709).
  static func place(_ text: String) -> Coordinate? {
    guard let sign = text.dropFirst().firstIndex(where: { $0 == "+" || $0 == "-" }),
      let latitude = degrees(text[..<sign], wholeDigits: 2),
      let longitude = degrees(text[sign...], wholeDigits: 3)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func degrees(_ text: Substring, wholeDigits: Int) -> Double? {
    var rest = text.dropFirst()
    var value = 0.0
    for (digits, part) in [(wholeDigits, 1.0), (2, 60), (2, 3600)] where !rest.isEmpty {
      guard let number = Int(rest.prefix(digits)) else { return nil }
      value += Double(number) / part
      rest = rest.dropFirst(digits)
    }
    return text.first == "-" ? -value : value
  }
}
