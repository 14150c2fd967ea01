/// The machine the subscribers run on: suspended, waking, awake. What it computes while awake is booked on top, in
/// core seconds. A pure value.
struct HostMachine: Hashable, Sendable, Codable {
  /// What the machine does.
  enum State: String, Hashable, Sendable, Codable {
    case suspended
    /// On its way out of suspension: the wake's energy covers it.
    case waking
    case awake
  }

  /// What it does now.
  private(set) var state = State.suspended
  /// When it is awake; nil where it is not waking.
  private(set) var deadline: EngineInstant?
  /// Whether anybody needs it.
  private(set) var isNeeded = false

  /// Takes note of whether anybody needs it; true where that begins a wake.
  mutating func need(_ isNeeded: Bool, at instant: EngineInstant, _ profile: PowerProfile) -> Bool {
    guard isNeeded != self.isNeeded else { return false }
    self.isNeeded = isNeeded
    switch (state, isNeeded) {
    case (.suspended, true):
      let seconds = profile[.wakeTime].value
      state = seconds > 0 ? .waking : .awake
      deadline = seconds > 0 ? instant.advanced(bySeconds: seconds) : nil
      return true
    case (.awake, false):
      state = .suspended
      return false
    // A wake that has begun runs its course.
    case (.waking, _), (.suspended, false), (.awake, true): return false
    }
  }

  /// Ends a wake: awake where anybody still needs it, else suspended again.
  mutating func fire(at instant: EngineInstant) {
    guard let due = deadline, due <= instant else { return }
    deadline = nil
    state = isNeeded ? .awake : .suspended
  }

  /// What it draws; nil where that is part of the base or of the wake.
  var term: PowerTerm? {
    switch state {
    case .suspended, .waking: nil
    case .awake: .awake
    }
  }
}
