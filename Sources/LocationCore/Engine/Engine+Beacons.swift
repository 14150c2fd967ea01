/// Regions of beacons (rule B11).
extension Engine {
  /// Takes what becomes of beacons.
  mutating func take(_ event: BeaconEvent, into effects: inout [Effect]) {
    let (instant, numbers) = (state.instant, configuration.beacons)
    switch event {
    case .seen(let beacon, let seconds):
      let news = state.changeBeacons { $0.observe(beacon, for: seconds, at: instant, numbers) }
      record(news ?? [], into: &effects)
    case .lost(let beacon, let seconds):
      state.changeBeacons { $0.lose(beacon, seen: instant.advanced(bySeconds: -max(0, seconds))) }
    }
  }

  /// Whether one of them is there until it is lost.
  package var hasPresentBeacons: Bool { state.beacons?.watches.contains { !$0.present.isEmpty } ?? false }

  /// Fires what is due of beacons.
  mutating func advanceBeacons(to instant: EngineInstant, into effects: inout [Effect]) {
    let numbers = configuration.beacons
    guard let due = state.beacons?.nextDeadline(numbers), due <= instant else { return }
    let news = state.changeBeacons { $0.advance(to: instant, numbers) }
    record(news ?? [], into: &effects)
  }

  /// Takes a region of beacons.
  mutating func add(_ region: Region, _ beacon: Beacon) throws(RegionError) {
    // An id is one region's, of whichever kind.
    guard regions.state(of: region.id) == nil else { throw .duplicateID(region.id) }
    var beacons = state.beacons ?? BeaconMonitor()
    try beacons.add(region, beacon)
    state.beacons = beacons
  }

  /// Records what beacons have to tell, with the last fix for a place: of its own a beacon has none.
  private mutating func record(_ news: [BeaconMonitor.News], into effects: inout [Effect]) {
    guard !news.isEmpty else { return }
    let last = state.gate.last
    regionEvents += news.map { news in
      RegionEvent(
        news.kind, of: news.region, visit: news.visit, at: news.instant, last: last,
        news.kind == .exit ? .unseen : .seen, insideSeconds: news.insideSeconds)
    }
    recordRegionEvents(into: &effects)
  }
}
