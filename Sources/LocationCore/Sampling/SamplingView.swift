/// What the services make of a fix: all that a plan needs to know of them.
struct SamplingView: Hashable, Sendable {
  /// Somebody needs each fix.
  var needsEach = false
  /// Nobody needs to know the position.
  var needsNone = false
  /// The machine is to save what it can.
  var isLowPower = false
  /// Evidence is pending that a few fixes would settle.
  var hasEvidence = false
  /// The fix lies on the other side of an edge than the state, and is not sure of it.
  var hasDoubt = false
  /// The fix is so near an edge that it may as well lie on the other side.
  var isNearEdge = false
  /// Seconds from the fix until a region may have been visited for as long as its owner accepts to miss; nil where
  /// there is none.
  var enterSeconds: Double?
  /// The same for a region that may have been left, and whose owner says how much may be missed.
  var exitSeconds: Double?
  /// The least that these owners say, seconds.
  var exitLatencySeconds = 0.0
  /// The same as ``exitSeconds`` for regions whose owners say nothing: a machine at rest is looked at less often.
  var laxExitSeconds: Double?
  /// Seconds from the fix until a region's dwell time or exit delay is over.
  var dwellSeconds: Double?
  /// Whether anybody wants significant changes or visits.
  var needsMoves = false
  /// What the next significant change waits for.
  var move = Move()
  /// The same for each program that measures by itself.
  var ownMoves: [Move] = []
  /// Seconds that the receiver is expected to take for a fix, within `hotSeconds` of this one.
  var timeToFixSeconds = 0.0
  /// Seconds from this fix in which a search begins hot.
  var hotSeconds = Double.infinity
  /// Seconds that the receiver is expected to take for a fix after that.
  var laterTimeToFixSeconds = 0.0
  /// Seconds below which switching it off saves nothing.
  var leastPauseSeconds = 0.0
  /// Seconds that the evidence for a region takes from its first fix, when it is clear.
  var evidenceSeconds = 0.0

  /// What a significant change waits for.
  struct Move: Hashable, Sendable {
    /// Seconds from the fix in which none is delivered.
    var closedSeconds = 0.0
    /// Metres from the fix to the nearest place that would be one.
    var remainingMeters = 0.0
  }
}
