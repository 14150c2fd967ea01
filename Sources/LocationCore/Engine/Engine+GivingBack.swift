extension Engine {
  /// Whether a subscriber gives something back by an event: it acknowledges what waits for that, or ends or cancels
  /// what it has. The engine refuses none of these, and how many there can be is bounded by what the subscriber has.
  public func isGivenBack(by event: SubscriberEvent, of name: String) -> Bool {
    state.policy.session(name)?.givesBack(by: event) ?? false
  }
}

extension Session {
  fileprivate func givesBack(by event: SubscriberEvent) -> Bool {
    switch event {
    case .acknowledged(let id, _), .dismissed(let id):
      outbox.contains { $0.event == id } || modes.audio?.answered.contains(id) == true
    case .endTask(let token): tasks.contains(token)
    case .mode(let event): givesBack(by: event)
    case .foreground, .background, .quit, .exited, .orphaned, .begun, .registered, .unregistered, .beginTask,
      .authorization, .accuracy, .backgroundDelivery, .start, .stop, .locate, .memory, .lock, .overran, .done,
      .preserve, .interrupted, .finished:
      false
    }
  }
}
