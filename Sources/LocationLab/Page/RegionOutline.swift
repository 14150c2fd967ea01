package import LocationCore
package import LocationFormats

/// A region as the page draws it.
package enum RegionOutline {
  /// `id`, `name`, and `center` with `radius_m`, `polygons`, or `line` with `buffer_m`; places are `[lat,lon]`.
  package static func tree(of region: Region) -> JSONTree {
    let shape: KeyValuePairs<String, JSONTree?> =
      switch region.shape {
      case .circle(let center, let radius):
        ["center": place(center), "radius_m": .fixed(radius, FixedPoint.meters)]
      case .polygon(let polygon): ["polygons": .array([rings(of: polygon)])]
      case .multiPolygon(let polygons): ["polygons": .array(polygons.map(rings))]
      case .beacon(let beacon): ["beacon": .string(beacon.text)]
      case .corridor(let line, let buffer):
        ["line": .array(line.map(place)), "buffer_m": .fixed(buffer, FixedPoint.meters)]
      }
    let names = JSONTree.members(["id": .string(region.id), "name": .string(region.name ?? region.id)])
    return .object(names + JSONTree.members(shape))
  }

  private static func rings(of polygon: Region.Polygon) -> JSONTree {
    .array(([polygon.shell] + polygon.holes).map { .array($0.map(place)) })
  }

  private static func place(_ coordinate: Coordinate) -> JSONTree {
    .array([
      .fixed(coordinate.latitude, FixedPoint.degrees), .fixed(coordinate.longitude, FixedPoint.degrees),
    ])
  }
}
