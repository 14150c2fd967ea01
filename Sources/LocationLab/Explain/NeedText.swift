import LocationCore

/// What a region's state would take to change, in words.
struct NeedText {
  /// Where the position is held to be.
  var state: RegionState
  /// Of the last fix, as claimed; nil where there is none.
  var accuracy: Accuracy?
  /// Those of distances.
  var units: MeasureUnits

  /// One way, and what the last fix lacks for it.
  func describe(_ need: RegionNeed) -> String {
    let seconds = need.seconds
    switch need.way {
    case .clear:
      return "\(count(need)) in a row \(beyond(need)), over \(duration(seconds?.need)); "
        + "\(need.fixes?.have ?? 0) so far\(lacking(need))"
    case .held:
      return
        "fixes \(beyond(need)) for \(duration(seconds?.need)); \(duration(seconds?.have)) so far\(lacking(need))"
    case .settled: return "on the average of many minutes \(beyond(need))\(lacking(need))"
    case .initial:
      let percent = Wording.number((need.probability ?? 0) * 100, 0)
      return
        "one fix \(percent) % sure of its side, about \(Wording.distance(need.beyondMeters ?? 0, in: units)) from the edge, "
        + "or \(count(need)) over \(duration(seconds?.need)); \(need.fixes?.have ?? 0) over "
        + "\(duration(seconds?.have)) so far\(lacking(need))"
    case .delayed:
      return "told \(duration(seconds?.need)) after it was left; \(duration(seconds?.have)) so far"
    case .dwelled: return "told after \(duration(seconds?.need)) inside; \(duration(seconds?.have)) so far"
    case .plain: return "one fix \(side) the edge\(lacking(need))"
    case .interpolated: return "between two fixes"
    // Of beacons no fix tells anything.
    case .seen, .unseen: return "by the beacons that are seen"
    // No state changes by it.
    case .launched: return "when its program starts"
    }
  }

  private func count(_ need: RegionNeed) -> String {
    Wording.count(need.fixes?.need ?? 0, "fix", plural: "fixes")
  }

  private func duration(_ seconds: Double?) -> String { Wording.duration(seconds ?? 0) }

  private func beyond(_ need: RegionNeed) -> String {
    "\(Wording.distance(need.beyondMeters ?? 0, in: units)) or more \(side) the edge"
  }

  private var side: String { state == .inside ? "outside" : "inside" }

  /// What the last fix would have had to be.
  private func lacking(_ need: RegionNeed) -> String {
    guard let lacking = need.lackingMeters else { return "" }
    guard lacking > 0 else { return "; this one counts" }
    let way = state == .unknown ? "farther from the edge" : "farther \(state == .inside ? "out" : "in")"
    var text = "; this one lacks \(Wording.distance(lacking, in: units)) \(way)"
    if let radius = need.radiusMeters, let accuracy, radius < accuracy.radiusMeters {
      text +=
        ", or ±\(Wording.distance(radius, in: units)) instead of \(Wording.accuracy(accuracy, in: units))"
    }
    return text
  }
}

extension RegionVerdict.Reason {
  /// Why the state did or did not change.
  var phrase: String {
    switch self {
    case .found: "the first state was found"
    case .entered: "entered with this fix"
    case .left: "left with this fix"
    case .heldBack: "left; the exit delay holds that back"
    case .agrees: "the fix lies on the side of the state: nothing to tell"
    case .weak: "the fix lies on the other side, by less than its error makes certain"
    case .gathering: "the fix lies on the other side with confidence; it takes more of them, or a longer time"
    case .tooSmall: "the region is too small for the fix's error"
    case .open: "the fixes so far leave the first state open"
    }
  }
}

extension RejectReason {
  /// Why a report was not believed, with the numbers of the gate.
  func phrase(_ gate: FixGate.Configuration, in units: MeasureUnits) -> String {
    switch self {
    case .noFix: "the receiver had no fix"
    case .noPosition: "it had no position"
    case .outOfRange: "its position is outside the range of latitude or longitude"
    case .nullIsland: "0, 0 is a receiver's way to say nothing"
    case .noTime: "it had no time"
    case .duplicate: "it had the time of the fix before"
    case .late: "it is older than the fix before"
    case .future: "its time is too far ahead; \(Self.ordinal(gate.confirmations)) that agree are believed"
    case .stale: "it was older than \(Wording.duration(gate.maxAgeSeconds)) when it came"
    case .inaccurate:
      "only an error of ±\(Wording.distance(gate.maxAccuracyMeters, in: units)) or less is believed"
    case .speed:
      "reaching it takes more than \(Wording.speed(gate.maxSpeedMetersPerSecond, in: units)); "
        + "\(Self.ordinal(gate.confirmations)) that agree are believed"
    }
  }

  private static func ordinal(_ count: Int) -> String { "\(count) reports in a row" }
}
