import LocationCore

/// What an MQTT outlet publishes: OwnTracks JSON (owntracks/booklet, `docs/tech/json.md`) and, where it is asked for,
/// what Home Assistant discovers.
package struct OwnTracksOutlet: Sendable {
  /// A region, as far as others are told of it.
  package struct Place: Hashable, Sendable, Codable {
    /// Its id.
    package var id: String
    /// Its name for people; the id where it has none.
    package var name: String
    /// The middle of the circle that holds it, degrees.
    package var latitude: Double
    /// Likewise.
    package var longitude: Double
    /// That circle's radius, metres.
    package var radiusMeters: Double
    /// Whether the device is in it; nil where that is not known.
    package var isInside: Bool?

    /// The region alone, wherever the device is.
    var withoutState: Self {
      var place = self
      place.isInside = nil
      return place
    }
  }

  /// Where the device is.
  package struct Position: Hashable, Sendable, Codable {
    /// Degrees.
    package var latitude: Double
    /// Likewise.
    package var longitude: Double
    /// The radius that holds it with 68 %.
    package var accuracyMeters: Double

    /// A fix as others are told of it.
    package init(latitude: Double, longitude: Double, accuracyMeters: Double) {
      self.latitude = latitude
      self.longitude = longitude
      self.accuracyMeters = accuracyMeters
    }

    /// As a record has it.
    var line: JSONTree {
      .object([
        "lat": .fixed(latitude, FixedPoint.degrees), "lon": .fixed(longitude, FixedPoint.degrees),
        "acc_m": .fixed(accuracyMeters, FixedPoint.meters),
      ])
    }
  }

  /// Regions, and how far the log had come when they were looked at.
  package struct Scene: Hashable, Sendable, Codable {
    /// The regions; where there are too many, only those that outlets name.
    package var places: [Place]
    /// How many regions there are in all.
    package var count: Int
    /// The id of the newest event then.
    package var newest: Int
    /// Where the device was; nil where that was not known.
    package var position: Position?

    /// The regions of then.
    ///
    /// - Parameter count: how many there are in all; nil where `places` has them all.
    package init(places: [Place], count: Int? = nil, newest: Int = 0) {
      self.places = places
      self.count = count ?? places.count
      self.newest = newest
    }

    /// How many regions an outlet is for, where those are too many to tell others of; nil where they are not.
    package func excess(for settings: OutletSettings) -> Int? {
      let count = settings.regions.map { names in places.count { names.contains($0.id) } } ?? count
      return count > OwnTracksOutlet.placeLimit ? count : nil
    }
  }

  let settings: OutletSettings
  let places: [Place]
  /// The id of the newest event when the places were looked at.
  private let newest: Int
  /// Whether the device was inside a region at the last event, as far as that is known. A region need not report both its
  /// enters and its exits, so of events after them the places know better.
  private var told: [String: Bool] = [:]
  /// Where Home Assistant has the device; nil where it is not told.
  private var attributes: MQTTSession.Message?
  /// Whether ``attributes`` are of the scene: events before it then do not replace them.
  private var hasPosition = false
  /// `owntracks/USER/DEVICE`.
  package let topic: String

  /// Beyond so many regions none gets a sensor: each is an entity of Home Assistant.
  package static let placeLimit = 50

  /// What is said of an outlet that is for too many of these regions; nil where it tells nobody of regions, or of few.
  package static func complaint(about settings: OutletSettings, among ids: [String]) -> String? {
    guard settings.kind.staysConnected else { return nil }
    let count = settings.regions.map { names in ids.count { names.contains($0) } } ?? ids.count
    return count > placeLimit ? text(ofExcess: count) : nil
  }

  /// What is said of an outlet that is for more.
  package static func text(ofExcess count: Int) -> String {
    "\(count) regions are more than \(placeLimit): none is sent as a waypoint or announced to Home Assistant; "
      + "locwatch outlets add --region NAME --replace chooses some"
  }

  /// - Parameter scene: the regions. Of these the other side is told only of those that the outlet is for.
  package init(_ settings: OutletSettings, _ scene: Scene) {
    self.settings = settings
    let isTold = scene.excess(for: settings) == nil
    places = isTold ? scene.places.filter { settings.regions?.contains($0.id) ?? true } : []
    newest = scene.newest
    topic = settings.deviceTopic
    // Only an outlet for whatever moves the device may say where it is before it moves.
    let isForMoves = settings.regions == nil && settings.types?.contains("significant") ?? true
    if announces, isForMoves, let line = scene.position?.line {
      attributes = attributes(of: settings.isReduced ? ReducedLine.of(line) : line)
      hasPosition = true
    }
  }

  var announces: Bool { settings.announces == true }

  /// Two characters that maps show: the last of the topic.
  private var tracker: String { String((topic.split(separator: "/").last ?? "").suffix(2)) }

  private func seconds(_ line: JSONTree) -> JSONTree {
    let time = line["time"]?.string.flatMap { UTCTime(rfc3339: $0) }
    return .integer((time?.microseconds ?? 0) / 1_000_000)
  }

  /// What the broker publishes when the connection breaks.
  ///
  /// - Parameter now: seconds since 1970.
  package func will(now: Int) -> MQTTSession.Message {
    if announces { return .init("\(topic)/availability", "offline", isRetained: true) }
    return .init(topic, #"{"_type":"lwt","tst":\#(now)}"#)
  }

  /// What is published once the session has begun, and again when Home Assistant says that it has started.
  package func greeting() -> [MQTTSession.Message] {
    let regions = places.isEmpty ? [] : [waypoints].compactMap { $0 }
    guard announces else { return regions }
    // The broker keeps what it was told before, so it is also told what is not known.
    let states = places.map { state(of: $0.id, isInside: $0.isInside) }
    let presence = MQTTSession.Message("\(topic)/availability", "online", isRetained: true)
    return [config(), presence] + [attributes].compactMap { $0 } + states + regions
  }

  /// Takes the regions, and in which the device is, as they are now; what is published of that. While the regions stay
  /// as they are only Home Assistant is told something: of the states that have changed, and where the device is.
  package mutating func take(_ scene: Scene) -> [MQTTSession.Message] {
    let old = self
    self = OwnTracksOutlet(settings, scene)
    attributes = attributes ?? old.attributes
    guard places.map(\.withoutState) == old.places.map(\.withoutState) else {
      // That there are too many, or that there may be others, is no reason to forget those.
      let hasLostLast = places.isEmpty && !old.places.isEmpty && scene.excess(for: settings) == nil
      return cleanUp(after: old.discovery()) + greeting() + (hasLostLast ? [waypoints].compactMap { $0 } : [])
    }
    told = old.told
    guard announces else { return [] }
    let moved = attributes == old.attributes ? nil : attributes
    return [moved].compactMap { $0 }
      + zip(places, old.places).compactMap { place, old in
        place.isInside == old.isInside ? nil : state(of: place.id, isInside: place.isInside)
      }
  }

  /// The regions; nil where positions are made coarse: where an event's region lies tells where the device is.
  package var waypoints: MQTTSession.Message? {
    guard !settings.isReduced else { return nil }
    return MQTTSession.Message("\(topic)/waypoints", waypointList.text)
  }

  /// Where commands come.
  package var commandTopic: String { "\(topic)/cmd" }

  /// Where pushes for subscribers come.
  package var pushTopic: String { "\(topic)/push" }

  /// Where Home Assistant says that it has started; nil where it is not told anything.
  package var birthTopic: String? { announces ? "homeassistant/status" : nil }

  // MARK: - Events

  /// The type of a line that answers a request for the position.
  package static let report = "report"

  /// What is published of an event; empty where it is none for others.
  package mutating func messages(for line: JSONTree) -> [MQTTSession.Message] {
    let type = line["type"]?.string ?? ""
    if type == "test" { return [.init(topic, line.text)] }
    var messages: [MQTTSession.Message] = []
    if isNewer(line) {
      for place in places { if let isInside = place.isInside { told[place.id] = isInside } }
    }
    if let region = line["region"]?.string, let isInside = Self.isInside(line, type) {
      told[region] = isInside
    }
    if type == "region.enter" || type == "region.exit" {
      let transition = transition(line, isEnter: type == "region.enter")
      messages.append(.init("\(topic)/event", transition.text))
    }
    // A departure has the place that was left, not where the device is.
    if type != "visit.depart", line["lat"] != nil, line["lon"] != nil {
      messages.append(.init(topic, location(line, type).text, isRetained: true))
      if announces, !hasPosition || isNewer(line) {
        let now = attributes(of: line)
        attributes = now
        messages.append(now)
      }
    }
    return messages
  }

  /// - Parameter isInside: nil where that is not known. `None` makes the sensor `unknown`
  ///   (https://www.home-assistant.io/integrations/binary_sensor.mqtt/).
  private func state(of region: String, isInside: Bool?) -> MQTTSession.Message {
    .init(stateTopic(region), isInside.map { $0 ? "ON" : "OFF" } ?? "None", isRetained: true)
  }

  /// Whether a line was written after the places were looked at: what they say says nothing of the time before.
  private func isNewer(_ line: JSONTree) -> Bool { line["id"]?.integer.map { $0 > newest } ?? true }

  private static func isInside(_ line: JSONTree, _ type: String) -> Bool? {
    switch type {
    case "region.enter": true
    case "region.exit": false
    case "region.state": line["state"]?.string.flatMap { $0 == "unknown" ? nil : $0 == "inside" }
    default: nil
    }
  }

  /// The accuracy; of the place of a visit its radius.
  private func accuracy(_ line: JSONTree) -> JSONTree {
    guard let meters = (line["acc_m"] ?? line["radius_m"])?.double else { return .integer(0) }
    return .integer(Int(meters.rounded(.up)))
  }

  private func location(_ line: JSONTree, _ type: String) -> JSONTree {
    let trigger =
      type.hasPrefix("region") ? "c" : type.hasPrefix("visit") ? "v" : type == Self.report ? "r" : "p"
    let regions = told.filter(\.value).keys.sorted()
    return .object([
      "_type": .string("location"), "lat": line["lat"] ?? .null, "lon": line["lon"] ?? .null,
      "tst": seconds(line), "acc": accuracy(line), "tid": .string(tracker), "t": .string(trigger),
      "vel": line["speed_mps"]?.double.map { .integer(Int(($0 * 3.6).rounded())) },
      "inregions": regions.isEmpty ? nil : .strings(regions.map { name($0) }),
      "inrids": regions.isEmpty ? nil : .strings(regions),
    ])
  }

  private func transition(_ line: JSONTree, isEnter: Bool) -> JSONTree {
    let region = line["region"]?.string ?? ""
    let hasPlace = line["lat"] != nil
    return .object([
      "_type": .string("transition"), "event": .string(isEnter ? "enter" : "leave"),
      "desc": .string(name(region)), "rid": .string(region), "tst": seconds(line),
      "wtst": .integer(created(places.firstIndex { $0.id == region } ?? 0)),
      "lat": line["lat"], "lon": hasPlace ? line["lon"] ?? .null : nil,
      "acc": hasPlace ? accuracy(line) : nil, "tid": .string(tracker), "t": .string("c"),
    ])
  }

  private func attributes(of line: JSONTree) -> MQTTSession.Message {
    let tree = JSONTree.object([
      "latitude": line["lat"] ?? .null, "longitude": line["lon"] ?? .null, "gps_accuracy": accuracy(line),
    ])
    return .init("\(topic)/attributes", tree.text, isRetained: true)
  }

  // MARK: - Regions

  /// The creation time that others are told of a place, seconds since 1970. Nobody noted the real one, so the first
  /// place has the time at which the outlet was added. Apps use the time as a key, so each place has its own.
  ///
  /// - Parameter index: the place's, in ``places``.
  private func created(_ index: Int) -> Int { (settings.created ?? 0) + index }

  private func name(_ region: String) -> String { places.first { $0.id == region }?.name ?? region }

  private var waypointList: JSONTree {
    // A region of beacons has no place.
    let waypoints = places.enumerated().filter { $1.radiusMeters > 0 }.map { index, place in
      JSONTree.object([
        "_type": .string("waypoint"), "desc": .string(place.name), "rid": .string(place.id),
        "tst": .integer(created(index)), "lat": .fixed(place.latitude, FixedPoint.degrees),
        "lon": .fixed(place.longitude, FixedPoint.degrees),
        "rad": .integer(Int(place.radiusMeters.rounded(.up))),
      ])
    }
    return .object(["_type": .string("waypoints"), "waypoints": .array(waypoints)])
  }
}
