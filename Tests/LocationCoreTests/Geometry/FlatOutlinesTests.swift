import TestSupport
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
    for round in 0..<300 {
      let middle = Coordinate(
        uncheckedLatitude: noise.uniform(-79...79),
        longitude: round % 3 == 0 ? 180 : noise.uniform(-180...180))
      let shape = try ShapeGeometry(Self.shape(round, &noise, at: middle))
      let slot = Int32(round % 40)
      if round >= 40 { outlines.remove(slot) }
      let ring = shape.ringMeters
      outlines.insert(
        shape, RegionRing(slot: slot, box: shape.box, innerMeters: ring.inner, outerMeters: ring.outer))
      for _ in 0..<10 {
        let here = place(
          east: noise.uniform(-1_200...1_200), north: noise.uniform(-1_200...1_200), from: middle)
        let scale = LocalScale(latitude: here.latitude)
        guard
          let rough = outlines.edgeMeters(
            slot, at: here, perLongitude: scale.metersPerDegreeLongitude,
            perLatitude: scale.metersPerDegreeLatitude)
        else { continue }
        answers += 1
        let exact = shape.edgeMeters(at: here)
        #expect(abs(rough - exact) < FlatOutlines.errorMeters, "round \(round) \(here)")
        #expect((rough > 0) == (exact > 0), "round \(round) \(here)")
      }
    }
    #expect(answers > 2_500)
  }

  @Test func anOrderKeepsOutlines() throws {
    var noise = SeededNoise(seed: 42)
    var outlines = FlatOutlines()
    let shapes = try (0..<20).map { round in
      try ShapeGeometry(
        round % 5 == 0 ? .circle(center: munich, radiusMeters: 50) : Self.shape(round, &noise, at: munich))
    }
    for (slot, shape) in shapes.enumerated() {
      let ring = shape.ringMeters
      outlines.insert(
        shape,
        RegionRing(slot: Int32(slot), box: shape.box, innerMeters: ring.inner, outerMeters: ring.outer))
    }
    let order = (0..<20).map { Int32(($0 * 7) % 20) }
    var ordered = outlines
    ordered.reorder(order)
    let scale = LocalScale(latitude: munich.latitude)
    for (new, old) in order.enumerated() {
      let (before, after) = (outlines, ordered)
      let expected = before.edgeMeters(
        old, at: munich, perLongitude: scale.metersPerDegreeLongitude,
        perLatitude: scale.metersPerDegreeLatitude)
      let found = after.edgeMeters(
        Int32(new), at: munich, perLongitude: scale.metersPerDegreeLongitude,
        perLatitude: scale.metersPerDegreeLatitude)
      #expect(found == expected)
    }
  }

  /// A fix is the same evidence whether the depth around it is sought to the end or only until it is enough.
  @Test func enoughDepthDecidesAlike() throws {
    var noise = SeededNoise(seed: 43)
    let rule = RegionConfiguration()
    var weighed = 0
    for round in 0..<400 {
      let shape = try ShapeGeometry(Self.shape(round, &noise, at: munich))
      let here = place(east: noise.uniform(-300...300), north: noise.uniform(-300...300), from: munich)
      var look = RegionLook(
        instant: EngineInstant(microseconds: 60_000_000), edgeMeters: shape.edgeMeters(at: here),
        sigmaMeters: noise.uniform(2...60), attainableMeters: .infinity)
      var track = RegionTrack()
      track.state = .outside
      track.wasFar = round % 2 == 0
      track.restlessness = UInt8(round % 3)
      track.settledMean = noise.uniform(-2.2...2.2)
      track.heldRun = 2
      track.heldSince = EngineInstant(microseconds: 0)
      track.weighedLast = EngineInstant(microseconds: 59_000_000)
      guard track.asksAttainable(look, by: rule) else { continue }
      weighed += 1
      let reach = rule.attainableReachSigmas * look.sigmaMeters
      var whole = look
      whole.attainableMeters = shape.attainableDepthMeters(
        at: here, edgeMeters: look.edgeMeters, reachMeters: reach)
      look.attainableMeters = shape.attainableDepthMeters(
        at: here, edgeMeters: look.edgeMeters, reachMeters: reach,
        enoughMeters: track.enoughMeters(look, by: rule))
      var (quick, full) = (track, track)
      let reasons = (quick.weigh(look, by: rule), full.weigh(whole, by: rule))
      #expect(reasons.0 == reasons.1 && quick == full, "round \(round)")
    }
    #expect(weighed > 40)
  }
}
