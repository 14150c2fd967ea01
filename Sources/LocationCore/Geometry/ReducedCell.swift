/// A cell of the coarse grid to which positions are reduced (rule B8): about 5.6 km each way.
///
/// The cell is a function of the position and of nothing else: no chance, no memory. However many positions of one
/// cell are told, they are the same one. Rows are 0.05° of latitude; a row has as many cells as fit around the Earth at
/// its edge nearer to the pole with at least 0.05° of a great circle each, so that no cell is narrower.
package struct ReducedCell: Hashable, Sendable, Codable {
  /// Row, from the south pole.
  let row: Int
  /// Column, from the antimeridian to the east.
  let column: Int

  /// The cell of a position.
  package init(_ place: Coordinate) {
    row = min(Self.rows - 1, Int((place.latitude + 90) / Self.degrees))
    let columns = Self.columns(inRow: row)
    let east = place.longitude >= 180 ? 0 : (place.longitude + 180) / 360
    column = min(columns - 1, Int(east * Double(columns)))
  }

  /// The middle of the cell.
  package var middle: Coordinate {
    let latitude = (Double(row) + 0.5) * Self.degrees - 90
    let longitude = (Double(column) + 0.5) * 360 / Double(Self.columns(inRow: row)) - 180
    return Coordinate(uncheckedLatitude: latitude, longitude: longitude)
  }

  /// A radius that holds the cell, which claims less than the 68 % it is taken for.
  package var accuracy: Accuracy { Accuracy(radiusMeters: Self.radiusMeters, source: .assumed) }

  /// Cells around the Earth in a row; one at the poles.
  private static func columns(inRow row: Int) -> Int {
    let south = Double(row) * degrees - 90
    let outer = max(abs(south), abs(south + degrees))
    let circle = Trig.sin((90 - min(90, outer)) * Trig.radiansPerDegree)
    return max(1, Int(circle * 360 / degrees))
  }

  /// Degrees of latitude of a row: 5.53 to 5.58 km.
  private static let degrees = 0.05
  private static let rows = 3600
  /// Metres that hold a cell, 4 km from its middle to a corner, with a margin; Core Location says about 5 km too. In
  /// the last rows before a pole cells are wider, and the radius holds most of them.
  private static let radiusMeters = 5000.0
}
