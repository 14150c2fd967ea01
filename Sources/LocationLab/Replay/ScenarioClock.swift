import LocationCore

/// The steps of a scenario on the engine's axis, next one first.
struct ScenarioClock {
  private var steps: [(at: EngineInstant, action: Scenario.Action)] = []
  private let scenario: Scenario?
  /// When the next step is due. It is asked for at each fix.
  private(set) var next: EngineInstant?

  init(_ scenario: Scenario?) { self.scenario = scenario }

  /// Places the steps, now that the first fix's instant is known; steps at the same time keep their order in the file.
  mutating func start(at instant: EngineInstant) {
    guard let scenario else { return }
    var placed: [(at: EngineInstant, order: Int, action: Scenario.Action)] = []
    for (order, step) in scenario.steps.enumerated() {
      let at: EngineInstant
      switch step.at {
      case .afterFirstFix(let seconds): at = instant.advanced(bySeconds: seconds)
      case .absolute(let time): at = max(instant, EngineInstant(microseconds: time.microseconds))
      }
      placed.append((at, order, step.action))
    }
    placed.sort { ($0.at, $0.order) < ($1.at, $1.order) }
    steps = placed.reversed().map { ($0.at, $0.action) }
    next = steps.last?.at
  }

  /// Takes the next step off the list; there is one.
  mutating func removeNext() -> Scenario.Action {
    let step = steps.removeLast()
    next = steps.last?.at
    return step.action
  }
}
