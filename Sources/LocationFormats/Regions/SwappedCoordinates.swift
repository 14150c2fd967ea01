import LocationCore

/// Tells which regions have probably their latitude and longitude swapped.
///
/// A pair that is out of range is refused when it is read. Of those in range only the company tells: a
/// region is suspected when it stands alone where it is, and would stand among the others if it were swapped.
struct SwappedCoordinates {
  /// Regions by whole degrees; several of one cell count.
  private var cells: [Cell: Int] = [:]

  private struct Cell: Hashable {
    var latitude: Int
    var longitude: Int
  }

  /// Company is within so many degrees.
  private static let nearDegrees = 1
  /// Alone is without company within so many degrees: about 1,000 km.
  private static let farDegrees = 9

  init(_ regions: [Region]) {
    for region in regions {
      let middle = region.shape.middle
      cells[Self.cell(middle.latitude, middle.longitude), default: 0] += 1
    }
  }

  /// What to say of a region; nil where it seems right.
  func finding(_ region: Region) -> String? {
    let middle = region.shape.middle
    guard abs(middle.longitude) <= 90 else { return nil }
    let here = Self.cell(middle.latitude, middle.longitude)
    let there = Self.cell(middle.longitude, middle.latitude)
    // Near the diagonal both are the same place, and it must not be its own company.
    guard abs(here.latitude - there.latitude) > Self.nearDegrees,
      !hasCompany(here, within: Self.farDegrees, besides: 1)
    else { return nil }
    guard hasCompany(there, within: Self.nearDegrees, besides: 0) else { return nil }
    return "it stands alone at \(Wording.place(middle)), and at"
      + " \(Wording.number(middle.longitude, 5)), \(Wording.number(middle.latitude, 5)) it would be among"
      + " others; swapped? GeoJSON has longitude first"
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
