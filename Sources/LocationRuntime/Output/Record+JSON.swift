package import LocationCore
package import LocationFormats

extension Record {
  /// The record's type as it stands in its `type` key.
  package var type: String {
    switch body {
    case .significant: "significant"
    case .region(let event): "region.\(event.kind.name)"
    case .visit(let event): "visit.\(event.kind.rawValue)"
    case .location: "location"
    case .pause(let event): event.pauses ? "paused" : "resumed"
    case .gap, .source(.dropped): "gap"
    case .source(.found), .source(.switched): "source"
    case .source(.stale): "stale"
    case .fixAccepted: "fix.accepted"
    case .fixRejected: "fix.rejected"
    case .decision: "decision"
    case .subscriberState: "subscriber.state"
    case .power: "power"
    case .advice: "advice"
    case .receiver: "receiver"
    case .refused: "refused"
    }
  }

  /// Writes the record's members: the common ones after `v` and `seq`, then those of its type.
  package func write(to line: inout JSONLine, track: String?) {
    line.member("id", id)
    line.member("type", type)
    line.member("time", time)
    line.member("track", track)
    switch body {
    case .significant(let change): change.write(to: &line)
    case .region(let event): event.write(to: &line)
    case .visit(let event): event.write(to: &line)
    case .location(let update):
      line.member(update.coordinate, update.accuracy)
      line.member("speed_mps", update.speedMetersPerSecond, decimals: FixedPoint.meters)
      line.member("course_deg", update.courseDegrees, decimals: FixedPoint.meters)
      line.member("reason", update.reason.rawValue)
    case .pause(let event):
      line.member("subscriber", event.subscriber)
      line.member("reason", event.reason.rawValue)
    case .gap(let seconds, let reason):
      line.member("seconds", seconds, decimals: FixedPoint.thousandths)
      line.member("reason", reason.rawValue)
    case .source(let event): event.write(to: &line)
    case .fixAccepted(let fix, let verdicts):
      line.member(fix.coordinate, fix.accuracy)
      line.member("acc_source", fix.accuracy.source.rawValue)
      line.member("speed_mps", fix.speedMetersPerSecond, decimals: FixedPoint.meters)
      line.member("course_deg", fix.courseDegrees, decimals: FixedPoint.meters)
      if !verdicts.isEmpty {
        line.open("regions")
        for verdict in verdicts { verdict.write(to: &line) }
        line.close()
      }
    case .fixRejected(let reason, let report):
      line.member("reason", reason.rawValue)
      line.member("lat", report.latitude, decimals: FixedPoint.degrees)
      line.member("lon", report.longitude, decimals: FixedPoint.degrees)
    case .decision(let decision): decision.write(to: &line)
    case .subscriberState(let move):
      line.member("subscriber", move.subscriber)
      line.member("state_before", move.before.rawValue)
      line.member("state_after", move.after.rawValue)
      line.member("reason", move.cause.rawValue)
    case .power(let entry):
      line.member("component", entry.component.rawValue)
      line.member("subscriber", entry.subscriber)
      line.member("joules", entry.joules, decimals: FixedPoint.thousandths)
      line.member("seconds", entry.seconds, decimals: FixedPoint.thousandths)
      line.member("rule", entry.rule.rawValue)
    case .advice(let advice):
      line.member("subscriber", advice.subscriber)
      line.member("rule", advice.rule.rawValue)
      line.member("cheaper", advice.cheaper.rawValue)
      line.member("updates", advice.updates)
      line.member("joules", advice.joules, decimals: FixedPoint.thousandths)
    case .receiver(let order):
      line.member("state", order.isOn ? "on" : "off")
      line.member("seconds", order.pauseSeconds, decimals: FixedPoint.thousandths)
      line.member("reason", order.reason.rawValue)
    case .refused(let what, let reason):
      line.member("what", what)
      line.member("reason", reason)
    }
  }
}

extension JSONLine {
  /// Where, and how well that is known.
  mutating func member(_ coordinate: Coordinate, _ accuracy: Accuracy) {
    member("lat", coordinate.latitude, decimals: FixedPoint.degrees)
    member("lon", coordinate.longitude, decimals: FixedPoint.degrees)
    member("acc_m", accuracy.radiusMeters, decimals: FixedPoint.meters)
  }
}

