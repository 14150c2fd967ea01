/// One line of JSON, read for what it says of a position.
///
/// Two vocabularies are understood. The minimal one: `time` (or `ts`, `timestamp`), `lat` (or `latitude`), `lon` (or `lng`,
/// `longitude`), `acc_m` (or `acc`, `accuracy`), `speed_mps`, `course_deg`, `alt_m`, `mode` (0 to 3, as gpsd counts),
/// `provider`. And OwnTracks's `"_type":"location"`: `tst`, `lat`, `lon`, `acc` in metres, `vel` in km/h, `cog`, `alt` in
/// metres.
/// Times are RFC 3339 text or a number: seconds since 1970, or milliseconds where the number can't be seconds
/// because it would lie after the year 9999.
package enum FixLine {
  /// A position, perhaps with parts missing.
  case fix(FixReport)
  /// An object of gpsd's protocol.
  case gpsd(GPSDLine)
  /// A whole object that says nothing of a position.
  case other
  /// Not one whole JSON object; the text says why.
  case malformed(String)

  /// Reads a line without its line end.
  ///
  /// - Parameter assumeAccuracyMeters: the 68 % radius of a fix that does not tell its own; nil for a typical
  ///   one.
  package init(_ line: Span<UInt8>, assumeAccuracyMeters: Double?) {
    var scanner = JSONScanner()
    guard scanner.take(UInt8(ascii: "{"), in: line) else {
      self = .malformed("not a JSON object")
      return
    }
    var draft = FixDraft()
    if !scanner.take(UInt8(ascii: "}"), in: line) {
      repeat {
        guard let key = scanner.string(in: line), scanner.take(UInt8(ascii: ":"), in: line),
          let value = scanner.value(in: line), draft.note(value, for: line.extracting(key), in: line)
        else {
          self = .malformed(Self.explain(line, scanner))
          return
        }
      } while scanner.take(UInt8(ascii: ","), in: line)
      guard scanner.take(UInt8(ascii: "}"), in: line) else {
        self = .malformed(Self.explain(line, scanner))
        return
      }
    }
    guard scanner.isAtEnd(of: line) else {
      self = .malformed("something follows the JSON object")
      return
    }
    self = draft.finished(assumeAccuracyMeters: assumeAccuracyMeters)
  }

  private static func explain(_ line: Span<UInt8>, _ scanner: JSONScanner) -> String {
    if scanner.isTooDeep { return "values nested deeper than \(JSONScanner.maximumDepth)" }
    return scanner.index >= line.count
      ? "the JSON object is cut off" : "not valid JSON at column \(scanner.index + 1)"
  }
}

/// What the scan of a line of gpsd's protocol has found.
package struct GPSDLine: Hashable, Sendable {
  /// The classes that bear on a position.
  package enum Kind: Hashable, Sendable {
    case tpv, gst, sky, devices, device, version, error, other
  }

  /// Which of gpsd's reports it is.
  package var kind: Kind
  /// The `time` of the report; nil where it has none that can be read.
  package var time: UTCTime?
  /// Whether there are numbers for `lat` and `lon`.
  package var hasPosition: Bool
  /// Where in the line the path of the `device` stands, escapes as written; nil where it has none.
  package var device: Range<Int>?
}

/// What has been read of a line so far.
private struct FixDraft {
  var report = FixReport(
    time: nil, latitude: .nan, longitude: .nan, accuracy: Accuracy(radiusMeters: 0, source: .assumed))
  var accuracyMeters: Double?
  var ownTracksAccuracyMeters: Double?
  var ownTracksSpeedKilometersPerHour: Double?
  var ownTracksCourseDegrees: Double?
  var ownTracksAltitudeMeters: Double?
  var gpsdKind: GPSDLine.Kind?
  var gpsdDevice: Range<Int>?
  var isFromNetwork = false
  var isOwnTracks = false
  var hasType = false
  var hasPosition = false

  /// Takes a member of the object; false where its value is not JSON.
  mutating func note(_ value: JSONScanner.Value, for key: Span<UInt8>, in line: Span<UInt8>) -> Bool {
    switch value {
    case .string(let range):
      noteText(line.extracting(range), at: range, for: key)
      return true
    case .number(let range):
      guard let number = Double(jsonNumber: line.extracting(range)) else { return false }
      noteNumber(number, for: key)
      return true
    case .other:
      if Self.isOfPosition(key) { hasPosition = true }
      return true
    }
  }

