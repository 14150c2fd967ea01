import LocationCore
package import LocationFormats

/// Writes NMEA 0183: for each fix RMC and GGA, from which gpsd 3.22 makes one report with `eph` = HDOP x 19.
///
/// Sentences as in the u-blox 8 receiver description (UBX-13003221), NMEA version 4.1. The elevation is 0
/// where the scenario gives none, since a fix without one counts as two-dimensional.
package enum NMEAText {
  /// The years that a date of two digits can name: no receiver is older than 1980.
  private static let dates =
    UTCTime(microseconds: 315_532_800_000_000)..<UTCTime(microseconds: 3_471_292_800_000_000)

  /// Refuses a track whose dates would be read as those of another century.
  ///
  /// - Throws: `.data`.
  package static func refuseUndated(_ scenario: SynthScenario, file: String) throws(Failure) {
    let end = scenario.start.advanced(bySeconds: SynthMotion(scenario).seconds)
    guard dates.contains(scenario.start), dates.contains(end) else {
      throw Failure(
        .data, file: file, what: "NMEA 0183 names the years 1980 to 2079 only",
        remedy: "begin in these years, or write .gpx or .ndjson")
    }
  }

  static func append(_ fix: SynthFix, fields: Set<SynthScenario.Field>, to text: inout [UInt8]) {
    let clock = Clock(fix.time)
    NMEASentence.append(to: &text) { body in
      body.append(text: "GPRMC,")
      body += clock.time
      body.append(text: ",A,")
      appendPosition(fix.coordinate, to: &body)
      body.append(text: ",")
      if fields.contains(.speed) {
        FixedPoint.append(fix.speedMetersPerSecond / MeasureUnits.knotMetersPerSecond, decimals: 3, to: &body)
      }
      body.append(text: ",")
      if fields.contains(.course), let course = fix.courseDegrees {
        FixedPoint.append(course.tenthsOfDegrees, decimals: 1, to: &body)
      }
      body.append(text: ",")
      body += clock.date
      body.append(text: ",,,A")
    }
    NMEASentence.append(to: &text) { body in
      body.append(text: "GPGGA,")
      body += clock.time
      body.append(text: ",")
      appendPosition(fix.coordinate, to: &body)
      body.append(text: ",1,08,")
      if fields.contains(.hdop) { FixedPoint.append(fix.hdop, decimals: 2, to: &body) }
      body.append(text: ",")
      FixedPoint.append(fix.elevationMeters ?? 0, decimals: 1, to: &body)
      body.append(text: ",M,0.0,M,,")
    }
  }

  /// `ddmm.mmmmmm,N,dddmm.mmmmmm,E`; a millionth of a minute is finer than the 1e-7 degrees of a fix.
  private static func appendPosition(_ coordinate: Coordinate, to body: inout [UInt8]) {
    appendAngle(coordinate.latitude, wholeDigits: 4, positive: ",N", negative: ",S", to: &body)
    body.append(text: ",")
    appendAngle(coordinate.longitude, wholeDigits: 5, positive: ",E", negative: ",W", to: &body)
  }

  private static func appendAngle(
    _ degrees: Double, wholeDigits: Int, positive: String, negative: String, to body: inout [UInt8]
  ) {
    let units = Int64((abs(degrees) * 1e7).rounded())
    let (whole, rest) = units.quotientAndRemainder(dividingBy: 10_000_000)
    // 1e-7 degrees are 6 millionths of a minute.
    FixedPoint.append(whole * 100_000_000 + rest * 6, decimals: 6, minimumWholeDigits: wholeDigits, to: &body)
    body.append(text: degrees < 0 ? negative : positive)
  }

  /// The time and the date of a fix as NMEA has them: `hhmmss.sss`, `ddmmyy`.
  private struct Clock {
    private(set) var time: [UInt8] = []
    private(set) var date: [UInt8] = []

    init(_ fixTime: UTCTime) {
      var text: [UInt8] = []
      fixTime.appendRFC3339(to: &text)
      for range in [11...12, 14...15, 17...22] { time += text[range] }
      for range in [8...9, 5...6, 2...3] { date += text[range] }
    }
  }
}
