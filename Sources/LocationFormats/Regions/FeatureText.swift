import LocationCore

/// One GeoJSON Feature as text on one line, with the numbers and properties as their owner wrote them.
enum FeatureText {
  /// What is to stand in a feature whatever stood there.
  struct Changes {
    /// The Feature's `id`.
    var id: String?
    /// Properties with their JSON text, in the order in which new ones are added.
    var properties: [(key: String, json: String)] = []
    var isEmpty: Bool { id == nil && properties.isEmpty }
  }

  /// The text of a Feature, or of a geometry that is made one.
  ///
  /// - Parameter text: has been read by ``GeoJSONReader``.
  static func make(from text: ArraySlice<UInt8>, _ changes: Changes, isBare: Bool) throws(JSONError)
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    if isBare {
      bytes += Array(#"{"type":"Feature""#.utf8)
      appendID(changes, to: &bytes)
      bytes += Array(#","properties":"#.utf8)
      try appendProperties(nil, changes, to: &bytes)
      bytes += Array(#","geometry":"#.utf8)
      JSONText.appendCompact(text, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
      return bytes
    }
    guard !changes.isEmpty else {
      JSONText.appendCompact(text, to: &bytes)
      return bytes
    }
    try appendFeature(Array(text), changes, to: &bytes)
    return bytes
  }

  /// The text of a Feature from a file that is not GeoJSON. A property of ours that the file names counts for what the
  /// draft has.
  static func make(id: String, _ draft: RegionDraft, _ properties: [(key: String, json: String)]) -> [UInt8] {
    var members: [String] = []
    func add(_ property: RegionProperty, _ json: String?) {
      guard let json, !properties.contains(where: { $0.key == property.rawValue }) else { return }
      members.append("\(JSONText.string(property.rawValue)):\(json)")
    }
    add(.name, draft.name.map(JSONText.string))
    add(.radiusMeters, draft.radiusMeters.map(JSONText.number))
    add(.bufferMeters, draft.bufferMeters.map(JSONText.number))
    add(.dwellSeconds, draft.dwellSeconds.map(JSONText.number))
    add(.exitDelaySeconds, draft.exitDelaySeconds.map(JSONText.number))
    members += properties.map { "\(JSONText.string($0.key)):\($0.json)" }
    let text =
      #"{"type":"Feature","id":\#(JSONText.string(id)),"properties":{"# + members.joined(separator: ",")
      + #"},"geometry":\#(draft.geometry.json)}"#
    return Array(text.utf8)
  }

  private static func appendFeature(_ text: [UInt8], _ changes: Changes, to bytes: inout [UInt8])
    throws(JSONError)
  {
    var reader = JSONReader(text)
    var hasProperties = false
    bytes += Array(#"{"type":"Feature""#.utf8)
    appendID(changes, to: &bytes)
    try reader.openObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "type") || (changes.id != nil && reader.equals(key, "id")) {
        try reader.skip()
        continue
      }
      bytes.append(UInt8(ascii: ","))
      bytes.append(UInt8(ascii: "\""))
      bytes += text[key.range]
      bytes += Array(#"":"#.utf8)
      if reader.equals(key, "properties") {
        hasProperties = true
        try appendProperties(try value(&reader), changes, to: &bytes)
      } else {
        JSONText.appendCompact(try value(&reader), to: &bytes)
      }
    }
    if !hasProperties {
      bytes += Array(#","properties":"#.utf8)
      try appendProperties(nil, changes, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// The text of the next value, which is passed over.
  private static func value(_ reader: inout JSONReader) throws(JSONError) -> ArraySlice<UInt8> {
    _ = try reader.peek()
    let first = reader.offset
    try reader.skip()
    return reader.bytes[first..<reader.offset]
  }

  private static func appendID(_ changes: Changes, to bytes: inout [UInt8]) {
    guard let id = changes.id else { return }
    bytes += Array(#","id":"#.utf8)
    JSONString.append(id, to: &bytes)
  }

  /// The properties in their order, those that change with their new values, then those that are new.
  private static func appendProperties(_ old: ArraySlice<UInt8>?, _ changes: Changes, to bytes: inout [UInt8])
    throws(JSONError)
  {
    var isFirst = true
    var added = changes.properties
    var replaced: Set<String> = []
    func appendKey(_ key: [UInt8], to bytes: inout [UInt8]) {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes += [UInt8(ascii: "\"")] + key + Array(#"":"#.utf8)
    }
    bytes.append(UInt8(ascii: "{"))
    if let old {
      var reader = JSONReader(Array(old))
      if try reader.peek() == .object {
        try reader.openObject()
        while let key = try reader.nextKey() {
          let name = reader.decoded(key)
          let was = try value(&reader)
          // Of a key that stands there twice the last would count.
          if replaced.contains(name) { continue }
          appendKey(Array(reader.bytes[key.range]), to: &bytes)
          if let index = added.firstIndex(where: { $0.key == name }) {
            bytes += Array(added.remove(at: index).json.utf8)
            replaced.insert(name)
          } else {
            JSONText.appendCompact(was, to: &bytes)
          }
        }
      }
    }
    for (key, json) in added {
      appendKey(Array(JSONText.string(key).utf8.dropFirst().dropLast()), to: &bytes)
      bytes += Array(json.utf8)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

extension RegionDraft.Geometry {
  /// The geometry as GeoJSON has it.
  var json: String {
    switch self {
    case .point(let position): #"{"type":"Point","coordinates":\#(Self.json(position))}"#
    case .lineString(let line): #"{"type":"LineString","coordinates":\#(Self.json(line))}"#
    case .polygon(let rings): #"{"type":"Polygon","coordinates":\#(Self.json(rings))}"#
    case .multiPolygon(let polygons):
      #"{"type":"MultiPolygon","coordinates":["# + polygons.map(Self.json).joined(separator: ",") + "]}"
    case .other, .none: "null"
    }
  }

  private static func json(_ rings: [[RegionDraft.Position]]) -> String {
    "[" + rings.map(json).joined(separator: ",") + "]"
  }

  private static func json(_ line: [RegionDraft.Position]) -> String {
    "[" + line.map(json).joined(separator: ",") + "]"
  }

  private static func json(_ position: RegionDraft.Position) -> String {
    "[\(JSONText.number(position.longitude)),\(JSONText.number(position.latitude))]"
  }
}