  private mutating func noteText(_ text: Span<UInt8>, at range: Range<Int>, for key: Span<UInt8>) {
    if key.equals("time") || key.equals("ts") || key.equals("timestamp") {
      report.time = UTCTime(rfc3339: text)
    } else if key.equals("class") {
      gpsdKind = GPSDLine.Kind(text)
    } else if key.equals("device") {
      gpsdDevice = range
    } else if key.equals("_type") {
      hasType = true
      isOwnTracks = text.equals("location")
    } else if key.equals("provider") {
      isFromNetwork = FixMode(provider: text) == .network
    } else if Self.isOfPosition(key) {
      // A number in quotes is no number; the position stays unknown and is counted.
      hasPosition = true
    }
  }

  private mutating func noteNumber(_ number: Double, for key: Span<UInt8>) {
    if key.equals("lat") {
      report.latitude = number
      hasPosition = true
    } else if key.equals("lon") || key.equals("lng") {
      report.longitude = number
      hasPosition = true
    } else if key.equals("time") || key.equals("ts") || key.equals("timestamp") || key.equals("tst") {
      report.time = UTCTime(epochNumber: number)
    } else if key.equals("acc_m") {
      accuracyMeters = number
    } else if key.equals("speed_mps") {
      report.speedMetersPerSecond = FixReport.speed(number)
    } else if key.equals("course_deg") {
      report.courseDegrees = FixReport.course(number)
    } else if key.equals("alt_m") {
      report.altitudeMeters = number.isFinite ? number : nil
    } else if key.equals("mode") {
      report.mode = FixMode(gpsdMode: number)
    } else if key.equals("acc") {
      ownTracksAccuracyMeters = number
    } else if key.equals("accuracy") {
      accuracyMeters = accuracyMeters ?? number
    } else if key.equals("latitude") {
      report.latitude = number
      hasPosition = true
    } else if key.equals("longitude") {
      report.longitude = number
      hasPosition = true
    } else if key.equals("vel") {
      ownTracksSpeedKilometersPerHour = number
    } else if key.equals("cog") {
      ownTracksCourseDegrees = number
    } else if key.equals("alt") {
      ownTracksAltitudeMeters = number
    }
  }

  private static func isOfPosition(_ key: Span<UInt8>) -> Bool {
    key.equals("lat") || key.equals("lon") || key.equals("lng") || key.equals("latitude")
      || key.equals("longitude")
  }

  consuming func finished(assumeAccuracyMeters: Double?) -> FixLine {
    if let gpsdKind {
      let hasPosition = !report.latitude.isNaN && !report.longitude.isNaN
      return .gpsd(
        GPSDLine(kind: gpsdKind, time: report.time, hasPosition: hasPosition, device: gpsdDevice))
    }
    guard hasPosition, isOwnTracks || !hasType else { return .other }
    if isOwnTracks {
      accuracyMeters = ownTracksAccuracyMeters
      report.speedMetersPerSecond = ownTracksSpeedKilometersPerHour.flatMap { FixReport.speed($0 / 3.6) }
      report.courseDegrees = ownTracksCourseDegrees.flatMap { FixReport.course($0) }
      report.altitudeMeters = ownTracksAltitudeMeters
    }
    let meters = accuracyMeters ?? ownTracksAccuracyMeters
    if isFromNetwork, report.mode != .noFix { report.mode = .network }
    report.accuracy = Accuracy(
      metersAt68Percent: meters, hdop: nil, assumedMeters: assumeAccuracyMeters, mode: report.mode)
    return .fix(report)
  }
}

extension GPSDLine.Kind {
  fileprivate init(_ text: Span<UInt8>) {
    if text.equals("TPV") {
      self = .tpv
    } else if text.equals("GST") {
      self = .gst
    } else if text.equals("SKY") {
      self = .sky
    } else if text.equals("DEVICES") {
      self = .devices
    } else if text.equals("DEVICE") {
      self = .device
    } else if text.equals("VERSION") {
      self = .version
    } else if text.equals("ERROR") {
      self = .error
    } else {
      self = .other
    }
  }
}

extension UTCTime {
  /// From seconds since 1970; or from milliseconds, where the number would lie after the year 9999 as
  /// seconds. Rounded to the nearest microsecond; nil outside the years 1 to 9999.
  package init?(epochNumber number: Double) {
    let limit = Double(Self.printableSeconds.upperBound)
    let seconds = abs(number) < limit ? number : number / 1000
    guard seconds >= Double(Self.printableSeconds.lowerBound), seconds < limit else { return nil }
    self.init(microseconds: Int64(microsecondsIn: seconds))
  }
}
