package import LocationCore

/// How far the edges of regions are from a place.
package struct RegionNearness: Hashable, Sendable {
  /// The region.
  package var id: String
  /// Its name.
  package var name: String?
  /// Metres to the edge, positive outside.
  package var edgeMeters: Double

  /// Regions by the distance to their edge, the nearest first; equals by id.
  ///
  /// - Parameter limit: how many at most; nil for all.
  ///
  /// - Throws: `.data` where one has an outline that is none.
  package static func order(_ regions: [Region], from place: Coordinate, limit: Int? = nil) throws(Failure)
    -> [RegionNearness]
  {
    var edges: [(index: Int, edge: Double)] = []
    edges.reserveCapacity(regions.count)
    for index in regions.indices {
      guard !regions[index].isOfBeacons else { continue }
      edges.append((index, try RegionLocator.geometry(of: regions[index]).edgeMeters(at: place)))
    }
    let sorted = edges.sorted { a, b in
      abs(a.edge) != abs(b.edge) ? abs(a.edge) < abs(b.edge) : regions[a.index].id < regions[b.index].id
    }
    return sorted.prefix(limit ?? sorted.count).map { index, edge in
      RegionNearness(id: regions[index].id, name: regions[index].name, edgeMeters: edge)
    }
  }

  /// One JSON object.
  package func write(to line: inout JSONLine) {
    line.open()
    line.member("id", id)
    line.member("name", name)
    line.member("edge_m", edgeMeters, decimals: FixedPoint.meters)
    line.close()
  }

  /// The cells of ``header``.
  package func row(in units: MeasureUnits) -> [String] {
    [Wording.distance(abs(edgeMeters), in: units), edgeMeters <= 0 ? "inside" : "outside", id, name ?? ""]
  }

  /// The head of a table of rows.
  package static let header = ["EDGE", "", "ID", "NAME"]
}
