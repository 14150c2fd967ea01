/// A status as lines for people.
package enum StatusText {
  /// The lines.
  package static func describe(_ status: JSONTree) -> String {
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
      rows.append(["source", "\(gpsd): \(text("source", "name") ?? text("source", "state") ?? "unknown")"])
    } else {
      rows.append(["daemon", "does not run" + (text("last_seen").map { "; last seen \($0)" } ?? "")])
    }
    if let latitude = text("fix", "lat"), let longitude = text("fix", "lon"),
      let accuracy = text("fix", "acc_m")
    {
      rows.append(["fix", "\(latitude), \(longitude) ±\(accuracy) m, \(text("fix", "age_s") ?? "?") s old"])
    } else {
      rows.append(["fix", "none yet"])
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
    rows.append([
      "events", "newest \(text("newest_event") ?? "0"), \(text("outbox") ?? "0") not acknowledged",
    ])
    if let reason = text("storage", "reason") {
      rows.append(["storage", "\(text("storage", "held_rows") ?? "?") rows wait in memory: \(reason)"])
    }
    if let energy = text("energy_j") { rows.append(["energy", "\(energy) J so far, modelled"]) }
    return TextTable(rows: rows).text
  }

  private static func describe(subscriber: JSONTree) -> String {
    let name = subscriber["name"]?.text(or: nil) ?? "?"
    let state = subscriber["state"]?.text(or: nil) ?? "?"
    let waiting = subscriber["waiting"]?.integer ?? 0
    var text = "\(name): \(state)"
    if waiting > 0 { text += ", \(waiting) not acknowledged" }
    if subscriber["force_quit"] != nil { text += ", force-quit" }
    return text
  }
}
