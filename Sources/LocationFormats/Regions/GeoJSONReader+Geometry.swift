import LocationCore

extension GeoJSONReader {
  /// The seven types of RFC 7946, section 1.4.
  static let geometryTypes: Set<String> = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection",
  ]

  /// A geometry, whose type may stand behind its coordinates.
  mutating func readGeometry() throws(JSONError) -> RegionDraft.Geometry {
    if try reader.skipNull() { return .none }
    let start = reader
    var type: String?
    var coordinates: JSONReader?
    var geometry: RegionDraft.Geometry?
    guard try reader.peek() == .object else {
      throw .content(at: reader.offset, "\(try reader.peek().words) for a geometry")
    }
    try reader.openObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "type") {
        type = try reader.string()
      } else if reader.equals(key, "coordinates") {
        if let type {
          geometry = try readCoordinates(of: type)
        } else {
          coordinates = reader
          try reader.skip()
        }
      } else {
        try reader.skip()
      }
    }
    guard let type else { throw .content(at: start.offset, "a geometry without \"type\"") }
    if geometry == nil, var place = coordinates {
      swap(&reader, &place)
      geometry = try readCoordinates(of: type)
      swap(&reader, &place)
    }
    if let geometry { return geometry }
    guard type == "GeometryCollection" else {
      throw .content(at: start.offset, "a geometry without \"coordinates\"")
    }
    return .other(type)
  }

  private mutating func readCoordinates(of type: String) throws(JSONError) -> RegionDraft.Geometry {
    switch type {
    case "Point":
      return .point(try readPosition())
    case "LineString":
      return .lineString(try readPositions())
    case "Polygon":
      return .polygon(try readRings())
    case "MultiPolygon":
      var polygons: [[[RegionDraft.Position]]] = []
      try openList("a list of polygons")
      while try reader.nextElement() { polygons.append(try readRings()) }
      return .multiPolygon(polygons)
    case "MultiPoint", "MultiLineString":
      try reader.skip()
      return .other(type)
    default:
      throw .content(
        at: reader.offset, "a geometry of type \"\(type)\"",
        NearestWord.to(type, among: Self.geometryTypes.sorted()).map { "did you mean \($0)?" })
    }
  }

  private mutating func readRings() throws(JSONError) -> [[RegionDraft.Position]] {
    var rings: [[RegionDraft.Position]] = []
    try openList("a list of rings")
    while try reader.nextElement() { rings.append(try readPositions()) }
    return rings
  }

  private mutating func readPositions() throws(JSONError) -> [RegionDraft.Position] {
    var positions: [RegionDraft.Position] = []
    try openList("a list of positions")
    while try reader.nextElement() { positions.append(try readPosition()) }
    return positions
  }

  private mutating func openList(_ what: String) throws(JSONError) {
    guard try reader.peek() == .array else {
      throw .content(at: reader.offset, "\(try reader.peek().words) where \(what) is expected")
    }
    try reader.openArray()
  }

  /// Longitude, latitude, and whatever follows.
  mutating func readPosition() throws(JSONError) -> RegionDraft.Position {
    guard try reader.peek() == .array else {
      throw .content(
        at: reader.offset, "\(try reader.peek().words) where a position is expected",
        "a position is [longitude, latitude]")
    }
    let offset = reader.offset
    try reader.openArray()
    guard try reader.nextElement() else { throw Self.notAPosition(at: offset) }
    let longitude = try readDegrees()
    guard try reader.nextElement() else { throw Self.notAPosition(at: offset) }
    let latitude = try readDegrees()
    while try reader.nextElement() { _ = try readDegrees() }
    return RegionDraft.Position(longitude: longitude, latitude: latitude)
  }

  private mutating func readDegrees() throws(JSONError) -> Double {
    let kind = try reader.peek()
    guard kind == .number else {
      throw .content(at: reader.offset, "\(kind.words) in a position", "a position is [longitude, latitude]")
    }
    return try reader.number()
  }

  private static func notAPosition(at offset: Int) -> JSONError {
    .content(at: offset, "a position with less than two numbers", "a position is [longitude, latitude]")
  }
}

extension RegionDraft.Geometry {
  /// For a message: why no region was made of it.
  var whyLeftOut: String {
    switch self {
    case .none: "it has no geometry"
    case .other(let type): "no region is made of a \(type)"
    case .point, .lineString, .polygon, .multiPolygon: "no region is made of it"
    }
  }
}
