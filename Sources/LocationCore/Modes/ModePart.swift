/// What the policy does with one part of ``ModeState``, and when. Nil where the part needs nothing. Each stands in its
/// mode's file.
struct ModePart: Sendable {
  /// When a subscriber has something of it due; nil where it has not.
  var deadline: (@Sendable (Policy, Session) -> EngineInstant?)?
  /// Does what is due for the subscriber at an index; the flag says whether the machine is known to be awake for
  /// something else. It moves ``deadline``: the engine fires what is due until nothing is.
  var fire: (@Sendable (inout Policy, Int, Bool, EngineInstant, inout [PolicyStep]) -> Void)?
  /// Begins or forgets it, as the manifest of a subscriber has its mode or not.
  var align: (@Sendable (inout Policy, Int, EngineInstant) -> Void)?
  /// The program of a subscriber is about to be suspended, or its process has ended or is about to.
  var end: (@Sendable (inout Policy, Int, EngineInstant, inout [PolicyStep]) -> Void)?
  /// Forgets what ends with a process.
  var endProcess: (@Sendable (inout ModeState, Subscriber) -> Void)?

  /// Every part, in the order in which they are fired.
  static let all: [ModePart] = [
    .restart, .notifications, .keepAlive, .sockets, .pushes, .transfers, .issues, .accessories, .audio,
    .advertised, .fetch,
  ]
}
