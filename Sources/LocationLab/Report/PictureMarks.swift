import LocationCore

/// Puts the names of dots beside them so that none lies on another. The dots stay where they are: their place is what the
/// picture says.
enum PictureMarks {
  /// A dot with its name.
  struct Mark: Hashable {
    var name: String
    var x: Double
    var y: Double
  }

  /// A mark and the middle of its name.
  struct Placed: Hashable {
    var mark: Mark
    var x: Double
    var y: Double
  }

  /// Distance between the middles of two names, at least, in the picture's units.
  static let nameRoom = 17.0
  /// Distance between a name and a dot, at least.
  static let dotRoom = 12.0
  /// Directions in which a name may lie.
  private static let directions = 16
  /// How far the farthest ring of candidates is, in steps of ``dotRoom``.
  private static let rings = 8

  /// The marks with their names placed, in their order: each at the nearest of the candidates around its dot that is free
  /// and within the bounds; above the dot where there is none.
  static func place(
    _ marks: [Mark], within bounds: (left: Double, top: Double, right: Double, bottom: Double)
  ) -> [Placed] {
    var placed: [Placed] = []
    func isFree(_ x: Double, _ y: Double) -> Bool {
      guard x > bounds.left + 8, x < bounds.right - 8, y > bounds.top + 8, y < bounds.bottom - 8 else {
        return false
      }
      func isFar(_ otherX: Double, _ otherY: Double, _ room: Double) -> Bool {
        let (dx, dy) = (otherX - x, otherY - y)
        return dx * dx + dy * dy >= room * room - 1e-6
      }
      return marks.allSatisfy { isFar($0.x, $0.y, dotRoom) }
        && placed.allSatisfy { isFar($0.x, $0.y, nameRoom) }
    }
    for mark in marks {
      var spot = Placed(mark: mark, x: mark.x, y: mark.y - dotRoom)
      search: for ring in 1...rings {
        for direction in 0..<directions {
          // From above to either side.
          let turn = Double((direction + 1) / 2) * (direction % 2 == 0 ? 1 : -1)
          let angle = turn * 2 * Double.pi / Double(directions)
          let distance = (Double(ring) + 0.2) * dotRoom
          let (x, y) = (mark.x + distance * Trig.sin(angle), mark.y - distance * Trig.cos(angle))
          guard isFree(x, y) else { continue }
          spot = Placed(mark: mark, x: x, y: y)
          break search
        }
      }
      placed.append(spot)
    }
    return placed
  }
}
