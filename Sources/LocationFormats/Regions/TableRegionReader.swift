import LocationCore

/// Makes regions of a table: CSV whose first line names the columns.
///
/// `lat` and `lon` have to be there. Columns named as the properties of GeoJSON mean what they mean there; words of
/// `notify` and `tags` stand between spaces or semicolons. Other columns become properties.
struct TableRegionReader {
  /// What was read so far.
  private(set) var collector: RegionCollector

  private enum Column: Hashable {
    case latitude, longitude, id, name, radius, dwell, exitDelay
    case property(String)
  }

  private var columns: [(column: Column, title: String)] = []
  private var separator = UInt8(ascii: ",")

  init(file: String, options: RegionFile.Options) {
    collector = RegionCollector(file: file, noun: "row", options: options)
  }

  /// Whether the first line of a file names a latitude and a longitude.
  static func isTable(_ bytes: [UInt8]) -> Bool {
    TableHeader(bytes.span.extracting(..<(bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count))) != nil
  }

  /// Reads everything; what is wrong is in the collector.
  mutating func read(_ bytes: [UInt8]) {
    if let line = FileBytes.firstLineNotUTF8(bytes) {
      return collector.note("not UTF-8", Failure.encodingRemedy, line: line)
    }
    let start = bytes.span.startsWithByteOrderMark ? 3 : 0
    var line = 0
    var row: [UInt8] = []
    var rowLine = 0
    var goesOn = false
    for text in bytes[start...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      if !goesOn { rowLine = line }
      row += text
      if !columns.isEmpty {
        goesOn = TableHeader.isQuoted(after: Array(text).span, separator, isQuoted: goesOn)
        if goesOn {
          row.append(UInt8(ascii: "\n"))
          continue
        }
      }
      defer { row = [] }
      guard !row.span.rangeWithinXMLSpace.isEmpty else { continue }
      if columns.isEmpty {
        readHeader(row)
      } else {
        collector.number += 1
        do throws(RegionProblem) {
          try add(TableHeader.fields(of: row.span, separator).map { String(decoding: $0, as: UTF8.self) })
        } catch {
          collector.note(error.what, error.remedy, line: rowLine)
        }
      }
    }
    if goesOn {
      collector.number += 1
      collector.note("a quoted field does not end", "close its quote", line: rowLine)
    }
    if collector.number == 0 { collector.note("holds no rows", nil, line: nil) }
  }

  private mutating func readHeader(_ line: [UInt8]) {
    separator = TableHeader(line.span)?.separator ?? separator
    let titles = TableHeader.fields(of: line.span, separator).map { String(decoding: $0, as: UTF8.self) }
    // Such a radius may be in other units than metres.
    let hasUnits = titles.contains(RegionProperty.radiusUnits.rawValue)
    let meanings = titles.map { title -> Column in
      let name = TableHeader.name(title)
      if TableHeader.Column.latitude.names.contains(name) { return .latitude }
      if TableHeader.Column.longitude.names.contains(name) { return .longitude }
      switch name {
      case "radius" where hasUnits: return .property(RegionProperty.radius.rawValue)
      case "id": return .id
      case "name", "title", "label": return .name
      case "radius", "radius_m", "radius_meters", "rad": return .radius
      case "dwell_s": return .dwell
      case "exit_delay_s": return .exitDelay
      case "notify": return .property(RegionProperty.notify.rawValue)
      case "tags", "tag": return .property(RegionProperty.tags.rawValue)
      default: return .property(title)
      }
    }
    columns = Array(zip(meanings, titles))
    judge(hasUnits: hasUnits)
  }

  /// Warns of columns that look like a slip for one of ours, and of those that are there twice.
  private mutating func judge(hasUnits: Bool) {
    var seen: Set<String> = []
    for (column, title) in columns {
      let name = TableHeader.name(title)
      if !name.isEmpty, !seen.insert(name).inserted {
        collector.warn("the column \"\(title)\" stands twice; the last one counts", line: 1)
      }
      guard case .property = column, RegionProperty(rawValue: name) == nil else { continue }
      let isRadius = !hasUnits && (name.hasPrefix("radius_") || NearestWord.editDistance(name, "radius") <= 1)
      guard let meant = RegionProperty.meant(by: name) ?? (isRadius ? .radiusMeters : nil) else { continue }
      collector.warn(
        "the column \"\(title)\" means nothing to locwatch; did you mean \"\(meant.rawValue)\"?", line: 1)
    }
  }

  private mutating func add(_ fields: [String]) throws(RegionProblem) {
    var draft = RegionDraft()
    draft.order = .named
    var place = (latitude: Double?.none, longitude: Double?.none)
    var properties: [(key: String, json: String)] = []
    guard fields.dropFirst(columns.count).allSatisfy(\.isEmpty) else {
      throw RegionProblem(
        what: "\(fields.count) fields under \(columns.count) names",
        remedy: "write numbers with a point, and quotes around a text with a comma")
    }
    for ((column, title), field) in zip(columns, fields) where !field.isEmpty {
      switch column {
      case .latitude: place.latitude = try number(field, title)
      case .longitude: place.longitude = try number(field, title)
      case .id: draft.id = field
      case .name: draft.name = field
      case .radius: draft.radiusMeters = try RegionDraft.radius(try number(field, title))
      case .dwell: draft.dwellSeconds = try RegionDraft.seconds(try number(field, title))
      case .exitDelay: draft.exitDelaySeconds = try RegionDraft.seconds(try number(field, title))
      case .property(let name):
        if !name.isEmpty { properties.append((name, RegionProperty.json(name, field))) }
      }
    }
    guard let latitude = place.latitude, let longitude = place.longitude else {
      throw RegionProblem(what: "a row without lat and lon", remedy: "give both, in degrees")
    }
    draft.geometry = .point(RegionDraft.Position(longitude: longitude, latitude: latitude))
    try collector.addPlace(draft, properties: properties)
  }

  private func number(_ field: String, _ column: String) throws(RegionProblem) -> Double {
    var bytes = Array(field.utf8)
    // Where semicolons separate, people write decimal commas.
    if separator != UInt8(ascii: ","), let comma = bytes.firstIndex(of: UInt8(ascii: ",")) {
      bytes[comma] = UInt8(ascii: ".")
    }
    guard let value = Double(numberText: bytes.span), value.isFinite else {
      throw RegionProblem(
        what: "\(column): \"\(field)\" is no number", remedy: "write digits and a point, without a unit")
    }
    return value
  }
}
