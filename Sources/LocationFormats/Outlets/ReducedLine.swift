import LocationCore

/// A record that reveals no more about the place than the cell of rule B8, about 5 km wide.
package enum ReducedLine {
  /// What is kept beside the position; everything else may tell where it was.
  private static let kept: Set = [
    "v", "seq", "id", "type", "time", "region", "visit", "state", "subscriber", "action", "rule", "reason",
  ]

  /// The record with its position replaced by the middle of its cell.
  package static func of(_ line: JSONTree) -> JSONTree {
    guard case .object(let members) = line else { return line }
    let reduced = members.filter { kept.contains($0.key) }
    guard let latitude = line["lat"]?.double, let longitude = line["lon"]?.double,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return .object(reduced) }
    let cell = ReducedCell(Coordinate(uncheckedLatitude: latitude, longitude: longitude))
    let place = JSONTree.members([
      "lat": .fixed(cell.middle.latitude, FixedPoint.degrees),
      "lon": .fixed(cell.middle.longitude, FixedPoint.degrees),
      "acc_m": .fixed(cell.accuracy.radiusMeters, FixedPoint.meters),
      "acc_source": .string(cell.accuracy.source.rawValue),
    ])
    return .object(reduced + place)
  }
}
