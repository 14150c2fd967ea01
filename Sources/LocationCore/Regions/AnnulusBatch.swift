/// Eight regions side by side as annuli in a plane, with the state that is recorded of each.
///
/// A lane's margin is how far a place is, at least, from the edge on the side of the recorded state; where it
/// is negative, only an exact probe tells. It is `factor · distance - constant` for either state, where the
/// distance may be too long by ``excess`` of itself, its rounding, and the factor makes up for it.
struct AnnulusBatch: Sendable {
  static let width = 8

  /// Four vectors of eight, one after another. They are set number by number: setting a lane of a vector goes through
  /// memory each time.
  private var numbers = InlineArray<32, Float>(repeating: 0)
  /// Which regions they are.
  private var slots = InlineArray<8, RegionSlot>(repeating: .none)

  private struct Vectors {
    var east: SIMD8<Float>
    var north: SIMD8<Float>
    var factor: SIMD8<Float>
    var constant: SIMD8<Float>
  }

  /// Eight lanes without a region, far from everything.
  init() { for lane in 24..<32 { numbers[lane] = -.infinity } }

  /// Puts a region into a lane: metres in the plane.
  @inline(__always) mutating func place(_ lane: Int, _ slot: RegionSlot, east: Float, north: Float) {
    slots[lane] = slot
    numbers[lane] = east
    numbers[lane + 8] = north
  }

  /// `factor · distance - constant`.
  struct Margin {
    var factor: Float
    var constant: Float
  }

  /// Says how the margin of a lane follows from its distance.
  @inline(__always) mutating func set(_ lane: Int, _ margin: Margin) {
    numbers[lane + 16] = margin.factor
    numbers[lane + 24] = margin.constant
  }

  @inline(__always) func margins(east: Float, north: Float) -> SIMD8<Float> {
    let all = unsafe unsafeBitCast(numbers, to: Vectors.self)
    let x = all.east - east
    let y = all.north - north
    return (x * x + y * y).root * all.factor - all.constant
  }

  // These change nothing; they are `mutating` because a batch that is only read would be copied.

  /// The region in a lane.
  @inline(__always) mutating func slot(_ lane: Int) -> RegionSlot { slots[lane] }

  /// The lane of a region; nil where it has none.
  @inline(__always) mutating func lane(of slot: RegionSlot) -> Int? {
    for lane in 0..<Self.width where slots[lane] == slot { return lane }
    return nil
  }

  /// By how much of itself ``margins(east:north:)`` may take a distance for longer than it is.
  static let excess: Float = 1e-6
}

/// What an exact probe said of one lane of a neighbor list.
struct ProbedBound: Sendable {
  /// Metres around a place within which no other state than the recorded one is met.
  var meters: Float = 0
  var east: Float = 0
  var north: Float = 0
}
