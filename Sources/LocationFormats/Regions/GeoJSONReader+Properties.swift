import LocationCore

extension GeoJSONReader {
  /// The properties that mean something to us; the others are the owner's own.
  mutating func readProperties(into draft: inout RegionDraft) throws(JSONError) {
    if try reader.skipNull() { return }
    guard try reader.peek() == .object else {
      throw .content(at: reader.offset, "\(try reader.peek().words) for \"properties\"")
    }
    var radius = ForeignRadius()
    seenProperties.removeAll(keepingCapacity: true)
    try reader.openObject()
    while let key = try reader.nextKey() {
      guard let property = RegionProperty(key, in: reader) else {
        if try readSavedPlace(key, into: &draft) { continue }
        judge(key)
        try reader.skip()
        continue
      }
      // Tables exported by other programs have null for what is not there.
      if try reader.skipNull() { continue }
      let offset = reader.offset
      if seenProperties.contains(property), isNew(key) {
        collector.warn("\"\(property.rawValue)\" stands twice; the last one counts", line: line(at: offset))
      }
      seenProperties.append(property)
      do {
        try read(property, into: &draft, &radius)
      } catch {
        guard error.kind == .content else { throw error }
        throw .content(at: offset, "\(property.rawValue): \(error.what)", error.remedy)
      }
      if property == .tags, draft.tags == nil, isNew(key) {
        collector.warn(
          "\"tags\" is no list of words, so that no region is found by it", line: line(at: offset))
      }
    }
    if draft.radiusMeters == nil, radius.isPresent { draft.foreignRadius = radius }
  }

  /// What Google Takeout says of a saved place; false for other keys, which are still to be read.
  private mutating func readSavedPlace(_ key: JSONReader.Text, into draft: inout RegionDraft)
    throws(JSONError) -> Bool
  {
    if reader.equals(key, "google_maps_url") || reader.equals(key, "Google Maps URL") {
      draft.isSavedPlace = true
      return false
    }
    if reader.equals(key, "Title"), try reader.peek() == .string {
      let title = RegionDraft.trimmed(try reader.string())
      draft.name = draft.name ?? title
      return true
    }
    guard reader.equals(key, "location") || reader.equals(key, "Location"), try reader.peek() == .object
    else {
      return false
    }
    try reader.openObject()
    while let key = try reader.nextKey() {
      let isName = reader.equals(key, "name") || reader.equals(key, "Business Name")
      if isName, try reader.peek() == .string {
        let name = RegionDraft.trimmed(try reader.string())
        draft.name = draft.name ?? name
      } else {
        try reader.skip()
      }
    }
    return true
  }

  private mutating func read(
    _ property: RegionProperty, into draft: inout RegionDraft, _ radius: inout ForeignRadius
  ) throws(JSONError) {
    let offset = reader.offset
    switch property {
    case .id: draft.id = try reader.stringOrNumber()
    case .name: draft.name = try reader.stringOrNumber()
    case .radiusMeters: draft.radiusMeters = try checked(at: offset, try reader.number(), RegionDraft.radius)
    case .bufferMeters: draft.bufferMeters = try checked(at: offset, try reader.number(), RegionDraft.radius)
    case .radius: radius.plain = try foreignNumber()
    case .radiusUnits: radius.units = try reader.stringOrNumber()
    case .mapboxRadius: radius.mapbox = try foreignNumber()
    case .rad: radius.ownTracks = try foreignNumber()
    case .mapboxDwell:
      if case .number(let minutes) = try foreignNumber(), draft.dwellSeconds == nil {
        draft.dwellSeconds = try checked(at: offset, minutes * 60, RegionDraft.seconds)
      }
    case .beacon: draft.beacon = try beacon()
    case .notify: draft.notify = try checked(at: offset, try words(), RegionDraft.notify)
    case .dwellSeconds: draft.dwellSeconds = try checkedSeconds()
    case .exitDelaySeconds: draft.exitDelaySeconds = try checkedSeconds()
    case .maxLatencySeconds: draft.maxLatencySeconds = try checkedSeconds()
    case .tags: draft.tags = try foreignWords()
    case .initial: draft.initial = try checked(at: offset, try reader.string(), RegionDraft.initial)
    case .sensitivity:
      draft.sensitivity = try checked(at: offset, try reader.string(), RegionDraft.sensitivity)
    }
  }

  /// `UUID:MAJOR:MINOR`, or an object of `uuid`, `major` and `minor`, or of `namespace` and `instance`.
  private mutating func beacon() throws(JSONError) -> Beacon {
    let offset = reader.offset
    var parts: [String: String] = [:]
    if try reader.peek() == .object {
      try reader.openObject()
      while let key = try reader.nextKey() { parts[reader.decoded(key)] = try reader.stringOrNumber() }
    } else {
      parts["uuid"] = try reader.string()
    }
    let words = ["uuid", "namespace", "instance", "major", "minor"].compactMap { parts[$0] }
    guard parts["minor"] == nil || parts["major"] != nil || parts["uuid"] == nil,
      let beacon = Beacon(words.joined(separator: ":"))
    else {
      throw .content(
        at: offset, "no beacon", "write UUID:MAJOR:MINOR, or NAMESPACE:INSTANCE for Eddystone")
    }
    return beacon
  }

