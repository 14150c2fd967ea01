import LocationCore
package import LocationFormats
import LocationRuntime

extension Explanation {
  /// One JSON object; its keys stand in `Docs/Wire.md`.
  package var tree: JSONTree {
    .object([
      "v": .integer(1), "type": .string("explanation"), "time": .string(time.rfc3339),
      "known_until": knownUntil.map { .string($0.rfc3339) }, "event": event.map(shown),
      "decisions": event == nil ? nil : .array(decisions), "report": report.map(Self.tree),
      "fix": fix.map { tree(of: $0) }, "receiver": receiver, "source": source,
      "significant": move.map(Self.tree), "visit": stay.map(Self.tree),
      "regions": isCut ? nil : .array(places.map(tree)),
      "subscribers": isCut ? nil : .array(listeners.map { tree(of: $0) }),
    ])
  }

  /// A record, without what a notification says unless that is to be told.
  private func shown(_ record: JSONTree) -> JSONTree {
    guard !tellsNotifications, case .object(let members) = record, record["type"]?.string == "notification"
    else { return record }
    return .object(members.filter { $0.key != "title" })
  }

  /// What became of the last report.
  private static func tree(of record: Record) -> JSONTree {
    var refusal: (reason: RejectReason, report: FixReport)?
    if case .fixRejected(let reason, let report) = record.body { refusal = (reason, report) }
    func degrees(_ value: Double?) -> JSONTree? {
      value.flatMap { $0.isFinite ? .fixed($0, FixedPoint.degrees) : nil }
    }
    return .object([
      "id": .integer(record.id), "time": .string(record.time.rfc3339),
      "verdict": .string(refusal == nil ? "accepted" : "rejected"),
      "reason": refusal.map { .string($0.reason.rawValue) }, "lat": degrees(refusal?.report.latitude),
      "lon": degrees(refusal?.report.longitude),
    ])
  }

  private func tree(of fix: Fix) -> JSONTree {
    let trust = JSONTree.members([
      "acc_source": .string(fix.accuracy.source.rawValue),
      "error_factor": error.map { .fixed($0.factor, FixedPoint.thousandths) },
      "error_basis": error.map { .string($0.basis.rawValue) },
      "moving": error.map { .boolean($0.isMoving) },
      "age_s": .fixed(max(0, fix.time.seconds(to: time)), FixedPoint.thousandths),
    ])
    return .object(fix.members + trust)
  }

  private static func tree(of move: SignificantChange.Standing) -> JSONTree {
    .object([
      "rule": .string(Rule.significantChange.rawValue),
      "moved_m": .fixed(move.movedMeters, FixedPoint.meters),
      "needed_m": .fixed(move.requiredMeters, FixedPoint.meters),
      "since_s": .fixed(move.sinceSeconds, FixedPoint.thousandths),
      "window_s": .fixed(move.windowSeconds, FixedPoint.thousandths),
    ])
  }

  private static func tree(of stay: VisitMonitor.Standing) -> JSONTree {
    .object([
      "rule": .string(Rule.visits.rawValue), "stage": .string(stay.stage.rawValue),
      "stay_s": .fixed(stay.staySeconds, FixedPoint.thousandths),
      "needed_s": .fixed(stay.requiredSeconds, FixedPoint.thousandths),
      "drift_m": .fixed(stay.driftMeters, FixedPoint.meters),
      "limit_m": .fixed(stay.driftLimitMeters, FixedPoint.meters),
    ])
  }

  private func tree(of place: Place) -> JSONTree {
    let verdict = place.verdict
    return .object([
      "region": .string(place.region), "rule": .string(place.isOfBeacons ? "B11" : Rule.regions.rawValue),
      "state_before": .string((verdict?.before ?? place.state).rawValue),
      "state_after": .string(place.state.rawValue),
      "edge_m": verdict.map { .fixed($0.edgeMeters, FixedPoint.meters) },
      "acc_m": verdict == nil ? nil : fix.map { .fixed($0.accuracy.radiusMeters, FixedPoint.meters) },
      "sigma_m": verdict.map { .fixed($0.sigmaMeters, FixedPoint.meters) },
      "p_inside": verdict.map { .fixed($0.probabilityInside, FixedPoint.thousandths) },
      "reason": verdict.map { .string($0.reason.rawValue) },
      "needs": .array(place.needs.map(Self.tree)), "last": place.last, "next": place.next,
    ])
  }

  private static func tree(of need: RegionNeed) -> JSONTree {
    .object([
      "way": .string(need.way.rawValue),
      "p": need.probability.map { .fixed($0, FixedPoint.thousandths) },
      "beyond_m": need.beyondMeters.map { .fixed($0, FixedPoint.meters) },
      "lacks_m": need.lackingMeters.map { .fixed($0, FixedPoint.meters) },
      "acc_m": need.radiusMeters.map { .fixed($0, FixedPoint.meters) },
      "fixes": need.fixes.map { .integer($0.have) },
      "of_fixes": need.fixes.map { .integer($0.need) },
      "seconds": need.seconds.map { .fixed($0.have, FixedPoint.thousandths) },
      "of_seconds": need.seconds.map { .fixed($0.need, FixedPoint.thousandths) },
    ])
  }

  private func tree(of listener: Listener) -> JSONTree {
    let view = listener.view
    let first = JSONTree.members([
      "subscriber": .string(view.subscriber.name), "state": .string(view.state.rawValue),
      "authorization": .string(view.subscriber.authorization.rawValue),
      "accuracy": .string(view.subscriber.accuracy.rawValue),
      "force_quit": view.wasForceQuit ? .boolean(true) : nil,
      "waiting": .integer(view.owed.count), "last": listener.last.map(shown),
    ])
    let would = listener.outcomes.isEmpty ? nil : JSONTree.array(listener.outcomes.map(Self.tree))
    return .object(first + view.modeMembers() + JSONTree.members(["would": would]))
  }

  private static func tree(of outcome: Outcome) -> JSONTree {
    let decision = outcome.decision
    return .object([
      "service": .string(outcome.service.rawValue), "region": outcome.region.map { .string($0) },
      "action": .string(decision?.action.rawValue ?? "none"),
      "rule": decision.map { .string($0.rule.rawValue) },
      "state_before": decision.map { .string($0.before.rawValue) },
      "state_after": decision.map { .string($0.after.rawValue) },
      "reason": .string(decision?.reason.rawValue ?? outcome.silence?.rawValue ?? ""),
    ])
  }
}
