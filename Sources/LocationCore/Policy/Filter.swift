/// What a subscriber's filter lets pass (``OfferFilter``).
extension Policy {
  /// Why an event is not for a subscriber at this time; nil where it is.
  ///
  /// Local time comes from the last fix, and the cooldown is measured on the engine's axis. A replay has both.
  func filterReason(_ trigger: Trigger, _ index: Int, at instant: EngineInstant) -> Decision.Reason? {
    guard let filter = sessions[index].subscriber.filter, trigger.kind != nil else { return nil }
    if !filter.isWithinHours(utc(at: instant)) { return .outsideHours }
    guard let seconds = filter.cooldownSeconds, let since = sessions[index].cooldownStart,
      since.seconds(to: instant) < seconds
    else { return nil }
    return .cooldown
  }
}

extension Session {
  /// When its cooldown began: when it was last handed an event, or when one came that still waits. An event that is
  /// dropped before it is handed over begins none.
  fileprivate var cooldownStart: EngineInstant? {
    (outbox.map(\.keptAt) + [heardAt]).compactMap { $0 }.max()
  }

  /// Whether it asked for events of a kind; nil is a kind that nobody can choose.
  func wants(_ kind: EventKind?) -> Bool {
    guard let kind, let filter = subscriber.filter else { return true }
    return filter.has(kind)
  }
}
