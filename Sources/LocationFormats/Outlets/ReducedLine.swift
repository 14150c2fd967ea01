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
    var reduced = members.filter { kept.contains($0.key) }
    guard let latitude = line["lat"]?.double, let longitude = line["lon"]?.double,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return .object(reduced) }
    let cell = ReducedCell(Coordinate(uncheckedLatitude: latitude, longitude: longitude))
    reduced.append(.init(key: "lat", value: .fixed(cell.middle.latitude, FixedPoint.degrees)))
    reduced.append(.init(key: "lon", value: .fixed(cell.middle.longitude, FixedPoint.degrees)))
    reduced.append(.init(key: "acc_m", value: .fixed(cell.accuracy.radiusMeters, FixedPoint.meters)))
    reduced.append(.init(key: "acc_source", value: .string(cell.accuracy.source.rawValue)))
    return .object(reduced)
  }
}
