/// Questions about why something did or did not happen. Nothing here changes the engine; functions are
/// `mutating` only so that the compiler does not copy it for the call.
extension Engine {
  /// UTC at which an event that comes now happens: a report's own time where that can be believed, else that of the
  /// instant.
  public mutating func time(of stamped: Stamped) -> UTCTime {
    if case .fix(let report) = stamped.event, let time = state.gate.time(of: report),
      state.gate.instant(ofReplayed: report) != nil
    {
      return time
    }
    return utc(at: max(state.instant, stamped.at))
  }

  /// The regions, to share them with another engine.
  public var catalog: RegionCatalog { regions.catalog }

  /// UTC of the latest instant the engine has been told of.
  public var time: UTCTime { utc(at: state.instant) }

  /// The instant of a UTC time.
  public func instant(at time: UTCTime) -> EngineInstant {
    EngineInstant(microseconds: time.microseconds.saturatingSubtract(utcAheadMicroseconds ?? 0))
  }

  /// Begins to count anew what happens and what energy it takes. Nothing else follows from it.
  package mutating func beginAccounts() {
    state.tally = Tally()
    state.ledger.beginBill(at: state.instant)
  }

  /// What the last fix said of each region for which it was weighed, and of one more that somebody asks about, by id;
  /// as the states are now.
  public func regionVerdicts(with asked: String?) -> [RegionVerdict] {
    regions.verdicts(since: regions.standings(with: asked), [], asked: asked)
  }

  /// By how much the error of the fixes is taken to differ from what is claimed, and why.
  public var errorEstimate: ErrorEstimate { regions.errorEstimate }

  /// What a region's state would take to change, as the last fix leaves it; none where there is no such region.
  public func regionNeeds(_ id: String) -> [RegionNeed] { regions.needs(of: id) }

  /// How far the position is from a significant change, as of an instant; nil before the first fix.
  public func moveStanding(at instant: EngineInstant) -> SignificantChange.Standing? {
    state.gate.last.flatMap { state.significant.standing(of: $0, at: instant) }
  }

  /// How far the position is from a visit; nil before the first fix.
  public var visitStanding: VisitMonitor.Standing? { state.visits.standing }

  /// What would be decided now for each subscriber that asked for it, if something happened, by name.
  ///
  /// - Parameters:
  ///   - kinds: of which it may be.
  ///   - region: which, where it is about one.
  public func decisions(
    on trigger: Trigger, among kinds: [EventKind], region: String? = nil
  ) -> [Decision] {
    var policy = state.policy
    var turn = PolicyTurn(instant: state.instant)
    policy.offer(event: state.nextID, trigger: trigger, among: kinds, region: region, in: &turn)
    var place = 0
    var decisions: [Decision] = []
    while place < turn.steps.count {
      switch turn.steps[place] {
      case .decided(var decision) where decision.event == state.nextID:
        decision.event = nil
        decisions.append(decision)
      case .reduced(let name, let owed, _):
        // In its place a coarse position is offered, which may be told now.
        if let index = policy.index(of: name) {
          policy.offer(event: state.nextID, trigger: owed.trigger, isCoarse: true, to: index, in: &turn)
        }
      case .decided, .moved, .ordered, .answered, .changed, .briefed, .called, .redelivered, .notified,
        .pushed, .reported, .attached, .noted, .transferred:
        break
      }
      place += 1
    }
    return decisions
  }
}
