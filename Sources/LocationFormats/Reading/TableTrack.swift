package import LocationCore

/// A table of positions: CSV whose first line names the columns. Commas, semicolons and tabs separate.
package struct TableTrack: FormatTrack {
  private let file: String
  private let assumeAccuracyMeters: Double?
  private var buffer = LineBuffer(limit: LineTrack.maximumLineBytes)
  private var header: TableHeader?
  /// The lines so far of a record in which a quoted field goes on.
  private var begun: [UInt8] = []
  private var unreadable = 0
  /// The first line without a position that can be read.
  private var unreadableLine: Int?
  private var unreadableTimes = 0
  /// The first text that is no time, and its line.
  private var unreadableTime: (line: Int, column: String, text: String)?
  /// The first time, where it is rather the day of a spreadsheet.
  private var spreadsheetTime: String?
  private var unreadableAccuracies = 0
  /// The first text that is no accuracy.
  private var unreadableAccuracy: String?
  package private(set) var firstPointLine: Int?

  /// Days from 1980 to 2100 as spreadsheets count them, from the end of 1899, taken for seconds since 1970.
  private static let spreadsheetDays =
    UTCTime(microseconds: 29_221_000_000)..<UTCTime(microseconds: 73_051_000_000)

  /// - Parameters:
  ///   - file: its name, for messages.
  ///   - assumeAccuracyMeters: the accuracy of a position that states none, metres, 68 %; nil for the usual.
  package init(file: String, assumeAccuracyMeters: Double?) {
    self.file = file
    self.assumeAccuracyMeters = assumeAccuracyMeters
  }

  package var line: Int { buffer.number }

  package var notes: [String] {
    var notes = header?.notes ?? []
    if unreadable > 0 {
      notes.append("\(Wording.count(unreadable, "line")) without a latitude and a longitude, skipped")
    }
    if let first = unreadableTime {
      let lines = Wording.count(unreadableTimes, "line")
      notes.append("\(lines) with a time that can't be read, such as \(first.text) in \(first.column)")
    }
    if let spreadsheetTime {
      notes.append(
        "times such as \(spreadsheetTime) are read as seconds since 1970; write the days of a spreadsheet as "
          + "2026-05-01T06:00:00Z")
    }
    if let first = unreadableAccuracy {
      let lines = Wording.count(unreadableAccuracies, "line")
      notes.append(
        "\(lines) with an accuracy that can't be read, such as \"\(first)\": write metres as a plain number")
    }
    return notes
  }

  package var emptiness: String {
    guard let unreadableLine else { return "no position in it" }
    return
      "no line has a latitude and a longitude in degrees, with points; the first is line \(unreadableLine)"
  }

  package var timeTrouble: Failure? {
    unreadableTime.map {
      Failure(
        .data, file: file, line: $0.line,
        what: "the column \($0.column) has no time that can be read: \($0.text)",
        remedy: "write it as 2026-05-01T06:00:00Z, or in seconds since 1970")
    }
  }

  package mutating func read(
    _ piece: borrowing ScanPiece, into batch: inout [TrackItem]
  ) throws(Failure) {
    guard piece.count > 0 else {
      let text = buffer.bytes
      if let range = buffer.last() { try read(text.span.extracting(range), into: &batch) }
      takeBegun(into: &batch)
      return
    }
    buffer.append(piece.bytes.span.extracting(..<piece.count))
    let text = buffer.bytes
    while true {
      switch buffer.next() {
      case .line(let range): try read(text.span.extracting(range), into: &batch)
      case .tooLong:
        throw Failure(
          .data, file: file, line: buffer.number, what: LineTrack.tooLong, remedy: LineTrack.lineRemedy)
      case .none: return
      }
    }
  }

  private mutating func read(_ line: Span<UInt8>, into batch: inout [TrackItem]) throws(Failure) {
    guard !line.rangeWithinXMLSpace.isEmpty || !begun.isEmpty else { return }
    guard let header else {
      header = TableHeader(line)
      guard header != nil else {
        throw Failure(
          .data, file: file, line: buffer.number, what: TableHeader.lack(in: line),
          remedy: "name the columns: time,lat,lon,acc_m")
      }
      return
    }
    let goesOn = TableHeader.isQuoted(after: line, header.separator, isQuoted: !begun.isEmpty)
    guard goesOn || !begun.isEmpty else { return take(line, header, into: &batch) }
    begun += line.array
    guard goesOn else {
      let record = begun
      begun = []
      return take(record.span, header, into: &batch)
    }
    begun.append(UInt8(ascii: "\n"))
    if begun.count > LineTrack.maximumLineBytes { takeBegun(into: &batch) }
  }

  /// Takes the lines of a record that does not end each for itself: the quote was none.
  private mutating func takeBegun(into batch: inout [TrackItem]) {
    guard let header else { return }
    let lines = begun.split(separator: UInt8(ascii: "\n"))
    begun = []
    for line in lines { take(Array(line).span, header, into: &batch) }
  }

  private mutating func take(_ line: Span<UInt8>, _ header: TableHeader, into batch: inout [TrackItem]) {
    guard let report = header.report(line, assumeAccuracyMeters: assumeAccuracyMeters) else {
      unreadable += 1
      unreadableLine = unreadableLine ?? buffer.number
      return
    }
    if firstPointLine == nil {
      firstPointLine = buffer.number
      if let time = report.time, Self.spreadsheetDays.contains(time) {
        spreadsheetTime = header.timeText(line)?.text
      }
    }
    if report.time == nil, let found = header.timeText(line) {
      unreadableTimes += 1
      unreadableTime = unreadableTime ?? (buffer.number, found.column, found.text)
    }
    if report.accuracy.source == .assumed, let found = header.unreadableAccuracy(line) {
      unreadableAccuracies += 1
      unreadableAccuracy = unreadableAccuracy ?? found
    }
    batch.append(.fix(report))
  }
}

