import Testing

@testable import LocationCore

/// Outlines in singles against the exact ones, and the depth around a place where any that is enough will do.
@Suite struct FlatOutlinesTests {
  private static func shape(_ round: Int, _ noise: inout SeededNoise, at middle: Coordinate) -> Region.Shape {
    guard round % 4 != 3 else {
      return .corridor(
        line: (0..<(2 + round % 9)).map {
          place(east: 60 * Double($0) - 200, north: noise.uniform(-200...200), from: middle)
        }, bufferMeters: noise.uniform(5...60))
    }
    return .polygon(
      Region.Polygon(
        shell: ShapeGeometryTests.star(3 + round % 30, &noise, at: middle, radius: noise.uniform(20...900))))
  }

  @Test func answersAreRightAndSidesCertain() throws {
    var noise = SeededNoise(seed: 41)
    var answers = 0
    var outlines = FlatOutlines()
    var kept = [FlatOutlines.Outline?](repeating: nil, count: 40)
    for round in 0..<300 {
      let middle = Coordinate(
        uncheckedLatitude: noise.uniform(-79...79),
        longitude: round % 3 == 0 ? 180 : noise.uniform(-180...180))
      let shape = try ShapeGeometry(Self.shape(round, &noise, at: middle))
      kept[round % 40] = Self.insert(shape, into: &outlines)
      for _ in 0..<10 {
        let here = place(
          east: noise.uniform(-1_200...1_200), north: noise.uniform(-1_200...1_200), from: middle)
        let scale = LocalScale(latitude: here.latitude)
        guard
          let rough = kept[round % 40].flatMap({
            outlines.edgeMeters(
              $0, at: here, perLongitude: scale.metersPerDegreeLongitude,
              perLatitude: scale.metersPerDegreeLatitude)
          })
        else { continue }
        answers += 1
        let exact = shape.edgeMeters(at: here)
        #expect(abs(rough - exact) < FlatOutlines.errorMeters, "round \(round) \(here)")
        #expect((rough > 0) == (exact > 0), "round \(round) \(here)")
      }
    }
    #expect(answers > 2_500)
  }

  @Test func annuliTellNoMoreThanTheEdge() throws {
    var noise = SeededNoise(seed: 43)
    var answers = 0
    for round in 0..<300 {
      let middle = Coordinate(
        uncheckedLatitude: noise.uniform(-79.9...79.9),
        longitude: round % 3 == 0 ? 180 : noise.uniform(-180...180))
      let shape = try ShapeGeometry(Self.shape(round, &noise, at: middle))
      let radii = shape.annulusMeters
      let annulus = RegionAnnulus(box: shape.box, innerMeters: radii.inner, outerMeters: radii.outer)
      let plane = LocalPlane(latitude: middle.latitude + noise.uniform(-0.01...0.01))
      for _ in 0..<20 {
        let reach = noise.uniform(100...7_000)
        let here = place(
          east: noise.uniform(-1...1) * reach, north: noise.uniform(-1...1) * reach, from: middle)
        let bound = annulus.boundMeters(at: here, in: plane)
        guard bound != 0 else { continue }
        answers += 1
        let exact = shape.edgeMeters(at: here)
        #expect((bound > 0) == (exact > 0) && abs(bound) <= abs(exact), "round \(round) \(here)")
      }
    }
    #expect(answers > 3_000)
  }

