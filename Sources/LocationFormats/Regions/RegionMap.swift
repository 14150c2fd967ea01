package import LocationCore

/// A region drawn with the dots of braille, for a terminal: two by four dots a character (Unicode 2800 to 28FF).
package struct RegionMap {
  /// Characters in a line, at most.
  private static let columns = 48
  /// Lines, at most.
  private static let lines = 16
  /// Parts that a circle is drawn in.
  private static let circleParts = 180

  /// Outlines in metres east and north of the middle.
  private let outlines: [[(east: Double, north: Double)]]
  private let middle: Coordinate
  private let here: Coordinate?

  /// - Parameter here: where the device is, shown as `x`; nil where nobody knows.
  package init(_ shape: Region.Shape, here: Coordinate? = nil) {
    middle = shape.middle
    self.here = here
    let middle = middle
    func place(_ coordinate: Coordinate) -> (east: Double, north: Double) {
      Self.offset(of: coordinate, from: middle)
    }
    switch shape {
    case .circle(_, let radius):
      outlines = [
        (0...Self.circleParts).map { part in
          let angle = 2 * Double.pi * Double(part) / Double(Self.circleParts)
          return (radius * Trig.cos(angle), radius * Trig.sin(angle))
        }
      ]
    case .beacon: outlines = []
    case .corridor(let line, _): outlines = [line.map(place)]
    case .polygon, .multiPolygon:
      outlines = shape.polygons.flatMap { [$0.shell] + $0.holes }.map { $0.map(place) }
    }
  }

  /// On a plane at the middle: good enough for a picture of this size.
  private static func offset(of coordinate: Coordinate, from middle: Coordinate) -> (
    east: Double, north: Double
  ) {
    let metersInDegree = 111_320.0
    let longitude = Geodesy.normalizedLongitude(coordinate.longitude - middle.longitude)
    let shrink = Trig.cos(middle.latitude * Trig.radiansPerDegree)
    return (longitude * metersInDegree * shrink, (coordinate.latitude - middle.latitude) * metersInDegree)
  }

  /// The picture, a scale below it.
  package func text(in units: MeasureUnits) -> String {
    let points = outlines.flatMap { $0 }
    let east = points.map { abs($0.east) }.max() ?? 0
    let north = points.map { abs($0.north) }.max() ?? 0
    let size = (width: Double(Self.columns * 2 - 1) / 2, height: Double(Self.lines * 4 - 1) / 2)
    let metersInDot = max(east / size.width, north / size.height, 0.01)
    var canvas = Canvas(
      columns: Self.columns, lines: max(1, min(Self.lines, Int((north / metersInDot / 2).rounded(.up)))))
    func dot(_ point: (east: Double, north: Double)) -> (x: Int, y: Int) {
      (
        Int((size.width + point.east / metersInDot).rounded()),
        Int((Double(canvas.lines * 4 - 1) / 2 - point.north / metersInDot).rounded())
      )
    }
    for outline in outlines {
      for (from, to) in zip(outline, outline.dropFirst()) { canvas.draw(from: dot(from), to: dot(to)) }
    }
    let mark = here.map { dot(Self.offset(of: $0, from: middle)) }
    return canvas.text(mark: mark) + scale(metersInDot * 2, units)
  }

  /// A length of 1, 2 or 5 times a power of ten that takes at most a third of the picture.
  private func scale(_ metersInColumn: Double, _ units: MeasureUnits) -> String {
    var length = 1.0
    let steps = [2, 2.5, 2]
    var step = 0
    while length * steps[step % 3] / metersInColumn <= Double(Self.columns) / 3 {
      length *= steps[step % 3]
      step += 1
    }
    let columns = max(1, Int((length / metersInColumn).rounded()))
    let mark = here == nil ? "" : "   x the last fix"
    return "├\(String(repeating: "─", count: columns))┤ \(Wording.distance(length, in: units))\(mark)\n"
  }
}

/// Dots in characters.
private struct Canvas {
  let columns: Int
  let lines: Int
  private var cells: [UInt32]

  init(columns: Int, lines: Int) {
    self.columns = columns
    self.lines = lines
    cells = [UInt32](repeating: 0, count: columns * lines)
  }

  /// Which bit of a character stands for a dot, by its row and column.
  private static let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

  private mutating func set(_ x: Int, _ y: Int) {
    guard (0..<columns * 2).contains(x), (0..<lines * 4).contains(y) else { return }
    cells[y / 4 * columns + x / 2] |= Self.bits[y % 4][x % 2]
  }

  /// A straight line, a dot for each step along its longer side.
  mutating func draw(from: (x: Int, y: Int), to: (x: Int, y: Int)) {
    let steps = max(abs(to.x - from.x), abs(to.y - from.y), 1)
    for step in 0...steps {
      let share = Double(step) / Double(steps)
      set(
        from.x + Int((Double(to.x - from.x) * share).rounded()),
        from.y + Int((Double(to.y - from.y) * share).rounded()))
    }
  }

  func text(mark: (x: Int, y: Int)?) -> String {
    var text = ""
    for line in 0..<lines {
      var row = ""
      for column in 0..<columns {
        let isMarked = mark.map { $0.x / 2 == column && $0.y / 4 == line && $0.x >= 0 && $0.y >= 0 } ?? false
        let cell = cells[line * columns + column]
        row += isMarked ? "x" : cell == 0 ? " " : String(Unicode.Scalar(0x2800 + cell) ?? " ")
      }
      while row.last == " " { row.removeLast() }
      text += row + "\n"
    }
    return text
  }
}
