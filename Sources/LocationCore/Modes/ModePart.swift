/// What the policy does with one part of ``ModeState``, and when. Nil where the part needs nothing. Each stands in its
/// mode's file.
struct ModePart: Sendable {
  /// When a subscriber has something of it due; nil where it has not.
  var deadline: (@Sendable (Policy, Session) -> EngineInstant?)?
  /// Does what is due for the subscriber at an index; the flag says whether the machine is known to be awake for
  /// something else. It moves ``deadline``: the engine fires what is due until nothing is.
  var fire: (@Sendable (inout Policy, Int, Bool, inout PolicyTurn) -> Void)?
  /// When the machine has to be awake for it, at the latest; nil where a machine that sleeps may miss it.
  var alarm: (@Sendable (Policy, Session) -> EngineInstant?)?
  /// Begins or forgets it, as the manifest of a subscriber has its mode or not.
  var align: (@Sendable (inout Policy, Int, EngineInstant) -> Void)?
  /// The program of a subscriber is about to be suspended, or its process has ended or is about to.
  var end: (@Sendable (inout Policy, Int, inout PolicyTurn) -> Void)?
  /// Forgets what ends with a process.
  var endProcess: (@Sendable (inout ModeState, Subscriber) -> Void)?
  /// Nobody was there for some seconds: what runs for the program ends as much later.
  var giveBack: (@Sendable (inout ModeState, Double) -> Void)?
}

extension Policy {
  /// When the modes of a subscriber that uses some have something due.
  func modeDeadline(_ session: Session) -> EngineInstant? {
    ModePart.all.reduce(nil) { EngineInstant.earlier($0, $1.deadline?(self, session)) }
  }

  /// Does what is due of the modes. What wakes the machine takes along what may be done early (rules D3, E2, G1).
  ///
  /// - Parameter isAwake: whether the machine is known to be awake for something else.
  mutating func fireModes(isAwake isAwakeAnyway: Bool, in turn: inout PolicyTurn) {
    // While nobody is there, nobody starts a program or shows anything: what is due waits.
    guard !isAbsent, sessions.indices.contains(where: { sessions[$0].modes.isUsed }) else { return }
    var isAwake = isAwakeAnyway || self.isAwake
    while true {
      let count = turn.steps.count
      for index in sessions.indices {
        for part in ModePart.all { part.fire?(&self, index, isAwake, &turn) }
      }
      fireFetch(isAwake: isAwake, in: &turn)
      guard !isAwake, turn.steps[count...].contains(where: \.wakesMachine) else { break }
      isAwake = true
    }
    refreshDeadline()
  }

  /// Begins or forgets what a manifest has the modes for, or no longer.
  mutating func alignModes(_ index: Int, at instant: EngineInstant) {
    for part in ModePart.all { part.align?(&self, index, instant) }
  }

  /// Changes a subscriber whose manifest has not the mode.
  mutating func update(_ index: Int, without mode: Subscriber.Modes, _ body: (inout Session) -> Void) {
    if !sessions[index].subscriber.modes.contains(mode) { update(index, body) }
  }

  /// A program is about to be suspended, or its process has ended or is about to: what the modes make of it.
  mutating func endModes(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].modes.isUsed else { return }
    for part in ModePart.all { part.end?(&self, index, &turn) }
  }
}

extension PolicyStep {
  /// Whether the machine is awake for it. It is not for what is only said, such as that something has to wait, nor for
  /// the pause of a transfer.
  fileprivate var wakesMachine: Bool {
    switch self {
    case .ordered(.transfer(_, _, let order)): order == .start
    case .decided, .noted, .transferred: false
    case .moved, .ordered, .answered, .reduced, .changed, .briefed, .called, .notified, .redelivered, .pushed,
      .reported, .attached:
      true
    }
  }
}
