/// Section G: good moments to fetch.
extension BackgroundMode {
  /// Rule G1.
  public static let fetch = BackgroundMode(
    name: "good moment", kind: "fetch", modes: .fetch, trigger: .goodMoment)
}

extension Trigger {
  /// Rule G1.
  public static let goodMoment = Trigger(
    rule: .goodMoment, wakes: true, relaunches: true, afterForceQuit: .never, beforeUnlock: .notAsked,
    withoutDelivery: .notAsked, inLowPower: .notAsked, budgetSeconds: 30, waiting: .neverKept)
}
