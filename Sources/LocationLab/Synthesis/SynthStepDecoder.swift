import LocationCore
import LocationFormats
import LocationRuntime

/// The keys that hold from where they stand until another step changes them.
enum SynthSettingKey: String, CaseIterable {
  case intervalSeconds = "interval_s"
  case noise, by
  case speed = "speed_mps"
  case acceleration = "accel_mps2"
  case braking = "brake_mps2"
  case lateral = "lateral_mps2"
  case rounding = "rounding_m"
}

/// Decodes the steps of a scenario in order, with what holds so far.
struct SynthStepDecoder {
  /// Names for waypoints.
  private(set) var places: [(name: String, waypoint: SynthScenario.Waypoint)] = []
  /// Whether waypoints have an elevation; nil before the first.
  private(set) var waypointsHaveElevation: Bool?
  private var settings = SynthScenario.Settings.standard
  /// The last place; nil before the first `at`.
  private var here: Coordinate?

  private enum Key: String, CaseIterable {
    case at, to, along
    case stopSeconds = "stop_s"
    case gapSeconds = "gap_s"
    case newSegment = "new_segment"
    case signal
    case intervalSeconds = "interval_s"
    case noise, by
    case speed = "speed_mps"
    case acceleration = "accel_mps2"
    case braking = "brake_mps2"
    case lateral = "lateral_mps2"
    case rounding = "rounding_m"

    static let actions: [Key] = [.at, .to, .along, .stopSeconds, .gapSeconds, .newSegment]
  }

  private enum Signal: String, CaseIterable { case good, lost }

  /// The longest stop or gap, seconds: a year and a day.
  private static let longestSeconds = 366.0 * 86_400

  mutating func readPlaces(_ node: StrictYAML) throws(Failure) {
    for (name, value) in try node.namedValues() {
      places.append((name, try waypoint(value)))
    }
  }

  mutating func steps(_ node: StrictYAML) throws(Failure) -> [SynthScenario.Step] {
    var steps: [SynthScenario.Step] = []
    for element in try node.list() { steps.append(try step(element)) }
    guard here != nil else {
      throw node.failure("no step says where the track begins", remedy: "begin with `at`")
    }
    return steps
  }

  private mutating func step(_ node: StrictYAML) throws(Failure) -> SynthScenario.Step {
    let map = try node.map(Key.self)
    try applySettings { key in Key(rawValue: key.rawValue).flatMap(map.optional) }
    let action = try action(of: map)
    var signalLost = false
    if let signal = map.optional(.signal) {
      switch action {
      case .move, .stop: signalLost = try signal.word(Signal.self) == .lost
      case .at, .gap, .newSegment, .set:
        throw signal.failure("only a step that takes time can be without signal (to, along, stop_s)")
      }
    }
    return SynthScenario.Step(action: action, settings: settings, signalLost: signalLost)
  }

  private mutating func action(of map: StrictMap<Key>) throws(Failure) -> SynthScenario.Action {
    guard map.entries.contains(where: { Key.actions.contains($0.key) }) else { return .set }
    let (key, value) = try map.exactlyOne(of: Key.actions)
    if key == .at {
      let waypoint = try waypoint(value)
      here = waypoint.coordinate
      return .at(waypoint)
    }
    guard here != nil else {
      throw value.failure("the track has not begun", remedy: "begin with `at`")
    }
    switch key {
    case .to:
      return .move([try nextWaypoint(value)])
    case .along:
      var points: [SynthScenario.Waypoint] = []
      for point in try value.list() { points.append(try nextWaypoint(point)) }
      guard !points.isEmpty else { throw value.failure("no place in it") }
      return .move(points)
    case .stopSeconds: return .stop(seconds: try value.double(in: 0...Self.longestSeconds))
    case .gapSeconds: return .gap(seconds: try value.double(in: 0...Self.longestSeconds))
    case .newSegment:
      guard try value.bool() else { throw value.failure("has only one meaning: true") }
      return .newSegment
    case .at, .signal, .intervalSeconds, .noise, .by, .speed, .acceleration, .braking, .lateral, .rounding:
      return .set
    }
  }

