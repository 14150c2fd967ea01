import TestSupport
import Testing

@testable import LocationCore

/// Passages through a region between two fixes.
@Suite struct RegionCrossTests {
  private static func region(_ kind: Int, _ noise: inout SeededNoise, at middle: Coordinate) -> Region {
    var region = circle(
      "gate", radius: noise.uniform(15...400), from: middle, notify: [.enter, .exit, .cross], initial: .silent
    )
    switch kind {
    case 1, 2:
      let ring = ShapeGeometryTests.star(
        kind == 1 ? 5 : 60, &noise, at: middle, radius: noise.uniform(30...400))
      region.shape = .polygon(Region.Polygon(shell: ring))
    case 3:
      region.shape = .corridor(
        line: [
          place(east: -200, from: middle), place(east: 100, north: 50, from: middle),
          place(east: 150, north: 300, from: middle),
        ], bufferMeters: noise.uniform(5...40))
    default: break
    }
    return region
  }

  @Test(arguments: 0..<4) func everyPassageIsToldAndNoneInvented(kind: Int) throws {
    var noise = SeededNoise(seed: 100 + kind)
    var passages = 0
    for round in 0..<(Corpus.isFull ? 5_000 : 60) {
      let middle = Coordinate(
        uncheckedLatitude: noise.uniform(-70...70), longitude: noise.uniform(-180...180))
      let region = Self.region(kind, &noise, at: middle)
      let shape = try ShapeGeometry(region.shape)
      let turn = noise.uniform(0...6.283)
      let (sine, cosine) = Trig.sincos(turn)
      let off = noise.uniform(-350...350)
      let reach = noise.uniform(420...1_400)
      let way = Segment(
        from: place(east: -reach * cosine - off * sine, north: -reach * sine + off * cosine, from: middle),
        to: place(east: reach * cosine - off * sine, north: reach * sine + off * cosine, from: middle))
      let seconds = noise.uniform(30...280)
      guard shape.edgeMeters(at: way.start) > 30, shape.edgeMeters(at: way.end) > 30 else { continue }
      var monitor = try monitor([region])
      var events: [RegionEvent] = []
      monitor.observe(makeFix(second: 0, way.start), into: &events)
      monitor.observe(makeFix(second: seconds, way.end), into: &events)
      let steps = Corpus.isFull ? 1_500 : 400
      let edges = (0...steps).map { shape.edgeMeters(at: way.place(Double($0) / Double(steps))) }
      let least = edges.min() ?? 0
      let stride = 2 * reach / Double(steps)
      if least > stride { #expect(events.isEmpty, "round \(round)") }
      guard least < -1 else { continue }
      passages += 1
      let event = try #require(events.first, "round \(round)")
      #expect(events.count == 1)
      #expect(event.kind == .cross)
      #expect(event.visit == 1)
      #expect(event.edgeMeters > 0)
      let passage = try #require(event.passage)
      let first = Double(edges.firstIndex { $0 < 0 } ?? 0) / Double(steps) * seconds
      let last = Double(edges.lastIndex { $0 < 0 } ?? 0) / Double(steps) * seconds
      // A sliver may lie between two of the places.
      let tolerance = 2 * seconds / Double(steps)
      let entered = Double(passage.entered.microseconds) * 1e-6
      let left = Double(passage.left.microseconds) * 1e-6
      #expect(entered <= first + tolerance && entered < left, "round \(round)")
      #expect(abs(shape.edgeMeters(at: way.place(entered / seconds))) < 0.1, "round \(round)")
      #expect(abs(shape.edgeMeters(at: way.place(left / seconds))) < 0.1, "round \(round)")
      #expect(left >= last - tolerance, "round \(round)")
      #expect(monitor.state(of: "gate") == .outside)
    }
    #expect(passages > 12)
  }

  @Test(arguments: [179.985, 179.995, -179.995, -179.985])
  func `a corridor across 180 degrees is passed on both sides`(longitude: Double) throws {
    var region = circle("gate", notify: [.cross], initial: .silent)
    region.shape = .corridor(
      line: [179.98, -179.98].map { Coordinate(uncheckedLatitude: 48, longitude: $0) }, bufferMeters: 20)
    var monitor = try monitor([region])
    let events = monitor.events(
      of: [47.9994, 48.0006].enumerated().map { second, latitude in
        makeFix(second: Double(10 * second), Coordinate(uncheckedLatitude: latitude, longitude: longitude))
      })
    #expect(events.words == ["cross gate@10"])
  }

  private let gate = circle("gate", notify: [.cross], initial: .silent)

  private func words(_ fixes: [(second: Double, east: Double)], sigma: Double = 5, gapAfter: Int? = nil)
    throws -> [String]
  {
    var monitor = try monitor([gate])
    var events: [RegionEvent] = []
    for (index, fix) in fixes.enumerated() {
      monitor.observe(
        makeFix(second: fix.second, place(east: fix.east, from: munich), sigmaMeters: sigma), into: &events)
      if index == gapAfter { monitor.noteGap() }
    }
    return events.words
  }

  @Test func aPassageIsToldOnce() throws {
    #expect(try words([(0, -300), (20, 300), (40, 900)]) == ["cross gate@20"])
    #expect(try words([(0, -300), (20, 300), (40, -300)]) == ["cross gate@20", "cross gate@40"])
  }

  @Test func noneIsSeenAcrossAGapOrAtAnImplausibleSpeed() throws {
    #expect(try words([(0, -300), (301, 300)]).isEmpty)
    #expect(try words([(0, -300), (20, 300)], gapAfter: 0).isEmpty)
    #expect(try words([(0, -300), (5, 300)]).isEmpty)
  }

  @Test func noneIsSeenWhereNoiseWouldDo() throws {
    #expect(try words([(0, -130), (20, 130)], sigma: 50).isEmpty)
  }

  @Test func aVisitOfTooFewFixesIsAPassageIfTheWayLeadsThrough() throws {
    #expect(try words([(0, -300), (10, 0), (20, 300)]) == ["cross gate@20"])
    // In and out on the same side may as well be one wild fix.
    #expect(try words([(0, -300), (10, 0), (20, -310), (30, -300)]).isEmpty)
  }

  @Test func `an exit that is held back keeps its visit, and a passage meanwhile is none`() throws {
    var monitor = try monitor([circle("gate", notify: [.exit, .cross], exitDelay: 120)])
    let easts = [Double](repeating: 0, count: 30) + [300, 300, 300, 300]
    var way = easts.enumerated().map { (second: Double($0), east: $1) }
    way += [(40, 300), (50, 0), (60, -300), (200, -300)]
    let events = monitor.events(
      of: way.map { makeFix(second: $0.second, place(east: $0.east, from: munich)) })
    #expect(
      monitor.inside.isEmpty && events.count == 2 && events.last?.kind == .exit && events.last?.visit == 1,
      "\(events)")
  }

  @Test func anUnaskedPassageIsNotTold() throws {
    var monitor = try monitor([circle("gate", initial: .silent)])
    let events = monitor.events(of: [
      makeFix(second: 0, place(east: -300, from: munich)),
      makeFix(second: 20, place(east: 300, from: munich)),
    ])
    #expect(events.isEmpty)
  }
}
