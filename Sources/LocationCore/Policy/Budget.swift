// The two clocks of a subscriber in the background: the third of the three ideas every background mode rests on.
// Both end, whatever happens meanwhile, and their ends are deadlines of the engine.

/// The time of finite tasks (rules C2 and C3). It starts at the move to the background or at the first task of a wake,
/// and neither a delivery nor a further task sets it anew.
struct TaskClock: Hashable, Sendable, Codable {
  /// When it is over.
  var end: EngineInstant
  /// When open tasks are told that it ends; nil once they were.
  var warning: EngineInstant?
  /// Whether it has ended: no further task may begin.
  var isOver = false

  /// It ends later, and so warns later, because nobody was there.
  mutating func move(bySeconds seconds: Double) {
    end = end.advanced(bySeconds: seconds)
    warning = warning?.advanced(bySeconds: seconds)
  }
}

extension Policy.Configuration {
  /// The numbers of a wake's time, by the budget of what it is for (rule K1).
  public struct Wakes: Hashable, Sendable, Codable, Blank {
    /// Seconds for an event of a location service, a remote control or an accessory.
    public var seconds = 10.0
    /// Seconds for a keep-alive, traffic, a restart, a good moment, a push, a transfer or an issue.
    public var longSeconds = 30.0

    public init() {}

    /// Seconds of a budget; 0 for none.
    public func seconds(of budget: Trigger.Budget) -> Double {
      switch budget {
      case .none: 0
      case .short: seconds
      case .long: longSeconds
      }
    }
  }
}

/// The time of a wake (rule K1). An acknowledgment renews it, up to a total.
struct WakeClock: Hashable, Sendable, Codable {
  /// When the wake began.
  var since: EngineInstant
  /// Seconds from one acknowledgment to the next.
  var seconds: Double
  /// When the subscriber was last handed the first of something, or of what may take longer, or acknowledged something.
  var answeredAt: EngineInstant
  /// When it is over.
  var end: EngineInstant

  init(at instant: EngineInstant, seconds: Double) {
    since = instant
    self.seconds = seconds
    answeredAt = instant
    end = instant.advanced(bySeconds: seconds)
  }

  /// The subscriber acknowledged something that it was handed.
  mutating func renew(at instant: EngineInstant, limitSeconds: Double) {
    answeredAt = instant
    end = min(instant.advanced(bySeconds: seconds), since.advanced(bySeconds: limitSeconds))
  }

  /// The subscriber is handed something that may take that many seconds: it has them, where that is more than it had.
  mutating func extend(to seconds: Double, at instant: EngineInstant, limitSeconds: Double) {
    guard seconds > self.seconds else { return }
    self.seconds = seconds
    renew(at: instant, limitSeconds: limitSeconds)
  }

  /// The wake ends later, because nobody was there to see what its subscriber answered.
  mutating func move(bySeconds seconds: Double) {
    since = since.advanced(bySeconds: seconds)
    answeredAt = answeredAt.advanced(bySeconds: seconds)
    end = end.advanced(bySeconds: seconds)
  }

  /// Whether the subscriber has answered nothing for as long as it may, rather than met the total.
  func isUnanswered(at instant: EngineInstant) -> Bool {
    answeredAt.advanced(bySeconds: seconds) <= instant
  }
}
