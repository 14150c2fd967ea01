package import LocationCore
package import LocationFormats

/// A region as the page draws it.
package enum RegionOutline {
  /// `id`, `name`, and `center` with `radius_m`, `polygons`, or `line` with `buffer_m`; places are `[lat,lon]`.
  package static func tree(of region: Region) -> JSONTree {
    var members = [
      JSONTree.Member(key: "id", value: .string(region.id)),
      .init(key: "name", value: .string(region.name ?? region.id)),
    ]
    switch region.shape {
    case .circle(let center, let radius):
      members.append(.init(key: "center", value: place(center)))
      members.append(.init(key: "radius_m", value: .fixed(radius, FixedPoint.meters)))
    case .polygon(let polygon): members.append(.init(key: "polygons", value: .array([rings(of: polygon)])))
    case .multiPolygon(let polygons):
      members.append(.init(key: "polygons", value: .array(polygons.map(rings))))
    case .beacon(let beacon): members.append(.init(key: "beacon", value: .string(beacon.text)))
    case .corridor(let line, let buffer):
      members.append(.init(key: "line", value: .array(line.map(place))))
      members.append(.init(key: "buffer_m", value: .fixed(buffer, FixedPoint.meters)))
    }
    return .object(members)
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
