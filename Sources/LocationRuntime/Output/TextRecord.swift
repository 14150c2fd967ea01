package import LocationCore
import LocationFormats

/// A record in words: what happened, and the detail behind it.
package struct TextRecord {
  /// What happened.
  package var what: String
  /// The detail behind it.
  package var detail: String
  /// Whether it is about a subscriber, and so stands under the event that caused it.
  var isConsequence = false

  package init(_ what: String, _ detail: String, isConsequence: Bool = false) {
    self.what = what
    self.detail = detail
    self.isConsequence = isConsequence
  }

  /// Nil for records that people get from the summary.
  package init?(_ record: Record) {
    switch record.body {
    case .significant(let change): self.init(change)
    case .region(let event): self.init(event)
    case .visit(let event): self.init(event)
    case .location(let update):
      // Standard updates come with every fix; people get their number from the summary.
      guard update.reason != .update else { return nil }
      let place = "\(Wording.place(update.coordinate)) \(Wording.accuracy(update.accuracy))"
      self.init("position", update.reason == .reduced ? "the cell around \(place)" : "\(place), as asked for")
    case .pause(let event):
      self.init(
        event.pauses ? "paused" : "resumed",
        event.pauses
          ? "standard updates of \(event.subscriber): nothing moves" : "those of \(event.subscriber)")
    case .gap(let seconds, let reason):
      let isSegment = reason == .segment
      self.init("no fixes", "for \(Wording.duration(seconds))" + (isSegment ? " (a new segment begins)" : ""))
    case .source(let event): self.init(event)
    case .fixAccepted(let fix, _):
      var detail = "\(Wording.place(fix.coordinate)) \(Wording.accuracy(fix.accuracy))"
      if let speed = fix.speedMetersPerSecond { detail += ", \(Wording.speed(speed))" }
      self.init("fix", detail)
    case .fixRejected(let reason, let report):
      let numbers = [report.latitude, report.longitude]
      let hasPlace = numbers.allSatisfy(\.isFinite)
      let place = numbers.map { Wording.number($0, 5) }.joined(separator: ", ")
      self.init("refused", "\(reason.rawValue): \(hasPlace ? place : "no position")")
    case .decision(let decision): self.init(decision)
    case .subscriberState(let move):
      guard let phrase = StateMove.phrase(move.cause, to: move.after) else { return nil }
      self.init(move.subscriber, phrase, isConsequence: true)
    case .power: return nil
    case .advice(let advice):
      self.init(
        "advice",
        "\(advice.subscriber): rule \(advice.cheaper.rawValue) would have told its "
          + "\(Wording.count(advice.updates, "update")) of rule \(advice.rule.rawValue) too")
    case .receiver(let order):
      let pause = order.pauseSeconds.map { " for \(Wording.duration($0))" } ?? ""
      self.init("receiver", "\(order.isOn ? "on" : "off")\(pause) (\(order.reason.rawValue))")
    case .refused(let about, let reason): self.init("refused", "\(about): \(reason)")
    }
  }

  private init(_ change: SignificantChange.Change) {
    let place = "\(Wording.place(change.fix.coordinate)) \(Wording.accuracy(change.fix.accuracy))"
    guard let moved = change.movedMeters, let since = change.sinceSeconds else {
      what = "first fix"
      detail = place
      return
    }
    what = "moved"
    detail = "\(Wording.distance(moved)) in \(Wording.duration(since)), to \(place)"
    if change.reason == .window { detail += ", told when the window ended" }
  }

  private init(_ event: SourceEvent) {
    switch event {
    case .found(let name):
      what = "source"
      detail = "\(name) is there"
    case .switched(let name):
      what = "source"
      detail = "fixes come from \(name) now"
    case .stale(let reason, let seconds):
      what = "stale"
      detail = "no fix for \(Wording.duration(seconds)): \(reason.phrase)"
    case .dropped(let reports, let seconds):
      what = "no fixes"
      detail = "for \(Wording.duration(seconds)): \(Wording.count(reports, "report")) left out to catch up"
    }
  }

  private init(_ event: RegionEvent) {
    let edge =
      "\(Wording.distance(abs(event.edgeMeters))) \(event.edgeMeters < 0 ? "inside" : "outside") the edge"
    let certainty =
      event.confidence >= 0.9995 ? "certain" : "\(Wording.number(event.confidence * 100, 1)) % sure"
    switch event.kind {
    case .enter:
      what = "entered"
      detail = "\(event.region), \(edge), \(certainty)"
    case .exit:
      what = "left"
      let stay = event.insideSeconds.map { " after \(Wording.duration($0))" } ?? ""
      detail = "\(event.region)\(stay), \(edge), \(certainty)"
    case .dwell:
      what = "dwelled"
      detail = "in \(event.region)"
    case .cross:
      what = "crossed"
      detail = "\(event.region) between two fixes"
    case .state(let state):
      what = state.rawValue
      detail = event.region
    }
  }

  private init(_ event: VisitEvent) {
    let place = "\(Wording.place(event.coordinate)), within \(Wording.distance(event.radiusMeters))"
    let arrived = event.arrived.rfc3339.dropFirst(11).prefix(8)
    switch event.kind {
    case .provisional:
      what = "pausing"
      detail = "at \(place), since \(arrived)"
    case .arrive:
      what = event.reason == .returned ? "back" : "arrived"
      detail = "at \(place), since \(arrived)"
    case .depart:
      guard let departed = event.departed else {
        what = event.reason == .end ? "still there" : "departed"
        detail =
          "\(place), since \(arrived), "
          + (event.reason == .end ? "at the end" : "last seen there \(event.seen.rfc3339)")
        return
      }
      what = "departed"
      detail =
        "\(place), after \(Wording.duration(event.arrived.seconds(to: departed))), at \(departed.rfc3339.dropFirst(11).prefix(8))"
    }
  }

  private init(_ decision: Decision) {
    what = decision.subscriber
    detail = "\(decision.action.phrase) (\(decision.rule.rawValue)): \(decision.reason.phrase)"
    isConsequence = true
  }
}

