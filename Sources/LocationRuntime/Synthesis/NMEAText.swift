import LocationCore

/// Writes NMEA 0183: for each fix RMC and GGA, from which gpsd 3.22 makes one report with `eph` = HDOP x 19.
///
/// Sentences as in the u-blox 8 receiver description (UBX-13003221), NMEA version 4.1. The elevation is 0
/// where the scenario gives none, since a fix without one counts as two-dimensional.
enum NMEAText {
  static func append(_ fix: SynthFix, fields: Set<SynthScenario.Field>, to text: inout [UInt8]) {
    let clock = Clock(fix.time)
    appendSentence(to: &text) { body in
      body.append(text: "GPRMC,\(clock.time),A,")
      appendPosition(fix.coordinate, to: &body)
      body.append(text: ",")
      if fields.contains(.speed) {
        body.append(fix.speedMetersPerSecond / metersPerSecondInKnot, decimals: 3)
      }
      body.append(text: ",")
      if fields.contains(.course), let course = fix.courseDegrees {
        body.append(scaled: course.tenthsOfDegrees, decimals: 1)
      }
      body.append(text: ",\(clock.date),,,A")
    }
    appendSentence(to: &text) { body in
      body.append(text: "GPGGA,\(clock.time),")
      appendPosition(fix.coordinate, to: &body)
      body.append(text: ",1,08,")
      if fields.contains(.hdop) { body.append(fix.hdop, decimals: 2) }
      body.append(text: ",")
      body.append(fix.elevationMeters ?? 0, decimals: 1)
      body.append(text: ",M,0.0,M,,")
    }
  }

  /// `$`, the body, its checksum and the end of the line.
  private static func appendSentence(to text: inout [UInt8], _ fill: (inout [UInt8]) -> Void) {
    var body: [UInt8] = []
    fill(&body)
    let checksum = body.reduce(UInt8(0), ^)
    text.append(UInt8(ascii: "$"))
    text += body
    text.append(UInt8(ascii: "*"))
    text.append(hexDigit(checksum >> 4))
    text.append(hexDigit(checksum & 15))
    text.append(text: "\r\n")
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// `ddmm.mmmmmm,N,dddmm.mmmmmm,E`; a millionth of a minute is finer than the 1e-7 degrees of a fix.
  private static func appendPosition(_ coordinate: Coordinate, to body: inout [UInt8]) {
    appendAngle(coordinate.latitude, wholeDigits: 4, positive: "N", negative: "S", to: &body)
    body.append(text: ",")
    appendAngle(coordinate.longitude, wholeDigits: 5, positive: "E", negative: "W", to: &body)
  }

  private static func appendAngle(
    _ degrees: Double, wholeDigits: Int, positive: String, negative: String, to body: inout [UInt8]
  ) {
    let units = Int64((abs(degrees) * 1e7).rounded())
    let (whole, rest) = units.quotientAndRemainder(dividingBy: 10_000_000)
    // 1e-7 degrees are 6 millionths of a minute.
    body.append(scaled: whole * 100_000_000 + rest * 6, decimals: 6, minimumWholeDigits: wholeDigits)
    body.append(text: ",\(degrees < 0 ? negative : positive)")
  }

  private static let metersPerSecondInKnot = 1852.0 / 3600

  /// The time and the date of a fix as NMEA has them: `hhmmss.ss`, `ddmmyy`.
  private struct Clock {
    let time: String
    let date: String

    init(_ time: UTCTime) {
      let text = Array(time.rfc3339)
      self.time = String(text[11...12] + text[14...15] + text[17...18] + text[19...22])
      date = String(text[8...9] + text[5...6] + text[2...3])
    }
  }
}