extension SourceEvent {
  fileprivate func write(to line: inout JSONLine) {
    switch self {
    case .found(let name):
      line.member("state", "found")
      line.member("name", name)
    case .switched(let name):
      line.member("state", "switched")
      line.member("name", name)
    case .stale(let reason, let seconds):
      line.member("seconds", seconds, decimals: FixedPoint.thousandths)
      line.member("reason", reason.rawValue)
    case .dropped(let reports, let seconds):
      line.member("seconds", seconds, decimals: FixedPoint.thousandths)
      line.member("reason", "dropped")
      line.member("fixes", reports)
    }
  }
}

extension SignificantChange.Change {
  fileprivate func write(to line: inout JSONLine) {
    line.member(fix.coordinate, fix.accuracy)
    line.member("moved_m", movedMeters, decimals: FixedPoint.meters)
    line.member("since_s", sinceSeconds, decimals: FixedPoint.thousandths)
    line.member("from_lat", previous?.coordinate.latitude, decimals: FixedPoint.degrees)
    line.member("from_lon", previous?.coordinate.longitude, decimals: FixedPoint.degrees)
    line.member("suppressed", suppressed)
    line.member("reason", reason.rawValue)
  }
}

extension RegionEvent {
  fileprivate func write(to line: inout JSONLine) {
    line.member("region", region)
    if case .state(let state) = kind {
      line.member("state", state.rawValue)
      line.member("reason", reason.rawValue)
      return
    }
    line.member("visit", visit)
    line.member(coordinate, accuracy)
    line.member("edge_m", edgeMeters, decimals: FixedPoint.meters)
    line.member("confidence", confidence, decimals: FixedPoint.thousandths)
    line.member("reason", reason.rawValue)
    line.member("inside_s", insideSeconds, decimals: FixedPoint.thousandths)
    line.member(
      "passage_s", passage.map { $0.entered.seconds(to: $0.left) }, decimals: FixedPoint.thousandths)
  }
}

extension RegionVerdict {
  /// A member named for the region.
  package func write(to line: inout JSONLine) {
    line.open(named: region)
    line.member("state_before", before.rawValue)
    line.member("state_after", after.rawValue)
    line.member("edge_m", edgeMeters, decimals: FixedPoint.meters)
    line.member("sigma_m", sigmaMeters, decimals: FixedPoint.meters)
    line.member("p_inside", probabilityInside, decimals: FixedPoint.thousandths)
    line.member("clear_m", clearMeters, decimals: FixedPoint.meters)
    line.member("held_m", heldMeters, decimals: FixedPoint.meters)
    line.member("clear_fixes", clearFixes)
    line.member("held_s", heldSeconds, decimals: FixedPoint.thousandths)
    line.member("verdict", reason.rawValue)
    line.close()
  }
}

extension VisitEvent {
  fileprivate func write(to line: inout JSONLine) {
    line.member("visit", visit)
    line.member("lat", coordinate.latitude, decimals: FixedPoint.degrees)
    line.member("lon", coordinate.longitude, decimals: FixedPoint.degrees)
    line.member("radius_m", radiusMeters, decimals: FixedPoint.meters)
    line.member("arrived", arrived)
    if kind == .depart {
      line.member("departed", departed)
      if departed == nil { line.member("seen", seen) }
    }
    line.member("reason", reason.rawValue)
  }
}

extension Decision {
  fileprivate func write(to line: inout JSONLine) {
    line.member("subscriber", subscriber)
    line.member("action", action.rawValue)
    line.member("rule", rule.rawValue)
    line.member("state_before", before.rawValue)
    line.member("state_after", after.rawValue)
    line.member("event", event)
    line.member("reason", reason.rawValue)
    line.member("task", task)
    guard let inputs else { return }
    line.open("inputs")
    line.member("authorization", inputs.authorization?.rawValue)
    line.member("accuracy", inputs.accuracy?.rawValue)
    line.member("force_quit", inputs.forceQuit)
    line.member("locked", inputs.isLocked)
    line.member("background_delivery", inputs.backgroundDelivery)
    line.member("low_power", inputs.lowPower)
    line.member("pressure", inputs.pressure?.rawValue)
    line.member("budget_s", inputs.budgetSeconds, decimals: FixedPoint.thousandths)
    line.member("throttled_s", inputs.throttledSeconds, decimals: FixedPoint.thousandths)
    line.close()
  }
}
