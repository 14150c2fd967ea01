/// A time at any point of which something may be done: at its beginning where the machine is awake for something else,
/// else at its end.
struct Window: Hashable, Sendable {
  var earliest: EngineInstant
  var latest: EngineInstant

  /// Whether it may be done now.
  func isOpen(at instant: EngineInstant, isAwake: Bool) -> Bool {
    latest <= instant || isAwake && earliest <= instant
  }
}

extension Policy {
  /// Whether a subscriber runs code, and so keeps the machine awake.
  var isAwake: Bool { sessions.contains { $0.state.isRunning } }

  /// Notes that the machine is awake from now on.
  mutating func noteAwake(at instant: EngineInstant) {
    if awakeSince == nil { awakeSince = instant }
  }

  /// When a window is looked at next.
  func deadline(of window: Window?) -> EngineInstant? {
    guard let window, let awakeSince else { return window?.latest }
    return min(window.latest, max(window.earliest, awakeSince))
  }
}
