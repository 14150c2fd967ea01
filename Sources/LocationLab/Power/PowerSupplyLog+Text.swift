import LocationFormats

extension PowerSupplyLog {
  /// Reads a log of `uevent` files: each snapshot begins with `@ SECONDS`.
  static func uevents(_ text: String, file: String) throws(Failure) -> [Snapshot] {
    try snapshots(text, file: file) { lines in
      var devices: [[String: String]] = []
      for line in lines {
        guard let equals = line.firstIndex(of: "="), line.hasPrefix("POWER_SUPPLY_") else { continue }
        let key = line[..<equals].dropFirst("POWER_SUPPLY_".count).lowercased()
        if key == "name" || devices.isEmpty { devices.append([:]) }
        devices[devices.count - 1][key] = String(line[line.index(after: equals)...])
      }
      return devices.compactMap(battery)
    }
  }

  /// Reads a log of what `upower -d` or `upower -i` prints: each snapshot begins with `@ SECONDS`.
  static func upower(_ text: String, file: String) throws(Failure) -> [Snapshot] {
    try snapshots(text, file: file) { lines in
      var devices: [[String: String]] = []
      for line in lines {
        if line.hasPrefix("Device:") { devices.append([:]) }
        guard let colon = line.firstIndex(of: ":") else { continue }
        if devices.isEmpty { devices.append([:]) }
        let key = String(MeterTable.trimmed(line[..<colon]))
        devices[devices.count - 1][key] = String(MeterTable.trimmed(line[line.index(after: colon)...]))
      }
      return devices.compactMap(upowerBattery)
    }
  }

  /// The attributes of a supply, by the names of their files; nil where it is no battery of the machine.
  static func battery(_ attributes: [String: String]) -> Battery? {
    guard attributes["type"] == "Battery", attributes["scope"]?.lowercased() != "device",
      attributes["present"] != "0"
    else { return nil }
    /// In millionths of the unit, as the kernel has them.
    func millionths(_ name: String) -> Double? {
      attributes[name].flatMap { Double($0) }.map { $0 * 1e-6 }
    }
    let volts = millionths("voltage_now")
    return Battery(
      status: attributes["status"], energyJoules: millionths("energy_now").map { $0 * 3600 },
      chargeCoulombs: millionths("charge_now").map { $0 * 3600 }, volts: volts,
      amperes: millionths("current_now") ?? millionths("current_avg"), watts: millionths("power_now"),
      percent: attributes["capacity"].flatMap { Double($0) },
      fullJoules: (millionths("energy_full")
        ?? millionths("charge_full").flatMap { full in volts.map { full * $0 } })
        .map { $0 * 3600 })
  }

  private static func upowerBattery(_ values: [String: String]) -> Battery? {
    // Every battery has a percentage; the display device sums up the others, and a mouse powers nothing.
    guard values["percentage"] != nil, values["power supply"] == "yes", values["native-path"] != nil,
      values["native-path"] != "(null)"
    else { return nil }
    /// A number with its unit, in the unit asked for.
    func number(_ name: String, _ unit: String) -> Double? {
      guard let text = values[name] else { return nil }
      let parts = text.split(separator: " ")
      guard let first = parts.first, let value = Double(first.replacing(",", with: ".")) else { return nil }
      return parts.count == 1 || parts[1] == unit ? value : nil
    }
    return Battery(
      status: values["state"], energyJoules: number("energy", "Wh").map { $0 * 3600 },
      volts: number("voltage", "V"), watts: number("energy-rate", "W"),
      percent: values["percentage"].flatMap { text in
        Double(text.filter { $0 != "%" }.replacing(",", with: "."))
      },
      fullJoules: number("energy-full", "Wh").map { $0 * 3600 })
  }

  private static func snapshots(
    _ text: String, file: String, batteries: ([Substring]) -> [Battery]
  ) throws(Failure) -> [Snapshot] {
    var snapshots: [Snapshot] = []
    var lines: [Substring] = []
    var at: Double?
    func close() {
      if let at { snapshots.append(Snapshot(seconds: at, batteries: batteries(lines))) }
      lines = []
    }
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      guard line.hasPrefix("@") else {
        if !MeterTable.trimmed(line).isEmpty { lines.append(MeterTable.trimmed(line)) }
        continue
      }
      guard let seconds = Double(MeterTable.trimmed(line.dropFirst())), seconds.isFinite else {
        throw Failure(
          .data, file: file, line: number, what: "a snapshot without its time",
          remedy: "begin each with @ and the first number of /proc/uptime")
      }
      close()
      guard seconds > at ?? -.infinity else {
        throw Failure(
          .data, file: file, line: number, what: "the time does not rise",
          remedy: "a log ends with the boot it began in: cut it there")
      }
      at = seconds
    }
    close()
    return snapshots
  }
}
