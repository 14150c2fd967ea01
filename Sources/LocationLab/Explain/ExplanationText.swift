package import LocationCore
import LocationFormats
import LocationRuntime

/// An explanation in words.
struct ExplanationText {
  private let explanation: Explanation
  private let zone: TimeZoneRule
  private let units: MeasureUnits
  private var rows: [(about: String, what: String, text: String)] = []

  init(_ explanation: Explanation, in zone: TimeZoneRule, _ units: MeasureUnits) {
    self.explanation = explanation
    self.zone = zone
    self.units = units
    addEvent()
    addFix()
    for place in explanation.places { add(place) }
    addUnweighed()
    if let move = explanation.move { add(move) }
    if let stay = explanation.stay { add(stay) }
    for listener in explanation.listeners { add(listener) }
  }

  /// The lines, the moment above them.
  var text: String {
    let cells = rows.map { [TextTable.cell($0.about), TextTable.cell($0.what), $0.text] }
    return LocalTimes.describe(explanation.time, in: zone) + "\n" + TextTable(rows: cells, indent: "  ").text
  }

  private mutating func add(_ about: String, _ what: String, _ text: String) {
    // A name stands before its first row alone.
    let isNew = rows.last { !$0.about.isEmpty }?.about != about
    rows.append((isNew ? about : "", what, text))
  }

  // MARK: - What happened

  private mutating func addEvent() {
    guard let event = explanation.event else { return }
    add("event", "", words(event))
    for decision in explanation.decisions { add("event", "", words(decision)) }
    if explanation.decisions.isEmpty, Self.canBeTold(event) { add("event", "", "no subscriber was told") }
    guard explanation.isCut else { return }
    add("event", "", "what led to it is not kept: the journal begins later, or another version recorded it")
  }

  /// Whether subscribers are told of such a record.
  private static func canBeTold(_ record: JSONTree) -> Bool {
    let type = record["type"]?.string ?? ""
    return ["significant", "location"].contains(type) || type.hasPrefix("region.") || type.hasPrefix("visit.")
  }

  private mutating func addFix() {
    guard !explanation.isCut else { return }
    if let report = explanation.report, case .fixRejected(let reason, _) = report.body {
      let phrase = reason.phrase(explanation.gate, in: units)
      add("refused", "", "the report of \(clock(report.time)) (\(reason.rawValue)): \(phrase)")
    }
    guard let fix = explanation.fix else { return addNoFix() }
    let age = fix.time.seconds(to: explanation.time)
    var text =
      "\(Wording.place(fix.coordinate)) \(Wording.accuracy(fix.accuracy, in: units)) at \(clock(fix.time))"
    if age >= Self.oldSeconds { text += ", \(Wording.duration(age)) before" }
    add("fix", "", text)
    if let error = explanation.error, abs(error.factor - 1) > Self.noteworthy {
      let radius = Wording.distance(fix.accuracy.radiusMeters * error.factor, in: units)
      add("fix", "", "taken as ±\(radius) (× \(Wording.number(error.factor, 2))): \(error.phrase)")
    }
    if let source = explanation.source { add("fix", "", words(source)) }
    if let receiver = explanation.receiver, receiver["state"]?.string == "off" {
      let reason = receiver["reason"]?.string ?? "?"
      let since = receiver["time"]?.string.flatMap { UTCTime(rfc3339: $0) }
      let end = receiver["seconds"]?.double.flatMap { since?.advanced(bySeconds: $0) }
      let due = end.map { ", on again at \(LocalTimes.describe($0, in: zone))" } ?? ""
      add("fix", "", "the receiver is off\(due): \(ReceiverOrder.Reason(rawValue: reason)?.phrase ?? reason)")
    }
    if let until = explanation.knownUntil {
      add("fix", "", "nothing is known after \(LocalTimes.describe(until, in: zone))")
    }
  }

  private mutating func addNoFix() {
    add("fix", "", "none yet")
    guard let until = explanation.knownUntil else { return }
    add("fix", "", "nothing is known after \(LocalTimes.describe(until, in: zone))")
  }

  /// A fix is said to be old from so many seconds on.
  private static let oldSeconds = 2.0
  /// What a factor on the error differs from 1 by where it is worth saying.
  private static let noteworthy = 0.05

  private mutating func add(_ move: SignificantChange.Standing) {
    let moved =
      "\(Wording.distance(move.movedMeters, in: units)) from the last, \(Wording.duration(move.sinceSeconds)) ago"
    let lacking = move.requiredMeters - move.movedMeters
    let needed =
      lacking > 0
      ? "it takes \(Wording.distance(move.requiredMeters, in: units)): \(Wording.distance(lacking, in: units)) more"
      : move.windowSeconds > 0
        ? "far enough, and told in \(Wording.duration(move.windowSeconds))" : "far enough"
    add("move", "", "\(moved) (B1); \(needed)")
  }

