package import LocationCore

/// A fix as an NMEA 0183 sentence, for GeoClue (geoclue 2.6.0, `src/gclue-location.c`).
package enum NMEAFix {
  /// A GGA sentence with its end; nil where none can say how inaccurate the fix is.
  ///
  /// It has no accuracy but the HDOP, which GeoClue turns into metres by steps. The one that is given here claims no
  /// more than the fix does.
  ///
  /// - Parameter altitudeMeters: as its report has it; nil where it has none.
  package static func gga(_ fix: Fix, altitudeMeters: Double? = nil) -> String? {
    guard let hdop = hdop(fix.accuracy.radiusMeters) else { return nil }
    let clock = fix.time.rfc3339.utf8
    func digits(_ first: Int, _ count: Int) -> String {
      String(decoding: clock.dropFirst(first).prefix(count), as: UTF8.self)
    }
    let time = digits(11, 2) + digits(14, 2) + digits(17, 5)
    let latitude = angle(fix.coordinate.latitude, digits: 2, "N", "S")
    let longitude = angle(fix.coordinate.longitude, digits: 3, "E", "W")
    let altitude = altitudeMeters.map { Wording.number($0, 1) } ?? ""
    return sealed("GPGGA,\(time),\(latitude),\(longitude),1,08,\(hdop),\(altitude),M,,M,,")
  }

  /// Degrees and minutes, and the hemisphere.
  private static func angle(_ degrees: Double, digits: Int, _ plus: String, _ minus: String) -> String {
    // Whole 100,000ths of a minute: 2 cm.
    let all = Int((abs(degrees) * 6_000_000).rounded())
    let (whole, minutes) = (all / 6_000_000, all % 6_000_000)
    return padded(whole, digits) + padded(minutes / 100_000, 2) + "." + padded(minutes % 100_000, 5) + ","
      + (degrees < 0 ? minus : plus)
  }

  private static func padded(_ number: Int, _ digits: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// GeoClue takes an HDOP up to 1 for 0 m, to 2 for 1 m, to 5 for 3 m, to 10 for 50 m, to 20 for 100 m, above for 300 m.
  private static func hdop(_ meters: Double) -> String? {
    switch meters {
    case ...1: "2.0"
    case ...3: "5.0"
    case ...50: "10.0"
    case ...100: "20.0"
    case ...300: "50.0"
    default: nil
    }
  }

  /// The sentence with its mark, its checksum and its end.
  private static func sealed(_ body: String) -> String {
    var text: [UInt8] = []
    NMEASentence.append(to: &text) { $0 += body.utf8 }
    return String(decoding: text, as: UTF8.self)
  }
}
