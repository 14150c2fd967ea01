import LocationCore
import LocationRuntime

/// What a page shows of one replayed track: where it was, what of it was asked for, and what followed.
struct TrackReport: Sendable {
  /// What became of a point of the track.
  enum Use: Int, Sendable {
    /// The receiver was off.
    case notAsked
    case believed
    case refused
  }

  /// The points of the track that have a time and a place, in the order of the track.
  struct Points: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    private(set) var milliseconds: [Int64] = []
    /// Degrees north times ``scale``.
    private(set) var latitudes: [Int32] = []
    /// Degrees east times ``scale``.
    private(set) var longitudes: [Int32] = []
    private(set) var uses: [Use] = []
    /// Indices of the points that do not continue the one before.
    private(set) var breaks: [Int] = []

    /// A ten-millionth of a degree is a centimetre: what records print.
    static let scale = 1e7

    var count: Int { milliseconds.count }

    mutating func append(_ time: UTCTime, _ place: Coordinate, _ use: Use) {
      milliseconds.append(time.milliseconds)
      latitudes.append(Int32(Self.scaled(place.latitude)))
      longitudes.append(Int32(Self.scaled(place.longitude)))
      uses.append(use)
    }

    mutating func breakTrack() {
      if count > 0, breaks.last != count { breaks.append(count) }
    }

    /// Rounded as records are.
    static func scaled(_ degrees: Double) -> Int {
      Int((degrees * scale).rounded(.toNearestOrAwayFromZero))
    }
  }

  /// A change of something that has one state at a time.
  struct Move<State: Sendable>: Sendable {
    var at: UTCTime
    var state: State
  }

  /// A subscriber with the states it was in.
  struct Life: Sendable {
    var name: String
    var moves: [Move<SubscriberState>]
  }

  private(set) var points = Points()
  /// What happened, without what is said of single fixes and standard updates, of the receiver and of energy.
  private(set) var events: [Record] = []
  /// The orders to the receiver; it begins on.
  private(set) var orders: [Move<ReceiverOrder>] = []
  private(set) var lives: [Life] = []
  private(set) var regions: [Region] = []
  /// Ids of the standard updates, which are no events here.
  private var updates: Set<Int> = []
  /// Whether what was decided about programs is no event here, because the only one is assumed.
  private let leavesOutDecisions: Bool
  /// Points without a time or a place.
  private(set) var leftOut = 0
  /// What it came to; nil until the end.
  private(set) var outcome: (summary: Summary, ledger: PowerLedger)?

  /// Whether it tells what notifications say.
  let tellsNotifications: Bool

  /// A report on a replay that begins.
  init(_ request: ReplayRequest = ReplayRequest()) {
    leavesOutDecisions = request.assumesProgram
    tellsNotifications = request.tellsNotifications
  }

  /// Takes a point of the track.
  mutating func add(_ report: FixReport, _ use: Use) {
    guard let time = report.time,
      let place = Coordinate(latitude: report.latitude, longitude: report.longitude)
    else {
      leftOut += 1
      return
    }
    points.append(time, place, use)
  }

  /// What follows does not continue what came before.
  mutating func breakTrack() { points.breakTrack() }

  /// A region is watched from now on; one that is removed later stays on the map.
  mutating func add(_ region: Region) {
    // Where only its terms changed, there is one outline to show.
    regions.removeAll { $0.id == region.id && $0.shape == region.shape }
    regions.append(region)
  }

  /// A subscriber is there from now on. One that was there before goes on: a recording has it once more where its
  /// manifest was replaced or a region of it was renamed.
  mutating func add(_ subscriber: String, _ state: SubscriberState, at time: UTCTime) {
    guard !lives.contains(where: { $0.name == subscriber }) else {
      return move(subscriber, to: state, at: time)
    }
    lives.append(Life(name: subscriber, moves: [Move(at: time, state: state)]))
  }

  mutating func add(_ order: ReceiverOrder, at time: UTCTime) { orders.append(Move(at: time, state: order)) }

  mutating func add(_ record: Record) {
    if isShownOtherwise(record.body) { return }
    if case .location(let update) = record.body, update.reason == .update {
      // A standard update is a fix over again.
      updates.insert(record.id)
      return
    }
    if case .decision(let decision) = record.body {
      move(decision.subscriber, to: decision.after, at: record.time)
      if leavesOutDecisions { return }
      if let event = decision.event, updates.contains(event), !decision.startsProgram { return }
    }
    if case .subscriberState(let move) = record.body {
      self.move(move.subscriber, to: move.after, at: record.time)
    }
    events.append(record)
  }

  /// Whether the page shows a record as a point of the track, a bar or a sum, and not in the list of events.
  private func isShownOtherwise(_ body: Record.Body) -> Bool {
    if case .fixAccepted = body { return true }
    if case .fixRejected = body { return true }
    if case .power = body { return true }
    if case .receiver = body { return true }
    return false
  }

  /// The track is over.
  mutating func finish(_ summary: Summary, _ ledger: PowerLedger) { outcome = (summary, ledger) }

  private mutating func move(_ name: String, to state: SubscriberState, at time: UTCTime) {
    guard let index = lives.firstIndex(where: { $0.name == name }) else {
      return add(name, state, at: time)
    }
    if lives[index].moves.last?.state != state {
      lives[index].moves.append(Move(at: time, state: state))
    }
  }
}

extension Decision {
  /// Whether the program runs because of it.
  fileprivate var startsProgram: Bool { action == .wake || action == .relaunch }
}

extension UTCTime {
  /// Milliseconds since 1970-01-01T00:00:00Z, rounded to the nearest.
  var milliseconds: Int64 {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1000)
    return rest >= 500 ? whole + 1 : rest < -500 ? whole - 1 : whole
  }
}
