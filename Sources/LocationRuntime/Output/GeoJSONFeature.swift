import LocationCore

/// A record that has a place as a GeoJSON point.
enum GeoJSONFeature {
  static let header = "{\"type\":\"FeatureCollection\",\"features\":["
  static let footer = "\n]}\n"

  /// The feature after its number; nil for records without a place.
  static func encode(_ record: Record, track: String?, line: inout JSONLine) -> [UInt8]? {
    var reader = PlaceReader()
    record.body.describe(to: &reader)
    guard let place = reader.place else { return nil }
    line.reset()
    line.resume()
    line.write(record, track: track)
    line.close()
    line.open("geometry")
    line.member("type", "Point")
    line.position("coordinates", place)
    line.close()
    line.close()
    return line.bytes
  }
}

/// Finds the place of a record.
private struct PlaceReader: RecordVisitor {
  var place: Coordinate?

  mutating func position(latitude: Double, longitude: Double, _ meaning: StaticString) {
    place = Coordinate(latitude: latitude, longitude: longitude)
  }

  mutating func unlistedPlace(_ coordinate: Coordinate, _ accuracy: Accuracy) { place = coordinate }
}

extension JSONLine {
  /// A position as GeoJSON has it: longitude first.
  mutating func position(_ key: StaticString, _ place: Coordinate) {
    array(key, [place.longitude, place.latitude], decimals: FixedPoint.degrees)
  }
}
