import LocationCore

/// The formats in which regions come, told by content.
enum RegionFormat {
  case geoJSON
  case ownTracks
  case kml
  case gpx
  case homeAssistant
  case table
  case unknown(String, remedy: String = Self.accepted)

  /// The remedy in every message about a file of another kind.
  private static let accepted =
    "regions come from GeoJSON, OwnTracks waypoints, KML, GPX, CSV or zones of Home Assistant"

  /// Reads a file in whatever format it is.
  static func read(_ bytes: [UInt8], file: String, options: RegionFile.Options) -> RegionCollector {
    var collector = collect(bytes, file: file, options: options)
    collector.refuseIfUseless()
    collector.warnIfEmpty()
    return collector
  }

  private static func collect(_ bytes: [UInt8], file: String, options: RegionFile.Options) -> RegionCollector
  {
    switch RegionFormat(bytes) {
    case .geoJSON:
      var reader = GeoJSONReader(bytes, file: file, options: options)
      reader.read()
      return reader.collector
    case .ownTracks:
      var reader = OwnTracksReader(bytes, file: file, options: options)
      reader.read()
      return reader.collector
    case .kml:
      var reader = KMLReader(file: file, options: options)
      reader.read(bytes)
      return reader.collector
    case .gpx:
      var reader = GPXWaypointReader(file: file, options: options)
      reader.read(bytes)
      return reader.collector
    case .homeAssistant:
      var reader = HomeAssistantReader(file: file, options: options)
      reader.read(bytes)
      return reader.collector
    case .table:
      var reader = TableRegionReader(file: file, options: options)
      reader.read(bytes)
      return reader.collector
    case .unknown(let what, let remedy):
      var collector = RegionCollector(file: file, noun: "feature", options: options)
      collector.note(what, remedy, line: nil)
      return collector
    }
  }

  /// Looks at the first bytes, and no further than it must.
  private init(_ bytes: [UInt8]) {
    let head = bytes.prefix(Self.headBytes)
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // Each text of a sequence (RFC 8142) begins with a separator.
    guard let first = head[start...].first(where: { !$0.isXMLSpace && $0 != GeoJSONReader.recordSeparator })
    else {
      self = .unknown("the file is empty")
      return
    }
    let isUTF16 = head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE])
    if first == UInt8(ascii: "<") || isUTF16 {
      if let root = head.span.xmlRoot {
        self = root == "kml" ? .kml : root == "gpx" ? .gpx : .unknown("XML with <\(root)>")
      } else {
        // XML names its encoding; nothing else is read in UTF-16.
        self =
          isUTF16 ? .unknown("not UTF-8", remedy: Failure.encodingRemedy) : .unknown("XML without an element")
      }
    } else if head.starts(with: Array("PK\u{3}\u{4}".utf8)) {
      self = .unknown("a ZIP archive without KML; unpack it first")
    } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      let keys = Self.firstKeys(bytes)
      let isHomeAssistant =
        keys.contains("entity_id") || keys.isSuperset(of: ["key", "data"])
        || keys.isSuperset(of: ["latitude", "longitude"])
      self = keys.contains("_type") ? .ownTracks : isHomeAssistant ? .homeAssistant : .geoJSON
    } else if TableRegionReader.isTable(bytes) {
      self = .table
    } else {
      self =
        Self.hasZones(head[start...])
        ? .homeAssistant : .unknown("neither JSON, XML nor CSV with lat and lon")
    }
  }

  /// How much is looked at to find the first element of XML, bytes.
  private static let headBytes = 64 << 10

  /// The first keys of the first object, up to what makes it GeoJSON or OwnTracks.
  private static func firstKeys(_ bytes: [UInt8]) -> Set<String> {
    var reader = JSONReader(bytes)
    var keys: Set<String> = []
    do {
      if try reader.peek() == .array {
        try reader.openArray()
        guard try reader.nextElement() else { return keys }
      }
      guard try reader.peek() == .object else { return keys }
      try reader.openObject()
      for _ in 0..<membersLookedAt {
        guard let key = try reader.nextKey() else { return keys }
        // Whatever GeoJSON is, it says so; what follows may be long. OwnTracks's apps write theirs first.
        if reader.equals(key, "type") || reader.equals(key, "features") { return [] }
        keys.insert(reader.decoded(key))
        if reader.equals(key, "_type") { return keys }
        try reader.skip()
      }
    } catch {
      // The reader of the format says what is wrong.
    }
    return keys
  }

  /// Whether a line begins as those of Home Assistant's lists of zones do.
  private static func hasZones(_ head: ArraySlice<UInt8>) -> Bool {
    let starts = ["zone:", "zone ", "homeassistant:", "- name:", "- latitude:", "- icon:"].map {
      Array($0.utf8)
    }
    return head.split(separator: UInt8(ascii: "\n")).contains { line in
      starts.contains { line.starts(with: $0) }
    }
  }

  private static let membersLookedAt = 64
}
