/// Section E: keep-alive wakes, held sockets, and the relaunch of a program that has to run.
extension BackgroundMode {
  /// Rule E2.
  public static let keepAlive = BackgroundMode(
    name: "keep-alive", kind: "keep_alive", modes: .voip, trigger: .keepAlive)

  /// Rule E4.
  public static let traffic = BackgroundMode(
    name: "traffic", kind: "traffic", modes: .voip, trigger: .traffic)

  /// Rule E5.
  public static let restart = BackgroundMode(
    name: "boot, failed exit", kind: "restart", modes: .voip, trigger: .restart)
}

extension Trigger {
  /// Rule E2.
  public static let keepAlive = Trigger(
    rule: .keepAlive, wakes: true, relaunches: false, afterForceQuit: .removed, beforeUnlock: .notRunning,
    inLowPower: .widerWindow, budgetSeconds: 30, waiting: .mergesLater)

  /// Rule E4.
  public static let traffic = Trigger(
    rule: .traffic, wakes: true, relaunches: false, afterForceQuit: .closed, beforeUnlock: .notRunning,
    withoutDelivery: .deferredInPlace, budgetSeconds: 30, waiting: .mergesLater)

  /// Rule E5.
  public static let restart = Trigger(
    rule: .restart, wakes: false, relaunches: true, afterForceQuit: .never, budgetSeconds: 30,
    waiting: .mergesLater)
}
