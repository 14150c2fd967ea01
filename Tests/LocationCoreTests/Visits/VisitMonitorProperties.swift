import LocationCore
import TestSupport
import Testing

/// Laws of visits on random days.
@Suite struct VisitMonitorProperties {
  /// Walks, drives, stops, silences and outliers in any order.
  static func fixes(seed: UInt64) -> [Fix] {
    var random = SeededRandom(seed)
    var fixes: [Fix] = []
    var time = 0.0
    var (east, north) = (0.0, 0.0)
    let interval = [1.0, 10, 60, 600][Int(random.next() % 4)]
    for _ in 0..<30 {
      let isStop = random.chance(0.5)
      let speed = isStop ? 0 : random.uniform(in: 0.3...30)
      let heading = random.uniform(in: 0...6.28)
      let sigma = random.uniform(in: 1...60)
      for _ in 0..<Int(random.uniform(in: 1...80)) {
        east += speed * interval * Trig.cos(heading)
        north += speed * interval * Trig.sin(heading)
        time += interval * random.uniform(in: 0.5...1.5)
        let off = random.chance(0.02) ? 2000.0 : sigma * 0.5
        let azimuth = Trig.atan2(east, north + off) * 180 / .pi
        let instant = Drive.instant(time)
        fixes.append(
          Fix(
            time: UTCTime(microseconds: instant.microseconds), instant: instant,
            coordinate: Geodesy.direct(
              from: Drive.origin, azimuthDegrees: azimuth, distanceMeters: Trig.hypot(east, north + off)),
            accuracy: Accuracy(radiusMeters: sigma, source: .reported)))
      }
      if random.chance(0.2) { time += random.uniform(in: 100...10_000) }
    }
    return fixes
  }

  static func events(of fixes: [Fix]) -> [VisitEvent] {
    var monitor = VisitMonitor()
    var events: [VisitEvent] = []
    for fix in fixes { monitor.observe(fix, into: &events) }
    if let last = fixes.last { monitor.finish(at: last.instant, into: &events) }
    return events
  }

  @Test(arguments: [UInt64](1...40)) func b5_arrivalsAndDeparturesAlternateAndTheirTimesAreInOrder(
    _ seed: UInt64
  ) {
    let events = Self.events(of: Self.fixes(seed: seed))
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    let told = events.filter { $0.kind != .provisional }
    #expect(told.count.isMultiple(of: 2), "seed \(seed)")
    var number = 0
    for (index, event) in told.enumerated() {
      #expect(event.kind == (index.isMultiple(of: 2) ? .arrive : .depart), "seed \(seed)")
      if event.kind == .arrive && event.reason != .returned { number += 1 }
      #expect(event.visit == number)
      #expect(event.arrived <= event.seen)
      if let departed = event.departed { #expect(event.seen <= departed) }
      #expect((event.departed ?? event.seen).microseconds <= event.instant.microseconds)
    }
  }

  @Test(arguments: [UInt64](1...10)) func b5_advancingAnywhereChangesNothing(_ seed: UInt64) {
    let fixes = Self.fixes(seed: seed)
    var random = SeededRandom(seed)
    var monitor = VisitMonitor()
    var events: [VisitEvent] = []
    var last = fixes[0].instant
    for fix in fixes {
      let share = random.unit()
      monitor.advance(
        to: last.advanced(bySeconds: last.seconds(to: fix.instant) * share), into: &events)
      monitor.observe(fix, into: &events)
      last = fix.instant
    }
    monitor.finish(at: last, into: &events)
    #expect(events == Self.events(of: fixes), "seed \(seed)")
  }

  @Test(arguments: [UInt64](1...10)) func b5_aFixTwiceOrLateChangesNothing(_ seed: UInt64) {
    let fixes = Self.fixes(seed: seed)
    var repeated: [Fix] = []
    for (index, fix) in fixes.enumerated() {
      repeated += [fix, fix]
      if index > 5 { repeated.append(fixes[index - 5]) }
    }
    var monitor = VisitMonitor()
    var events: [VisitEvent] = []
    for fix in repeated { monitor.observe(fix, into: &events) }
    monitor.finish(at: fixes[fixes.count - 1].instant, into: &events)
    #expect(events == Self.events(of: fixes), "seed \(seed)")
  }
}