  private mutating func add(_ stay: VisitMonitor.Standing) {
    guard stay.stage != .visiting else { return add("stay", "", "on a visit (B5)") }
    var text = "\(Wording.duration(stay.staySeconds)) at one place (B5); a visit takes "
    text += Wording.duration(stay.requiredSeconds)
    if stay.driftMeters > stay.driftLimitMeters {
      text += ", and no drift of \(Wording.distance(stay.driftMeters, in: units)) meanwhile"
    }
    add("stay", "", text)
  }

  // MARK: - Regions

  private mutating func add(_ place: Explanation.Place) {
    if let verdict = place.verdict {
      add(verdict, on: place)
    } else if place.isOfBeacons {
      let sight =
        switch place.state {
        case .inside: "a beacon of it is there"
        case .outside: "no beacon of it is there"
        case .unknown: "no beacon of it has been seen"
        }
      add(place.region, "", "\(place.state.rawValue) (B11): \(sight)")
    } else {
      add(place.region, "", "\(place.state.rawValue): no fix since it was added or moved")
    }
    if let last = place.last { add(place.region, "before", words(last)) }
    if let next = place.next { add(place.region, "after", words(next)) }
  }

  private mutating func add(_ verdict: RegionVerdict, on place: Explanation.Place) {
    let side = verdict.edgeMeters > 0 ? "outside" : "inside"
    let distance = "\(Wording.distance(abs(verdict.edgeMeters), in: units)) \(side) the edge"
    let probability = "\(Wording.number(verdict.probabilityInside * 100, 1)) % inside by this fix alone"
    let state =
      verdict.before == verdict.after
      ? verdict.after.rawValue : "\(verdict.before.rawValue), now \(verdict.after.rawValue)"
    add(place.region, "", "\(state) (B4, \(verdict.reason.rawValue)): \(distance), \(probability)")
    add(place.region, "", verdict.reason.phrase)
    let needs = NeedText(state: place.state, accuracy: explanation.fix?.accuracy, units: units)
    for need in place.needs { add(place.region, need.way.rawValue, needs.describe(need)) }
  }

  private mutating func addUnweighed() {
    let count = explanation.unweighedRegions
    guard count > 0 else { return }
    let others = explanation.places.isEmpty ? "" : " more"
    let regions = "\(Wording.count(count))\(others)"
    add("regions", "", "\(regions) where the fix could change nothing; --region tells of one")
  }

  // MARK: - Subscribers

  private mutating func add(_ listener: Explanation.Listener) {
    let view = listener.view
    let name = view.subscriber.name
    var state = "\(view.state.rawValue), authorization \(view.subscriber.authorization.rawValue)"
    if view.subscriber.accuracy == .reduced { state += ", reduced accuracy" }
    if view.wasForceQuit { state += ", force-quit" }
    add(name, "", state)
    for outcome in listener.outcomes {
      // Of services in general only those matter that it asks for.
      guard outcome.region != nil || outcome.silence == nil else { continue }
      add(name, outcome.service.rawValue, Self.words(outcome))
    }
    for member in ModeMember.all {
      for sentence in member.sentences(view) { add(name, member.singular ?? member.title, sentence) }
    }
    if view.scheduledNotifications > 0 {
      let count = Wording.count(view.scheduledNotifications, "notification")
      add(name, "", "\(count) scheduled (D1)")
    }
    if let last = listener.last { add(name, "before", words(last)) }
  }

  private static func words(_ outcome: Explanation.Outcome) -> String {
    let what = outcome.region.map { "what \($0) tells" } ?? "an event"
    guard let decision = outcome.decision else {
      return switch outcome.silence {
      case .noService, nil: "not asked for: it is not told"
      case .otherRegions: "it asks for other regions: not told"
      case .otherEvents: "it asks for other events: not told"
      }
    }
    return
      "\(what) would be: \(decision.action.phrase) (\(decision.rule.rawValue)): \(decision.reason.phrase)"
  }

  // MARK: - Words

  /// A record in words, its time of day first.
  private func words(_ stored: JSONTree) -> String {
    let record = zone == .utc ? stored : LocalTimes.move(stored, to: zone)
    let time = record["time"]?.string?.dropFirst(11).prefix(8) ?? "?"
    let text = TextRecord(
      record, in: units, tellsNotifications: explanation.tellsNotifications)
    let id = record["id"]?.integer.map { " [\($0)]" } ?? ""
    let words = text.map { "\($0.what) \($0.detail)" } ?? record["type"]?.string ?? "?"
    return TextTable.cell("\(time)  \(words)\(id)")
  }

  private func clock(_ time: UTCTime) -> Substring { zone.local(time).dropFirst(11).prefix(8) }
}

extension Explanation {
  /// Lines for people, with times in a zone.
  package func text(in zone: TimeZoneRule, _ units: MeasureUnits = .metric) -> String {
    ExplanationText(self, in: zone, units).text
  }
}

extension ErrorEstimate {
  /// What the factor comes from.
  var phrase: String {
    switch basis {
    case .claimed: "as claimed"
    case .rest:
      "at rest the fixes spread \(factor < 1 ? "so" : "more"), over \(Wording.duration(Double(restBlocks) * 300))"
    case .motion: "at the last rest the fixes spread more; on the way that fades"
    case .residuals: "no accuracy was stated, and the fixes scatter so about a smooth path"
    }
  }
}
