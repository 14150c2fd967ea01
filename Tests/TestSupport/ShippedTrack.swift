import FoundationEssentials

/// A track of `Tracks/` with everything that belongs to it.
package struct ShippedTrack: CustomStringConvertible, Sendable {
  /// The name its files share.
  package var slug: String
  /// The track's file, below the package's folder.
  package var track: String

  /// Every track, by name.
  package static let all: [ShippedTrack] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: PackageRoot.file("Tracks"))) ?? []
    return names.sorted().compactMap { name in
      guard name.hasSuffix(".gpx") || name.hasSuffix(".gpx.gz") else { return nil }
      let slug = String(name.prefix { $0 != "." })
      return ShippedTrack(slug: slug, track: "Tracks/\(name)")
    }
  }()

  package var regions: String { "Tracks/\(slug).regions.geojson" }
  package var subscriber: String { "Tracks/\(slug).subscriber.yaml" }
  package var scenario: String { "Tracks/\(slug).scenario.yaml" }
  /// What a replay of all of it prints as NDJSON.
  package var golden: String { "Tracks/\(slug).chk" }

  /// What a user types after `locwatch` to replay it.
  package var arguments: [String] {
    ["replay", track, "--regions", regions, "--subscriber", subscriber, "--scenario", scenario]
  }

  package var description: String { slug }
}
