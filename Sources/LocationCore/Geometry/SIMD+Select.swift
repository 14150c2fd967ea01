// The standard library's pointwise minimum and maximum go lane by lane; these compile to one instruction each.

extension SIMD16<Float> {
  /// Each lane without its sign.
  @inline(__always) var magnitude: Self { replacing(with: -self, where: self .< 0) }
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { replacing(with: 0, where: self .< 0) }
  /// The lesser of each pair of lanes.
  @inline(__always) func lesser(_ other: Self) -> Self { replacing(with: other, where: other .< self) }
  /// The greater of each pair of lanes.
  @inline(__always) func greater(_ other: Self) -> Self { replacing(with: other, where: other .> self) }
  /// The least lane.
  @inline(__always) var least: Float { lowHalf.lesser(highHalf).least }
  /// Calls `body` with each lane whose bit is set, and its number.
  ///
  /// They are read where they lie: to take a lane that is not known beforehand out of a vector stores the vector.
  @inline(__always) func forEach(in bits: UInt32, _ body: (Int, Float) -> Void) {
    unsafe withUnsafeBytes(of: self) { bytes in
      var rest = bits
      while rest != 0 {
        let lane = rest.trailingZeroBitCount
        rest &= rest &- 1
        body(lane, unsafe bytes.load(fromByteOffset: lane &* MemoryLayout<Float>.size, as: Float.self))
      }
    }
  }
}

extension SIMD8<Float> {
  /// The lesser of each pair of lanes.
  @inline(__always) func lesser(_ other: Self) -> Self { replacing(with: other, where: other .< self) }
  /// Each lane's square root, or up to 0.00064 of it more; the standard library takes roots lane by lane.
  ///
  /// A guess from half the exponent is off by 0.035 of itself at most, and a step of Heron's rule makes that
  /// half its square, never less than the root.
  @inline(__always) var roughRoot: Self {
    let bits = unsafe unsafeBitCast(self, to: SIMD8<UInt32>.self)
    let guess = unsafe unsafeBitCast((bits &>> 1) &+ 0x1FBD_1DF5, to: Self.self)
    return (guess + self / guess) * 0.5
  }
  /// The least lane.
  @inline(__always) var least: Float {
    let four = lowHalf.replacing(with: highHalf, where: highHalf .< lowHalf)
    let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .< four.lowHalf)
    return Swift.min(two[0], two[1])
  }
}

extension SIMD4<Float> {
  /// The lesser of each pair of lanes.
  @inline(__always) func lesser(_ other: Self) -> Self { replacing(with: other, where: other .< self) }
  /// The least lane.
  @inline(__always) var least: Float {
    let two = lowHalf.replacing(with: highHalf, where: highHalf .< lowHalf)
    return Swift.min(two[0], two[1])
  }
}

extension SIMDMask<SIMD4<Int32>> {
  /// Whether an odd number of lanes is set.
  @inline(__always) var isOddCount: Bool {
    let ones = SIMD4<UInt32>(repeating: 0).replacing(with: SIMD4(repeating: 1), where: self)
    let two = ones.lowHalf ^ ones.highHalf
    return two[0] != two[1]
  }
}

extension SIMDMask<SIMD8<Int32>> {
  /// One bit for each lane.
  @inline(__always) var bits: UInt32 {
    let weights = SIMD8<UInt32>(1, 2, 4, 8, 16, 32, 64, 128)
    let chosen = SIMD8<UInt32>(repeating: 0).replacing(with: weights, where: self)
    let four = chosen.lowHalf | chosen.highHalf
    let two = four.lowHalf | four.highHalf
    return two[0] | two[1]
  }
}

extension SIMDMask<SIMD16<Int32>> {
  /// One bit for each lane.
  @inline(__always) var bits: UInt32 {
    let weights = SIMD16<UInt32>(
      1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768)
    let zero = SIMD16<UInt32>(repeating: 0)
    let chosen = zero.replacing(with: weights, where: self)
    let eight = chosen.lowHalf | chosen.highHalf
    let four = eight.lowHalf | eight.highHalf
    let two = four.lowHalf | four.highHalf
    return two[0] | two[1]
  }
}
