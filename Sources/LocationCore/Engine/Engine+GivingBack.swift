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
    case .acknowledged(let id, _): outbox.contains { $0.event == id }
    case .endTask(let token): tasks.contains(token)
    case .mode(let event): givesBack(by: event)
    case .foreground, .background, .quit, .exited, .orphaned, .beginTask, .authorization, .accuracy,
      .backgroundDelivery, .start, .stop, .locate, .memory, .lock, .overran, .done, .preserve, .interrupted,
      .finished:
      false
    }
  }

  private func givesBack(by event: ModeEvent) -> Bool {
    switch event {
    case .cancelNotification(let id): modes.notifications?.entries.contains { $0.id == id } ?? false
    case .keepAlive(let seconds): seconds == 0 && modes.keepAlive != nil
    case .fetched:
      outbox.contains { $0.isHanded && [.goodMoment, .push].contains($0.trigger.row) }
    case .audio(.end(let token)):
      modes.audio?.sessions.contains { token == nil || $0.token == token } ?? false
    case .cancelTransfer(let number): modes.transfers?.entries.contains { $0.number == number } ?? false
    case .answerTransfer(let number):
      modes.transfers?.entries.contains { $0.number == number && $0.answerBy != nil } ?? false
    case .accessory(.close(let session)): modes.accessories?.place(of: session) != nil
    case .accessory(.want(let isWanted)): !isWanted && modes.accessories?.isOn == true
    case .advertise(let service):
      service?.port == 0 && modes.advertised?.services.contains { $0.type == service?.type } == true
    case .notify, .cancelNotifications, .presented, .openNotification, .permitNotifications, .tag, .traffic,
      .audio, .push, .transfer, .transferAsks, .transferBroke, .transferEnded, .accessory, .listens:
      false
    }
  }
}
