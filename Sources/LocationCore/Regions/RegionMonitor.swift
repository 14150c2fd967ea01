/// Tells when a position enters and leaves regions, from fixes that err.
///
/// A state changes on evidence only: several fixes in a row clearly beyond the edge, or confident fixes held
/// for a time; see ``RegionConfiguration``. One fix, whatever it claims, never changes a known state.
///
/// After each probe the monitor knows a safe distance: while the position has moved less, it lies on the same
/// side of every edge as before and nothing can change, so a fix costs one comparison. Only regions with
/// pending evidence are updated at each fix. When it probes never changes what it finds.
public struct RegionMonitor: Sendable {
  /// When the monitor decides.
  @Shared public var configuration: RegionConfiguration

  /// The regions. Changing it makes a version of its own, where others share it.
  public private(set) var catalog: RegionCatalog
  /// What is known of them; all that follows is this device's alone.
  var evidence = RegionEvidenceTable()
  var clocks = RegionClocks()
  var departures: [RegionDeparture] = []
  var approaches: [(slot: RegionSlot, approach: RegionApproach)] = []
  /// Reused by each search for passages.
  var found: [RegionSlot] = []
  var neighbors = NeighborList()
  var inflation = AccuracyInflation()
  /// The last fix taken, since the last gap or before.
  var lastFix: RegionFix?
  /// The time of the fix that ends the latest silence. It is used for that fix only, so no snapshot has it.
  private var silenceEnd = EngineInstant.distantPast
  /// When nobody was there any more to give or to take fixes, the last time; nil before.
  @Maybe var absentSince: EngineInstant?

  /// A monitor that has seen nothing, of some regions.
  public init(
    configuration: RegionConfiguration = RegionConfiguration(), catalog: RegionCatalog = RegionCatalog()
  ) {
    self.init(Shared(wrappedValue: configuration), catalog)
  }

  init(_ configuration: Shared<RegionConfiguration>, _ catalog: RegionCatalog) {
    _configuration = configuration
    self.catalog = catalog
  }

  /// Takes a fix into account and appends what it changes: exits first, then by region id.
  ///
  /// Deadlines up to the fix are fired first. A fix that is not later than the last one is left out.
  @inline(__always)
  public mutating func observe(_ fix: Fix, into events: inout [RegionEvent]) {
    if isQuiet(fix) {
      lastFix = RegionFix(fix, inflation: inflation.factor)
    } else {
      observeClosely(fix, into: &events)
    }
  }

  /// Whether a fix changes nothing but where the position was last, as nearly all do.
  @inline(__always)
  private mutating func isQuiet(_ fix: Fix) -> Bool {
    guard let lastFix else { return false }
    return fix.instant > lastFix.instant && fix.instant < clocks.nextDue
      && !inflation.isDue(at: fix.instant, limit: configuration.inflationLimit)
      && neighbors.covers(fix.coordinate) && evidence.activeCount == 0
  }

  @inline(never)
  private mutating func observeClosely(_ fix: Fix, into events: inout [RegionEvent]) {
    if let lastFix, fix.instant <= lastFix.instant { return }
    if fix.instant >= clocks.nextDue { advance(to: fix.instant, into: &events) }
    inflation.note(fix, limit: configuration.inflationLimit)
    var here = RegionFix(fix, inflation: inflation.factor)
    if !neighbors.covers(fix.coordinate) || evidence.activeCount > 0 { probe(here, into: &events) }
    here.isAfterSilence = silenceEnd == fix.instant && evidence.activeCount > 0
    lastFix = here
  }

  /// Gives back the memory that the next search makes anew. It decides nothing.
  mutating func freeMemory() {
    neighbors.freeMemory()
    evidence.freeMemory()
  }

  /// Nobody is there to give or to take fixes from now on.
  mutating func noteAbsence(at instant: EngineInstant) { absentSince = instant }

  /// Whether no fix has come since nobody was there.
  var isBlind: Bool {
    guard let absentSince, let lastFix else { return false }
    return lastFix.instant <= absentSince
  }

  /// Tells of a gap in the signal: runs of evidence start again, and no passage is seen across it.
  ///
  /// - Parameter silenceEnd: the time of the fix that ends a silence; nil for a new segment and for another source. If the
  ///   fix before it ended a silence too, the source reports this seldom, and the runs go on.
  public mutating func noteGap(silenceEnd: EngineInstant? = nil) {
    self.silenceEnd = silenceEnd ?? .distantPast
    if silenceEnd == nil || lastFix?.isAfterSilence != true {
      for place in evidence.records.indices where evidence.isActive(place) { evidence[place].noteGap() }
    }
    lastFix?.beforeGap = true
    approaches.removeAll()
  }

