import LocationCore

extension TextRecord {
  /// A record of its line; nil for one that people get otherwise.
  init?(_ line: JSONTree) {
    func text(_ key: String) -> String { line[key]?.text(or: nil) ?? "?" }
    func number(_ key: String) -> Double? {
      if case .number(let digits) = line[key] { Double(digits) } else { nil }
    }
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
      let fixes = number("fixes").map { ": \(Wording.count(Int($0), "report")) left out to catch up" } ?? ""
      self.init("no fixes", "for \(Wording.duration(number("seconds") ?? 0))\(fixes)")
    case "source":
      let isSwitch = text("state") == "switched"
      self.init("source", isSwitch ? "fixes come from \(text("name")) now" : "\(text("name")) is there")
    case "stale":
      let reason = SourceEvent.Staleness(rawValue: text("reason"))?.phrase ?? text("reason")
      self.init("stale", "no fix for \(Wording.duration(number("seconds") ?? 0)): \(reason)")
    case "decision": self.init(decision: line)
    case "subscriber.state":
      let reason = text("reason")
      self.init(text("subscriber"), "\(text("state_after")) (\(reason))", isConsequence: true)
    case "refused": self.init("refused", "\(text("what")): \(text("reason"))")
    case let other: self.init(other, line.text)
    }
  }

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
    guard case .number(let latitude) = self["lat"], case .number(let longitude) = self["lon"],
      case .number(let accuracy) = self["acc_m"], let degreesNorth = Double(latitude),
      let degreesEast = Double(longitude), let meters = Double(accuracy)
    else { return nil }
    let point = "\(Wording.number(degreesNorth, 5)), \(Wording.number(degreesEast, 5))"
    return "\(point) ±\(Wording.distance(meters))"
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
