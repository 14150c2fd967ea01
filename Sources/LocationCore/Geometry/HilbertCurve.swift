/// Hilbert's curve through a square grid: cells that are near along it are near each other.
enum HilbertCurve {
  /// How far along the curve a cell of a grid of 2^`bits` by 2^`bits` cells is.
  ///
  /// Hacker's Delight (Warren 2002), section 16, with the curve beginning and ending in the southern corners.
  static func distance(column: UInt32, row: UInt32, bits: Int) -> UInt64 {
    var x = column
    var y = row
    let last = UInt32(truncatingIfNeeded: 1 << bits) &- 1
    var distance: UInt64 = 0
    var side: UInt32 = 1 << UInt32(bits - 1)
    while side > 0 {
      let right: UInt64 = x & side > 0 ? 1 : 0
      let upper: UInt64 = y & side > 0 ? 1 : 0
      distance = distance &* 4 &+ ((3 &* right) ^ upper)
      if upper == 0 {
        if right == 1 {
          x = last &- x
          y = last &- y
        }
        swap(&x, &y)
      }
      side >>= 1
    }
    return distance
  }

  /// The cell of a number in a range, of 2^`bits` cells; the nearest where it lies outside, 0 for what is no number.
  static func cell(_ value: Double, from low: Double, to high: Double, bits: Int) -> UInt32 {
    let cells = Double(1 << bits)
    let cell = (value - low) * (cells / (high - low))
    return cell > 0 ? UInt32(Swift.min(cell, cells - 1)) : 0
  }

  /// Numbers in the order of their keys, such as how far along the curve they are; equals by themselves.
  @inline(__always)
  static func order(_ numbers: [Int32], key: (Int32) -> UInt64) -> [Int32] {
    var keyed = numbers.map { (key: key($0), number: $0) }
    keyed.sort { $0.key == $1.key ? $0.number < $1.number : $0.key < $1.key }
    return keyed.map(\.number)
  }
}
