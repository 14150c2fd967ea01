import LocationCore
package import LocationFormats

extension TextRecord {
  /// A record of its line; nil for one that people get otherwise.
  package init?(_ line: JSONTree) {
    func text(_ key: String) -> String { line[key]?.text(or: nil) ?? "?" }
    func number(_ key: String) -> Double? { line.double(key) }
    let region = text("region")
    switch text("type") {
    case "significant":
      guard let place = line.place else { return nil }
      if let moved = number("moved_m"), let since = number("since_s") {
        let late = text("reason") == SignificantChange.Reason.window.rawValue
        self.init(
          "moved",
          "\(Wording.distance(moved)) in \(Wording.duration(since)), to \(place)"
            + (late ? ", told when the window ended" : ""))
      } else {
        self.init("first fix", place)
      }
    case "region.enter": self.init("entered", region + Self.edge(number("edge_m"), number("confidence")))
    case "region.exit":
      let stay = number("inside_s").map { " after \(Wording.duration($0))" } ?? ""
      self.init("left", region + stay + Self.edge(number("edge_m"), number("confidence")))
    case "region.dwell": self.init("dwelled", "in \(region)")
    case "region.cross": self.init("crossed", "\(region) between two fixes")
    case "region.state": self.init(text("state"), region)
    case "gap":
      let isSegment = text("reason") == Record.Gap.segment.rawValue
      let detail =
        number("fixes").map { ": \(Wording.count(Int($0), "report")) left out to catch up" }
        ?? (isSegment ? " (a new segment begins)" : "")
      self.init("no fixes", "for \(Wording.duration(number("seconds") ?? 0))\(detail)")
    case "source":
      let isSwitch = text("state") == "switched"
      self.init("source", isSwitch ? "fixes come from \(text("name")) now" : "\(text("name")) is there")
    case "stale":
      let reason = SourceEvent.Staleness(rawValue: text("reason"))?.phrase ?? text("reason")
      self.init("stale", "no fix for \(Wording.duration(number("seconds") ?? 0)): \(reason)")
    case "decision": self.init(decision: line)
    case "subscriber.state":
      guard let cause = StateMove.Cause(rawValue: text("reason")),
        let after = SubscriberState(rawValue: text("state_after")),
        let phrase = StateMove.phrase(cause, to: after)
      else { return nil }
      self.init(text("subscriber"), phrase, isConsequence: true)
    case "visit.provisional", "visit.arrive", "visit.depart": self.init(visit: line)
    case "location":
      let reason = LocationUpdate.Reason(rawValue: text("reason"))
      guard reason != .update, let place = line.place else { return nil }
      self.init("position", reason == .reduced ? "the cell around \(place)" : "\(place), as asked for")
    case "paused": self.init("paused", "standard updates of \(text("subscriber")): nothing moves")
    case "resumed": self.init("resumed", "those of \(text("subscriber"))")
    case "fix.accepted":
      guard let place = line.place else { return nil }
      self.init("fix", place + (number("speed_mps").map { ", \(Wording.speed($0))" } ?? ""))
    case "fix.rejected": self.init("refused", "\(text("reason")): \(line.point ?? "no position")")
    case "advice":
      let updates = Wording.count(Int(number("updates") ?? 0), "update")
      self.init(
        "advice",
        "\(text("subscriber")): rule \(text("cheaper")) would have told its \(updates) of rule \(text("rule")) too"
      )
    case "receiver":
      let pause = number("seconds").map { " for \(Wording.duration($0))" } ?? ""
      self.init("receiver", "\(text("state"))\(pause) (\(text("reason")))")
    case "power": return nil
    case "refused": self.init("refused", "\(text("what")): \(text("reason"))")
    case let other: self.init(other, line.text)
    }
  }

  private init?(visit line: JSONTree) {
    guard let point = line.point, let radius = line.double("radius_m"), let arrived = line.time("arrived")
    else { return nil }
    let place = "\(point), within \(Wording.distance(radius))"
    let since = "since \(Self.clock(arrived))"
    let reason = line["reason"]?.text(or: nil).flatMap { VisitEvent.Reason(rawValue: $0) }
    switch line["type"]?.text(or: nil) {
    case "visit.provisional": self.init("pausing", "at \(place), \(since)")
    case "visit.arrive": self.init(reason == .returned ? "back" : "arrived", "at \(place), \(since)")
    default:
      if let departed = line.time("departed") {
        let stay = Wording.duration(arrived.seconds(to: departed))
        self.init("departed", "\(place), after \(stay), at \(Self.clock(departed))")
      } else if reason == .end {
        self.init("still there", "\(place), \(since), at the end")
      } else {
        self.init("departed", "\(place), \(since), last seen there \(line.time("seen")?.rfc3339 ?? "?")")
      }
    }
  }

  private static func clock(_ time: UTCTime) -> Substring { time.rfc3339.dropFirst(11).prefix(8) }

  private init(decision line: JSONTree) {
    func text(_ key: String) -> String { line[key]?.text(or: nil) ?? "?" }
    let action = Decision.Action(rawValue: text("action"))?.phrase ?? text("action")
    let reason = Decision.Reason(rawValue: text("reason"))?.phrase ?? text("reason")
    self.init(text("subscriber"), "\(action) (\(text("rule"))): \(reason)", isConsequence: true)
  }

  private static func edge(_ meters: Double?, _ confidence: Double?) -> String {
    guard let meters, let confidence else { return "" }
    let side = meters < 0 ? "inside" : "outside"
    let certainty = confidence >= 0.9995 ? "certain" : "\(Wording.number(confidence * 100, 1)) % sure"
    return ", \(Wording.distance(abs(meters))) \(side) the edge, \(certainty)"
  }
}

extension JSONTree {
  /// Where, of a record that has a place.
  fileprivate var place: String? {
    guard let point, let meters = double("acc_m") else { return nil }
    let source = self["acc_source"]?.text(or: nil).flatMap { Accuracy.Source(rawValue: $0) }
    return "\(point) \(Wording.accuracy(Accuracy(radiusMeters: meters, source: source ?? .reported)))"
  }

  /// The same without its error.
  fileprivate var point: String? {
    guard let latitude = double("lat"), let longitude = double("lon") else { return nil }
    return "\(Wording.number(latitude, 5)), \(Wording.number(longitude, 5))"
  }

  fileprivate func double(_ key: String) -> Double? {
    if case .number(let digits) = self[key] { Double(digits) } else { nil }
  }

  fileprivate func time(_ key: String) -> UTCTime? {
    self[key]?.text(or: nil).flatMap { UTCTime(rfc3339: $0) }
  }
}

/// Records that were kept as lines, in words.
package struct EventText {
  private var encoder = RecordEncoder(format: .text, track: nil)

  package init() {}

  /// The lines for people of whole lines of NDJSON, each with its id.
  package mutating func describe(_ lines: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      var reader = JSONReader(Array(line))
      guard let tree = try? JSONTree(&reader), let text = TextRecord(tree) else { continue }
      bytes += encoder.text(text, at: tree["time"]?.text(or: nil) ?? "")
      bytes += Array("  [\(tree["id"]?.integer ?? 0)]\n".utf8)
    }
    return bytes
  }
}
