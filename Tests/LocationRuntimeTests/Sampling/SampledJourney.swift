import TestSupport

@testable import LocationCore
@testable import LocationLab
@testable import LocationRuntime

/// A machine that goes from place to place and stays there, once a second, with the truth beside it.
struct SampledJourney {
  /// A region, metres east and north of the origin.
  struct Place {
    var id: String
    var east: Double
    var north: Double
    var radius: Double
    var latency: Double
    /// Whether the region says so itself.
    var statesLatency = true

    var region: Region {
      Region(
        id: id, shape: .circle(center: SampledJourney.coordinate(east, north), radiusMeters: radius),
        maxLatencySeconds: statesLatency ? latency : nil)
    }
  }

  /// A stay in a region.
  struct Visit {
    var place: Place
    /// Seconds from the start.
    var from: Double
    var to: Double
    /// Seconds clear of the region before it.
    var absence: Double
  }

  /// A time clear of a region.
  struct Absence {
    var place: Place
    /// Seconds from the start.
    var from: Double
    var to: Double
  }

  var places: [Place]
  /// Metres east and north of the origin, each second.
  var points: [(east: Double, north: Double)] = []

  /// A fixed plane: 1 m is 1 m within a hundredth of a percent, some kilometres around the origin.
  static func coordinate(_ east: Double, _ north: Double) -> Coordinate {
    let scale = LocalScale(latitude: Drive.origin.latitude)
    return Coordinate(
      latitude: Drive.origin.latitude + north / scale.metersPerDegreeLatitude,
      longitude: Drive.origin.longitude + east / scale.metersPerDegreeLongitude)!
  }

  /// Stays where it is for so many seconds.
  mutating func stay(_ seconds: Int) {
    for _ in 0..<seconds { points.append(points.last ?? (0, 0)) }
  }

  /// Goes straight to a place.
  mutating func go(to east: Double, _ north: Double, metersPerSecond: Double) {
    let start = points.last ?? (0, 0)
    let meters = ((east - start.0) * (east - start.0) + (north - start.1) * (north - start.1)).squareRoot()
    let steps = Int((meters / metersPerSecond).rounded(.up))
    guard steps > 0 else { return }
    for step in 1...steps {
      let share = Double(step) / Double(steps)
      points.append((start.0 + share * (east - start.0), start.1 + share * (north - start.1)))
    }
  }

  /// Stays of the machine at least `depth` metres inside a region, with the time before that it was as far outside.
  func visits(depth: Double) -> [Visit] {
    places.flatMap { place -> [Visit] in
      var visits: [Visit] = []
      var since: Int?
      // Outside since long before the journey.
      var outside = 1_000_000
      var wasOutside = true
      for second in 0...points.count {
        let edge = edge(of: place, at: second)
        if edge <= -depth {
          since = since ?? second
        } else if let start = since {
          visits.append(
            Visit(place: place, from: Double(start), to: Double(second), absence: Double(outside)))
          // A second stay of the same visit need not be told.
          outside = 0
          since = nil
        }
        if edge >= depth { outside = wasOutside ? outside + 1 : 1 }
        wasOutside = edge >= depth
      }
      return visits
    }
  }

  /// Times in which the machine is at least `depth` metres outside a region.
  func absences(depth: Double) -> [Absence] {
    places.flatMap { place -> [Absence] in
      var absences: [Absence] = []
      var since: Int?
      for second in points.indices {
        if edge(of: place, at: second) >= depth {
          since = since ?? second
        } else if let start = since {
          absences.append(Absence(place: place, from: Double(start), to: Double(second)))
          since = nil
        }
      }
      if let since { absences.append(Absence(place: place, from: Double(since), to: Double(points.count))) }
      return absences
    }
  }

  /// Metres to the edge of a region, negative inside; none is near after the end.
  private func edge(of place: Place, at second: Int) -> Double {
    second < points.count ? Self.distance(points[second], to: place) - place.radius : .infinity
  }

  private static func distance(_ point: (east: Double, north: Double), to place: Place) -> Double {
    let east = point.east - place.east
    let north = point.north - place.north
    return (east * east + north * north).squareRoot()
  }

  /// What a replay tells of it.
  ///
  /// - Parameter clock: the time that the receiver claims, in seconds, at each second.
  func replay(
    _ sampling: SamplingConfiguration, noise: Double = 0, seed: UInt64 = 0,
    services: Subscriber.Services = .all,
    profile: PowerProfile = .rpi4UbloxM8, scenario: Scenario? = nil,
    clock: (Double) -> Double = { $0 }
  ) -> (events: [RegionEvent], summary: Summary) {
    var request = ReplayRequest()
    request.configuration.sampling = sampling
    request.configuration.profile = profile
    request.scenario = scenario
    request.regions = places.map(\.region)
    request.subscribers = [Subscriber(name: "a", services: services)]
    var replay = TrackReplay(request, to: RegionEvents())
    var random = SeededRandom(seed)
    for (second, point) in points.enumerated() {
      let place = Self.coordinate(
        point.east + random.normal(sigma: noise), point.north + random.normal(sigma: noise))
      let radius = Swift.max(1, noise * Accuracy.sigmasIn68Percent)
      let report = FixReport(
        time: UTCTime(microseconds: Drive.instant(clock(Double(second))).microseconds),
        latitude: place.latitude, longitude: place.longitude,
        accuracy: Accuracy(radiusMeters: radius, source: .reported))
      replay.take(.fix(report))
    }
    let summary = replay.finish(notes: [])
    return (replay.sink.events, summary)
  }

  private struct RegionEvents: RecordSink {
    var events: [RegionEvent] = []
    mutating func receive(_ record: Record) {
      if case .region(let event) = record.body { events.append(event) }
    }
  }
}
