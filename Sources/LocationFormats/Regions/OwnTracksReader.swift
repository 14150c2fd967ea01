import LocationCore

/// Makes regions of OwnTracks waypoints: `.otrw`, the `waypoints` of a configuration or of a command, or single ones.
///
/// Numbers may be strings, as the apps write them. A waypoint is named after its `desc`; what else it says
/// becomes properties.
struct OwnTracksReader {
  /// What was read so far.
  private(set) var collector: RegionCollector
  private var reader: JSONReader

  init(_ bytes: [UInt8], file: String, options: RegionFile.Options) {
    reader = JSONReader(bytes)
    collector = RegionCollector(file: file, noun: "waypoint", options: options)
  }

  /// Reads everything; what is wrong is in the collector.
  mutating func read() {
    do {
      repeat { try readValue() } while !reader.isAtEnd()
      if collector.number == 0 {
        collector.note("holds no waypoints", "export them from OwnTracks", line: nil)
      }
    } catch {
      note(error, id: nil)
    }
  }

  /// A waypoint, an object that has a list of them or holds such an object, or a list of any.
  private mutating func readValue() throws(JSONError) {
    if try reader.peek() == .array {
      try reader.openArray()
      while try reader.nextElement() { try readValue() }
      return
    }
    let start = reader
    var isWaypoint = false
    var held: JSONReader?
    try reader.openObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "_type") {
        isWaypoint = try reader.string() == "waypoint"
      } else {
        if try holdsWaypoints(key) { held = reader }
        try reader.skip()
      }
    }
    let end = reader
    if isWaypoint {
      reader = start
      try readWaypoint()
    } else if let held {
      reader = held
      if try reader.peek() == .array {
        try reader.openArray()
        while try reader.nextElement() { try readWaypoint() }
      } else {
        try readValue()
      }
      reader = end
    }
  }

  /// Whether the value of a key is a list of waypoints, or what a command carries.
  private mutating func holdsWaypoints(_ key: JSONReader.Text) throws(JSONError) -> Bool {
    let isList = reader.equals(key, "waypoints")
    guard isList || reader.equals(key, "payload") || reader.equals(key, "configuration") else { return false }
    let kind = try reader.peek()
    return kind == .object || (isList && kind == .array)
  }

  /// A waypoint; problems of its content are noted and it is passed over.
  private mutating func readWaypoint() throws(JSONError) {
    collector.number += 1
    let start = reader
    var waypoint = Waypoint()
    do throws(JSONError) {
      try readMembers(of: &waypoint)
      do throws(RegionProblem) {
        try add(waypoint)
      } catch {
        throw JSONError.content(at: start.offset, error.what, error.remedy)
      }
    } catch {
      guard error.kind == .content else { throw error }
      note(error, id: waypoint.name)
      reader = start
      try reader.skip()
    }
  }

  private struct Waypoint {
    var name: String?
    var latitude: Double?
    var longitude: Double?
    var radiusMeters: Double?
    var properties: [(key: String, json: String)] = []
  }

  private mutating func readMembers(of waypoint: inout Waypoint) throws(JSONError) {
    try reader.openObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "desc") {
        waypoint.name = try reader.string()
      } else if reader.equals(key, "lat") {
        waypoint.latitude = try number("lat")
      } else if reader.equals(key, "lon") {
        waypoint.longitude = try number("lon")
      } else if reader.equals(key, "rad") {
        waypoint.radiusMeters = try number("rad")
      } else if reader.equals(key, "_type") {
        try reader.skip()
      } else {
        _ = try reader.peek()
        let first = reader.offset
        try reader.skip()
        waypoint.properties.append((reader.decoded(key), reader.written(from: first)))
      }
    }
  }

  /// A number, or a string that holds one; nil for null.
  private mutating func number(_ key: String) throws(JSONError) -> Double? {
    switch try reader.peek() {
    case .number: return try reader.number()
    case .null:
      try reader.skip()
      return nil
    case .string:
      let first = reader.offset
      let text = try reader.string()
      guard let value = Double(jsonNumber: Array(text.utf8).span), value.isFinite else {
        throw .content(at: first, "\(key): \"\(text)\" is no number")
      }
      return value
    case .object, .array, .boolean:
      throw .content(at: reader.offset, "\(key): \(try reader.peek().words) where a number is expected")
    }
  }

  private mutating func add(_ waypoint: Waypoint) throws(RegionProblem) {
    // Beacons have no outline. They have a UUID of their own, or in the name: NAME:UUID:MAJOR:MINOR.
    let parts = (waypoint.name ?? "").split(separator: ":")
    let hasRadius = (waypoint.radiusMeters ?? 0) != 0
    let hasUUID = waypoint.properties.contains { $0.key == "uuid" }
    if (hasUUID && !hasRadius) || (parts.count >= 2 && parts[1].count == Self.uuidLength) {
      return collector.leaveOut("a beacon, not a place", id: waypoint.name)
    }
    guard let latitude = waypoint.latitude, let longitude = waypoint.longitude else {
      throw RegionProblem(what: "a waypoint without lat and lon", remedy: "give both, in degrees")
    }
    var draft = RegionDraft()
    draft.order = .named
    draft.name = waypoint.name
    draft.geometry = .point(RegionDraft.Position(longitude: longitude, latitude: latitude))
    // A waypoint that is a mere place has no radius, or 0.
    if let radius = waypoint.radiusMeters, radius != 0 {
      do {
        draft.radiusMeters = try RegionDraft.radius(radius)
      } catch {
        throw RegionProblem(what: "rad: \(error.what)", remedy: error.remedy)
      }
    }
    try collector.addPlace(draft, properties: waypoint.properties)
  }

  /// Of a UUID in its text form (RFC 9562, section 4).
  private static let uuidLength = 36

  private mutating func note(_ error: JSONError, id: String?) {
    // Counting lines for what is not kept would take forever in a file that is wrong throughout.
    let isKept = collector.problems.count < RegionCollector.keptProblems
    collector.note(error.what, error.remedy, id: id, line: isKept ? error.line(in: reader.bytes) : nil)
  }
}
