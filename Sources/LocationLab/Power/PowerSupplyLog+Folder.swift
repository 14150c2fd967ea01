import Glibc
import LocationFormats

extension PowerSupplyLog {
  /// Reads a folder of copies of `/sys/class/power_supply`, each named by the first number of /proc/uptime:
  ///
  /// ```
  /// while sleep 5; do cp -rL --no-preserve=all /sys/class/power_supply log/$(cut -d' ' -f1 /proc/uptime); done 2>&-
  /// ```
  ///
  /// A supply is told by its attribute files, or by its `uevent` where a file is missing.
  static func folder(_ path: String) throws(Failure) -> [Snapshot] {
    var snapshots: [Snapshot] = []
    for name in try names(in: path) {
      guard let seconds = Double(name), seconds.isFinite else {
        throw Failure(
          .data, file: "\(path)/\(name)", what: "its name is not a number of seconds",
          remedy: "name each copy by the first number of /proc/uptime")
      }
      var batteries: [Battery] = []
      for supply in try names(in: "\(path)/\(name)") {
        let attributes = try attributes(of: "\(path)/\(name)/\(supply)")
        if let battery = battery(attributes) { batteries.append(battery) }
      }
      snapshots.append(Snapshot(seconds: seconds, batteries: batteries))
    }
    return snapshots.sorted { $0.seconds < $1.seconds }
  }

  private static let attributeNames = [
    "type", "scope", "present", "status", "capacity", "energy_now", "energy_full", "charge_now",
    "charge_full",
    "voltage_now", "current_now", "current_avg", "power_now",
  ]

  private static func attributes(of folder: String) throws(Failure) -> [String: String] {
    let names = try names(in: folder)
    var attributes: [String: String] = [:]
    if names.contains("uevent") {
      let text = String(decoding: try FileBytes.read(path: "\(folder)/uevent"), as: UTF8.self)
      for line in text.split(whereSeparator: \.isNewline) {
        guard line.hasPrefix("POWER_SUPPLY_"), let equals = line.firstIndex(of: "=") else { continue }
        attributes[line[..<equals].dropFirst("POWER_SUPPLY_".count).lowercased()] =
          String(line[line.index(after: equals)...])
      }
    }
    for name in attributeNames where names.contains(name) {
      let text = String(decoding: try FileBytes.read(path: "\(folder)/\(name)"), as: UTF8.self)
      attributes[name] = String(MeterTable.trimmed(text[...]))
    }
    return attributes
  }

  /// The names in a folder, in order, but for hidden ones.
  private static func names(in folder: String) throws(Failure) -> [String] {
    guard let stream = unsafe opendir(folder) else {
      throw Failure(
        .noInput, file: folder, what: "can't be listed", remedy: "check the path and its permissions")
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether the path is a folder.
  static func isFolder(_ path: String) -> Bool {
    guard let stream = unsafe opendir(path) else { return false }
    unsafe closedir(stream)
    return true
  }
}
