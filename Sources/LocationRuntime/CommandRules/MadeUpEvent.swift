package import LocationCore
import LocationFormats

/// A record of an event that has not happened, as a program is told of one.
package enum MadeUpEvent {
  /// The record as a line of JSON with its end.
  ///
  /// - Parameters:
  ///   - region: where, in its middle; nil for an event that is about none.
  ///   - place: where the device is taken to be without a region.
  package static func line(
    _ kind: EventKind, in region: Region?, at place: Coordinate, time: UTCTime
  ) -> [UInt8] {
    let middle = region?.shape.middle ?? place
    let geometry = region.flatMap { try? ShapeGeometry($0.shape) }
    let record = Record.madeUp(
      kind, region: region?.id, at: middle, edgeMeters: geometry?.edgeMeters(at: middle) ?? 0,
      staySeconds: region?.dwellSeconds ?? visitSeconds, time: time)
    return JSONLine.line { line in
      line.member("v", 1)
      line.write(record, track: nil)
    }
  }

  /// The shortest visit there is (`visits.arrival_s`).
  private static let visitSeconds = 300.0
}
