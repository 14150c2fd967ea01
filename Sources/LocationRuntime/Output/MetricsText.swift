package import LocationFormats

/// How metrics are written.
package enum MetricsFormat: String, Sendable, CaseIterable {
  /// Prometheus's text format, version 0.0.4.
  case prometheus
  /// OpenMetrics 1.0.0.
  case openmetrics

  /// As HTTP names it.
  package var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }
}

/// A status as metrics. Positions are none of them: metrics are kept for long and read by many.
package enum MetricsText {
  /// Regions beyond which there is no metric for each: labels cost a server memory for ever.
  private static let labelledRegions = 100

  /// The text of a status.
  package static func describe(_ status: JSONTree, as format: MetricsFormat) -> String {
    var writer = Writer(format: format)
    daemon(status, &writer)
    fixes(status, &writer)
    regions(status, &writer)
    subscribers(status, &writer)
    outlets(status, &writer)
    if format == .openmetrics { writer.text += "# EOF\n" }
    return writer.text
  }

  private static func daemon(_ status: JSONTree, _ writer: inout Writer) {
    writer.gauge("up", "Whether the daemon runs.", status["daemon"] == nil ? "0" : "1")
    writer.gauge(
      "stale", "Whether there are no recent fixes, as locwatch status decides.",
      status["stale"] == .boolean(false) ? "0" : "1")
    writer.gauge(
      "low_power", "Whether the machine is in low-power mode.",
      status["low_power"] == .boolean(true) ? "1" : "0")
    if let state = status["receiver"]?["state"]?.string {
      writer.gauge("receiver_on", "Whether the receiver is on.", state == "on" ? "1" : "0")
    }
    writer.counter(
      "energy_joules", "Energy by the power model since the state file began.", status["energy_j"])
    writer.gauge("event_rows", "Events in the state file.", status["event_rows"])
    writer.gauge("journal_rows", "Journal rows in the state file.", status["journal_rows"])
    writer.gauge(
      "held_rows", "Rows that wait in memory because the disk takes none.",
      status["storage"]?["held_rows"] ?? .integer(0))
  }

  private static func fixes(_ status: JSONTree, _ writer: inout Writer) {
    writer.family("fixes", "Position reports by what became of them.", isCounter: true)
    writer.sample(["result": "accepted"], status["accepted"] ?? .integer(0))
    if case .object(let reasons) = status["rejected"] ?? .null {
      for reason in reasons { writer.sample(["result": reason.key], reason.value) }
    }
    guard let fix = status["fix"] else { return }
    writer.gauge("fix_age_seconds", "Age of the last accepted fix.", fix["age_s"])
    writer.gauge("fix_accuracy_meters", "Radius that holds the last fix with 68 %.", fix["acc_m"])
  }

  private static func regions(_ status: JSONTree, _ writer: inout Writer) {
    writer.gauge("regions", "Regions that are watched.", status["regions"])
    let inside = status["inside"]?.strings ?? []
    writer.gauge("regions_inside", "Regions that the position is in.", .integer(inside.count))
    guard !inside.isEmpty, inside.count <= labelledRegions else { return }
    writer.family("region_inside", "1 for each region that the position is in.", isCounter: false)
    for id in inside { writer.sample(["region": id], .integer(1)) }
  }

  private static func subscribers(_ status: JSONTree, _ writer: inout Writer) {
    guard case .array(let all) = status["subscribers"] ?? .null, !all.isEmpty else { return }
    writer.family("subscriber_state", "1 for the state that each subscriber is in.", isCounter: false)
    for subscriber in all {
      writer.sample(
        [
          "subscriber": subscriber["name"]?.string ?? "",
          "state": subscriber["state"]?.string ?? "",
        ],
        .integer(1))
    }
    writer.family("subscriber_pending", "Events that each subscriber has not acknowledged.", isCounter: false)
    for subscriber in all {
      writer.sample(["subscriber": subscriber["name"]?.string ?? ""], subscriber["waiting"])
    }
  }

  private static func outlets(_ status: JSONTree, _ writer: inout Writer) {
    guard case .array(let all) = status["outlets"] ?? .null, !all.isEmpty else { return }
    func family(_ name: String, _ help: String, isCounter: Bool, _ value: (JSONTree) -> JSONTree?) {
      writer.family(name, help, isCounter: isCounter)
      for outlet in all { writer.sample(["outlet": outlet["name"]?.string ?? ""], value(outlet)) }
    }
    family("outlet_pending", "Events that each outlet has not accepted.", isCounter: false) { $0["waiting"] }
    family("outlet_attempts", "Failed attempts since each outlet last accepted an event.", isCounter: false) {
      $0["attempts"] ?? .integer(0)
    }
    family("outlet_disabled", "Whether each outlet is disabled.", isCounter: false) {
      .number($0["state"]?.string == "disabled" ? "1" : "0")
    }
    family("outlet_skipped_events", "Events that too many others pushed out.", isCounter: true) {
      $0["skipped"]
    }
  }

  /// Writes families of samples.
  private struct Writer {
    let format: MetricsFormat
    var text = ""
    private var sampleName = ""

    init(format: MetricsFormat) { self.format = format }

    mutating func gauge(_ name: String, _ help: String, _ value: JSONTree?) {
      guard value != nil else { return }
      family(name, help, isCounter: false)
      sample([:], value)
    }

    mutating func gauge(_ name: String, _ help: String, _ value: String) { gauge(name, help, .number(value)) }

    mutating func counter(_ name: String, _ help: String, _ value: JSONTree?) {
      guard value != nil else { return }
      family(name, help, isCounter: true)
      sample([:], value)
    }

    /// Begins a family. In OpenMetrics its name lacks the suffix that a counter's samples have.
    mutating func family(_ name: String, _ help: String, isCounter: Bool) {
      sampleName = "locwatch_\(name)\(isCounter ? "_total" : "")"
      let family = format == .openmetrics ? "locwatch_\(name)" : sampleName
      text += "# HELP \(family) \(help)\n# TYPE \(family) \(isCounter ? "counter" : "gauge")\n"
    }

    mutating func sample(_ labels: KeyValuePairs<String, String>, _ value: JSONTree?) {
      guard case .number(let digits) = value else { return }
      text += sampleName
      if !labels.isEmpty {
        text += "{" + labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
      }
      text += " \(digits)\n"
    }

    private static func escaped(_ value: String) -> String {
      var text = ""
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\\": text += "\\\\"
        case "\"": text += "\\\""
        case "\n": text += "\\n"
        default: text.unicodeScalars.append(scalar)
        }
      }
      return text
    }
  }
}
