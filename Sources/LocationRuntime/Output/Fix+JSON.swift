package import LocationCore
package import LocationFormats

extension Fix {
  /// The time, the place and its accuracy, as members of a JSON object.
  package var members: [JSONTree.Member] {
    JSONTree.members([
      "time": .string(time.rfc3339), "lat": .fixed(coordinate.latitude, FixedPoint.degrees),
      "lon": .fixed(coordinate.longitude, FixedPoint.degrees),
      "acc_m": .fixed(accuracy.radiusMeters, FixedPoint.meters),
    ])
  }
}
