package import LocationCore
import LocationFormats

/// A record of an event that has not happened, as a program is told of one.
package enum MadeUpEvent {
  /// The record as a line of JSON with its end.
  ///
  /// - Parameters:
  ///   - region: where, in its middle, or outside of it where the event means that; nil for an event that is about none.
  ///   - place: where the device is taken to be without a region.
  package static func line(
    _ kind: EventKind, in region: Region?, at place: Coordinate, time: UTCTime
  ) -> [UInt8] {
    let geometry = region.flatMap { try? ShapeGeometry($0.shape) }
    var place = region?.shape.middle ?? place
    if kind == .exit || kind == .cross, let geometry { place = outside(geometry, near: place) }
    let record = Record.madeUp(
      kind, region: region?.id, at: place, edgeMeters: geometry?.edgeMeters(at: place) ?? 0,
      staySeconds: region?.dwellSeconds ?? visitSeconds, time: time)
    return JSONLine.line { line in
      line.member("v", 1)
      line.write(record, track: nil)
    }
  }

  /// The variables of the program that is started for it, as a daemon would set them.
  ///
  /// - Parameter line: of ``line(_:in:at:time:)``, whose event has the id 0.
  package static func variables(of kind: EventKind, line: [UInt8]) -> [String] {
    let mode: BackgroundMode =
      switch kind {
      case .enter, .exit, .dwell, .cross: .region
      case .arrive, .leave: .visit
      case .move: .significantChange
      }
    return [
      ProgramStart.causeKey + mode.trigger.rule.rawValue, ProgramStart.kindKey + mode.kind,
      ProgramStart.eventKey + "0",
    ] + EventVariables.entries(of: line)
  }

  /// A place on the meridian of another that is outside of an outline; the same place where the outline covers both ways.
  private static func outside(_ geometry: ShapeGeometry, near place: Coordinate) -> Coordinate {
    var degrees = leastDegrees
    while degrees < 180 {
      for latitude in [place.latitude + degrees, place.latitude - degrees] where abs(latitude) <= 90 {
        let other = Coordinate(uncheckedLatitude: latitude, longitude: place.longitude)
        if geometry.edgeMeters(at: other) > 0 { return other }
      }
      degrees *= 1.25
    }
    return place
  }

  /// About 11 m.
  private static let leastDegrees = 0.0001

  /// The shortest visit there is (`visits.arrival_s`).
  private static let visitSeconds = 300.0
}
