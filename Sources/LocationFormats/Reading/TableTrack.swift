package import LocationCore

/// A table of positions: CSV whose first line names the columns. Commas, semicolons and tabs separate.
package struct TableTrack: FormatTrack {
  private let file: String
  private let assumeAccuracyMeters: Double?
  private var buffer = LineBuffer(limit: LineTrack.maximumLineBytes)
  private var header: TableHeader?
  private var unreadable = 0
  /// The line of the first position, from 1; nil before there is one.
  package private(set) var firstPointLine: Int?

  /// - Parameters:
  ///   - file: its name, for messages.
  ///   - assumeAccuracyMeters: the accuracy of a position that states none, metres, 68 %; nil for the usual.
  package init(file: String, assumeAccuracyMeters: Double?) {
    self.file = file
    self.assumeAccuracyMeters = assumeAccuracyMeters
  }

  /// The line that was read last, from 1.
  package var line: Int { buffer.number }

  /// What is to be told of the file, a line each.
  package var notes: [String] {
    unreadable > 0 ? ["\(Wording.count(unreadable, "line")) without a latitude and a longitude, skipped"] : []
  }

  /// Reads a piece of the file; an empty one is its end.
  ///
  /// - Throws: `.data` where the file is not what it seemed.
  package mutating func read(
    _ piece: borrowing ScanPiece, into batch: inout [TrackItem]
  ) throws(Failure) {
    guard piece.count > 0 else {
      let text = buffer.bytes
      if let range = buffer.last() { try read(text.span.extracting(range), into: &batch) }
      return
    }
    buffer.append(piece.bytes.span.extracting(..<piece.count))
    let text = buffer.bytes
    while true {
      switch buffer.next() {
      case .line(let range): try read(text.span.extracting(range), into: &batch)
      case .tooLong:
        throw Failure(
          .data, file: file, line: buffer.number,
          what: "the line is longer than \(LineTrack.maximumLineBytes >> 10) KiB")
      case .none: return
      }
    }
  }

  private mutating func read(_ line: Span<UInt8>, into batch: inout [TrackItem]) throws(Failure) {
    guard !line.rangeWithinXMLSpace.isEmpty else { return }
    guard let header else {
      header = TableHeader(line)
      guard header != nil else {
        throw Failure(
          .data, file: file, line: buffer.number, what: "the first line names no latitude and longitude",
          remedy: "name the columns: time,lat,lon,acc_m")
      }
      return
    }
    guard let report = header.report(line, assumeAccuracyMeters: assumeAccuracyMeters) else {
      unreadable += 1
      return
    }
    firstPointLine = firstPointLine ?? buffer.number
    batch.append(.fix(report))
  }
}

