import LocationCore

/// Tells which regions have probably their latitude and longitude swapped.
///
/// A pair that is out of range is refused when it is read. Of those in range the company tells: a region is suspected
/// when it stands alone where it is, and would stand among the others if it were swapped. And so do the places where the
/// device is known to be: a region is suspected that is a continent away from all of them, and swapped is not.
struct SwappedCoordinates {
  /// Regions by whole degrees; several of one cell count.
  private var cells: [Cell: Int] = [:]
  /// Where the device is, as far as anybody knows.
  private let known: [Coordinate]

  private struct Cell: Hashable {
    var latitude: Int
    var longitude: Int
  }

  /// Company is within so many degrees.
  private static let nearDegrees = 1
  /// Alone is without company within so many degrees: about 1,000 km.
  private static let farDegrees = 9

  /// A known place is near within so many metres: that of a time zone may be as far off within one country.
  private static let nearMeters = 2_000_000.0
  /// And far from so many on.
  private static let farMeters = 3_000_000.0

  /// - Parameter known: where the device is, or was, or its time zone is.
  init(_ regions: [Region], near known: [Coordinate]) {
    self.known = known
    for region in regions where !region.isOfBeacons {
      let middle = region.shape.middle
      cells[Self.cell(middle.latitude, middle.longitude), default: 0] += 1
    }
  }

  /// What to say of a region; nil where it seems right.
  func finding(_ region: Region) -> String? {
    let middle = region.shape.middle
    guard !region.isOfBeacons, abs(middle.longitude) <= 90 else { return nil }
    if let near = placeNear(swapped: middle) {
      let meters = Geodesy.distanceMeters(middle, near)
      return
        "it is at \(Wording.place(middle)), \(Wording.distance(meters, in: .metric)) from this device or its time zone;"
        + " at \(Self.swapped(middle)) it would be near\(Self.remedy)"
    }
    let here = Self.cell(middle.latitude, middle.longitude)
    let there = Self.cell(middle.longitude, middle.latitude)
    // Near the diagonal both are the same place, and it must not be its own company.
    guard abs(here.latitude - there.latitude) > Self.nearDegrees,
      !hasCompany(here, within: Self.farDegrees, besides: 1)
    else { return nil }
    guard hasCompany(there, within: Self.nearDegrees, besides: 0) else { return nil }
    return "it stands alone at \(Wording.place(middle)), and at \(Self.swapped(middle)) it would be among"
      + " others\(Self.remedy)"
  }

  private static let remedy = "; swapped? GeoJSON and KML have longitude first, all else latitude"

  private static func swapped(_ place: Coordinate) -> String {
    "\(Wording.number(place.longitude, 5)), \(Wording.number(place.latitude, 5))"
  }

  /// The known place to which a region is near if it is swapped, and only then.
  private func placeNear(swapped place: Coordinate) -> Coordinate? {
    guard let other = Coordinate(latitude: place.longitude, longitude: place.latitude),
      known.allSatisfy({ Geodesy.distanceMeters(place, $0) > Self.farMeters })
    else { return nil }
    return known.first { Geodesy.distanceMeters(other, $0) < Self.nearMeters }
  }

  private func hasCompany(_ cell: Cell, within degrees: Int, besides own: Int) -> Bool {
    var count = 0
    for latitude in (cell.latitude - degrees)...(cell.latitude + degrees) {
      for longitude in (cell.longitude - degrees)...(cell.longitude + degrees) {
        let wrapped = ((longitude + 540) % 360 + 360) % 360 - 180
        count += cells[Cell(latitude: latitude, longitude: wrapped)] ?? 0
        if count > own { return true }
      }
    }
    return false
  }

  private static func cell(_ latitude: Double, _ longitude: Double) -> Cell {
    Cell(
      latitude: Int(latitude.rounded(.down)),
      longitude: (Int(longitude.rounded(.down)) + 540) % 360 - 180)
  }
}
