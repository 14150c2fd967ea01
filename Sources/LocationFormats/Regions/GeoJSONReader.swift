import LocationCore

/// Makes regions of GeoJSON (RFC 7946), one feature after the other.
///
/// Reads a FeatureCollection, a Feature, a geometry alone, and any number of these after each other (RFC
/// 8142, with or without the record separators). No tree of the file is built: what a feature says goes
/// straight into a region.
struct GeoJSONReader {
  /// What was read so far.
  var collector: RegionCollector
  var reader: JSONReader
  /// Hashes of the property keys that were looked at already, so that each is judged once.
  var seenKeys: Set<UInt64> = []
  /// Those of the feature that is being read.
  var seenProperties: [RegionProperty] = []
  private var lines = LineCursor()

  init(_ bytes: [UInt8], file: String, options: RegionFile.Options) {
    reader = JSONReader(bytes)
    collector = RegionCollector(file: file, source: bytes, noun: "feature", options: options)
  }

  /// Reads everything; what is wrong is in the collector.
  mutating func read() {
    do {
      repeat {
        try readText()
        while reader.skip(byte: Self.recordSeparator) {}
      } while !reader.isAtEnd()
    } catch {
      note(error)
    }
    collector.warnOfMissingIDs()
  }

  /// U+001E, which RFC 8142 puts before each text.
  static let recordSeparator: UInt8 = 0x1E

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
    collector.number += 1
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
        try collector.add(
          draft, RegionFile.Piece(start: offset, length: length, lacks: isBare ? .feature : []))
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
    var isNumbered = false
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
        isNumbered = try reader.peek() == .number
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
    if isNumbered, collector.options.prefersNames, draft.id == nil,
      draft.name.flatMap(RegionDraft.trimmed) != nil
    {
      id = nil
      draft.isNumbered = true
    }
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

  /// What the text of one Feature says; its outline is not checked yet.
  static func draft(of text: [UInt8]) throws(RegionProblem) -> RegionDraft {
    var reader = GeoJSONReader(text, file: "", options: RegionFile.Options())
    var draft = RegionDraft()
    do throws(JSONError) {
      try reader.readMembers(into: &draft)
    } catch {
      throw RegionProblem(what: error.what, remedy: error.remedy)
    }
    return draft
  }

  // MARK: Problems

  private mutating func note(_ error: JSONError, id: String? = nil) {
    let line = line(at: error.offset)
    collector.note(error.what, error.remedy, id: id, line: line)
  }

  /// The line of a byte, from 1.
  mutating func line(at offset: Int) -> Int { lines.line(at: offset, in: reader.bytes) }

  /// The id or name of a feature that could not be read, for the message.
  private func identify(at start: JSONReader) -> String? {
    var probe = start
    var name: String?
    do {
      try probe.openObject()
      while let key = try probe.nextKey() {
        if probe.equals(key, "id"), let id = try probe.stringOrNumber() { return id }
        if probe.equals(key, "properties"), try probe.peek() == .object {
          try probe.openObject()
          while let key = try probe.nextKey() {
            if probe.equals(key, "id") || (probe.equals(key, "name") && name == nil) {
              name = try probe.stringOrNumber()
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

/// Counts lines from where it last stopped, because what is asked for comes in the order of the file.
private struct LineCursor {
  private var offset = 0
  private var line = 1

  mutating func line(at wanted: Int, in bytes: [UInt8]) -> Int {
    if wanted < offset { self = LineCursor() }
    for index in offset..<min(wanted, bytes.count) where bytes[index] == UInt8(ascii: "\n") { line += 1 }
    offset = min(wanted, bytes.count)
    return line
  }
}