/// The first line of a table: what is in which column.
package struct TableHeader: Hashable, Sendable {
  /// What is read of a table.
  package enum Column: CaseIterable {
    case time, date, latitude, longitude, accuracy, hdop, speed, course, altitude, provider

    /// The names that columns of it have, in lower case; `_` stands for all that is neither letter, digit nor slash.
    package var names: [String] {
      switch self {
      case .time:
        [
          "time", "timestamp", "ts", "datetime", "date_time", "date/time", "utc", "time_utc", "utc_time",
          "timestamp_utc", "unix", "unixtime", "unix_time", "epoch",
        ]
      case .date: ["date", "utc_date", "date_utc"]
      case .latitude: ["lat", "latitude", "lat_deg", "latitude_deg"]
      case .longitude: ["lon", "lng", "long", "longitude", "lon_deg", "longitude_deg"]
      case .accuracy:
        ["acc_m", "acc", "accuracy", "accuracy_m", "horizontal_accuracy", "hacc", "h_accuracy"]
      case .hdop: ["hdop"]
      case .speed:
        [
          "speed", "speed_mps", "speed_m/s", "speed_ms", "speed_kmh", "speed_km/h", "speed_kph", "speed_kn",
          "speed_kt", "speed_knots", "speed_mph",
        ]
      case .course: ["course", "course_deg", "bearing", "heading", "direction", "track"]
      case .altitude: ["alt", "alt_m", "altitude", "altitude_m", "ele", "elevation", "height", "height_m"]
      case .provider: ["provider"]
      }
    }

    /// Names of other quantities that differ from ours by a letter.
    private static let others: Set<String> = [
      "pdop", "vdop", "gdop", "tdop", "vacc", "v_accuracy", "vertical_accuracy", "unit", "units",
    ]

    /// Whether a name differs from one of these names by a letter or two. Names of three letters or less do not count.
    func isSlip(_ name: String) -> Bool {
      !Self.others.contains(name)
        && names.contains { word in
          let length = word.utf8.count
          let distance = length < 4 ? 0 : NearestWord.editDistance(name, word)
          return distance > 0 && distance <= (length < 8 ? 1 : 2)
        }
    }
  }

  /// What separates the columns.
  let separator: UInt8
  private var columns: [Column: Int] = [:]
  /// What the file calls its columns of times.
  private var timeTitles: [Column: String] = [:]
  /// Metres a second in one unit of the column of speeds.
  private var speedFactor = 1.0
  /// Columns that were meant to be read and are not.
  private(set) var notes: [String] = []
  private let titles: [String]

  /// Nil where the line names no latitude and longitude.
  package init?(_ line: Span<UInt8>) {
    guard
      let header = Self.all(in: line).first(where: {
        $0.columns[.latitude] != nil && $0.columns[.longitude] != nil
      })
    else { return nil }
    self = header
  }

  /// Whether a line names a latitude or a longitude, and nearly the other.
  static func isBegun(in line: Span<UInt8>) -> Bool { slip(in: line) != nil }

  /// Whether a line looks like the first of a table: some short titles.
  static func isLikely(_ line: Span<UInt8>) -> Bool {
    all(in: line).contains { header in
      header.titles.count >= 3 && header.titles.allSatisfy { $0.split(separator: " ").count <= 3 }
    }
  }

  /// Why a first line is none.
  static func lack(in line: Span<UInt8>) -> String {
    slip(in: line).map { "the first line names no \($0.word); \"\($0.title)\" is none" }
      ?? "the first line names no latitude and longitude"
  }

  /// What a line lacks that names one of latitude and longitude, and the name that is nearly it.
  private static func slip(in line: Span<UInt8>) -> (word: String, title: String)? {
    for header in all(in: line) {
      for (column, word, other) in [
        (Column.latitude, "latitude", Column.longitude), (.longitude, "longitude", .latitude),
      ] where header.columns[column] == nil && header.columns[other] != nil {
        if let title = header.titles.first(where: { column.isSlip(name($0)) }) { return (word, title) }
      }
    }
    return nil
  }

  /// The line as a header, by each of the separators that there are.
  private static func all(in line: Span<UInt8>) -> [TableHeader] {
    let text = line.extracting((line.startsWithByteOrderMark ? 3 : 0)...)
    return [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].map { TableHeader(text, $0) }
  }

  private init(_ line: Span<UInt8>, _ separator: UInt8) {
    self.separator = separator
    titles = Self.fields(of: line, separator).map { $0.span.text() }
    let names = titles.map(Self.name)
    for (index, name) in names.enumerated() {
      guard let column = Column.allCases.first(where: { $0.names.contains(name) }) else { continue }
      guard columns[column] == nil else {
        if names[..<index].contains(name) {
          notes.append("the column \"\(titles[index])\" stands twice; the first one counts")
        }
        continue
      }
      columns[column] = index
      if column == .time || column == .date { timeTitles[column] = titles[index] }
      if column == .speed { speedFactor = Self.factor(name) }
    }
    var noted: Set<Int> = []
    for (column, unit) in [
      (Column.accuracy, "metres"), (.speed, "m/s, km/h, kn or mph"), (.altitude, "metres"),
    ]
    where columns[column] == nil {
      let place = names.firstIndex { name in
        column.names.contains { name.hasPrefix($0 + "_") && Self.isUnit(name.dropFirst($0.count + 1)) }
      }
      guard let place else { continue }
      noted.insert(place)
      notes.append("the column \"\(titles[place])\" is not read: it is not in \(unit)")
    }
    for column in [Column.time, .accuracy, .hdop, .speed, .course] where columns[column] == nil {
      guard let slip = names.indices.first(where: { !noted.contains($0) && column.isSlip(names[$0]) })
      else { continue }
      notes.append("the column \"\(titles[slip])\" is not read; did you mean \"\(column.names[0])\"?")
    }
  }

  /// Whether it is a unit of a length or a speed, and no other quantity such as `speed_accuracy`.
  private static func isUnit(_ name: Substring) -> Bool {
    name.contains("/")
      || ["ft", "feet", "foot", "yd", "mi", "miles", "nmi", "km", "cm", "mm", "fps", "kts"].contains(name)
  }

  /// The name of a column and its unit, such as `speed_km/h` of `Speed (km/h)`.
  static func name(_ title: String) -> String {
    title.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "/") }.map(String.init)
      .joined(separator: "_")
  }

  /// Metres a second in one unit of a column of speeds; metres a second where it names no unit.
  private static func factor(_ name: String) -> Double {
    switch name {
    case "speed_kmh", "speed_km/h", "speed_kph": 1 / 3.6
    case "speed_kn", "speed_kt", "speed_knots": MeasureUnits.knotMetersPerSecond
    case "speed_mph": MeasureUnits.mileMeters / 3600
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
      text(column).flatMap { Double(numberText: withPoint($0).span) }
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

  /// What stands in a line in place of its time, and the name of the column; nil where nothing does.
  func timeText(_ line: Span<UInt8>) -> (column: String, text: String)? {
    let fields = Self.fields(of: line, separator)
    var found: (column: String, text: String)?
    for column in [Column.date, .time] {
      guard let index = columns[column], let title = timeTitles[column], fields.indices.contains(index),
        !fields[index].isEmpty
      else { continue }
      let field = fields[index]
      found = ("\"\(title)\"", "\"\(field.span.text())\"")
      // Where the date can be read, the time of day can't.
      if column == .date, Self.time(field + Array("T00:00:00".utf8)) == nil { break }
    }
    return found
  }

  /// The text in the column of accuracies, if it has a digit and is no number.
  func unreadableAccuracy(_ line: Span<UInt8>) -> String? {
    guard let index = columns[.accuracy] else { return nil }
    let fields = Self.fields(of: line, separator)
    guard fields.indices.contains(index) else { return nil }
    let field = fields[index]
    let hasDigit = field.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard hasDigit, Double(numberText: withPoint(field).span) == nil else { return nil }
    return field.span.text()
  }

  private func time(_ date: [UInt8]?, _ time: [UInt8]?) -> UTCTime? {
    if let date {
      // A number beside a date is hours and minutes, in one of many ways.
      return Self.time(time.map { date + [UInt8(ascii: "T")] + $0 } ?? date) ?? time.flatMap(Self.time)
    }
    return time.flatMap {
      Self.time($0) ?? Double(jsonNumber: withPoint($0).span).flatMap { UTCTime(epochNumber: $0) }
    }
  }

  /// A number with a decimal point: where semicolons separate, people write commas.
  private func withPoint(_ number: [UInt8]) -> [UInt8] {
    guard separator != UInt8(ascii: ","), let comma = number.firstIndex(of: UInt8(ascii: ",")) else {
      return number
    }
    var number = number
    number[comma] = UInt8(ascii: ".")
    return number
  }

  /// A time as RFC 3339 has it, or in another spelling that has only one meaning: with slashes after a year that comes
  /// first, and with a blank before the offset or `UTC`.
  private static func time(_ text: [UInt8]) -> UTCTime? {
    if let time = UTCTime(rfc3339: text.span) { return time }
    var text = text
    let slash = UInt8(ascii: "/")
    if text.count > yearFirst.last, text[yearFirst.first] == slash, text[yearFirst.last] == slash {
      text[yearFirst.first] = UInt8(ascii: "-")
      text[yearFirst.last] = UInt8(ascii: "-")
    }
    if let blank = text.lastIndex(of: UInt8(ascii: " ")), blank > dateBytes {
      if text[blank...].elementsEqual(" UTC".utf8) { text.removeLast(3) }
      text.remove(at: blank)
    }
    return UTCTime(rfc3339: text.span)
  }

  /// Where the separators of a date stand whose year comes first, and its length.
  private static let yearFirst = (first: 4, last: 7)
  private static let dateBytes = 10

  /// Whether a quoted field goes on behind a line; a quote begins one only at its start (RFC 4180).
  ///
  /// - Parameter isQuoted: whether the line begins within one.
  static func isQuoted(after line: Span<UInt8>, _ separator: UInt8, isQuoted: Bool) -> Bool {
    let quote = UInt8(ascii: "\"")
    var isQuoted = isQuoted
    var (isAtStart, hasClosed) = (true, false)
    for index in 0..<line.count {
      let byte = line[index]
      if byte == quote {
        // Two quotes within a field are one: the field goes on.
        (isQuoted, hasClosed) = (!isQuoted && (isAtStart || hasClosed), isQuoted)
        isAtStart = false
      } else if !isQuoted {
        hasClosed = false
        isAtStart = byte == separator || isAtStart && byte.isXMLSpace
      }
    }
    return isQuoted
  }

  /// The fields of a line without the white space around them; a quoted one may have separators in it (RFC 4180). A quote
  /// within a field, or one that nothing closes, is a character like others.
  static func fields(of line: Span<UInt8>, _ separator: UInt8, quotes: Bool = true) -> [[UInt8]] {
    var fields: [[UInt8]] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = 0
    func trimmed(_ bytes: [UInt8]) -> [UInt8] { Array(bytes[bytes.span.rangeWithinXMLSpace]) }
    while index < line.count {
      let byte = line[index]
      if quotes, byte == UInt8(ascii: "\""), isQuoted || field.span.rangeWithinXMLSpace.isEmpty {
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
    if isQuoted { return Self.fields(of: line, separator, quotes: false) }
    fields.append(trimmed(field))
    return fields
  }
}
