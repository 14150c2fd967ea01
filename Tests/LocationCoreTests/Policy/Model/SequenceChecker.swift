import TestSupport

@testable import LocationCore

/// Every short sequence of fixes and silences, through a whole engine: what rules B1 and B5 say of positions, and what
/// a subscriber that asks is told.
///
/// A visit and a significant change depend on where the fixes were, so no two sequences lead to the same state: each
/// is played from the beginning.
struct SequenceChecker {
  /// One thing that can happen.
  enum Action: Hashable {
    /// A fix at rest at the place, 60 m from it, and 600 m from it.
    case here, near, far
    /// A fix at the place by a machine that drives past at 15 m/s.
    case pass
    /// Four minutes of fixes at the place, one each minute.
    case stay
    /// Fifteen minutes without a fix.
    case silence
    /// The subscriber asks for significant changes, or no longer.
    case start, stop
    case deny, allow, reduced, full
  }

  /// What is played of positions, and what of rights: neither bears on the other.
  static let themes: [[Action]] = [
    [.here, .near, .far, .pass, .stay, .silence],
    [.here, .silence, .start, .stop, .deny, .allow, .reduced, .full],
  ]

  var actions: [Action]
  private(set) var sequences = 0
  private(set) var violation: String?

  init(actions: [Action]) { self.actions = actions }

  /// Plays every sequence of `depth` actions.
  mutating func search(depth: Int) {
    var path: [Action] = []
    extend(&path, depth)
  }

  private mutating func extend(_ path: inout [Action], _ depth: Int) {
    guard path.count < depth else {
      sequences += 1
      var course = Course()
      for (place, action) in path.enumerated() {
        guard let rule = course.take(action) else { continue }
        violation = "\(rule): \(path[...place].map { "\($0)" }.joined(separator: ", "))"
        return
      }
      return
    }
    for action in actions {
      path.append(action)
      extend(&path, depth)
      path.removeLast()
      if violation != nil { return }
    }
  }

  /// Where a fix was.
  private struct Position {
    var seconds: Double
    var speed: Double
    var coordinate: Coordinate

    /// Whether it and the fix before lie at one place, and neither drives.
    func rests(with other: Position) -> Bool {
      speed < 3 && other.speed < 3 && Geodesy.isWithin(20, of: other.coordinate, coordinate)
    }
  }

  /// One sequence, and what an observer knows of it.
  private struct Course: ~Copyable {
    private var engine = Engine()
    private var effects: [Effect] = []
    private var seconds = 0.0
    private var last: Position?
    private var beforeLast: Position?
    private var isDenied = false
    private var isReduced = false
    private var asks = false
    private var isTold = false

    init() {
      let place = Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200))
      let other = Region(id: "other", shape: .circle(center: Drive.origin, radiusMeters: 200))
      let subscriber = Subscriber(name: "a", services: [.regions, .visits], regions: ["r"])
      for event in [Event.addRegion(place), .addRegion(other), .addSubscriber(subscriber, .active)] {
        engine.handle(Stamped(at: Drive.instant(0), event), into: &effects)
      }
    }

    /// Does an action; the invariant that it breaks, if it does.
    mutating func take(_ action: Action) -> String? {
      effects.removeAll(keepingCapacity: true)
      switch action {
      case .here: fix(east: 0, speed: 0)
      case .near: fix(east: 60, speed: 0)
      case .far: fix(east: 600, speed: 0)
      case .pass: fix(east: 0, speed: 15)
      case .stay:
        for _ in 0..<4 {
          if let rule = judge() { return rule }
          fix(east: 0, speed: 0)
        }
      case .silence:
        seconds += 900
        engine.advance(to: Drive.instant(seconds), into: &effects)
        if let rule = judgeSilence() { return rule }
      case .start:
        // A start that is refused is none.
        if !isDenied { asks = true }
        say(.start([.significantChange]))
      case .stop:
        asks = false
        isTold = false
        say(.stop([.significantChange]))
      case .deny, .allow:
        isDenied = action == .deny
        say(.authorization(isDenied ? .denied : .always))
      case .reduced, .full:
        isReduced = action == .reduced
        say(.accuracy(isReduced ? .reduced : .full))
      }
      return judge()
    }

    private mutating func say(_ event: SubscriberEvent) {
      engine.handle(Stamped(at: Drive.instant(seconds), .subscriber(name: "a", event)), into: &effects)
    }

    private mutating func fix(east: Double, speed: Double) {
      seconds += 60
      var report = Drive.report(seconds, east: east)
      report.speedMetersPerSecond = speed
      let place = Coordinate(latitude: report.latitude, longitude: report.longitude)
      engine.handle(Stamped(at: Drive.instant(seconds), .fix(report)), into: &effects)
      beforeLast = last
      last = place.map { Position(seconds: seconds, speed: speed, coordinate: $0) }
    }

    /// Only fixes that rested make silence a stay (rule B5).
    private func judgeSilence() -> String? {
      let arrives = effects.visits.contains { $0.kind == .arrive }
      if arrives, let last, last.speed >= 3 { return "B5: silence confirms a stay of a machine that drove" }
      return nil
    }

    private mutating func judge() -> String? {
      let departures = effects.visits.filter { $0.kind == .depart }
      if let last, let beforeLast, last.rests(with: beforeLast),
        departures.contains(where: { Geodesy.isWithin(100, of: $0.coordinate, last.coordinate) })
      {
        return "B5: a departure while fixes rest within 100 m"
      }
      let moves = effects.orders.contains { order in
        guard case .deliver(_, let event, _) = order else { return false }
        return effects.contains { effect in
          guard case .record(let record) = effect, record.id == event else { return false }
          switch record.body {
          case .significant: return true
          // With reduced accuracy it is told a coarse position instead.
          case .location: return isReduced
          case _: return false
          }
        }
      }
      // With reduced accuracy it may also be merged into what waits for the next coarse position.
      let merges = effects.contains { effect in
        guard case .record(let record) = effect, case .decision(let decision) = record.body else {
          return false
        }
        return decision.action == .coalesce
      }
      isTold = isTold || moves || isReduced && merges
      let isFresh = last.map { seconds - $0.seconds <= 60 } ?? false
      if asks, !isTold, isFresh, !isDenied, !isReduced {
        return "B1: the first significant change does not come at once"
      }
      switch engine.regionState("r", for: "a") {
      case .state where isDenied || isReduced: return "B8: a state is told that it may not know"
      case .refused where !isDenied && !isReduced: return "B8: a state is refused that it may know"
      case _: break
      }
      if case .state = engine.regionState("other", for: "a") {
        return "B8: a state of a region that its manifest does not name"
      }
      return nil
    }
  }
}

extension [Effect] {
  fileprivate var visits: [VisitEvent] {
    compactMap { effect in
      guard case .record(let record) = effect, case .visit(let event) = record.body else { return nil }
      return event
    }
  }
}
