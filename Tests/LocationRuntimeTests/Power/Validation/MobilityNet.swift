import LocationCore

/// The measured phone days of `corpus/mobilitynet`: batteries, state machines and ground truth of eight phones.
struct MobilityNet {
  enum System: String, CaseIterable {
    case android, ios
  }

  /// How a phone asked for fixes.
  enum Regime: String, CaseIterable {
    /// Best accuracy all the time.
    case continuous
    case none
    /// Duty-cycled by a geofence: high (HA) or medium (MA) accuracy, each second or metre (HF) or each 30 (MF).
    case haHF = "HAHFDC"
    case haMF = "HAMFDC"
    case maHF = "MAHFDC"
    case maMF = "MAMFDC"
    /// Lying still, all the time: accuracy and rate.
    case stillBestHF = "still best 1 s"
    case still10HF = "still 10 m 1 s"
    case still100HF = "still 100 m 1 s"
    case stillBestMF = "still best 30 s"
    case still100MF = "still 100 m 30 s"

    init?(setting: Substring) {
      switch setting {
      case "fixed:ACCURACY_CONTROL": self = .continuous
      case "fixed:POWER_CONTROL": self = .none
      case "best_high_accuracy_high_frequency_stationary": self = .stillBestHF
      case "10m_balanced_accuracy_high_frequency_stationary": self = .still10HF
      case "100m_lowpwr_accuracy_high_frequency_stationary": self = .still100HF
      case "best_high_accuracy_medium_freq_stationary": self = .stillBestMF
      case "100m_balanced_accuracy_medium_freq_stationary": self = .still100MF
      default: self.init(rawValue: String(setting.split(separator: ":").last ?? ""))
      }
    }

    var isStill: Bool { rawValue.hasPrefix("still") }
  }

  /// A stretch of time, Unix seconds.
  struct Span {
    var from: Double
    var to: Double
    var seconds: Double { max(0, to - from) }

    func overlap(_ other: Span) -> Span? {
      let span = Span(from: max(from, other.from), to: min(to, other.to))
      return span.to > span.from ? span : nil
    }
  }

  /// One phone on one day.
  struct Run {
    var id: String
    var phone: String
    var system: System
    var dayType: String
    var regime: Regime
    var span: Span
    /// Days since 1970 in the phones' time zone.
    var day: Int
    /// From the first reading of 99 % or less to the last: a gauge stands at 100 for hours.
    var discharge: (span: Span, percent: Double)?
    /// When its own state machine tracked.
    var tracking: [Span] = []
    /// When it reported fixes; empty also where that is not known.
    var fixTimes: [Double] = []
  }

  /// A stretch of a trip at 1 Hz.
  struct Leg {
    var dayType: String
    var name: String
    var fixes: [(seconds: Double, coordinate: Coordinate)]
    var span: Span { Span(from: fixes.first?.seconds ?? 0, to: fixes.last?.seconds ?? 0) }
  }

  private(set) var runs: [Run] = []
  /// In order of time.
  private(set) var legs: [Leg] = []

  /// UTC-8 and UTC-7 in summer: a day begins at night either way.
  private static let zoneSeconds = 7.5 * 3600

  init() throws {
    var runs: [String: Run] = [:]
    for row in try GzipTable.rows("mobilitynet/runs.csv.gz") {
      guard let system = System(rawValue: String(row[2])), let regime = Regime(setting: row[4]),
        let from = Double(row[5]), let to = Double(row[6])
      else { continue }
      runs[String(row[0])] = Run(
        id: String(row[0]), phone: String(row[1]), system: system, dayType: String(row[3]), regime: regime,
        span: Span(from: from, to: to), day: Int((from - Self.zoneSeconds) / 86_400))
    }
    var readings: [String: [(seconds: Double, percent: Double)]] = [:]
    for row in try GzipTable.rows("mobilitynet/battery.csv.gz") {
      guard let seconds = Double(row[1]), let percent = Double(row[2]) else { continue }
      readings[String(row[0]), default: []].append((seconds, percent))
    }
    var transitions: [String: [(seconds: Double, state: Substring, transition: Substring)]] = [:]
    for row in try GzipTable.rows("mobilitynet/transitions.csv.gz") where row.count > 3 {
      guard let seconds = Double(row[1]) else { continue }
      transitions[String(row[0]), default: []].append((seconds, row[2], row[3]))
    }
    for row in try GzipTable.rows("mobilitynet/locations.csv.gz") {
      if let seconds = Double(row[1]) { runs[String(row[0])]?.fixTimes.append(seconds) }
    }
    for (id, var run) in runs {
      run.discharge = Self.discharge(readings[id] ?? [])
      run.tracking = Self.tracking(run, (transitions[id] ?? []).sorted { $0.seconds < $1.seconds })
      self.runs.append(run)
    }
    self.runs.sort { $0.id < $1.id }
    legs = try Self.legs()
  }

  private static func discharge(_ readings: [(seconds: Double, percent: Double)]) -> (Span, Double)? {
    let off = readings.sorted { $0.seconds < $1.seconds }.filter { $0.percent <= 99 }
    guard let first = off.first, let last = off.last, last.seconds > first.seconds else { return nil }
    return (Span(from: first.seconds, to: last.seconds), first.percent - last.percent)
  }

  /// The state that stands beside a transition is the one before it.
  private static func tracking(
    _ run: Run, _ transitions: [(seconds: Double, state: Substring, transition: Substring)]
  ) -> [Span] {
    if run.regime == .none { return [] }
    if run.regime == .continuous || run.regime.isStill { return [run.span] }
    var spans: [Span] = []
    var since: Double?
    for (seconds, state, transition) in transitions {
      let name = transition.split(separator: ".").last?.replacing("T_", with: "").lowercased() ?? ""
      switch name {
      case "exited_geofence", "trip_started", "trip_restarted": since = since ?? seconds
      case "visit_started", "visit_ended", "data_pushed", "received_silent_push":
        if state.lowercased().contains("ongoing") { since = since ?? seconds }
      case "stopped_moving", "trip_ended", "end_trip_tracking", "tracking_stopped", "force_stop_tracking",
        "stop_tracking", "start_tracking", "initialize":
        if let start = since { spans.append(Span(from: start, to: seconds)) }
        since = nil
      default: break
      }
    }
    if let start = since { spans.append(Span(from: start, to: run.span.to)) }
    return spans
  }

  private static func legs() throws -> [Leg] {
    var legs: [String: Leg] = [:]
    for row in try GzipTable.rows("mobilitynet/reference.csv.gz") {
      guard let seconds = Double(row[2]), let latitude = Double(row[3]), let longitude = Double(row[4]),
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else { continue }
      legs[String(row[1]), default: Leg(dayType: String(row[0]), name: String(row[1]), fixes: [])].fixes
        .append((seconds, coordinate))
    }
    return legs.values.map { leg in
      var leg = leg
      leg.fixes.sort { $0.seconds < $1.seconds }
      return leg
    }.sorted { ($0.span.from, $0.name) < ($1.span.from, $1.name) }
  }
}
