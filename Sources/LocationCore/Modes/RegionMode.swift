/// Rule B4: a region is entered, left, crossed, or stayed in.
extension BackgroundMode {
  /// Rule B4.
  public static let region = BackgroundMode(
    name: "region", kind: "region", services: .regions, trigger: .region)
}

extension Trigger {
  /// Rule B4.
  public static let region = Trigger(
    rule: .regions, service: .regions, wakes: true, relaunches: true, afterForceQuit: .goesOn,
    budgetSeconds: 10, waiting: .upTo(Limits.outbox))
}

extension RegionEvent.Kind {
  /// Whether it wakes or relaunches those who asked for it; a state that is told does not.
  var isTrigger: Bool {
    switch self {
    case .enter, .exit, .dwell, .cross: true
    case .state: false
    }
  }
}
