/// The number of rule B11.
public struct BeaconConfiguration: Hashable, Sendable, Codable, Blank {
  /// Seconds after the last sight at which a region is left.
  public var exitSeconds = 30.0

  public init() {}
}

/// Tells when beacons come and go: a region is entered at the first sight of one of its beacons, and left some time
/// after the last (rule B11).
///
/// It knows beacons by what they send and not by their address: a beacon that changes its address, or fades for some
/// seconds, stays where it is.
struct BeaconMonitor: Hashable, Sendable, Codable {
  /// One region.
  struct Watch: Hashable, Sendable, Codable {
    var region: Region
    var beacon: Beacon
    /// Until when one was seen last; nil before the first.
    var seenUntil: EngineInstant?
    /// Its beacons that are there until they are lost.
    var present: [Beacon] = []
    /// Since when the position is inside; nil while it is not.
    var enteredAt: EngineInstant?
    /// Visits so far.
    var visit = 0
    /// Whether its dwelling was told.
    var hasDwelled = false
    /// When its terms were changed last; nil where they are the first.
    var changedAt: EngineInstant?

    var state: RegionState { enteredAt != nil ? .inside : seenUntil == nil ? .unknown : .outside }

    /// When it is left, if nothing more is seen.
    func exitAt(_ numbers: BeaconConfiguration) -> EngineInstant? {
      guard enteredAt != nil, present.isEmpty else { return nil }
      return seenUntil.map {
        notBeforeChange($0.advanced(bySeconds: numbers.exitSeconds + region.exitDelaySeconds))
      }
    }

    /// When its dwelling is told; nil where it is not.
    var dwellAt: EngineInstant? {
      guard region.notify.contains(.dwell), !hasDwelled else { return nil }
      return enteredAt.map { notBeforeChange($0.advanced(bySeconds: region.dwellSeconds)) }
    }

    /// A deadline that would lie before the change of the terms is due at the change.
    private func notBeforeChange(_ due: EngineInstant) -> EngineInstant { max(due, changedAt ?? due) }
  }

  /// What is told.
  struct News: Hashable {
    var kind: RegionEvent.Kind
    var region: String
    var visit: Int
    var instant: EngineInstant
    var insideSeconds: Double?
  }

  /// By the regions' ids.
  private(set) var watches: [Watch] = []

  /// Takes a region of beacons.
  mutating func add(_ region: Region, _ beacon: Beacon) throws(RegionError) {
    guard place(of: region.id) == nil else { throw .duplicateID(region.id) }
    guard watches.count < Limits.beacons else { throw .tooMany(limit: Limits.beacons) }
    try region.checkTerms()
    let place = watches.firstIndex { $0.region.id > region.id } ?? watches.endIndex
    watches.insert(Watch(region: region, beacon: beacon), at: place)
  }

  /// Takes the terms of a region anew; whether it has one of the same id and beacons.
  mutating func change(_ region: Region, at instant: EngineInstant) throws(RegionError) -> Bool {
    guard let place = place(of: region.id), watches[place].region.shape == region.shape else { return false }
    try region.checkTerms()
    watches[place].region = region
    watches[place].changedAt = instant
    return true
  }

  /// Forgets a region; whether there was one.
  @discardableResult
  mutating func remove(id: String) -> Bool {
    guard let place = place(of: id) else { return false }
    watches.remove(at: place)
    return true
  }

  /// Where the position is with respect to a region; nil where there is none of that id.
  func state(of id: String) -> RegionState? { place(of: id).map { watches[$0].state } }

  private func place(of id: String) -> Int? { watches.firstIndex { $0.region.id == id } }

  /// When something is due.
  func nextDeadline(_ numbers: BeaconConfiguration) -> EngineInstant? {
    watches.lazy.flatMap { [$0.exitAt(numbers), $0.dwellAt].compactMap { $0 } }.min()
  }

  /// Takes a sight of a beacon. Deadlines up to it are fired first.
  ///
  /// - Parameter seconds: for how long it is seen without a break; nil until it is lost.
  mutating func observe(
    _ beacon: Beacon, for seconds: Double?, at instant: EngineInstant, _ numbers: BeaconConfiguration
  ) -> [News] {
    var news = advance(to: instant, numbers)
    let until = instant.advanced(bySeconds: max(0, seconds ?? 0))
    for place in watches.indices where watches[place].beacon.includes(beacon) {
      watches[place].seenUntil = watches[place].seenUntil.map { max($0, until) } ?? until
      if seconds == nil, !watches[place].present.contains(beacon) {
        watches[place].present.append(beacon)
      }
      guard watches[place].enteredAt == nil else { continue }
      watches[place].enteredAt = instant
      watches[place].hasDwelled = false
      watches[place].visit += 1
      note(.enter, place, at: instant, insideSeconds: nil, into: &news)
    }
    return news
  }

  /// A beacon, or all of them where it is nil, is there no longer: it was seen last `last`.
  mutating func lose(_ beacon: Beacon?, seen last: EngineInstant) {
    for place in watches.indices where !watches[place].present.isEmpty {
      watches[place].present.removeAll { beacon == nil || $0 == beacon }
      watches[place].seenUntil = watches[place].seenUntil.map { max($0, last) } ?? last
    }
  }

  /// Fires what is due, in order.
  mutating func advance(to instant: EngineInstant, _ numbers: BeaconConfiguration) -> [News] {
    var news: [News] = []
    while let due = nextDeadline(numbers), due <= instant {
      for place in watches.indices {
        let watch = watches[place]
        if let dwellAt = watch.dwellAt, dwellAt <= due, watch.exitAt(numbers).map({ dwellAt <= $0 }) ?? true {
          watches[place].hasDwelled = true
          note(.dwell, place, at: dwellAt, insideSeconds: watch.region.dwellSeconds, into: &news)
        }
        guard let exitAt = watches[place].exitAt(numbers), exitAt <= due else { continue }
        // Until when it was seen, and not until its exit was sure.
        let seconds = watch.enteredAt.flatMap { entered in watch.seenUntil.map { entered.seconds(to: $0) } }
        watches[place].enteredAt = nil
        note(.exit, place, at: exitAt, insideSeconds: seconds, into: &news)
      }
    }
    return news
  }

  private func note(
    _ kind: RegionEvent.Kind, _ place: Int, at instant: EngineInstant, insideSeconds: Double?,
    into news: inout [News]
  ) {
    let watch = watches[place]
    let wanted: Region.Notify = kind == .enter ? .enter : kind == .exit ? .exit : .dwell
    guard watch.region.notify.contains(wanted) else { return }
    news.append(
      News(
        kind: kind, region: watch.region.id, visit: watch.visit, instant: instant,
        insideSeconds: insideSeconds))
  }
}
