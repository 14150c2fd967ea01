/// Eight regions side by side as rings in a plane, with the state that is recorded of each.
///
/// A lane's margin is how far a place is, at least, from the edge on the side of the recorded state; where it
/// is not positive, only an exact look tells. It is `factor · distance - constant` for either state.
struct RegionOctet: Sendable {
  static let width = 8

  var east = SIMD8<Float>(repeating: 0)
  var north = SIMD8<Float>(repeating: 0)
  var factor = SIMD8<Float>(repeating: 0)
  var constant = SIMD8<Float>(repeating: -.infinity)

  @inline(__always) func margins(east: Float, north: Float) -> SIMD8<Float> {
    let x = self.east - east
    let y = self.north - north
    return (x * x + y * y).squareRoot() * factor - constant
  }
}

/// What is known of one lane of the near list besides.
struct RegionLane: Sendable {
  var slot: Int32
  var inner: Float
  var outer: Float
  /// Metres around a place within which no other state than the recorded one is met.
  var bound: Float = 0
  var east: Float = 0
  var north: Float = 0
}
