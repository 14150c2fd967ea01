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
    /// Seconds since the last sight in which nobody listened; nil where somebody did.
    var unheardSeconds: Double?

    var state: RegionState { enteredAt != nil ? .inside : seenUntil == nil ? .unknown : .outside }

    /// When it is left, if nothing more is seen. Only time in which somebody listened counts.
    func exitAt(_ numbers: BeaconConfiguration) -> EngineInstant? {
      guard enteredAt != nil, present.isEmpty else { return nil }
      let seconds = numbers.exitSeconds + region.exitDelaySeconds + (unheardSeconds ?? 0)
      return seenUntil.map { notBeforeChange($0.advanced(bySeconds: seconds)) }
    }

    /// When the position has been inside for as long as a dwelling takes; nil where none is to be told.
    var dwellDue: EngineInstant? {
      guard region.notify.contains(.dwell), !hasDwelled else { return nil }
      return enteredAt.map { $0.advanced(bySeconds: region.dwellSeconds) }
    }

    /// When its dwelling is told; nil where it is not, or where it takes another sight: it counts to the last one.
    func dwellAt(_ numbers: BeaconConfiguration, _ gap: Gap?) -> EngineInstant? {
      guard let due = dwellDue, let seenUntil, !present.isEmpty || due <= seenUntil else { return nil }
      let told = notBeforeChange(due)
      guard let until = gap?.until, seenUntil < until else { return told }
      // Nobody says again that a beacon is there. One that was lost in the gap is told as lost by then.
      return max(told, present.isEmpty ? until : until.advanced(bySeconds: numbers.exitSeconds))
    }

    /// Nobody listened for a while: what of it lies after the last sight does not count.
    mutating func noteUnheard(from since: EngineInstant, to until: EngineInstant) {
      guard enteredAt != nil, present.isEmpty, let seenUntil else { return }
      let seconds = max(seenUntil, since).seconds(to: until)
      if seconds > 0 { unheardSeconds = (unheardSeconds ?? 0) + seconds }
    }

    /// A deadline that would lie before the change of the terms is due at the change.
    fileprivate func notBeforeChange(_ due: EngineInstant) -> EngineInstant { max(due, changedAt ?? due) }
  }

  /// A time in which nobody listened.
  struct Gap: Hashable, Sendable, Codable {
    var since: EngineInstant
    /// Nil while it lasts.
    var until: EngineInstant?
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
  /// When nobody listened, the last time; nil before.
  private var gap: Gap?

  private var isDeaf: Bool { gap.map { $0.until == nil } ?? false }

  /// Nobody listens from now on: nothing is due.
  mutating func leave(at instant: EngineInstant) { if !isDeaf { gap = Gap(since: instant) } }

  /// Somebody listens again.
  mutating func comeBack(at instant: EngineInstant) {
    guard isDeaf, let since = gap?.since else { return }
    gap?.until = instant
    for place in watches.indices { watches[place].noteUnheard(from: since, to: instant) }
  }

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
    guard !isDeaf else { return nil }
    return watches.lazy.flatMap { [$0.exitAt(numbers), $0.dwellAt(numbers, gap)].compactMap { $0 } }.min()
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
      watches[place].unheardSeconds = nil
      if seconds == nil, !watches[place].present.contains(beacon) {
        watches[place].present.append(beacon)
      }
      guard watches[place].enteredAt == nil else {
        // It could not be told before it was seen again.
        if let due = watches[place].dwellDue, due < instant { dwell(place, at: instant, into: &news) }
        continue
      }
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
      if let gap, let until = gap.until { watches[place].noteUnheard(from: gap.since, to: until) }
    }
  }

  /// Fires what is due, in order.
  mutating func advance(to instant: EngineInstant, _ numbers: BeaconConfiguration) -> [News] {
    var news: [News] = []
    while let due = nextDeadline(numbers), due <= instant {
      for place in watches.indices {
        let watch = watches[place]
        if let dwellAt = watch.dwellAt(numbers, gap), dwellAt <= due,
          watch.exitAt(numbers).map({ dwellAt <= $0 }) ?? true
        {
          dwell(place, at: dwellAt, into: &news)
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

  private mutating func dwell(_ place: Int, at instant: EngineInstant, into news: inout [News]) {
    guard let due = watches[place].dwellDue else { return }
    let late = watches[place].notBeforeChange(due).seconds(to: instant)
    let seconds = watches[place].region.dwellSeconds + max(0, late)
    watches[place].hasDwelled = true
    note(.dwell, place, at: instant, insideSeconds: seconds, into: &news)
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
