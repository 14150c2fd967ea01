import LocationCore

/// Makes regions of the waypoints of a GPX file.
///
/// The radius is Garmin's `Proximity` (metres), or the one that was asked for. Tracks and routes are no
/// regions and are left out.
struct GPXWaypointReader: XMLRegionReader {
  var collector: RegionCollector
  private var waypoint: Waypoint?
  /// The elements that are open, the outermost first.
  private var path: [String] = []
  private var text: [UInt8] = []
  private var tracks = 0
  private var routes = 0

  private struct Waypoint {
    var line: Int
    var latitude: Double?
    var longitude: Double?
    var name: String?
    var proximity: String?
    var properties: [(key: String, json: String)] = []
  }

  /// What of a waypoint becomes a property.
  private static let kept: Set<String> = ["desc", "cmt", "sym", "type", "ele", "time"]

  init(file: String, options: RegionFile.Options) {
    collector = RegionCollector(file: file, noun: "waypoint", options: options)
  }

  /// Reads everything; what is wrong is in the collector.
  mutating func read(_ bytes: [UInt8]) {
    guard readDocument(bytes) else { return }
    if tracks > 0 { collector.leaveOutAll(Wording.count(tracks, "track") + ": regions come from waypoints") }
    if routes > 0 { collector.leaveOutAll(Wording.count(routes, "route") + ": regions come from waypoints") }
  }

  mutating func take(_ event: XMLEvent) {
    switch event {
    case .start(let name, let attributes, let line):
      if path.count == 1 {
        if name == "wpt" { begin(attributes, line: line) }
        if name == "trk" { tracks += 1 }
        if name == "rte" { routes += 1 }
      }
      path.append(name)
      text.removeAll(keepingCapacity: true)
    case .text(let bytes):
      if waypoint != nil { text += bytes }
    case .end(let name):
      path.removeLast()
      end(name)
    }
  }

  private mutating func begin(_ attributes: [XMLEvent.Attribute], line: Int) {
    collector.number += 1
    var begun = Waypoint(line: line)
    for attribute in attributes {
      let value = Double(xsdDecimal: Array(attribute.value.utf8).span)
      if attribute.name == "lat" { begun.latitude = value }
      if attribute.name == "lon" { begun.longitude = value }
    }
    waypoint = begun
  }

  private mutating func end(_ name: String) {
    guard waypoint != nil else { return }
    let value = String(decoding: text, as: UTF8.self)
    text.removeAll(keepingCapacity: true)
    if name == "wpt", path.count == 1 {
      finish()
    } else if name == "name", path.last == "wpt" {
      waypoint?.name = value
    } else if name == "Proximity" {
      waypoint?.proximity = value
    } else if Self.kept.contains(name), path.last == "wpt", !value.isEmpty {
      waypoint?.properties.append((name, JSONText.string(value)))
    }
  }

  private mutating func finish() {
    guard let done = waypoint else { return }
    waypoint = nil
    do throws(RegionProblem) {
      guard let latitude = done.latitude, let longitude = done.longitude else {
        throw RegionProblem(what: "lat or lon is missing or no number", remedy: "give both, in degrees")
      }
      var draft = RegionDraft()
      draft.order = .named
      draft.name = done.name.flatMap(RegionDraft.trimmed)
      draft.geometry = .point(RegionDraft.Position(longitude: longitude, latitude: latitude))
      if let proximity = done.proximity {
        guard let meters = Double(xsdDecimal: Array(proximity.utf8).span) else {
          throw RegionProblem(what: "Proximity: \"\(proximity)\" is no number", remedy: "write metres")
        }
        draft.radiusMeters = try RegionDraft.radius(meters)
      }
      try collector.addPlace(draft, properties: done.properties)
    } catch {
      collector.note(error.what, error.remedy, id: done.name, line: done.line)
    }
  }
}
