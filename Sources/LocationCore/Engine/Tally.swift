/// What an engine has seen and done so far, counted.
public struct Tally: Hashable, Sendable, Codable {
  /// Position reports.
  public internal(set) var fixes = 0
  /// Reports believed.
  public internal(set) var accepted = 0
  /// Refused reports by reason, in the order of ``RejectReason``'s cases; none before the first.
  @Rejections private var rejected: [Int] = []
  /// Significant changes.
  @Count public internal(set) var significant = 0
  /// Gaps in the signal.
  @Count public internal(set) var gaps = 0
  /// How often the source said that its position grows old.
  @Count public internal(set) var stale = 0
  /// Region events by kind.
  public internal(set) var regions = RegionCounts()
  /// Arrivals at places.
  @Count public internal(set) var arrivals = 0
  /// Departures from them, unknown ones too.
  @Count public internal(set) var departures = 0
  /// Standard updates, each once, whoever was told.
  @Count public internal(set) var locations = 0
  /// Pauses of standard updates.
  @Count public internal(set) var pauses = 0
  /// Ends of such pauses.
  @Count public internal(set) var resumes = 0
  /// Decisions of every kind.
  @Count public internal(set) var decisions = 0
  /// Subscribers resumed from suspension.
  @Count public internal(set) var wakes = 0
  /// Subscribers started in the background.
  @Count public internal(set) var relaunches = 0
  /// How often the receiver was switched on for a fix.
  @Count public internal(set) var searches = 0
  /// When the first fix was that was believed.
  @Maybe var first: Start?
  /// The last fix believed. The gate keeps it: it is here where somebody asks.
  @Rare public internal(set) var last: Fix?

  /// Version 0.1.0 kept the whole fix.
  struct Start: Hashable, HasNone, Codable {
    var instant: EngineInstant

    static var none: Start { Start(instant: .none) }
    var isNone: Bool { instant.isNone }
  }

  /// Nothing yet.
  public init() {}

  /// Seconds from the first fix to the last.
  public var durationSeconds: Double {
    guard let first, let last else { return 0 }
    return first.instant.seconds(to: last.instant)
  }

  /// Refused reports for one reason.
  public func rejected(for reason: RejectReason) -> Int {
    rejected.isEmpty ? 0 : RejectReason.allCases.firstIndex(of: reason).map { rejected[$0] } ?? 0
  }

  /// Adds the counts of another engine; first and last fix stay this one's.
  public mutating func add(_ other: Tally) {
    fixes += other.fixes
    accepted += other.accepted
    for reason in RejectReason.allCases { refuse(reason, other.rejected(for: reason)) }
    significant += other.significant
    gaps += other.gaps
    stale += other.stale
    regions.add(other.regions)
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

  /// Goes on with the counts of a device whose other counts nobody kept.
  mutating func restore(fixes: Int, accepted: Int) {
    self.fixes = fixes
    self.accepted = accepted
  }

  mutating func refuse(_ reason: RejectReason, _ count: Int = 1) {
    guard count > 0, let index = RejectReason.allCases.firstIndex(of: reason) else { return }
    if rejected.isEmpty { rejected = [Int](repeating: 0, count: RejectReason.allCases.count) }
    rejected[index] += count
  }
}

/// Counts in the order of ``RejectReason``'s cases, or none at all. A list of another length is not decoded.
@propertyWrapper
struct Rejections: Hashable, Sendable, Codable {
  var wrappedValue: [Int]

  init(wrappedValue: [Int]) { self.wrappedValue = wrappedValue }
  init(from decoder: any Decoder) throws {
    wrappedValue = try [Int](from: decoder)
    guard wrappedValue.isEmpty || wrappedValue.count == RejectReason.allCases.count else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "\(wrappedValue.count) counts of rejected fixes"))
    }
  }

  func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A count in half of the memory of an `Int`. It is coded as one; beyond 2 billion it stays.
@propertyWrapper
public struct Count: Hashable, Sendable, Codable {
  private var value: Int32

  /// The count, or the largest there is.
  public init(wrappedValue: Int) { value = Int32(clamping: wrappedValue) }
  public init(from decoder: any Decoder) throws { self.init(wrappedValue: try Int(from: decoder)) }

  /// The count.
  public var wrappedValue: Int {
    @inline(__always) get { Int(value) }
    @inline(__always) set { value = Int32(clamping: newValue) }
  }

  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// Region events, counted by the names of their kinds. It is coded as a dictionary of those that there were.
public struct RegionCounts: Hashable, Sendable, Codable {
  private enum Kind: String, CodingKey, CaseIterable { case cross, dwell, enter, exit, state }

  @Count private var crosses = 0
  @Count private var dwells = 0
  @Count private var enters = 0
  @Count private var exits = 0
  @Count private var states = 0

  init() {}
  public init(from decoder: any Decoder) throws {
    let known = try decoder.container(keyedBy: Kind.self)
    for kind in Kind.allCases { self[kind] = try known.decodeIfPresent(Int.self, forKey: kind) ?? 0 }
  }

  // By switches: with key paths an engine took 6 % longer for a drive among 100,000 regions.
  private subscript(kind: Kind) -> Int {
    get {
      switch kind {
      case .cross: crosses
      case .dwell: dwells
      case .enter: enters
      case .exit: exits
      case .state: states
      }
    }
    set {
      switch kind {
      case .cross: crosses = newValue
      case .dwell: dwells = newValue
      case .enter: enters = newValue
      case .exit: exits = newValue
      case .state: states = newValue
      }
    }
  }

  private var seen: [Kind] { Kind.allCases.filter { self[$0] > 0 } }

  /// The kinds of which there were any, in order, with their counts.
  public var all: [(name: String, count: Int)] { seen.map { ($0.rawValue, self[$0]) } }

  /// Events of a kind; nil where there were none.
  public subscript(name: String) -> Int? { all.first { $0.name == name }?.count }

  mutating func count(_ kind: RegionEvent.Kind) {
    if let kind = Kind(rawValue: kind.name) { self[kind] += 1 }
  }

  mutating func add(_ other: RegionCounts) { for kind in Kind.allCases { self[kind] += other[kind] } }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    for kind in seen { try container.encode(self[kind], forKey: kind) }
  }
}