  @Test func boundsOfCirclesAreNoMoreThanTheEdge() {
    var noise = SeededNoise(seed: 44)
    var answers = 0
    for round in 0..<3_000 {
      let middle = Coordinate(
        uncheckedLatitude: noise.uniform(-79.9...79.9),
        longitude: round % 3 == 0 ? 180 : noise.uniform(-180...180))
      let circle = CircleGeometry(center: middle, radiusMeters: noise.uniform(1...3_000))
      let plane = LocalPlane(latitude: middle.latitude + noise.uniform(-0.01...0.01))
      let here = place(
        east: noise.uniform(-4_000...4_000), north: noise.uniform(-4_000...4_000), from: middle)
      let bound = circle.boundMeters(at: here, in: plane)
      guard bound != 0 else { continue }
      answers += 1
      let exact = circle.edgeMeters(at: here)
      #expect((bound > 0) == (exact > 0) && abs(bound) <= abs(exact), "round \(round) \(here)")
      #expect(abs(exact) - abs(bound) < 0.05, "round \(round) \(here)")
    }
    #expect(answers > 2_900)
  }

  @Test func anOrderKeepsOutlines() throws {
    var noise = SeededNoise(seed: 42)
    var outlines = FlatOutlines()
    let shapes = try (0..<20).map { round in
      try ShapeGeometry(
        round % 5 == 0 ? .circle(center: munich, radiusMeters: 50) : Self.shape(round, &noise, at: munich))
    }
    let kept = shapes.map { Self.insert($0, into: &outlines) }
    #expect(kept.count { $0 == nil } == 4)
    var ordered = FlatOutlines()
    let scale = LocalScale(latitude: munich.latitude)
    for outline in kept.reversed().compactMap({ $0 }) {
      let moved = ordered.insert(outline, from: outlines)
      let expected = outlines.edgeMeters(
        outline, at: munich, perLongitude: scale.metersPerDegreeLongitude,
        perLatitude: scale.metersPerDegreeLatitude)
      let found = ordered.edgeMeters(
        moved, at: munich, perLongitude: scale.metersPerDegreeLongitude,
        perLatitude: scale.metersPerDegreeLatitude)
      #expect(found == expected)
    }
  }

  private static func insert(
    _ shape: ShapeGeometry, into outlines: inout FlatOutlines
  ) -> FlatOutlines.Outline? {
    let radii = shape.annulusMeters
    let annulus = RegionAnnulus(box: shape.box, innerMeters: radii.inner, outerMeters: radii.outer)
    return outlines.insert(shape, annulus)
  }

  /// A fix is the same evidence whether the depth around it is sought to the end or only until it is enough.
  @Test func enoughDepthDecidesAlike() throws {
    var noise = SeededNoise(seed: 43)
    let rule = RegionConfiguration()
    var updated = 0
    for round in 0..<400 {
      let shape = try ShapeGeometry(Self.shape(round, &noise, at: munich))
      let here = place(east: noise.uniform(-300...300), north: noise.uniform(-300...300), from: munich)
      var probe = RegionProbe(
        instant: EngineInstant(microseconds: 60_000_000), edgeMeters: shape.edgeMeters(at: here),
        sigmaMeters: noise.uniform(2...60), attainableMeters: .infinity)
      let against = Counterevidence(
        wasFar: round % 2 == 0, flapCount: UInt8(round % 3), heldRun: 2,
        settledMean: noise.uniform(-2.2...2.2), heldSince: EngineInstant(microseconds: 0),
        updatedAt: EngineInstant(microseconds: 59_000_000))
      let evidence = RegionEvidence.outside(against, visits: 0)
      guard evidence.asksAttainable(probe, by: rule) else { continue }
      updated += 1
      let reach = rule.attainableReachSigmas * probe.sigmaMeters
      var whole = probe
      whole.attainableMeters = shape.attainableDepthMeters(
        at: here, edgeMeters: probe.edgeMeters, reachMeters: reach)
      probe.attainableMeters = shape.attainableDepthMeters(
        at: here, edgeMeters: probe.edgeMeters, reachMeters: reach,
        enoughMeters: evidence.enoughMeters(probe, by: rule))
      var (quick, full) = (evidence, evidence)
      let reasons = (quick.update(probe, by: rule), full.update(whole, by: rule))
      #expect(reasons.0 == reasons.1 && quick == full, "round \(round)")
    }
    #expect(updated > 40)
  }
}