extension SourceEvent.Staleness {
  /// In words, after what has happened.
  package var phrase: String {
    switch self {
    case .silent: "the reports stopped"
    case .noFix: "the receiver has none"
    case .noDevice: "gpsd has no receiver"
    case .lost: "gpsd is not there"
    }
  }
}

extension StateMove {
  /// Nil for the steps between.
  package static func phrase(_ cause: Cause, to after: SubscriberState) -> String? {
    switch (cause, after) {
    case (.user, .active): "opened by the user"
    case (.user, .background): "put in the background by the user"
    case (.user, .inactive), (.user, .suspended), (.user, .notRunning): nil
    case (.exit, _): "ended by itself"
    case (.restart, _): "ended with the daemon before"
    case (.reboot, _): "ended by the reboot"
    case (.added, _): "added, \(after.rawValue)"
    }
  }
}

extension Decision.Action {
  /// The action in words.
  package var phrase: String {
    switch self {
    case .deliver: "told"
    case .wake: "woken in the background"
    case .relaunch: "relaunched in the background"
    case .defer: "kept for later"
    case .coalesce: "merged with what waits"
    case .drop: "dropped"
    case .suspend: "suspended"
    case .terminate: "ended"
    case .purge: "purged"
    case .refuse: "refused"
    case .warn: "warned"
    case .throttle: "throttled"
    }
  }
}

extension Decision.Reason {
  /// The reason in words.
  package var phrase: String {
    switch self {
    case .foreground: "it is in the foreground"
    case .running: "it runs already"
    case .suspended: "it was suspended"
    case .notRunning: "it was not running"
    case .forceQuitLocation: "location services relaunch it even after a force-quit"
    case .forceQuit: "the user force-quit it"
    case .locked: "locked since the boot"
    case .firstUnlock: "the first unlock since the boot"
    case .denied: "its authorization is denied"
    case .needsAlways: "that needs the authorization always"
    case .exitsOnSuspend: "it opted out of running in the background"
    case .idle: "nothing keeps it running any more"
    case .budgetOver: "still running when its time was over"
    case .taskOpen: "a task was still open when its time was over"
    case .illegalMove: "not a move its state allows"
    case .unknownTask: "no such task is open"
    case .outboxFull: "too many events wait for it"
    case .unacknowledged: "it had not acknowledged it"
    case .kept: "kept until now"
    case .backOff: "it ended too soon; the next start waits"
    case .memoryPressure: "memory is short"
    case .pressureOver: "memory is no longer short"
    case .backlog: "more waits than may be handed over at once"
    case .memory: "memory is short"
    case .task: "a task is open and its time is nearly over"
    case .exit: "it left the foreground and opted out of running in the background"
    case .batched: "kept back, to be told with others"
    case .batchFull: "far enough, or enough of them"
    case .batchDue: "kept back for long enough"
    case .stopped: "it stopped the service"
    case .reduced: "it may know a coarse position only"
    case .reducedWindow: "it was told its coarse position less than 15 min ago"
    case .backgroundDeliveryOff: "the user lets nothing wake it"
    case .backgroundDeliveryOn: "the user lets things wake it again"
    case .throttled: "it overran its time again and again"
    case .throttleOver: "left alone for long enough"
    case .sharedLock: "it held a lock that others may wait for"
    case .tooManyTasks: "as many tasks are open as may be"
    case .processor: "it took too much of the processor"
    case .noSource: "there is no source of fixes"
    case .noFix: "no fix came in time"
    }
  }
}
