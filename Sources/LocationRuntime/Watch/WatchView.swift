package import LocationCore
import LocationFormats

/// Everything that the live view shows, and how: a value made of what an engine knows at one moment.
package struct WatchView: Sendable {
  /// A region and where the position is with respect to it.
  package struct Standing: Hashable, Sendable {
    /// Its name, or its id where it has none.
    package var name: String
    /// As the engine has it.
    package var state: RegionState
    /// Metres to the edge, positive outside; nil before the first fix.
    package var edgeMeters: Double?
  }

  /// Where gpsd is.
  package var address = ""
  /// What gpsd calls itself; nil before it was found.
  package var sourceName: String?
  /// Why there are no fixes; nil while they come.
  package var trouble: SourceEvent.Staleness?
  /// What a person should know and do; nil for nothing.
  package var notice: String?
  /// The units of distances and speeds.
  package var units = MeasureUnits.metric
  /// The last fix believed.
  package var fix: Fix?
  /// Seconds since it.
  package var fixAgeSeconds = 0.0
  /// What was seen and refused.
  package var tally = Tally()
  /// Seconds since the view began.
  package var elapsedSeconds = 0.0
  /// Seconds of these that the receiver was on.
  package var receiverOnSeconds = 0.0
  /// The energy of these.
  package var energy = PowerBand(value: 0, low: 0, high: 0)
  /// The name of the power profile.
  package var profile = ""
  /// Whether a log is played, whose time counts.
  package var isSimulated = false
  /// Whether a recording is made.
  package var isRecording = false
  /// The nearest regions, nearest first.
  package var standings: [Standing] = []
  /// How many regions there are.
  package var regionCount = 0
  /// What happened last, the latest last.
  package var events: [String] = []

  package init() {}

  /// The lines of the view, none of them wider than `columns`, and no more than `rows`.
  ///
  /// - Parameter isPlain: whether no line may be set off by a control sequence.
  package func lines(columns: Int, rows: Int, isPlain: Bool) -> [String] {
    func heading(_ text: String) -> String {
      isPlain ? text : "\u{1B}[1m\(text.fitted(to: columns))\u{1B}[0m"
    }
    // What, and what to do about it: a line each.
    let notes = (notice ?? "").split(separator: ":", maxSplits: 1).map { "  ! " + $0.drop { $0 == " " } }
    let top = [heading(title)] + notes + facts.map { "  \($0.padded(to: 10))\($1)" }
    // A heading, a line in between and the foot each take one.
    let room = max(0, rows - top.count - 1)
    let regionRows = standings.isEmpty ? 0 : min(standings.count, max(0, room / 2 - 2))
    var lines = top
    if regionRows > 0 {
      lines += ["", heading(regionTitle(shown: regionRows))]
      lines += standings.prefix(regionRows).map(line)
    }
    let eventRows = max(0, rows - 1 - lines.count - 2)
    if !events.isEmpty, eventRows > 0 {
      lines += ["", heading("Last events")]
      lines += events.suffix(eventRows).map { "  \($0)" }
    }
    lines = lines.prefix(max(1, rows - 1)).map { $0.hasPrefix("\u{1B}") ? $0 : $0.fitted(to: columns) }
    lines += Array(repeating: "", count: max(0, rows - 1 - lines.count))
    return rows > 1 ? lines + ["q quits".fitted(to: columns)] : lines
  }

  private var title: String { "locwatch  \(address)" + (isRecording ? "  recording" : "") }

  private var facts: [(String, String)] {
    [
      ("position", position), ("motion", motion), ("fix", age), ("source", sourceText), ("fixes", counts),
      ("receiver", receiver), ("energy", energyText),
    ]
  }

  private var position: String {
    guard let fix else { return "unknown" }
    let who =
      switch fix.accuracy.source {
      case .reported: "by the receiver"
      case .hdop: "from hdop"
      case .assumed: "assumed"
      }
    return
      "\(Wording.place(fix.coordinate)), ±\(Wording.distance(fix.accuracy.radiusMeters, in: units)) (\(who))"
  }

  private var motion: String {
    guard let fix else { return "unknown" }
    let speed = fix.speedMetersPerSecond.map { Wording.speed($0, in: units) } ?? "speed unknown"
    return speed + (fix.courseDegrees.map { ", towards \(Wording.number($0, 0))°" } ?? "")
  }

  private var age: String {
    guard let fix else { return "none yet, after \(Wording.duration(elapsedSeconds.rounded(.down)))" }
    let text = Array(fix.time.rfc3339.utf8)
    let clock = String(decoding: text[0..<10] + [0x20] + text[11..<19], as: UTF8.self)
    let age = Wording.duration(fixAgeSeconds.rounded(.down))
    return isSimulated ? "\(clock) UTC in the log, \(age) ago" : "\(clock) UTC, \(age) ago"
  }

  private var sourceText: String {
    if let trouble { return "no fix: \(trouble.phrase)" }
    return sourceName ?? "looking for gpsd"
  }

  private var counts: String {
    let refused = tally.fixes - tally.accepted
    guard refused > 0 else { return "\(Wording.count(tally.accepted)) believed" }
    let reasons = RejectReason.allCases.map { ($0.rawValue, tally.rejected(for: $0)) }.filter { $0.1 > 0 }
      .map { "\(Wording.count($0.1)) \($0.0)" }.joined(separator: ", ")
    return "\(Wording.count(tally.accepted)) believed, \(Wording.count(refused)) refused (\(reasons))"
  }

  private var receiver: String {
    let share = elapsedSeconds > 0 ? min(1, receiverOnSeconds / elapsedSeconds) : 0
    return "on for \(Wording.duration(receiverOnSeconds.rounded(.down))) of "
      + "\(Wording.duration(elapsedSeconds.rounded(.down))) (\(Wording.number(share * 100, 0)) %)"
  }

  private var energyText: String {
    "\(Wording.energy(energy.value)), \(Wording.wattHours(energy.value)) "
      + "(\(Wording.interval(energy.low, energy.high))), profile \(profile)"
  }

  private func regionTitle(shown: Int) -> String {
    shown < regionCount ? "Regions: the nearest \(shown) of \(Wording.count(regionCount))" : "Regions"
  }

  private func line(_ standing: Standing) -> String {
    let edge = standing.edgeMeters.map { ($0 < 0 ? "-" : "+") + Wording.distance(abs($0), in: units) } ?? ""
    let space = String(repeating: " ", count: max(0, 10 - edge.count))
    return "  \(standing.state.rawValue.padded(to: 8))\(space)\(edge)  \(TextTable.cell(standing.name))"
  }
}

extension String {
  /// Cut where it is wider than so many columns.
  fileprivate func fitted(to columns: Int) -> String {
    count <= columns ? self : String(prefix(max(0, columns - 1))) + (columns > 0 ? "…" : "")
  }
}