/// The first line of a table: what is in which column.
package struct TableHeader: Hashable, Sendable {
  private enum Column: Hashable {
    case time, date, latitude, longitude, accuracy, hdop, speed, course, altitude, provider
  }

  /// What separates the columns.
  let separator: UInt8
  private var columns: [Column: Int] = [:]
  /// Metres a second in one unit of the column of speeds.
  private var speedFactor = 1.0

  /// Nil where the line names no latitude and longitude.
  package init?(_ line: Span<UInt8>) {
    let text = line.extracting((line.startsWithByteOrderMark ? 3 : 0)...)
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      let header = TableHeader(text, separator)
      if header.columns[.latitude] != nil, header.columns[.longitude] != nil {
        self = header
        return
      }
    }
    return nil
  }

  private init(_ line: Span<UInt8>, _ separator: UInt8) {
    self.separator = separator
    for (index, field) in Self.fields(of: line, separator).enumerated() {
      let name = Self.name(String(decoding: field, as: UTF8.self))
      guard let column = Self.column(name), columns[column] == nil else { continue }
      columns[column] = index
      if column == .speed { speedFactor = Self.factor(name) }
    }
  }

  /// The name of a column and its unit, such as `speed_km/h` of `Speed (km/h)`.
  private static func name(_ title: String) -> String {
    title.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "/") }.map(String.init)
      .joined(separator: "_")
  }

  /// What a column is, by its name.
  private static func column(_ name: String) -> Column? {
    switch name {
    case "lat", "latitude", "lat_deg", "latitude_deg": return .latitude
    case "lon", "lng", "long", "longitude", "lon_deg", "longitude_deg": return .longitude
    case "time", "timestamp", "ts", "datetime", "date_time", "utc", "time_utc", "utc_time", "timestamp_utc",
      "unix", "unixtime", "unix_time", "epoch":
      return .time
    case "date", "utc_date", "date_utc": return .date
    case "acc_m", "acc", "accuracy", "accuracy_m", "horizontal_accuracy", "hacc", "acc_m_", "h_accuracy":
      return .accuracy
    case "hdop": return .hdop
    case "provider": return .provider
    case "course", "course_deg", "bearing", "heading", "direction", "track": return .course
    case "alt", "alt_m", "altitude", "altitude_m", "ele", "elevation", "height", "height_m": return .altitude
    case "speed", "speed_mps", "speed_m/s", "speed_ms", "speed_kmh", "speed_km/h", "speed_kph", "speed_kn",
      "speed_kt", "speed_knots", "speed_mph":
      return .speed
    default: return nil
    }
  }

  /// Metres a second in one unit of a column of speeds; metres a second where it names no unit.
  private static func factor(_ name: String) -> Double {
    switch name {
    case "speed_kmh", "speed_km/h", "speed_kph": 1 / 3.6
    case "speed_kn", "speed_kt", "speed_knots": 1852.0 / 3600
    case "speed_mph": 1609.344 / 3600
    default: 1
    }
  }

  /// The report in a line; nil where it has no latitude and longitude.
  func report(_ line: Span<UInt8>, assumeAccuracyMeters: Double?) -> FixReport? {
    let fields = Self.fields(of: line, separator)
    func text(_ column: Column) -> [UInt8]? {
      columns[column].flatMap { fields.indices.contains($0) && !fields[$0].isEmpty ? fields[$0] : nil }
    }
    func number(_ column: Column) -> Double? {
      guard var bytes = text(column) else { return nil }
      // Where semicolons separate, people write decimal commas.
      if separator != UInt8(ascii: ","), let comma = bytes.firstIndex(of: UInt8(ascii: ",")) {
        bytes[comma] = UInt8(ascii: ".")
      }
      return Double(jsonNumber: bytes.span) ?? Double(xsdDecimal: bytes.span)
    }
    guard let latitude = number(.latitude), let longitude = number(.longitude) else { return nil }
    let speed = number(.speed).map { $0 * speedFactor }
    let mode = text(.provider).map { FixMode(provider: $0.span) } ?? .unknown
    let accuracy = Accuracy(
      metersAt68Percent: number(.accuracy), hdop: number(.hdop), assumedMeters: assumeAccuracyMeters,
      mode: mode)
    return FixReport(
      time: time(text(.date), text(.time)), latitude: latitude, longitude: longitude, accuracy: accuracy,
      mode: mode,
      speedMetersPerSecond: speed.flatMap { FixReport.speed($0) },
      courseDegrees: number(.course).flatMap { FixReport.course($0) }, altitudeMeters: number(.altitude))
  }

  private func time(_ date: [UInt8]?, _ time: [UInt8]?) -> UTCTime? {
    guard let time else { return nil }
    if let date { return UTCTime(rfc3339: (date + [UInt8(ascii: "T")] + time).span) }
    return UTCTime(rfc3339: time.span) ?? Double(jsonNumber: time.span).flatMap { UTCTime(epochNumber: $0) }
  }

  /// The fields of a line without the white space around them; a quoted one may have separators in it (RFC 4180).
  static func fields(of line: Span<UInt8>, _ separator: UInt8) -> [[UInt8]] {
    var fields: [[UInt8]] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = 0
    func trimmed(_ bytes: [UInt8]) -> [UInt8] { Array(bytes[bytes.span.rangeWithinXMLSpace]) }
    while index < line.count {
      let byte = line[index]
      if byte == UInt8(ascii: "\"") {
        let isDoubled = isQuoted && index + 1 < line.count && line[index + 1] == byte
        if isDoubled {
          field.append(byte)
          index += 1
        } else {
          isQuoted.toggle()
        }
      } else if byte == separator, !isQuoted {
        fields.append(trimmed(field))
        field = []
      } else {
        field.append(byte)
      }
      index += 1
    }
    fields.append(trimmed(field))
    return fields
  }
}
