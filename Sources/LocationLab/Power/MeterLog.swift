import LocationCore
package import LocationFormats

/// A meter's log in a file or folder, of whatever kind it is.
package struct MeterLog: Sendable {
  /// What it read.
  package let stream: MeterStream
  /// Name, number of readings and a digest of the bytes: what a profile says it was calibrated against.
  package let identity: String

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - kind: what measured; nil to tell it by the content.
  ///   - shuntMicroohms: what the shunt of an INA2xx really has; nil where the driver knows.
  /// - Throws: ``Failure`` with file, line and what is wrong.
  package init(
    path: String, kind: MeterStream.Kind? = nil, shuntMicroohms: Double? = nil
  ) throws(Failure) {
    if PowerSupplyLog.isFolder(path) {
      stream = try PowerSupplyLog.stream(PowerSupplyLog.folder(path), kind: .powerSupply, file: path)
      identity = Self.identity(path, stream, digest: nil)
    } else {
      let bytes = try FileBytes.read(path: path)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(.data, file: path, what: "not UTF-8", remedy: Failure.encodingRemedy)
      }
      stream = try Self.stream(text, file: path, kind: kind, shuntMicroohms: shuntMicroohms)
      identity = Self.identity(path, stream, digest: Self.digest(bytes))
    }
    guard stream.count > 1 else {
      throw Failure(
        .data, file: path, what: "no two readings in it that count",
        remedy: (["log for longer"] + stream.notes).joined(separator: "; "))
    }
  }

  /// Reads the text of a log.
  static func stream(
    _ text: String, file: String, kind: MeterStream.Kind?, shuntMicroohms: Double? = nil
  ) throws(Failure) -> MeterStream {
    // Some programs put a byte order mark before UTF-8.
    let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    guard !text.isEmpty else {
      throw Failure(.data, file: file, what: "empty file", remedy: "name the log of a meter")
    }
    guard let kind = kind ?? Self.kind(of: text) else {
      throw Failure(
        .data, file: file, what: "not a log of any meter that is known",
        remedy: "Docs/Power.md has the formats")
    }
    if shuntMicroohms != nil, kind != .ina2xx {
      throw Failure(
        .usage, file: file, what: "only an INA2xx has a shunt to correct",
        remedy: "remove shunt_uohm from the blocks")
    }
    switch kind {
    case .powerSupply:
      return try PowerSupplyLog.stream(PowerSupplyLog.uevents(text, file: file), kind: kind, file: file)
    case .upower:
      return try PowerSupplyLog.stream(PowerSupplyLog.upower(text, file: file), kind: kind, file: file)
    case .rapl: return try .rapl(text, file: file)
    case .ina2xx: return try .ina2xx(text, file: file, shuntMicroohms: shuntMicroohms)
    case .usb: return try .usb(text, file: file)
    }
  }

  private static func kind(of text: String) -> MeterStream.Kind? {
    for line in text.split(whereSeparator: \.isNewline) {
      let line = MeterTable.trimmed(line)
      if line.hasPrefix("POWER_SUPPLY_") { return .powerSupply }
      if line.hasPrefix("native-path:") || line.hasPrefix("Device: /org/freedesktop/UPower") {
        return .upower
      }
      if line.hasPrefix("@") || line.hasPrefix("#") || line.isEmpty { continue }
      let names = line.split(separator: ",").map { String(MeterTable.trimmed($0)) }
      if names.contains("energy_uj") { return .rapl }
      if names.contains(where: { $0.hasSuffix("_input") }) { return .ina2xx }
      if names.contains(where: { ["voltage_v", "current_a", "power_w", "energy_mwh"].contains($0) }) {
        return .usb
      }
    }
    return nil
  }

  private static func identity(_ path: String, _ stream: MeterStream, digest: String?) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return "\(name), \(stream.count) readings" + (digest.map { ", FNV-1a \($0)" } ?? "")
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    let text = String(FNV1a.hash(bytes.span), radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
