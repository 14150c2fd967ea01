/// Rule B4: a region is entered, left, crossed, or stayed in.
extension BackgroundMode {
  /// Rule B4.
  public static let region = BackgroundMode(kind: "region", services: .regions, trigger: .region)
}

extension Trigger {
  /// Rule B4.
  public static let region = Trigger(
    rule: .regions, service: .regions, wakes: true, relaunches: true, outlivesForceQuit: true,
    budgetSeconds: 10)
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
