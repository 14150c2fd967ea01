/// Section D: local notifications.
extension BackgroundMode {
  /// Rule D3.
  public static let notificationDue = BackgroundMode(
    name: "notification due", kind: "notification", trigger: .notificationDue)

  /// Rule D6.
  public static let notificationOpened = BackgroundMode(
    name: "notification opened", kind: "notification", trigger: .notificationOpened)
}

extension Trigger {
  /// Rule D3.
  public static let notificationDue = Trigger(
    rule: .notificationDue, wakes: false, relaunches: false, afterForceQuit: .shown,
    beforeUnlock: .shownLater, withoutDelivery: .shown, inLowPower: .shown, budgetSeconds: 0, waiting: .none)

  /// Rule D6: the user's own doing, so nothing of the policy stands in its way but rule A8.
  public static let notificationOpened = Trigger(
    rule: .notificationOpened, wakes: true, relaunches: true, afterForceQuit: .userLaunch,
    beforeUnlock: .refused, withoutDelivery: .userLaunch, budgetSeconds: 0, waiting: .none)
}
