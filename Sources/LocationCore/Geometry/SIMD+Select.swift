// The standard library compares and chooses lane by lane, and what follows goes in pairs of lanes at best. Made of bits
// and signs, whole registers stay together.

extension SIMD16<Float> {
  /// From the bits of each lane.
  @inline(__always) init(bits: SIMD16<UInt32>) { self = unsafe unsafeBitCast(bits, to: Self.self) }
  /// The bits of each lane, the sign highest.
  @inline(__always) var bits: SIMD16<UInt32> { unsafe unsafeBitCast(self, to: SIMD16<UInt32>.self) }
  /// All bits of each lane that is negative, none of the others.
  @inline(__always) var signs: SIMD16<UInt32> {
    let spread = unsafe unsafeBitCast(self, to: SIMD16<Int32>.self) &>> 31
    return unsafe unsafeBitCast(spread, to: SIMD16<UInt32>.self)
  }
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { Self(bits: bits & ~signs) }
  /// The lesser of each pair of lanes, which are numbers.
  @inline(__always) func lesser(_ other: Self) -> Self {
    let isOther = (other - self).signs
    return Self(bits: (other.bits & isOther) | (bits & ~isOther))
  }
  /// Each lane without its sign.
  @inline(__always) var magnitude: Self { Self(bits: bits & 0x7FFF_FFFF) }
  /// The greater of each pair of lanes, which are numbers.
  @inline(__always) func greater(_ other: Self) -> Self {
    let isOther = (self - other).signs
    return Self(bits: (other.bits & isOther) | (bits & ~isOther))
  }
  /// The least lane.
  @inline(__always) var least: Float { lowHalf.lesser(highHalf).least }
  /// One bit for each lane that is negative.
  @inline(__always) var negativeLanes: UInt32 {
    let weights = SIMD16<UInt32>(
      1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768)
    let chosen = signs & weights
    let eight = chosen.lowHalf | chosen.highHalf
    let four = eight.lowHalf | eight.highHalf
    let two = four.lowHalf | four.highHalf
    return two[0] | two[1]
  }
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
  /// From the bits of each lane.
  @inline(__always) init(bits: SIMD8<UInt32>) { self = unsafe unsafeBitCast(bits, to: Self.self) }
  /// The bits of each lane, the sign highest.
  @inline(__always) var bits: SIMD8<UInt32> { unsafe unsafeBitCast(self, to: SIMD8<UInt32>.self) }
  /// All bits of each lane that is negative, none of the others.
  @inline(__always) var signs: SIMD8<UInt32> {
    let spread = unsafe unsafeBitCast(self, to: SIMD8<Int32>.self) &>> 31
    return unsafe unsafeBitCast(spread, to: SIMD8<UInt32>.self)
  }
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { Self(bits: bits & ~signs) }
  /// The lesser of each pair of lanes, which are numbers.
  @inline(__always) func lesser(_ other: Self) -> Self {
    let isOther = (other - self).signs
    return Self(bits: (other.bits & isOther) | (bits & ~isOther))
  }
  /// Each lane without its sign.
  @inline(__always) var magnitude: Self { Self(bits: bits & 0x7FFF_FFFF) }
  /// Each lane's square root, or up to 0.00064 of it more; the standard library takes roots lane by lane.
  ///
  /// A guess from half the exponent is off by 0.035 of itself at most, and a step of Heron's rule makes that
  /// half its square, never less than the root.
  @inline(__always) var roughRoot: Self {
    let guess = Self(bits: (bits &>> 1) &+ 0x1FBD_1DF5)
    return (guess + self / guess) * 0.5
  }
  /// The least lane.
  @inline(__always) var least: Float { lowHalf.lesser(highHalf).least }
}

extension SIMD4<Float> {
  /// From the bits of each lane.
  @inline(__always) init(bits: SIMD4<UInt32>) { self = unsafe unsafeBitCast(bits, to: Self.self) }
  /// The bits of each lane, the sign highest.
  @inline(__always) var bits: SIMD4<UInt32> { unsafe unsafeBitCast(self, to: SIMD4<UInt32>.self) }
  /// All bits of each lane that is negative, none of the others.
  @inline(__always) var signs: SIMD4<UInt32> {
    let spread = unsafe unsafeBitCast(self, to: SIMD4<Int32>.self) &>> 31
    return unsafe unsafeBitCast(spread, to: SIMD4<UInt32>.self)
  }
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { Self(bits: bits & ~signs) }
  /// The lesser of each pair of lanes, which are numbers.
  @inline(__always) func lesser(_ other: Self) -> Self {
    let isOther = (other - self).signs
    return Self(bits: (other.bits & isOther) | (bits & ~isOther))
  }
  /// The least lane.
  @inline(__always) var least: Float {
    let half = lesser(Self(lowHalf: highHalf, highHalf: highHalf))
    return Swift.min(half[0], half[1])
  }
}

extension SIMD4<UInt32> {
  /// Whether an odd number of lanes has its highest bit set.
  @inline(__always) var hasOddSigns: Bool {
    let two = lowHalf ^ highHalf
    return (two[0] ^ two[1]) >> 31 != 0
  }
}

extension SIMDMask<SIMD8<Int32>> {
  /// All bits of each lane, or none.
  @inline(__always) var ones: SIMD8<UInt32> { unsafe unsafeBitCast(self, to: SIMD8<UInt32>.self) }
  /// One bit for each lane.
  @inline(__always) var bits: UInt32 {
    let chosen = ones & SIMD8<UInt32>(1, 2, 4, 8, 16, 32, 64, 128)
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
    let chosen = unsafe unsafeBitCast(self, to: SIMD16<UInt32>.self) & weights
    let eight = chosen.lowHalf | chosen.highHalf
    let four = eight.lowHalf | eight.highHalf
    let two = four.lowHalf | four.highHalf
    return two[0] | two[1]
  }
}
