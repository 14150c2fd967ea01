/// Reads NDJSON lines of the minimal form or OwnTracks's where they are written plainly, many times faster than
/// ``FixLine``.
///
/// Plain is an object of `time` with an RFC 3339 time, `lat`, `lon`, `acc_m`, `speed_mps`, `course_deg` and
/// `alt_m` with decimals, or of OwnTracks's members, and of others that say nothing of a position and hold a decimal or
/// text without escapes. They stand in any order, with at most one space after a colon or a comma and none elsewhere, and
/// a line feed, perhaps after a carriage return. At the first other line it stops in front of it.
package struct FixLineScanner {
  /// Where the scanner stopped.
  package struct Stop {
    /// The first byte of the piece that was not taken.
    package var offset: Int
    /// Lines that were taken.
    package var lines: Int
  }

  /// Longer lines are rare; the general reader takes them, or refuses them by its own bound.
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
  ///   - beginning: how every line begins that is taken: with a brace, and perhaps whole members and a comma.
  ///   - items: gets one fix a line.
  package mutating func takeLines(
    of piece: borrowing ScanPiece, from offset: Int, beginning: [UInt8] = Self.brace,
    into items: inout [TrackItem]
  ) -> Stop {
    let stop = piece.withCursor(at: offset) { start in
      var cursor = start
      var stop = Stop(offset: offset, lines: 0)
      while cursor.take(beginning), let report = members(&cursor) {
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

  /// How any object begins.
  package static let brace = [UInt8(ascii: "{")]

  /// What only OwnTracks's lines say: it counts where they say that they are its.
  private struct OwnTracks {
    var isIt = false
    /// The time, whoever's member told it last.
    var time: UTCTime?
    var accuracyMeters: Double?
    var speedKilometersPerHour: Double?
    var courseDegrees: Double?
    var altitudeMeters: Double?
  }

  /// The members of a line, with its end.
  ///
  /// Each is a variable of its own until the end, and what the rare members need is a copy: so all stay in registers.
  @inline(__always)
  private mutating func members(_ cursor: inout ScanCursor) -> FixReport? {
    var time: UTCTime?
    var latitude = Double.nan
    var longitude = Double.nan
    var accuracyMeters: Double?
    var speed: Double?
    var course: Double?
    var altitude: Double?
    var ownTracks: OwnTracks?
    repeat {
      _ = cursor.take(" ")
      if cursor.take("\"lat\":") {
        guard let number = number(&cursor) else { return nil }
        latitude = number
      } else if cursor.take("\"lon\":") {
        guard let number = number(&cursor) else { return nil }
        longitude = number
      } else if cursor.take("\"time\":") {
        guard let instant = self.time(&cursor) else { return nil }
        time = instant
      } else if cursor.take("\"acc_m\":") {
        guard let number = number(&cursor) else { return nil }
        accuracyMeters = number
      } else if cursor.take("\"speed_mps\":") {
        guard let number = number(&cursor) else { return nil }
        speed = FixReport.speed(number)
      } else if cursor.take("\"course_deg\":") {
        guard let number = number(&cursor) else { return nil }
        course = FixReport.course(number)
      } else if cursor.take("\"alt_m\":") {
        guard let number = number(&cursor) else { return nil }
        altitude = number
      } else {
        var other = cursor
        var told = ownTracks ?? OwnTracks()
        told.time = time
        guard member(&other, &told) else { return nil }
        cursor = other
        time = told.time
        ownTracks = told
      }
    } while cursor.take(",")
    guard cursor.take("}\n") || cursor.take("}\r\n"), !latitude.isNaN || !longitude.isNaN else { return nil }
    if let ownTracks, ownTracks.isIt {
      accuracyMeters = ownTracks.accuracyMeters
      speed = ownTracks.speedKilometersPerHour.flatMap { FixReport.speed($0 / 3.6) }
      course = ownTracks.courseDegrees.flatMap { FixReport.course($0) }
      altitude = ownTracks.altitudeMeters
    }
    return FixReport(
      time: time, latitude: latitude, longitude: longitude,
      accuracy: Accuracy(
        metersAt68Percent: accuracyMeters ?? ownTracks?.accuracyMeters, hdop: nil,
        assumedMeters: assumeAccuracyMeters, mode: .unknown),
      speedMetersPerSecond: speed, courseDegrees: course, altitudeMeters: altitude)
  }

  /// A member of OwnTracks's, or one that says nothing of a position. Lines of the minimal form have none.
  @inline(never)
  private func member(_ cursor: inout ScanCursor, _ ownTracks: inout OwnTracks) -> Bool {
    if cursor.take("\"acc\":") {
      ownTracks.accuracyMeters = number(&cursor)
      return ownTracks.accuracyMeters != nil
    } else if cursor.take("\"vel\":") {
      ownTracks.speedKilometersPerHour = number(&cursor)
      return ownTracks.speedKilometersPerHour != nil
    } else if cursor.take("\"tst\":") {
      guard let number = number(&cursor) else { return false }
      ownTracks.time = UTCTime(epochNumber: number)
    } else if cursor.take("\"_type\":\"location\"") {
      ownTracks.isIt = true
    } else if cursor.take("\"cog\":") {
      ownTracks.courseDegrees = number(&cursor)
      return ownTracks.courseDegrees != nil
    } else if cursor.take("\"alt\":") {
      ownTracks.altitudeMeters = number(&cursor)
      return ownTracks.altitudeMeters != nil
    } else {
      return skipOther(&cursor)
    }
    return true
  }

  /// Moves over a member that says nothing of a position. False for those that do, and are rare.
  @inline(__always)
  private func skipOther(_ cursor: inout ScanCursor) -> Bool {
    guard
      !cursor.has("\"_type\""), !cursor.has("\"ts\""), !cursor.has("\"timestamp\""), !cursor.has("\"lng\""),
      !cursor.has("\"mode\""), !cursor.has("\"provider\""), !cursor.has("\"class\""),
      !cursor.has("\"device\""), !cursor.has("\"latitude\""), !cursor.has("\"longitude\""),
      !cursor.has("\"accuracy\""),
      skipText(&cursor), cursor.take(":")
    else { return false }
    _ = cursor.take(" ")
    return cursor.byte == UInt8(ascii: "\"") ? skipText(&cursor) : number(&cursor) != nil
  }

  /// Moves over text in quotes; false where it has an escape or no end.
  @inline(__always)
  private func skipText(_ cursor: inout ScanCursor) -> Bool {
    guard cursor.take("\"") else { return false }
    while cursor.byte >= 0x20, cursor.byte != UInt8(ascii: "\\") {
      if cursor.take("\"") { return true }
      cursor.skip(1)
    }
    return false
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
