import Foundation
import TestSupport

@testable import LocationCore

/// Polygons and points with known answers from `corpus/regions`.
enum ShapeCorpus {
  struct Feature {
    var name: String
    var shape: Region.Shape
  }

  /// The features of a GeoJSON file, in order; nil for one whose coordinates are not numbers.
  static func features(_ file: String) throws -> [Feature?] {
    guard let url = Corpus.url("regions/\(file)") else { return [] }
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    return (root?["features"] as? [[String: Any]] ?? []).map { feature in
      let properties = feature["properties"] as? [String: Any] ?? [:]
      guard let geometry = feature["geometry"] as? [String: Any] else { return nil }
      let name = "\(properties["id"] ?? "") \(properties["name"] ?? "")"
      switch geometry["type"] as? String {
      case "Polygon": return polygon(geometry["coordinates"]).map { Feature(name: name, shape: .polygon($0)) }
      case "MultiPolygon":
        guard let list = geometry["coordinates"] as? [Any] else { return nil }
        let polygons = list.map(polygon)
        guard polygons.allSatisfy({ $0 != nil }) else { return nil }
        return Feature(name: name, shape: .multiPolygon(polygons.compactMap { $0 }))
      default: return nil
      }
    }
  }

  private static func polygon(_ value: Any?) -> Region.Polygon? {
    guard let list = value as? [Any] else { return nil }
    let rings = list.map(ring)
    guard let shell = rings.first, rings.allSatisfy({ $0 != nil }) else { return nil }
    return Region.Polygon(shell: shell ?? [], holes: rings.dropFirst().compactMap { $0 })
  }

  private static func ring(_ value: Any) -> [Coordinate]? {
    guard let list = value as? [Any] else { return nil }
    let places = list.map { item -> Coordinate? in
      guard let pair = item as? [Any], pair.count >= 2, let x = pair[0] as? Double, let y = pair[1] as? Double
      else { return nil }
      return Coordinate(latitude: y, longitude: x > 180 ? x - 360 : x)
    }
    return places.contains { $0 == nil } ? nil : places.compactMap { $0 }
  }

  /// The rows of a CSV file without its head.
  static func rows(_ file: String) throws -> [[Substring]] {
    guard let url = Corpus.url("regions/\(file)") else { return [] }
    let text = try String(contentsOf: url, encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
  }

  static func place(longitude: Substring, latitude: Substring) -> Coordinate? {
    guard let x = Double(longitude), let y = Double(latitude) else { return nil }
    return Coordinate(latitude: y, longitude: x > 180 ? x - 360 : x)
  }
}
