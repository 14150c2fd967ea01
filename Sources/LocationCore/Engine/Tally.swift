/// What an engine has seen and done so far, counted.
public struct Tally: Hashable, Sendable, Codable {
  /// Position reports.
  public internal(set) var fixes = 0
  /// Reports believed.
  public internal(set) var accepted = 0
  /// Refused reports by reason, in the order of ``RejectReason``'s cases.
  public internal(set) var rejected = [Int](repeating: 0, count: RejectReason.allCases.count)
  /// Significant changes.
  public internal(set) var significant = 0
  /// Gaps in the signal.
  public internal(set) var gaps = 0
  /// How often the source said that its position grows old.
  public internal(set) var stale = 0
  /// By kind, in the order of ``RegionEvent/Kind``'s names.
  public internal(set) var regions: [String: Int] = [:]
  /// Arrivals at places.
  public internal(set) var arrivals = 0
  /// Departures from them, unknown ones too.
  public internal(set) var departures = 0
  /// Standard updates, each once, whoever was told.
  public internal(set) var locations = 0
  /// Pauses of standard updates.
  public internal(set) var pauses = 0
  /// Ends of such pauses.
  public internal(set) var resumes = 0
  /// Decisions of every kind.
  public internal(set) var decisions = 0
  /// Subscribers resumed from suspension.
  public internal(set) var wakes = 0
  /// Subscribers started in the background.
  public internal(set) var relaunches = 0
  /// How often the receiver was switched on for a fix.
  public internal(set) var searches = 0
  /// The first and last fix believed.
  public internal(set) var first: Fix?
  /// The last fix believed.
  public internal(set) var last: Fix?

  /// Nothing yet.
  public init() {}

  /// Seconds from the first fix to the last.
  public var durationSeconds: Double {
    guard let first, let last else { return 0 }
    return first.instant.seconds(to: last.instant)
  }

  /// Refused reports for one reason.
  public func rejected(for reason: RejectReason) -> Int {
    RejectReason.allCases.firstIndex(of: reason).map { rejected[$0] } ?? 0
  }

  /// Adds the counts of another engine; first and last fix stay this one's.
  public mutating func add(_ other: Tally) {
    fixes += other.fixes
    accepted += other.accepted
    for index in rejected.indices { rejected[index] += other.rejected[index] }
    significant += other.significant
    gaps += other.gaps
    stale += other.stale
    regions.merge(other.regions) { $0 + $1 }
    arrivals += other.arrivals
    departures += other.departures
    locations += other.locations
    pauses += other.pauses
    resumes += other.resumes
    decisions += other.decisions
    wakes += other.wakes
    relaunches += other.relaunches
    searches += other.searches
  }

  mutating func count(_ decision: Decision) {
    decisions += 1
    if decision.action == .wake { wakes += 1 }
    if decision.action == .relaunch { relaunches += 1 }
  }

  mutating func count(_ order: ReceiverOrder) {
    if case .on = order { searches += 1 }
  }

  /// Goes on with the counts and the last fix of a device whose other counts nobody kept.
  mutating func restore(fixes: Int, accepted: Int, last: Fix?) {
    self.fixes = fixes
    self.accepted = accepted
    self.last = last
  }

  mutating func refuse(_ reason: RejectReason) {
    if let index = RejectReason.allCases.firstIndex(of: reason) { rejected[index] += 1 }
  }
}
