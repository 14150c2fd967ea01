import LocationCore
import LocationFormats
import LocationRuntime

/// A way through waypoints whose corners are rounded, cut into straight pieces.
struct RoundedWay {
  /// A point on the way and how it is reached.
  struct Corner {
    var waypoint: SynthScenario.Waypoint
    /// Settings of the piece that leads here; of no meaning for the first.
    var settings: SynthScenario.Settings
    /// The step that asked for it.
    var step: Int
  }

  /// A straight piece.
  struct Piece {
    var leg: GeodesicLeg
    var elevationsMeters: (from: Double, to: Double)?
    var speed: SpeedProfile.Piece
    /// The corner it leads to, or around.
    var corner: Int
  }

  private(set) var pieces: [Piece] = []
  private var last: SynthScenario.Waypoint

  /// - Parameter corners: The start and at least one more.
  init(_ corners: [Corner]) {
    last = corners[0].waypoint
    for index in corners.indices.dropFirst() {
      guard index + 1 < corners.count, let bend = Bend(corners, at: index) else {
        add(corners[index].waypoint, corners[index], index, endLimit: .infinity)
        continue
      }
      let limit = min(
        bend.limitMetersPerSecond, Self.limit(corners[index]), Self.limit(corners[index + 1]))
      for (number, point) in bend.points.enumerated() {
        let waypoint = SynthScenario.Waypoint(
          coordinate: point, elevationMeters: corners[index].waypoint.elevationMeters)
        add(
          waypoint, corners[index], index, limit: number == 0 ? .infinity : limit, endLimit: limit)
      }
    }
  }

  private static func limit(_ corner: Corner) -> Double { corner.settings.speedMetersPerSecond ?? .infinity }

  private mutating func add(
    _ waypoint: SynthScenario.Waypoint, _ corner: Corner, _ index: Int, limit: Double = .infinity,
    endLimit: Double
  ) {
    let leg = GeodesicLeg(from: last.coordinate, to: waypoint.coordinate)
    // Nothing to travel; the limit at this place still holds.
    guard leg.lengthMeters >= Self.shortestMeters else {
      if let before = pieces.indices.last {
        pieces[before].speed.endLimitMetersPerSecond = min(
          pieces[before].speed.endLimitMetersPerSecond, endLimit)
      }
      return
    }
    var elevations: (from: Double, to: Double)?
    if let from = last.elevationMeters, let to = waypoint.elevationMeters { elevations = (from, to) }
    let speed = SpeedProfile.Piece(
      lengthMeters: leg.lengthMeters,
      limitMetersPerSecond: min(limit, Self.limit(corner)),
      accelerationMetersPerSecondSquared: corner.settings.accelerationMetersPerSecondSquared,
      brakingMetersPerSecondSquared: corner.settings.brakingMetersPerSecondSquared,
      endLimitMetersPerSecond: endLimit)
    pieces.append(Piece(leg: leg, elevationsMeters: elevations, speed: speed, corner: index))
    last = waypoint
  }

  /// A piece shorter than this is left out, metres.
  private static let shortestMeters = 0.001
}

/// How one corner is passed: along an arc that touches both its sides.
private struct Bend {
  /// From where the arc leaves one side to where it joins the other.
  let points: [Coordinate]
  /// The speed at which the arc needs the sideways acceleration allowed.
  let limitMetersPerSecond: Double

  /// Nil where the corner is passed as it stands: no turn to speak of, or turning on the spot was asked for.
  init?(_ corners: [RoundedWay.Corner], at index: Int) {
    let place = corners[index].waypoint.coordinate
    let settings = corners[index].settings
    let arriving = GeodesicLeg(from: corners[index - 1].waypoint.coordinate, to: place)
    let leaving = GeodesicLeg(from: place, to: corners[index + 1].waypoint.coordinate)
    guard arriving.lengthMeters > 0, leaving.lengthMeters > 0, settings.roundingMeters > 0 else { return nil }
    let course = arriving.courseDegrees(at: arriving.lengthMeters)
    let turn = (leaving.azimuthDegrees - course).remainder(dividingBy: 360)
    if abs(turn) < Self.straightDegrees { return nil }
    if abs(turn) > Self.backDegrees {
      points = [place]
      limitMetersPerSecond = 0
      return
    }
    let tangent = min(settings.roundingMeters, arriving.lengthMeters / 2, leaving.lengthMeters / 2)
    let radius = tangent / Trig.tan(abs(turn) / 2 * Trig.radiansPerDegree)
    limitMetersPerSecond = (settings.lateralMetersPerSecondSquared * radius).squareRoot()
    points = Self.arc(at: place, courseDegrees: course, turnDegrees: turn, tangent: tangent, radius: radius)
  }

  private static func arc(
    at place: Coordinate, courseDegrees: Double, turnDegrees: Double, tangent: Double, radius: Double
  ) -> [Coordinate] {
    let scale = LocalScale(latitude: place.latitude)
    let (east, north) = Trig.sincos(courseDegrees * Trig.radiansPerDegree)
    let side = turnDegrees > 0 ? radius : -radius
    // The centre lies beside the place where the arc begins, on the side of the turn.
    let center = (east: -tangent * east + side * north, north: -tangent * north - side * east)
    let count = Int((abs(turnDegrees) / degreesPerChord).rounded(.up)) + 1
    return (0...count).map { number in
      let (sine, cosine) = Trig.sincos(
        turnDegrees * Double(number) / Double(count) * Trig.radiansPerDegree)
      // From the centre back to the beginning, turned clockwise with the course.
      let spoke = (east: -side * north, north: side * east)
      return scale.coordinate(
        east: center.east + spoke.east * cosine + spoke.north * sine,
        north: center.north - spoke.east * sine + spoke.north * cosine, from: place)
    }
  }

  /// Less than this is no turn, degrees.
  private static let straightDegrees = 1.0
  /// More than this is turning back: comes to rest first, degrees.
  private static let backDegrees = 150.0
  private static let degreesPerChord = 10.0
}
