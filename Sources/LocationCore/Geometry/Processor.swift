internal import CVector

// What a processor can do and Swift has no word for. The standard library compares and chooses vectors lane by lane; here
// whole registers stay together.

extension Array {
  /// Prefetches the cache lines of some bytes of an element; does not block.
  @inline(__always) func prefetch(_ index: Int, _ bytes: Range<Int>) {
    unsafe withUnsafeBytes { memory in
      guard let start = memory.baseAddress else { return }
      let element = unsafe start + index &* MemoryLayout<Element>.stride
      for byte in stride(from: bytes.lowerBound, to: bytes.upperBound, by: 64) {
        unsafe locwatch_prefetch(element + byte)
      }
    }
  }
}

extension SIMD16<Float> {
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { locwatch_greater16(self, Self()) }
  /// The lesser of each pair of lanes, which are numbers.
  @inline(__always) func lesser(_ other: Self) -> Self { locwatch_lesser16(self, other) }
  /// The greater of each pair of lanes, which are numbers.
  @inline(__always) func greater(_ other: Self) -> Self { locwatch_greater16(self, other) }
  /// Each lane without its sign.
  @inline(__always) var magnitude: Self {
    unsafe unsafeBitCast(unsafeBitCast(self, to: SIMD16<UInt32>.self) & 0x7FFF_FFFF, to: Self.self)
  }
  /// The least lane.
  @inline(__always) var least: Float { lowHalf.lesser(highHalf).least }
  /// One bit for each lane that is negative.
  @inline(__always) var negativeLanes: UInt32 {
    locwatch_negative16(unsafe unsafeBitCast(self, to: SIMD16<Int32>.self))
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
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { locwatch_greater8(self, Self()) }
  /// The lesser of each pair of lanes, which are numbers.
  @inline(__always) func lesser(_ other: Self) -> Self { locwatch_lesser8(self, other) }
  /// Each lane without its sign.
  @inline(__always) var magnitude: Self {
    unsafe unsafeBitCast(unsafeBitCast(self, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: Self.self)
  }
  /// Each lane's square root.
  @inline(__always) var root: Self { locwatch_root8(self) }
  /// Each lane, none of which has a sign, with that of another vector's.
  @inline(__always) func withSigns(of other: Self) -> Self {
    let signs = unsafe unsafeBitCast(other, to: SIMD8<UInt32>.self) & 0x8000_0000
    return unsafe unsafeBitCast(unsafeBitCast(self, to: SIMD8<UInt32>.self) | signs, to: Self.self)
  }
  /// The least lane.
  @inline(__always) var least: Float { lowHalf.lesser(highHalf).least }
  /// One bit for each lane that is negative.
  @inline(__always) var negativeLanes: UInt32 {
    locwatch_negative8(unsafe unsafeBitCast(self, to: SIMD8<Int32>.self))
  }
  /// Each lane, or another number where it is negative.
  @inline(__always) func replacingNegative(with other: Float) -> Self {
    locwatch_where_negative8(self, Self(repeating: other))
  }
}

extension SIMD4<Float> {
  /// From the bits of each lane.
  @inline(__always) init(bits: SIMD4<UInt32>) { self = unsafe unsafeBitCast(bits, to: Self.self) }
  /// The bits of each lane, the sign highest.
  @inline(__always) var bits: SIMD4<UInt32> { unsafe unsafeBitCast(self, to: SIMD4<UInt32>.self) }
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { locwatch_greater4(self, Self()) }
  /// The lesser of each pair of lanes, which are numbers.
  @inline(__always) func lesser(_ other: Self) -> Self { locwatch_lesser4(self, other) }
  /// The least lane.
  @inline(__always) var least: Float {
    let half = lesser(Self(lowHalf: highHalf, highHalf: highHalf))
    return Swift.min(half[0], half[1])
  }
}

extension SIMD2<Double> {
  /// From the bits of each lane.
  @inline(__always) init(bits: SIMD2<UInt64>) { self = unsafe unsafeBitCast(bits, to: Self.self) }
  /// The bits of each lane, the sign highest.
  @inline(__always) var bits: SIMD2<UInt64> { unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self) }
  /// Each lane, or 0 where it is negative.
  @inline(__always) var positive: Self { locwatch_greater2(self, Self()) }
  /// The lesser of each pair of lanes; that of the other where one is not a number.
  @inline(__always) func lesser(_ other: Self) -> Self { locwatch_lesser2(self, other) }
  /// The least lane.
  @inline(__always) var least: Double { Swift.min(self[0], self[1]) }
}

extension SIMD2<UInt64> {
  /// Whether an odd number of lanes has its highest bit set.
  @inline(__always) var hasOddSigns: Bool {
    locwatch_odd2(unsafe unsafeBitCast(self, to: SIMD2<Int64>.self)) != 0
  }
}

extension SIMD4<UInt32> {
  /// Whether an odd number of lanes has its highest bit set.
  @inline(__always) var hasOddSigns: Bool {
    locwatch_odd4(unsafe unsafeBitCast(self, to: SIMD4<Int32>.self)) != 0
  }
}

extension SIMDMask<SIMD16<Int32>> {
  /// One bit for each lane.
  @inline(__always) var bits: UInt32 {
    locwatch_negative16(unsafe unsafeBitCast(self, to: SIMD16<Int32>.self))
  }
}

extension SIMDMask<SIMD8<Int32>> {
  /// One bit for each lane.
  @inline(__always) var bits: UInt32 {
    locwatch_negative8(unsafe unsafeBitCast(self, to: SIMD8<Int32>.self))
  }
}
