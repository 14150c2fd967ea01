/// Eight regions side by side as rings in a plane, with the state that is recorded of each.
///
/// A lane's margin is how far a place is, at least, from the edge on the side of the recorded state; where it
/// is negative, only an exact look tells. It is `factor · distance - constant` for either state, where the
/// distance may be too long by ``excess`` of itself, its rounding, and the factor makes up for it.
struct RegionOctet: Sendable {
  static let width = 8

  var east = SIMD8<Float>(repeating: 0)
  var north = SIMD8<Float>(repeating: 0)
  var factor = SIMD8<Float>(repeating: 0)
  var constant = SIMD8<Float>(repeating: -.infinity)

  @inline(__always) func margins(east: Float, north: Float) -> SIMD8<Float> {
    let x = self.east - east
    let y = self.north - north
    return (x * x + y * y).root * factor - constant
  }

  /// By how much of itself ``margins(east:north:)`` may take a distance for longer than it is.
  static let excess: Float = 1e-6
}

extension RegionOctet {
  /// An octet that is being filled: setting a lane of a vector goes through memory each time.
  struct Draft {
    private var numbers = InlineArray<32, Float>(repeating: 0)

    init() { for lane in 24..<32 { numbers[lane] = -.infinity } }

    @inline(__always)
    mutating func set(_ lane: Int, east: Float, north: Float, factor: Float, constant: Float) {
      numbers[lane] = east
      numbers[lane + 8] = north
      numbers[lane + 16] = factor
      numbers[lane + 24] = constant
    }

    /// The octet: four vectors of eight, as the numbers lie.
    @inline(__always) var octet: RegionOctet { unsafe unsafeBitCast(numbers, to: RegionOctet.self) }
  }
}

/// What is known of one lane of the near list besides.
struct RegionLane: Sendable {
  let ring: RegionRingBlock.Lane
  /// Metres around a place within which no other state than the recorded one is met.
  var bound: Float = 0
  var east: Float = 0
  var north: Float = 0
}
