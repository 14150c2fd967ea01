package import LocationCore
package import LocationFormats

/// A status as lines for people.
package enum StatusText {
  /// The lines.
  package static func describe(_ status: JSONTree, in units: MeasureUnits = .metric) -> String {
    var rows: [[String]] = []
    func text(_ path: String...) -> String? {
      var tree: JSONTree? = status
      for key in path { tree = tree?[key] }
      switch tree {
      case .string(let text), .number(let text): return text
      case .object, .array, .boolean, .null, nil: return nil
      }
    }
    if let pid = text("daemon", "pid"), let since = text("daemon", "since"), let gpsd = text("daemon", "gpsd")
    {
      rows.append(["daemon", "runs since \(since), process \(pid)"])
      rows.append(["source", "\(gpsd): \(describe(source: status["source"], of: gpsd))"])
    } else {
      let lastSeen = text("last_seen").map { "last seen \($0)" }
      let isHung = status["answers"] == .boolean(false)
      rows.append([
        "daemon",
        isHung
          ? "does not answer; " + (lastSeen.map { "\($0); " } ?? "")
            + "if that lasts, end it and start it again"
          : "does not run; " + (lastSeen ?? "locwatch run starts it"),
      ])
      if let other = text("other_daemon") {
        rows.append(["", "another runs: locwatch status --state \(other)"])
      }
    }
    if let state = text("state") { rows.append(["state", state]) }
    if let receiver = status["receiver"] { rows.append(["receiver", describe(receiver: receiver)]) }
    if status["low_power"] == .boolean(true) {
      let isContinuous =
        text("receiver", "sampling") == SamplingConfiguration.Mode.continuous.word
      rows.append(["low power", isContinuous ? "on, \(LowPowerReport.withoutEffect)" : "on"])
    }
    if let latitude = text("fix", "lat"), let longitude = text("fix", "lon"),
      let accuracy = text("fix", "acc_m").flatMap({ Double($0) })
    {
      let age = text("fix", "age_s").flatMap { Double($0) }.map { Wording.duration($0) } ?? "?"
      rows.append(["fix", "\(latitude), \(longitude) ±\(Wording.distance(accuracy, in: units)), \(age) old"])
    } else {
      rows.append(["fix", "none yet"])
    }
    if case .object(let reasons) = status["rejected"] ?? .null {
      let words = reasons.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
      let counts = "\(text("fixes") ?? "?"), believed \(text("accepted") ?? "?")"
      rows.append(["reports", "\(counts); refused: \(words)"])
    }
    let inside = status["inside"]?.strings ?? []
    rows.append([
      "regions",
      "\(text("regions") ?? "0")"
        + (inside.isEmpty ? ", inside none" : ", inside " + inside.joined(separator: ", ")),
    ])
    if case .array(let subscribers) = status["subscribers"] ?? .null {
      for subscriber in subscribers { rows.append(["subscriber", describe(subscriber: subscriber)]) }
    }
    if case .array(let outlets) = status["outlets"] ?? .null {
      for outlet in outlets { rows.append(["outlet", describe(outlet: outlet)]) }
    }
    rows.append([
      "events", "newest \(text("newest_event") ?? "0"), \(text("outbox") ?? "0") not acknowledged",
    ])
    if let reason = text("storage", "reason") {
      rows.append(["storage", "\(text("storage", "held_rows") ?? "?") rows wait in memory: \(reason)"])
    }
    if let energy = describeEnergy(text) { rows.append(["energy", energy]) }
    return TextTable(rows: rows).text
  }

  /// The energy so far, with what an estimate has.
  private static func describeEnergy(_ text: (String...) -> String?) -> String? {
    func joules(_ key: String) -> Double? { text(key).flatMap { Double($0) } }
    guard let energy = joules("energy_j") else { return nil }
    var words = "about \(Wording.energy(energy)), \(Wording.wattHours(energy))"
    if let low = joules("energy_low_j"), let high = joules("energy_high_j") {
      words += " (\(Wording.interval(low, high)))"
    }
    let model = text("calibration").map { "calibrated against \($0)" } ?? "modelled"
    return "\(words) so far" + (text("profile").map { ", profile \($0)" } ?? "") + ", \(model)"
  }

  /// What gives fixes, or why there are none; a source that is not gpsd is not called so.
  private static func describe(source: JSONTree?, of address: String) -> String {
    func word(_ key: String) -> String? { source?[key]?.string }
    if let name = word("name") { return name }
    let state = word("state") ?? "unknown"
    guard let reason = SourceEvent.Staleness(rawValue: state) else { return state }
    if let why = word("reason") {
      return "no fixes: " + [why, word("remedy")].compactMap(\.self).joined(separator: "; ")
    }
    guard reason == .lost else { return "no fixes: \(reason.phrase)" }
    let isGPSD = (try? SourceAddress(source: address))?.traits.isGPSD == true
    return "no fixes: \(isGPSD ? "gpsd" : "it") is not there"
  }

  private static func describe(receiver: JSONTree) -> String {
    let state = receiver["state"]?.string ?? "?"
    guard let reason = receiver["reason"]?.string else { return "\(state) all the time" }
    let phrase = ReceiverOrder.Reason(rawValue: reason)?.phrase ?? reason
    guard state == "off" else { return "\(state): \(phrase)" }
    guard let seconds = receiver["due_s"]?.double else {
      return "off until something asks for a fix: \(phrase)"
    }
    return "off, on again in \(Wording.duration(seconds.rounded())): \(phrase)"
  }

  private static func describe(outlet: JSONTree) -> String {
    func word(_ key: String) -> String { outlet[key]?.string ?? "?" }
    var text = "\(word("name")) to \(word("to")): \(word("state"))"
    if let waiting = outlet["waiting"]?.integer, waiting > 0 { text += ", \(waiting) waiting" }
    if let skipped = outlet["skipped"]?.integer, skipped > 0 { text += ", \(skipped) skipped" }
    if let reason = outlet["reason"]?.string { text += ": \(reason)" }
    return text
  }

  private static func describe(subscriber: JSONTree) -> String {
    let name = subscriber["name"]?.string ?? "?"
    let state = subscriber["state"]?.string ?? "?"
    let waiting = subscriber["waiting"]?.integer ?? 0
    var text = "\(name): \(state)"
    if waiting > 0 { text += ", \(waiting) not acknowledged" }
    if subscriber["force_quit"] != nil { text += ", force-quit" }
    if subscriber["away"] != nil { text += ", not connected" }
    if let held = SubscriberRecord.held(subscriber) { text += ", \(held)" }
    if let status = subscriber["last_status"]?.integer, status != 0 {
      text += ", last ended with status \(status)"
      if let line = subscriber["last_error"]?.string { text += ": \(line)" }
    }
    return text
  }
}

extension ReceiverOrder.Reason {
  /// What decides when the next fix is asked for, for people.
  package var phrase: String {
    switch self {
    case .enter: "a region may be entered by then"
    case .exit: "a region may be left by then"
    case .doubt: "the last fix was near an edge"
    case .dwell: "a dwell time or an exit delay is over then"
    case .moved: "the position may have moved by then"
    case .rest: "at rest"
    case .lowPower: "low-power mode"
    case .longest: "nothing is near"
    case .noSky: "the last search found nothing"
    case .unneeded: "no program needs the position"
    case .needed: "a program needs each fix"
    case .period: "the clock says so"
    }
  }
}
