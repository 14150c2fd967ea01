/// Reads NDJSON lines of the minimal form where they are written plainly, many times faster than ``FixLine``.
///
/// Plain is an object of `time` with an RFC 3339 time, `lat`, `lon`, `acc_m`, `speed_mps`, `course_deg` and
/// `alt_m` with decimals, in any order, with at most one space after a colon or a comma and none elsewhere, and
/// a line feed, perhaps after a carriage return. At the first other line it stops in front of it.
package struct FixLineScanner {
  /// Where the scanner stopped.
  package struct Stop {
    /// The first byte of the piece that was not taken.
    package var offset: Int
    /// Lines that were taken.
    package var lines: Int
  }

  /// Longer lines repeat a member or have very many digits.
  private static let maximumLineBytes = 1024

  private let assumeAccuracyMeters: Double?
  private var times = PlainTime()

  /// - Parameter assumeAccuracyMeters: the 68 % radius of a fix that does not tell its own; nil for a typical
  ///   one.
  package init(assumeAccuracyMeters: Double?) { self.assumeAccuracyMeters = assumeAccuracyMeters }

  /// Takes the lines that come next.
  ///
  /// - Parameters:
  ///   - offset: where a line begins.
  ///   - items: gets one fix a line.
  package mutating func takeLines(
    of piece: borrowing ScanPiece, from offset: Int, into items: inout [TrackItem]
  ) -> Stop {
    let stop = piece.withCursor(at: offset) { start in
      var cursor = start
      var stop = Stop(offset: offset, lines: 0)
      while let report = line(&cursor) {
        let end = offset + cursor.distance(from: start)
        guard end - stop.offset <= Self.maximumLineBytes else { break }
        items.append(.fix(report))
        stop.offset = end
        stop.lines += 1
      }
      return stop
    }
    return stop ?? Stop(offset: offset, lines: 0)
  }

  /// One line with its end.
  @inline(__always)
  private mutating func line(_ cursor: inout ScanCursor) -> FixReport? {
    var report = FixReport(
      time: nil, latitude: .nan, longitude: .nan, accuracy: Accuracy(radiusMeters: 0, source: .assumed))
    var accuracyMeters: Double?
    guard cursor.take("{") else { return nil }
    repeat {
      _ = cursor.take(" ")
      if cursor.take("\"lat\":") {
        guard let number = number(&cursor) else { return nil }
        report.latitude = number
      } else if cursor.take("\"lon\":") {
        guard let number = number(&cursor) else { return nil }
        report.longitude = number
      } else if cursor.take("\"time\":") {
        guard let time = time(&cursor) else { return nil }
        report.time = time
      } else if cursor.take("\"acc_m\":") {
        guard let number = number(&cursor) else { return nil }
        accuracyMeters = number
      } else if cursor.take("\"speed_mps\":") {
        guard let number = number(&cursor) else { return nil }
        report.speedMetersPerSecond = FixReport.speed(number)
      } else if cursor.take("\"course_deg\":") {
        guard let number = number(&cursor) else { return nil }
        report.courseDegrees = FixReport.course(number)
      } else if cursor.take("\"alt_m\":") {
        guard let number = number(&cursor) else { return nil }
        report.altitudeMeters = number
      } else {
        return nil
      }
    } while cursor.take(",")
    guard cursor.take("}\n") || cursor.take("}\r\n"), !report.latitude.isNaN || !report.longitude.isNaN else {
      return nil
    }
    report.accuracy = Accuracy(
      metersAt68Percent: accuracyMeters, hdop: nil, assumedMeters: assumeAccuracyMeters, mode: .unknown)
    return report
  }

  /// A JSON number (RFC 8259, section 6) without an exponent.
  @inline(__always)
  private func number(_ cursor: inout ScanCursor) -> Double? {
    _ = cursor.take(" ")
    var first = cursor
    _ = first.take("-")
    // No leading zero but the single one.
    guard first.byte != UInt8(ascii: "0") || first.nextByte.decimalDigit == nil else { return nil }
    let number = cursor.decimal()
    cursor.skip(number.count)
    return number.count > 0 ? number.value : nil
  }

  @inline(__always)
  private mutating func time(_ cursor: inout ScanCursor) -> UTCTime? {
    _ = cursor.take(" ")
    guard cursor.take("\"") else { return nil }
    let reading = times.read(cursor)
    cursor.skip(reading.count)
    return reading.count > 0 && cursor.take("\"") ? reading.time : nil
  }
}
