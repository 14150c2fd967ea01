/// The radio: idle, promoted to connected, active, and connected for a while after the last byte. A transfer in that
/// tail begins it anew and needs no promotion. A pure value.
struct RadioMachine: Hashable, Sendable, Codable {
  /// What the radio does.
  enum State: String, Hashable, Sendable, Codable {
    case idle
    /// On its way to connected: the promotion's energy covers it.
    case promoting
    case active
    /// Connected, with nothing to send.
    case tail
  }

  /// What it does now.
  private(set) var state = State.idle
  /// When that ends; nil while it is idle.
  private(set) var deadline: EngineInstant?
  /// Seconds of transfers that wait for the promotion.
  private var waitingSeconds = 0.0

  /// Seconds of a transfer that goes on until it is released: more than the axis has.
  static let openSeconds = 1e13

  /// Takes a transfer of so many seconds; true where it needs a promotion.
  mutating func transfer(seconds: Double, at instant: EngineInstant, _ profile: PowerProfile) -> Bool {
    switch state {
    case .idle:
      waitingSeconds = seconds
      begin(.promoting, at: instant, for: profile[.radioPromotionTime].value)
      fire(at: instant, profile)
      return true
    case .promoting: waitingSeconds = max(waitingSeconds, seconds)
    case .active:
      let end = instant.advanced(bySeconds: seconds)
      deadline = deadline.map { max($0, end) } ?? end
    case .tail:
      begin(.active, at: instant, for: seconds)
      fire(at: instant, profile)
    }
    return false
  }

  /// The transfers without an end have ended; others go on until an instant.
  mutating func release(until end: EngineInstant) {
    switch state {
    case .active: deadline = end
    case .promoting: waitingSeconds = max(0, deadline?.seconds(to: end) ?? 0)
    case .tail, .idle: break
    }
  }

  /// When a transfer that was asked for at `instant` begins.
  func sendingBegins(at instant: EngineInstant) -> EngineInstant {
    state == .promoting ? deadline ?? instant : instant
  }

  /// Goes on to the next state where the present one has ended.
  mutating func fire(at instant: EngineInstant, _ profile: PowerProfile) {
    while let due = deadline, due <= instant {
      switch state {
      case .promoting: begin(.active, at: due, for: waitingSeconds)
      case .active: begin(.tail, at: due, for: profile[.radioTailTime].value)
      case .tail, .idle:
        state = .idle
        deadline = nil
      }
    }
  }

  /// What it draws; nil where that is part of the base or of the promotion.
  var term: PowerTerm? {
    switch state {
    case .idle, .promoting: nil
    case .active: .radioActive
    case .tail: .radioTail
    }
  }

  private mutating func begin(_ state: State, at instant: EngineInstant, for seconds: Double) {
    self.state = state
    deadline = instant.advanced(bySeconds: seconds)
  }
}
