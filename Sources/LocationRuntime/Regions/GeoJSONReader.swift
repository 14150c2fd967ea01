import LocationCore

/// Makes regions of GeoJSON (RFC 7946), one feature after the other.
///
/// Reads a FeatureCollection, a Feature, a geometry alone, and any number of these after each other (RFC
/// 8142, with or without the record separators). No tree of the file is built: what a feature says goes
/// straight into a region.
struct GeoJSONReader {
  /// What was read so far.
  var result: RegionFile

  var reader: JSONReader
  private let options: RegionFile.Options
  /// The feature being read, from 1.
  private(set) var feature = 0
  /// Which feature has an id.
  private var numbers: [String: Int32] = [:]
  /// How far the features of a name, and without an id, were counted.
  private var namesakes: [String: Int] = [:]
  /// What is wrong, in the order of the file; at most ``keptProblems``.
  private(set) var problems: [Failure] = []
  private var problemCount = 0
  private var unnamed: [Int] = []
  private var unnamedCount = 0
  /// Hashes of the property keys that were looked at already, so that each is judged once.
  var seenKeys: Set<UInt64> = []

  /// Problems kept for a report; the others are counted.
  static let keptProblems = 100

  init(_ bytes: [UInt8], file: String, options: RegionFile.Options) {
    reader = JSONReader(bytes)
    result = RegionFile(name: file)
    result.source = bytes
    self.options = options
  }

  /// What is wrong: the first problem, and how many there are; nil where all is well.
  var failure: Failure? {
    guard var first = problems.first else { return nil }
    if problemCount > 1 {
      let more = problemCount == 2 ? "1 more problem" : "\(problemCount - 1) more problems"
      first.remedy = [first.remedy, "(and \(more))"].compactMap { $0 }.joined(separator: " ")
    }
    return first
  }

  private var file: String { result.name }

  /// Reads everything; problems are in ``failure``.
  mutating func read() {
    do {
      repeat {
        try readText()
        while reader.skip(byte: Self.recordSeparator) {}
      } while !reader.isAtEnd()
    } catch {
      note(error)
    }
    if unnamedCount > 0 {
      let some =
        unnamed.map { "\($0)" }.joined(separator: ", ") + (unnamedCount > unnamed.count ? ", ..." : "")
      result.warnings.append(
        "\(file): \(unnamedCount == 1 ? "feature" : "features") \(some) without an id: named after \"name\","
          + " or region- and the number; an \"id\" of its own outlives changes of the file")
    }
  }

  /// U+001E, which RFC 8142 puts before each text.
  private static let recordSeparator: UInt8 = 0x1E

  // MARK: Texts

