/// Eight regions side by side as annuli in a plane, with the state that is recorded of each.
///
/// A lane's margin is how far a place is, at least, from the edge on the side of the recorded state; where it
/// is negative, only an exact probe tells. It is `distance - limit` outside and `-distance - limit` inside, where the
/// limit of a lane that is recorded as inside has a sign. The distance may be too long by ``excess`` of itself, its
/// rounding, for which the limits make up.
struct AnnulusBatch: Sendable {
  static let width = 8

  /// Three vectors of eight, one after another. They are set number by number: setting a lane of a vector goes through
  /// memory each time.
  private var numbers = InlineArray<24, Float>(repeating: 0)
  /// The limits of each lane where its region is recorded as inside, and then where it is not.
  private var limits = InlineArray<16, Float>(repeating: 0)
  /// Which regions they are.
  private var slots = InlineArray<8, RegionSlot>(repeating: .none)

  private struct Vectors {
    var east: SIMD8<Float>
    var north: SIMD8<Float>
    var limit: SIMD8<Float>
  }

  /// Eight lanes without a region, far from everything.
  init() { for lane in 16..<24 { numbers[lane] = -.infinity } }

  /// Puts a region into a lane: metres in the plane. Its margin is negative beyond the inner limit where it is recorded as
  /// inside, and within the outer one where it is not.
  @inline(__always)
  mutating func place(
    _ lane: Int, _ slot: RegionSlot, east: Float, north: Float, inner: Float, outer: Float
  ) {
    slots[lane] = slot
    numbers[lane] = east
    numbers[lane + 8] = north
    // Nothing is surely inside where the limit is negative.
    limits[lane] = inner < 0 ? .infinity : -inner
    limits[lane + 8] = outer
  }

  /// Says how a lane's region is recorded.
  @inline(__always) mutating func record(_ lane: Int, isInside: Bool) {
    numbers[lane + 16] = limits[isInside ? lane : lane + 8]
  }

  @inline(__always) func margins(east: Float, north: Float) -> SIMD8<Float> {
    let all = unsafe unsafeBitCast(numbers, to: Vectors.self)
    let x = all.east - east
    let y = all.north - north
    return (x * x + y * y).root.withSigns(of: all.limit) - all.limit
  }

  // These change nothing; they are `mutating` because a batch that is only read would be copied.

  /// The region in a lane.
  @inline(__always) mutating func slot(_ lane: Int) -> RegionSlot { slots[lane] }

  /// The lane of a region; nil where it has none.
  @inline(__always) mutating func lane(of slot: RegionSlot) -> Int? {
    let all = unsafe unsafeBitCast(slots, to: SIMD8<Int32>.self)
    let lanes = (all .== slot.rawValue).bits
    return lanes == 0 ? nil : lanes.trailingZeroBitCount
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