  /// Where the position is with respect to a region; nil where the monitor has no such region.
  public func state(of id: String) -> RegionState? { catalog.slot(of: id).map { state(in: $0) } }

  /// While an exit is held back, the state is still inside.
  func state(in slot: RegionSlot) -> RegionState {
    guard let place = evidence.place(of: slot) else { return evidence.state(of: slot) }
    if case .departed = evidence[place] { return .inside }
    return evidence[place].state
  }

  /// The regions that the position is in, or that it has left with an exit that is held back.
  var inside: [RegionSlot] { evidence.inside + departures.map(\.slot) }

  /// By how much the error of the fixes is taken to differ from what is claimed.
  public var errorEstimate: ErrorEstimate { inflation.estimate }

  /// The regions, in the order of their ids.
  public var regions: [Region] { catalog.regions }

  /// How many regions there are.
  public var count: Int { catalog.count }
}

// MARK: - Regions that come and go

extension RegionMonitor {
  /// Takes a region; its state is unknown until the next fix.
  public mutating func add(_ region: Region) throws(RegionError) {
    let slot = try catalog.add(region, limit: configuration.regionLimit)
    if evidence.seenAt != nil { evidence.set(slot, .unknown(FirstFixes()), isActive: true) }
    neighbors.forget()
  }

  /// Takes regions of the catalog as new: their states are unknown until the next fix.
  mutating func expect(_ ids: [String]) {
    guard evidence.seenAt != nil else { return }
    for id in ids {
      if let slot = catalog.slot(of: id) { evidence.set(slot, .unknown(FirstFixes()), isActive: true) }
    }
    neighbors.forget()
  }

  /// Forgets a region and all that was pending for it; tells whether there was one.
  @discardableResult
  public mutating func remove(id: String) -> Bool {
    guard let slot = catalog.slot(of: id) else { return false }
    catalog.remove(slot)
    evidence.remove(slot)
    departures.removeAll { $0.slot == slot }
    approaches.removeAll { $0.slot == slot }
    clocks.remove(slot: slot)
    neighbors.forget()
    return true
  }

  /// Packs the catalog where much waits, and follows the regions to their new slots.
  mutating func pack() {
    guard catalog.isUnpacked else { return }
    let renumbered = catalog.packed()
    follow { renumbered($0) }
  }

  /// Follows regions to other slots.
  private mutating func follow(_ renumbered: (RegionSlot) -> RegionSlot) {
    evidence.renumber(renumbered)
    clocks.renumber(renumbered)
    for entry in departures.indices { departures[entry].slot = renumbered(departures[entry].slot) }
    for entry in approaches.indices { approaches[entry].slot = renumbered(approaches[entry].slot) }
    neighbors.forget()
  }

  /// Takes what a region's owner asks for anew. What is known of the region stays: a visit goes on.
  ///
  /// - Returns: whether the monitor has a region of the same id and outline. If not, nothing was changed.
  mutating func change(_ region: Region, at instant: EngineInstant) throws(RegionError) -> Bool {
    guard let known = catalog.slot(of: region.id), let before = catalog.region(region.id),
      before.shape == region.shape
    else { return false }
    try region.checkTerms()
    catalog.remove(known)
    let slot = try catalog.add(region, limit: configuration.regionLimit)
    follow { $0 == known ? slot : $0 }
    takeTerms(of: region.id, at: instant)
    return true
  }

  /// Goes on by the terms that a region of the catalog has now.
  mutating func takeTerms(of id: String, at instant: EngineInstant) {
    guard let slot = catalog.slot(of: id) else { return }
    if !notifies(slot, .cross) { approaches.removeAll { $0.slot == slot } }
    reviseDeadlines(of: slot, at: instant)
  }
}

/// A fix as regions see it.
struct RegionFix: Hashable, Sendable, Codable {
  var instant: EngineInstant
  var coordinate: Coordinate
  var accuracy: Accuracy
  /// Standard deviation along one axis, metres, corrected for what the receiver understates.
  var sigmaMeters: Double
  /// Whether the signal was lost after it.
  var beforeGap = false
  /// Whether it ended a silence, and some region has evidence against its state.
  @Preset var isAfterSilence = false

  @inline(__always) init(_ fix: Fix, inflation: Double) {
    instant = fix.instant
    coordinate = fix.coordinate
    accuracy = fix.accuracy
    sigmaMeters = fix.accuracy.sigmaMeters * inflation
  }
}
