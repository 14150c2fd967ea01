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
    budget: .short, waiting: .upTo(Limits.outbox))
}

extension RegionEvent.Kind {
  /// As a subscriber can choose it; nil for a state that is told, which wakes nobody.
  var eventKind: EventKind? {
    switch self {
    case .enter: .enter
    case .exit: .exit
    case .dwell: .dwell
    case .cross: .cross
    case .state: nil
    }
  }
}