  /// One JSON text: what it is stands in `type`, which may come last.
  private mutating func readText() throws(JSONError) {
    while reader.skip(byte: Self.recordSeparator) {}
    let start = reader
    guard try reader.peek() == .object else {
      throw .content(at: reader.offset, "\(try reader.peek().words) where a GeoJSON object is expected")
    }
    var type: String?
    var hasRead = false
    try reader.openObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "type") {
        type = try reader.string()
        if let type, type != "FeatureCollection" { break }
      } else if reader.equals(key, "features"), !hasRead {
        hasRead = true
        try readFeatures()
      } else if reader.equals(key, "crs") {
        try checkReferenceSystem()
      } else {
        try reader.skip()
      }
    }
    switch type {
    case "FeatureCollection":
      if !hasRead { throw .content(at: start.offset, "a FeatureCollection without \"features\"") }
    case "Feature":
      reader = start
      try readFeature()
    case let type? where Self.geometryTypes.contains(type):
      reader = start
      try readFeature(isBare: true)
    case let type?:
      throw .content(at: start.offset, "\"type\" is \"\(type)\"", "GeoJSON has a FeatureCollection here")
    case nil:
      throw .content(at: start.offset, "an object without \"type\"", "GeoJSON has a FeatureCollection here")
    }
  }

  private mutating func readFeatures() throws(JSONError) {
    try reader.openArray()
    while try reader.nextElement() { try readFeature() }
  }

  /// RFC 7946 knows only longitude and latitude of WGS 84; its predecessor named others in `crs`.
  private mutating func checkReferenceSystem() throws(JSONError) {
    if try reader.skipNull() { return }
    let first = reader.offset
    try reader.skip()
    let text = String(decoding: reader.bytes[first..<reader.offset], as: UTF8.self)
    guard text.contains("CRS84") || text.contains("4326") else {
      throw .content(
        at: first, "\"crs\" names coordinates other than WGS 84", "convert the file to EPSG:4326")
    }
  }

  // MARK: Features

  /// A feature, or a geometry that stands for one. Problems of its content are noted and it is passed over.
  private mutating func readFeature(isBare: Bool = false) throws(JSONError) {
    feature += 1
    let start = reader
    do throws(JSONError) {
      guard try reader.peek() == .object else {
        throw .content(at: reader.offset, "\(try reader.peek().words) where a Feature is expected")
      }
      let offset = reader.offset
      var draft = RegionDraft()
      if isBare { draft.geometry = try readGeometry() } else { try readMembers(into: &draft) }
      let length = UInt32(clamping: reader.offset - offset)
      do throws(RegionProblem) {
        try add(draft, RegionFile.Piece(start: offset, length: length, lacks: isBare ? .feature : []))
      } catch {
        throw JSONError.content(at: offset, error.what, error.remedy)
      }
    } catch {
      guard error.kind == .content else { throw error }
      note(error, id: identify(at: start))
      reader = start
      try reader.skip()
    }
  }

  private mutating func readMembers(into draft: inout RegionDraft) throws(JSONError) {
    var id: String?
    var isFeature = false
    try reader.openObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "type") {
        let offset = reader.offset
        let type = try reader.text()
        guard reader.equals(type, "Feature") else {
          throw .content(at: offset, "\"type\" is \"\(reader.decoded(type))\" where Feature is expected")
        }
        isFeature = true
      } else if reader.equals(key, "id") {
        id = try readID()
      } else if reader.equals(key, "properties") {
        try readProperties(into: &draft)
      } else if reader.equals(key, "geometry") {
        draft.geometry = try readGeometry()
      } else {
        try reader.skip()
      }
    }
    guard isFeature else { throw .content(at: reader.offset, "a Feature without \"type\": \"Feature\"") }
    draft.hasOwnID = id != nil
    draft.id = id ?? draft.id
  }

  mutating func readID() throws(JSONError) -> String? {
    switch try reader.peek() {
    case .string: return try reader.string()
    case .number:
      let first = reader.offset
      _ = try reader.number()
      return reader.written(from: first)
    case .null:
      try reader.skip()
      return nil
    case .object, .array, .boolean:
      throw .content(
        at: reader.offset, "\(try reader.peek().words) for an id", "an id is a string or a number")
    }
  }

  private mutating func add(_ draft: RegionDraft, _ piece: RegionFile.Piece) throws(RegionProblem) {
    let isUnnamed = draft.id == nil
    let id = try RegionDraft.checkedID(draft.id ?? nameAsID(draft))
    var draft = draft
    if let radius = options.defaultRadiusMeters { draft.assume(radiusMeters: radius) }
    guard let region = try draft.region(id: id) else {
      result.leftOut.append("\(file): \(place(id: isUnnamed ? nil : id)): \(draft.geometry.whyLeftOut)")
      return
    }
    if let first = numbers.updateValue(Int32(clamping: feature), forKey: id) {
      throw RegionProblem(what: "the id of feature \(first) again", remedy: "ids are unique")
    }
    if isUnnamed {
      unnamedCount += 1
      if unnamed.count < 10 { unnamed.append(feature) }
    }
    var piece = piece
    if !draft.hasOwnID { piece.lacks.insert(.id) }
    if draft.isRadiusAssumed { piece.lacks.insert(.radius) }
    if let tags = draft.tags, !tags.isEmpty { result.tags[result.regions.count] = tags }
    result.regions.append(region)
    result.pieces.append(piece)
  }

  /// The name where it is free, then name-2, name-3 ...; `region-` and the number where there is none.
  private mutating func nameAsID(_ draft: RegionDraft) -> String {
    guard let name = draft.name.flatMap(RegionDraft.id(fromName:)) else { return "region-\(feature)" }
    var candidate = name
    // Counting goes on where it stopped, or many features of one name would take forever.
    var count = namesakes[name, default: 1]
    while numbers[candidate] != nil {
      count += 1
      candidate = "\(name)-\(count)"
    }
    namesakes[name] = count
    return candidate
  }

  // MARK: Problems

  private mutating func note(_ error: JSONError, id: String? = nil) {
    problemCount += 1
    guard problems.count < Self.keptProblems else { return }
    let what = feature == 0 ? error.what : "\(place(id: id)): \(error.what)"
    problems.append(
      Failure(
        .data, file: file, line: error.line(in: reader.bytes), what: what, remedy: error.remedy))
  }

  /// `feature 3 ("home")`.
  func place(id: String?) -> String { "feature \(feature)" + (id.map { " (\"\($0)\")" } ?? "") }

  /// The id or name of a feature that could not be read, for the message.
  private func identify(at start: JSONReader) -> String? {
    var probe = start
    var name: String?
    func text(_ probe: inout JSONReader) throws(JSONError) -> String? {
      switch try probe.peek() {
      case .string: return try probe.string()
      case .number:
        let first = probe.offset
        _ = try probe.number()
        return probe.written(from: first)
      case .object, .array, .boolean, .null:
        try probe.skip()
        return nil
      }
    }
    do {
      try probe.openObject()
      while let key = try probe.nextKey() {
        if probe.equals(key, "id"), let id = try text(&probe) { return id }
        if probe.equals(key, "properties"), try probe.peek() == .object {
          try probe.openObject()
          while let key = try probe.nextKey() {
            if probe.equals(key, "id") || (probe.equals(key, "name") && name == nil) {
              name = try text(&probe)
            } else {
              try probe.skip()
            }
          }
        } else {
          try probe.skip()
        }
      }
    } catch {
      return name
    }
    return name
  }
}
