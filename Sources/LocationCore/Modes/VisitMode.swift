/// Rule B5: arrival at a place and departure from it.
extension BackgroundMode {
  /// Rule B5.
  public static let visit = BackgroundMode(name: "visit", kind: "visit", services: .visits, trigger: .visit)
}

extension Trigger {
  /// Rule B5.
  public static let visit = Trigger(
    rule: .visits, service: .visits, wakes: true, relaunches: true, afterForceQuit: .goesOn,
    budget: .short, waiting: .upTo(Limits.outbox))
}

extension VisitEvent {
  /// As it is told to a subscriber that may know no more than the cell of the place (rule B8).
  var reduced: VisitEvent {
    let cell = ReducedCell(coordinate)
    var event = self
    event.coordinate = cell.middle
    event.radiusMeters = cell.accuracy.radiusMeters
    return event
  }
}
