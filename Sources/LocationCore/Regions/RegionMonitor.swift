/// Tells when a position enters and leaves regions, from fixes that err.
///
/// A state changes on evidence only: several fixes in a row clearly beyond the edge, or confident fixes held
/// for a time; see ``RegionConfiguration``. One fix, whatever it claims, never changes a known state.
///
/// After each look the monitor knows a safe distance: while the position has moved less, it lies on the same
/// side of every edge as before and nothing can change, so a fix costs one comparison. Only regions with
/// pending evidence are weighed at each fix. When it looks never changes what it finds.
public struct RegionMonitor: Sendable {
  /// When the monitor decides.
  public let configuration: RegionConfiguration

  var slots: [String: Int32] = [:]
  var regionsBySlot: [Region?] = []
  var cells: [RegionEntry] = []
  var freeSlots: [Int32] = []

  /// Slots whose regions are weighed at each fix; the order says nothing.
  var active: [Int32] = []
  /// Slots whose regions the position is in; the order says nothing.
  var inside: [Int32] = []
  var clocks = RegionClocks()
  var departures: [RegionDeparture] = []
  var approaches: [(slot: Int32, approach: RegionApproach)] = []
  /// How many regions want to hear of passages.
  var crossCount = 0
  /// The shortest latency that a region states; nil where none does.
  private(set) var leastLatencySeconds: Double?
  /// Reused by each search for passages.
  var found: [Int32] = []
  var index = RegionIndex()
  var outlines = FlatOutlines()
  var neighborhood = NeighborList()
  var inflation = AccuracyInflation()
  /// The last fix taken, since the last gap or before.
  var lastFix: RegionFix?

  /// A monitor without regions.
  public init(configuration: RegionConfiguration = RegionConfiguration()) {
    self.configuration = configuration
  }

  /// Takes a fix into account and appends what it changes: exits first, then by region id.
  ///
  /// Deadlines up to the fix are fired first. A fix that is not later than the last one is left out.
  public mutating func observe(_ fix: Fix, into events: inout [RegionEvent]) {
    if let lastFix, fix.instant <= lastFix.instant { return }
    if fix.instant >= clocks.nextDue { advance(to: fix.instant, into: &events) }
    inflation.note(fix, limit: configuration.inflationLimit)
    let here = RegionFix(fix, inflation: inflation.factor)
    if !neighborhood.covers(fix.coordinate) || !active.isEmpty { look(from: here, into: &events) }
    lastFix = here
  }

  /// Tells of a gap in the signal: runs of evidence start again, and no passage is seen across it.
  public mutating func noteGap() {
    for slot in active { cells[Int(slot)].track.noteGap() }
    lastFix?.beforeGap = true
    approaches.removeAll()
  }

  /// Where the position is with respect to a region; nil where the monitor has no such region.
  public func state(of id: String) -> RegionState? {
    guard let slot = slots[id] else { return nil }
    return state(in: slot)
  }

  /// While an exit is held back, the state is still inside.
  func state(in slot: Int32) -> RegionState {
    departures.contains { $0.slot == slot } ? .inside : cells[Int(slot)].track.state
  }

  /// The regions, in the order of their ids.
  public var regions: [Region] {
    regionsBySlot.compactMap { $0 }.sorted { $0.id < $1.id }
  }

  /// Takes note of the latency of a region that is new.
  mutating func noteLatency(_ region: Region) {
    guard let seconds = region.maxLatencySeconds else { return }
    leastLatencySeconds = Swift.min(leastLatencySeconds ?? seconds, seconds)
  }

  /// Takes note that a region with this latency is gone.
  mutating func forgetLatency(_ seconds: Double?) {
    guard let seconds, seconds == leastLatencySeconds else { return }
    leastLatencySeconds = regionsBySlot.lazy.compactMap { $0?.maxLatencySeconds }.min()
  }

  /// How many regions there are.
  public var count: Int { slots.count }
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

  @inline(__always) init(_ fix: Fix, inflation: Double) {
    instant = fix.instant
    coordinate = fix.coordinate
    accuracy = fix.accuracy
    sigmaMeters = fix.accuracy.sigmaMeters * inflation
  }
}