  /// A waypoint that is reached by moving.
  private mutating func nextWaypoint(_ node: StrictYAML) throws(Failure) -> SynthScenario.Waypoint {
    guard settings.speedMetersPerSecond != nil else {
      let carriers = SynthCarrier.allCases.map(\.rawValue).joined(separator: ", ")
      throw node.failure("no speed so far", remedy: "give `speed_mps`, or `by` (\(carriers))")
    }
    let waypoint = try waypoint(node)
    if let here, Geodesy.distanceMeters(here, waypoint.coordinate) > GeodesicLeg.longestMeters {
      throw node.failure("more than 10,000 km from the place before", remedy: "put a waypoint between them")
    }
    here = waypoint.coordinate
    return waypoint
  }
}

// MARK: - Places

extension SynthStepDecoder {
  /// A name of `places`, or `[latitude, longitude]`, or `[latitude, longitude, elevation in metres]`.
  private mutating func waypoint(_ node: StrictYAML) throws(Failure) -> SynthScenario.Waypoint {
    if node.shape == .scalar { return try place(named: node) }
    let parts = try node.list()
    guard parts.count == 2 || parts.count == 3 else {
      throw node.failure(
        "expected [latitude, longitude] or [latitude, longitude, elevation], found \(parts.count) values")
    }
    let latitude = try parts[0].double(in: -90...90)
    let longitude = try parts[1].double(in: -180...180)
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw node.failure("no such place on Earth")
    }
    let elevation: Double? = parts.count == 3 ? try parts[2].double(in: -11_000...50_000) : nil
    if let known = waypointsHaveElevation, known != (elevation != nil) {
      throw node.failure("give every waypoint an elevation, or none")
    }
    waypointsHaveElevation = elevation != nil
    return SynthScenario.Waypoint(coordinate: coordinate, elevationMeters: elevation)
  }

  private func place(named node: StrictYAML) throws(Failure) -> SynthScenario.Waypoint {
    let name = try node.string()
    if let place = places.first(where: { $0.name == name }) { return place.waypoint }
    throw node.failure(
      "unknown place \"\(name)\"",
      remedy: places.isEmpty
        ? "name it under `places`, or write [latitude, longitude]"
        : StrictYAML.suggestion(for: name, among: places.map(\.name), of: "places"))
  }
}

// MARK: - Settings

extension SynthStepDecoder {
  /// Takes over the settings that `find` has.
  mutating func applySettings(_ find: (SynthSettingKey) -> StrictYAML?) throws(Failure) {
    if let by = find(.by) { try by.word(SynthCarrier.self).apply(to: &settings) }
    if let value = find(.intervalSeconds) {
      // Whole milliseconds: every format can write them.
      let milliseconds = (try value.double(in: 0.001...86_400) * 1000).rounded()
      settings.intervalMicroseconds = Int64(milliseconds) * 1000
    }
    if let value = find(.speed) { settings.speedMetersPerSecond = try value.double(in: 0.01...12_000) }
    let rates = 0.001...1000.0
    if let value = find(.acceleration) {
      settings.accelerationMetersPerSecondSquared = try value.double(in: rates)
    }
    if let value = find(.braking) { settings.brakingMetersPerSecondSquared = try value.double(in: rates) }
    if let value = find(.lateral) { settings.lateralMetersPerSecondSquared = try value.double(in: rates) }
    if let value = find(.rounding) { settings.roundingMeters = try value.double(in: 0...100_000) }
    if let value = find(.noise) { try settings.noise.change(by: value) }
  }
}

extension SynthScenario.Noise {
  private enum Key: String, CaseIterable {
    case sigma = "sigma_m"
    case correlation = "tau_s"
    case understatedBy = "understated_by"
    case speedSigma = "speed_sigma_mps"
  }

  /// Changes what the node names and keeps the rest.
  fileprivate mutating func change(by node: StrictYAML) throws(Failure) {
    let map = try node.map(Key.self)
    if let value = map.optional(.sigma) { sigmaMeters = try value.double(in: 0...100_000) }
    if let value = map.optional(.correlation) { correlationSeconds = try value.double(in: 0...1_000_000) }
    if let value = map.optional(.understatedBy) { understatedBy = try value.double(in: 0.01...100) }
    if let value = map.optional(.speedSigma) { speedSigmaMetersPerSecond = try value.double(in: 0...100) }
  }
}
