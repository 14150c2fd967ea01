import LocationCore

/// The events of a report as rows of a table: the suspension that ends a wake stands in the row of the wake, and a change
/// of state that another row tells of has none.
struct FoldedEvents {
  /// A row.
  struct Row: Hashable {
    /// Which event of the report.
    var index: Int
    /// Seconds from it to the suspension of the program that it ran; nil where it ran none, or another row tells of it.
    var suspendedSeconds: Double?
  }

  /// In the order of the events.
  private(set) var rows: [Row] = []

  init(_ events: [Record]) {
    rows.reserveCapacity(events.count)
    /// The row in which each program was started last.
    var started: [String: Int] = [:]
    for (index, event) in events.enumerated() {
      guard case .decision(let decision) = event.body else {
        if TextRecord(event) != nil { rows.append(Row(index: index)) }
        continue
      }
      switch decision.action {
      case .wake, .relaunch: started[decision.subscriber] = rows.count
      case .suspend:
        if let row = started.removeValue(forKey: decision.subscriber) {
          rows[row].suspendedSeconds = events[rows[row].index].time.seconds(to: event.time)
          continue
        }
      case .deliver, .defer, .coalesce, .drop: break
      // What the program went through meanwhile is worth rows of its own.
      case .terminate, .purge, .refuse, .warn, .throttle, .notify, .hold:
        started.removeValue(forKey: decision.subscriber)
      }
      rows.append(Row(index: index))
    }
  }
}
