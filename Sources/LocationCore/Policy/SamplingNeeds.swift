/// What the subscribers need of the receiver, taken together.
struct SamplingNeeds: Hashable, Sendable, Codable {
  /// Somebody gets standard updates, or is no subscriber and wants each fix.
  var needsEach = false
  var needsRegions = false
  /// Somebody wants significant changes or visits.
  var needsMoves = false

  /// Nobody needs to know the position.
  var needsNone: Bool { !needsEach && !needsRegions && !needsMoves }
}

extension Policy {
  /// What the subscribers need that can be told something at present.
  ///
  /// A program that was woken for one event runs for an instant: that alone does not switch the receiver on for its
  /// standard updates, if it has none while it is suspended.
  var samplingNeeds: SamplingNeeds {
    var needs = SamplingNeeds()
    needs.needsEach = hasAudience
    for session in sessions {
      guard let rule = receiverRule(session) else { continue }
      let services = canReach(session) ? session.subscriber.services : []
      let runsOn = session.state.isForeground || session.holdsTask || session.isSounding
      let isAsked = session.standard.request != nil || session.subscriber.modes.contains(.location)
      if rule == .backgroundLocation || rule == .standard && (runsOn || isAsked) { needs.needsEach = true }
      if session.awaitsFirstMove, services.contains(.significantChange) { needs.needsEach = true }
      // A fix has to tell when paused updates resume (rule B6).
      if session.standard.isPaused && session.takesUpdates { needs.needsMoves = true }
      if canReach(session) && session.watchesRegions || session.watchesForNotifications {
        needs.needsRegions = true
      }
      if services.contains(.significantChange) || services.contains(.visits) { needs.needsMoves = true }
    }
    return needs
  }
}

extension Session {
  /// Whether it may be told of regions: that takes the right to know exactly where the machine is (rule B8).
  @inline(__always) var watchesRegions: Bool {
    subscriber.services.contains(.regions) && subscriber.accuracy == .full
  }

  /// Whether a finite task keeps it running.
  var holdsTask: Bool {
    assertions.contains { $0.reason == .task }
  }
}
