import LocationCore

/// Makes regions of the zones of Home Assistant: `zone:` lists of its configuration, `.storage/zone`, and the states that
/// its API tells (https://www.home-assistant.io/integrations/zone).
struct HomeAssistantReader {
  /// What was read so far.
  private(set) var collector: RegionCollector
  private let file: String

  /// Metres, of a zone that states none (`DEFAULT_RADIUS` of Home Assistant).
  private static let defaultRadiusMeters = 100.0

  init(file: String, options: RegionFile.Options) {
    self.file = file
    collector = RegionCollector(file: file, noun: "zone", options: options)
  }

  /// Reads everything; what is wrong is in the collector.
  mutating func read(_ bytes: [UInt8]) {
    do throws(Failure) {
      // JSON is YAML too.
      for zone in try Self.zones(of: try StrictYAML(bytes, file: file, code: .data)) {
        collector.number += 1
        do throws(Failure) {
          try add(zone)
        } catch {
          collector.note(error.what, error.remedy, line: error.line)
        }
      }
      if collector.number == 0 { collector.note("holds no zones", nil, line: nil) }
    } catch {
      collector.note(error.what, error.remedy, line: error.line)
    }
  }

  /// Every zone of a document.
  private static func zones(of root: StrictYAML) throws(Failure) -> [StrictYAML] {
    guard root.shape == .map else { return try root.list() }
    var zones: [StrictYAML] = []
    for (name, value) in try root.namedValues() {
      switch name {
      case "zone": zones += try list(value)
      case "homeassistant": if try members(of: value)["latitude"] != nil { zones.append(value) }
      case "data": zones += try list(try members(of: value)["items"] ?? value)
      // A configuration may have several lists, each with a name of its own.
      default: if name.hasPrefix("zone ") { zones += try list(value) }
      }
    }
    return zones
  }

  private static func list(_ value: StrictYAML) throws(Failure) -> [StrictYAML] {
    switch value.shape {
    case .list: return try value.list()
    case .map: return [value]
    case .scalar:
      throw value.failure("the zones are in another file", remedy: "import that file")
    }
  }

  private static func members(of value: StrictYAML) throws(Failure) -> [String: StrictYAML] {
    var members: [String: StrictYAML] = [:]
    for (name, value) in try value.namedValues() { members[name] = value }
    return members
  }

  private mutating func add(_ zone: StrictYAML) throws(Failure) {
    var members = try Self.members(of: zone)
    var draft = RegionDraft()
    draft.order = .named
    if let entity = try members["entity_id"]?.string() {
      // The states of everything else are told beside the zones.
      guard entity.hasPrefix("zone.") else { return }
      draft.id = String(entity.dropFirst("zone.".count))
      members = try members["attributes"].map { value throws(Failure) in try Self.members(of: value) } ?? [:]
    }
    draft.id = try members["id"]?.string() ?? draft.id
    draft.name = try (members["name"] ?? members["friendly_name"])?.string()
    guard let latitude = members["latitude"], let longitude = members["longitude"] else {
      throw zone.failure("a zone without latitude and longitude")
    }
    draft.geometry = .point(
      RegionDraft.Position(longitude: try Self.number(longitude), latitude: try Self.number(latitude)))
    draft.radiusMeters =
      try members["radius"].map { value throws(Failure) in try Self.number(value) }
      ?? Self.defaultRadiusMeters
    var properties: [(key: String, json: String)] = []
    if let icon = try members["icon"]?.string() { properties.append(("icon", JSONText.string(icon))) }
    do throws(RegionProblem) {
      draft.radiusMeters = try draft.radiusMeters.map { meters throws(RegionProblem) in
        try RegionDraft.radius(meters)
      }
      try collector.add(draft, properties: properties)
    } catch {
      throw zone.failure(error.what, remedy: error.remedy)
    }
  }

  private static func number(_ value: StrictYAML) throws(Failure) -> Double {
    do throws(Failure) {
      return try value.double()
    } catch {
      var failure = error
      failure.remedy = "write the number; secrets and templates of Home Assistant are not read here"
      throw failure
    }
  }
}
