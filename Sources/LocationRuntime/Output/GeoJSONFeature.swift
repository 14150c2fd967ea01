import LocationCore
import LocationFormats

/// A record that has a place as a GeoJSON point.
enum GeoJSONFeature {
  static let header = "{\"type\":\"FeatureCollection\",\"features\":["
  static let footer = "\n]}\n"

  /// The feature after its number; nil for records without a place.
  static func encode(_ record: Record, track: String?, line: inout JSONLine) -> [UInt8]? {
    guard let place = place(of: record) else { return nil }
    line.reset()
    line.resume()
    record.write(to: &line, track: track)
    line.close()
    line.open("geometry")
    line.member("type", "Point")
    line.position("coordinates", place)
    line.close()
    line.close()
    return line.bytes
  }

  private static func place(of record: Record) -> Coordinate? {
    switch record.body {
    case .significant(let change): change.fix.coordinate
    case .region(let event): event.coordinate
    case .visit(let event): event.coordinate
    case .fixAccepted(let fix, _): fix.coordinate
    case .fixRejected(_, let report): Coordinate(latitude: report.latitude, longitude: report.longitude)
    case .location(let update): update.coordinate
    case .pause, .gap, .source, .decision, .subscriberState, .power, .advice, .receiver, .refused: nil
    }
  }
}

extension JSONLine {
  /// A position as GeoJSON has it: longitude first.
  mutating func position(_ key: StaticString, _ place: Coordinate) {
    array(key, [place.longitude, place.latitude], decimals: FixedPoint.degrees)
  }
}
