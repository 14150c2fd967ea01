import Testing

@testable import LocationCore

/// What works on whole registers against the plain operations, lane by lane.
@Suite struct ProcessorTests {
  @Test func lanesAreChosenAsOneByOne() {
    var noise = SeededNoise(seed: 72)
    for round in 0..<200 {
      let a = Self.lanes(round, &noise)
      let b = Self.lanes(round + 1, &noise)
      let lesser = zip(a, b).map { Swift.min($0, $1) }
      let (wideA, wideB) = (SIMD16<Float>(a), SIMD16<Float>(b))
      #expect(Self.list(wideA.lesser(wideB)) == lesser, "round \(round)")
      #expect(Self.list(wideA.greater(wideB)) == zip(a, b).map { Swift.max($0, $1) }, "round \(round)")
      #expect(Self.list(wideA.positive) == a.map { Swift.max($0, 0) }, "round \(round)")
      #expect(Self.list(wideA.magnitude) == a.map { abs($0) }, "round \(round)")
      #expect(wideA.least == a.min(), "round \(round)")
      let negative = a.indices.reduce(UInt32(0)) { $0 | (a[$1] < 0 ? 1 << UInt32($1) : 0) }
      #expect(wideA.negativeLanes == negative, "round \(round)")
      let (half, other) = (wideA.lowHalf, wideB.lowHalf)
      #expect(Self.list(half.lesser(other)) == Array(lesser[..<8]), "round \(round)")
      #expect(half.least == a[..<8].min(), "round \(round)")
      #expect(half.negativeLanes == negative & 0xFF, "round \(round)")
      #expect(
        Self.list(half.replacingNegative(with: 7)) == a[..<8].map { $0 < 0 ? 7 : $0 }, "round \(round)")
      #expect(
        Self.list(half.magnitude.root) == a[..<8].map { abs($0).squareRoot() }, "round \(round)")
      #expect(half.lowHalf.least == a[..<4].min(), "round \(round)")
      #expect(Self.list(half.lowHalf.positive) == a[..<4].map { Swift.max($0, 0) }, "round \(round)")
    }
  }

  /// Edges are walked two at a time.
  @Test func pairsAreChosenAsOneByOne() {
    let values = [0.0, -0.0, 1, -1, 1e-300, -3e9, .infinity, -.infinity]
    for a in values {
      for b in values {
        let pair = SIMD2(a, b)
        #expect(pair.least == Swift.min(a, b), "\(a) \(b)")
        #expect(pair.positive == SIMD2(Swift.max(a, 0), Swift.max(b, 0)), "\(a) \(b)")
        #expect(pair.lesser(SIMD2(b, 1)) == SIMD2(Swift.min(a, b), Swift.min(b, 1)), "\(a) \(b)")
        #expect(pair.bits.hasOddSigns == ((a.sign == .minus) != (b.sign == .minus)), "\(a) \(b)")
      }
    }
    // An edge without length has no place along it, and is taken for its end.
    #expect(SIMD2(Double.nan, 0.5).lesser(SIMD2(1, 1)).positive == SIMD2(1, 0.5))
  }

  @Test func `a leaf's annulus bytes end where its flags for large regions begin`() throws {
    let flags = try #require(MemoryLayout<AnnulusLeaf>.offset(of: \.large))
    #expect(AnnulusLeaf.annulusBytes == 0..<flags)
  }

  /// Numbers of all sizes, with zeros and infinities among them.
  private static func lanes(_ round: Int, _ noise: inout SeededNoise) -> [Float] {
    (0..<16).map { lane in
      switch (round + lane) % 11 {
      case 0: 0
      case 1: .infinity
      case 2: 1e-30
      default: Float(noise.uniform(-5...5)) * (lane % 2 == 0 ? 1e6 : 1)
      }
    }
  }

  private static func list<Vector: SIMD>(_ vector: Vector) -> [Float] where Vector.Scalar == Float {
    vector.indices.map { vector[$0] }
  }
}
