package import LocationCore

/// A region with all that its owner wrote of it.
package struct RegionFeature: Hashable, Sendable {
  /// What the engine makes of it.
  package var region: Region
  /// The owner's own words to find it by.
  package var tags: [String]
  /// A GeoJSON Feature on one line: the same numbers, and every property, known or not.
  package var geoJSON: String
}