  private mutating func checkedSeconds() throws(JSONError) -> Double {
    let offset = reader.offset
    return try checked(at: offset, try reader.number(), RegionDraft.seconds)
  }

  private func checked<Written, Value>(
    at offset: Int, _ written: Written, _ check: (Written) throws(RegionProblem) -> Value
  ) throws(JSONError) -> Value {
    do {
      return try check(written)
    } catch {
      throw .content(at: offset, error.what, error.remedy)
    }
  }

  private mutating func words() throws(JSONError) -> [String] {
    guard try reader.peek() == .array else {
      throw .content(
        at: reader.offset, "\(try reader.peek().words) where a list is expected", "write [\"enter\"]")
    }
    var words: [String] = []
    try reader.openArray()
    while try reader.nextElement() { words.append(try reader.string()) }
    return words
  }

  /// A list of strings; nil for what is none, which is then the owner's own.
  private mutating func foreignWords() throws(JSONError) -> [String]? {
    guard try reader.peek() == .array else {
      try reader.skip()
      return nil
    }
    var words: [String]? = []
    try reader.openArray()
    while try reader.nextElement() {
      if try reader.peek() == .string {
        words?.append(try reader.string())
      } else {
        try reader.skip()
        words = nil
      }
    }
    return words
  }

  /// A number where other programs put one; what else it may be matters only to a point without a radius.
  private mutating func foreignNumber() throws(JSONError) -> ForeignRadius.Value {
    guard try reader.peek() == .number else {
      let words = try reader.peek().words
      try reader.skip()
      return .other(words)
    }
    return .number(try reader.number())
  }

  /// Warns once of each key that looks like a slip for one of ours.
  private mutating func judge(_ key: JSONReader.Text) {
    guard isNew(key) else { return }
    let text = reader.decoded(key)
    guard let meant = RegionProperty.meant(by: text) else { return }
    collector.warn(
      "\"\(text)\" means nothing to locwatch; did you mean \"\(meant.rawValue)\"?",
      line: line(at: key.range.lowerBound))
  }

  /// Whether nothing was said yet of a key of that name.
  private mutating func isNew(_ key: JSONReader.Text) -> Bool {
    seenKeys.count < Self.maximumSeenKeys
      && seenKeys.insert(FNV1a.hash(reader.bytes.span.extracting(key.range))).inserted
  }

  /// Different keys judged, so that a file cannot make us remember without end.
  private static let maximumSeenKeys = 10_000
}

/// The radius of a point as other programs write it.
struct ForeignRadius {
  enum Value {
    case number(Double)
    /// What stands there instead, for the message.
    case other(String)
  }

  /// `radius`, in ``units``.
  var plain: Value?
  /// `radius_units`; metres where absent.
  var units: String?
  /// Metres.
  var mapbox: Value?
  /// Metres.
  var ownTracks: Value?

  /// Whether there is any.
  var isPresent: Bool { plain != nil || mapbox != nil || ownTracks != nil }

  /// Metres, from the first that is there; nil where none is.
  func meters() throws(RegionProblem) -> Double? {
    let (value, key, scale) =
      if plain != nil {
        (plain, "radius", try metersPerUnit())
      } else if mapbox != nil {
        (mapbox, RegionProperty.mapboxRadius.rawValue, 1.0)
      } else {
        (ownTracks, "rad", 1.0)
      }
    switch value {
    case .number(let number):
      do {
        return try RegionDraft.radius(number * scale)
      } catch {
        throw RegionProblem(what: "\(key): \(error.what)", remedy: error.remedy)
      }
    case .other(let words):
      throw RegionProblem(
        what: "\(key): \(words) where a number is expected", remedy: "write metres, without quotes")
    case nil: return nil
    }
  }

  private func metersPerUnit() throws(RegionProblem) -> Double {
    guard let units else { return 1 }
    guard let scale = Self.scales[units.lowercased()] else {
      throw RegionProblem(what: "radius_units is \"\(units)\"", remedy: "write radius_m, in metres")
    }
    return scale
  }

  /// Metres.
  private static let scales: [String: Double] = [
    "m": 1, "meter": 1, "meters": 1, "metre": 1, "metres": 1,
    "km": 1000, "kilometer": 1000, "kilometers": 1000, "kilometre": 1000, "kilometres": 1000,
    "ft": MeasureUnits.footMeters, "foot": MeasureUnits.footMeters, "feet": MeasureUnits.footMeters,
    "mi": MeasureUnits.mileMeters, "mile": MeasureUnits.mileMeters, "miles": MeasureUnits.mileMeters,
  ]
}
