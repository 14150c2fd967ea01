/// How a search begins: by what the receiver still knows.
public enum ReceiverStart: String, Hashable, Sendable, Codable, CaseIterable {
  /// Nothing.
  case cold
  /// Rough orbits, time and place.
  case warm
  /// Fresh orbits.
  case hot
  /// Orbits from a network.
  case aided
}

/// The receiver: off, acquiring, tracking, saving power, or lingering on after nobody needs it. A pure value: it is
/// told what is asked of it and says what it draws.
struct ReceiverMachine: Hashable, Sendable, Codable {
  /// What the receiver is asked to do.
  enum Demand: Hashable, Sendable, Codable {
    case off, acquiring
    case tracking(Signal)
    case powerSaving
  }

  /// How strong the signal is.
  enum Signal: String, Hashable, Sendable, Codable, CaseIterable {
    case weak, strong, unknown
  }

  /// What the receiver does.
  enum State: Hashable, Sendable, Codable {
    case off
    case acquiring(ReceiverStart)
    case tracking(Signal)
    case powerSaving
    /// On, and nobody needs it.
    case lingering

    /// What it draws.
    var term: PowerTerm {
      switch self {
      case .off: .backup
      case .acquiring(.cold): .acquiringCold
      case .acquiring(.warm): .acquiringWarm
      case .acquiring(.hot): .acquiringHot
      case .acquiring(.aided): .acquiringAided
      case .tracking(.weak): .trackingWeak
      case .tracking(.strong): .trackingStrong
      case .tracking(.unknown): .trackingUnknown
      case .powerSaving: .powerSaving
      case .lingering: .lingering
      }
    }

    /// Whether it has fixes.
    var hasFix: Bool {
      switch self {
      case .tracking, .powerSaving, .lingering: true
      case .off, .acquiring: false
      }
    }
  }

  /// What it does now.
  private(set) var state = State.off
  /// What it was last asked to do.
  private(set) var demand = Demand.off
  /// When it stops lingering; nil where it does not linger.
  private(set) var deadline: EngineInstant?
  /// Whether a network hands it orbits.
  var isAided = false
  private var fixSince: EngineInstant?
  private var lastFix: EngineInstant?
  private var orbitsAt: EngineInstant?

  /// A receiver hears all orbits of a satellite within one frame of 30 s (IS-GPS-200, subframes 1 to 3); one that is
  /// on for less, time and again, never renews them.
  static let renewalSeconds = 30.0
  /// Almanac and place serve for weeks: after 30 days a start is taken as cold. An assumption.
  static let warmSeconds = 30 * 86_400.0

  /// Takes a demand.
  mutating func ask(_ demand: Demand, at instant: EngineInstant, _ profile: PowerProfile) {
    guard demand != self.demand else { return }
    self.demand = demand
    note(instant)
    deadline = nil
    switch demand {
    case .off:
      let linger = profile[.receiverLinger].value
      if state.hasFix, linger > 0 {
        state = .lingering
        deadline = instant.advanced(bySeconds: linger)
      } else {
        state = .off
      }
    case .acquiring: state = .acquiring(startKind(at: instant, profile))
    case .tracking(let signal):
      noteFirstFix(instant)
      state = .tracking(signal)
    case .powerSaving:
      noteFirstFix(instant)
      state = .powerSaving
    }
    if !state.hasFix { fixSince = nil }
  }

  /// Stops lingering.
  mutating func fire(at instant: EngineInstant) {
    guard let due = deadline, due <= instant else { return }
    note(due)
    deadline = nil
    state = .off
    fixSince = nil
  }

  /// How a search would begin at an instant.
  func startKind(at instant: EngineInstant, _ profile: PowerProfile) -> ReceiverStart {
    guard let lastFix, let orbitsAt else { return isAided ? .aided : .cold }
    let orbitsSince = renewed(at: instant) ?? orbitsAt
    if orbitsSince.seconds(to: instant) <= profile[.hotWindow].value * 3600 { return .hot }
    if isAided { return .aided }
    let since = state.hasFix ? instant : lastFix
    return since.seconds(to: instant) <= Self.warmSeconds ? .warm : .cold
  }

  /// Seconds from an instant in which a search would begin hot, should nothing renew the orbits.
  func hotSeconds(at instant: EngineInstant, _ profile: PowerProfile) -> Double {
    guard lastFix != nil, let orbitsAt else { return 0 }
    let age = (renewed(at: instant) ?? orbitsAt).seconds(to: instant)
    return max(0, profile[.hotWindow].value * 3600 - age)
  }

  /// Takes note of what the time with fixes brought, before the state changes.
  private mutating func note(_ instant: EngineInstant) {
    guard state.hasFix else { return }
    lastFix = instant
    orbitsAt = renewed(at: instant) ?? orbitsAt
  }

  /// When the orbits are from, where the present time with fixes renewed them.
  private func renewed(at instant: EngineInstant) -> EngineInstant? {
    guard state.hasFix, let fixSince, fixSince.seconds(to: instant) >= Self.renewalSeconds else { return nil }
    return instant
  }

  /// A fix ends a search; but for a hot start, the search has brought fresh orbits.
  private mutating func noteFirstFix(_ instant: EngineInstant) {
    guard !state.hasFix else { return }
    fixSince = instant
    lastFix = instant
    switch state {
    case .acquiring(.hot): break
    case .off, .acquiring, .tracking, .powerSaving, .lingering: orbitsAt = instant
    }
  }
}
