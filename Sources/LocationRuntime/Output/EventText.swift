package import LocationCore
package import LocationFormats

extension RecordFields {
  /// The fields of a record that was kept as a line.
  package init(_ line: JSONTree) {
    self.init(type: line["type"]?.text(or: nil) ?? "?")
    guard case .object(let members) = line else { return }
    func number(_ key: String) -> Double? {
      if case .number(let digits) = line[key] { Double(digits) } else { nil }
    }
    for member in members {
      switch member.value {
      case .string(let text): add(member.key, .text(text))
      case .number(let digits): if let value = Double(digits) { add(member.key, .number(value)) }
      case .object, .array, .boolean, .null: break
      }
    }
    if let latitude = number("lat"), let longitude = number("lon") {
      position(latitude: latitude, longitude: longitude, "")
    }
    if let meters = number("acc_m") {
      let source = line["acc_source"]?.text(or: nil).flatMap { Accuracy.Source(rawValue: $0) }
      accuracy(Accuracy(radiusMeters: meters, source: source ?? .reported), "")
    }
  }
}

extension TextRecord {
  /// A record of its line; nil for one that people get otherwise.
  package init?(_ line: JSONTree) { self.init(RecordFields(line), other: line.text) }
}

/// Records that were kept as lines, in words.
package struct EventText {
  private var encoder = RecordEncoder(format: .text, track: nil)
  private let zone: TimeZoneRule

  /// - Parameter zone: the zone that times are told in.
  package init(in zone: TimeZoneRule) {
    self.zone = zone
    encoder.zoneName = zone.name
  }

  /// The lines for people of whole lines of NDJSON, each with its id.
  package mutating func describe(_ lines: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      var reader = JSONReader(Array(line))
      guard let stored = try? JSONTree(&reader) else { continue }
      let tree = zone == .utc ? stored : LocalTimes.move(stored, to: zone)
      guard let text = TextRecord(tree) else { continue }
      bytes += encoder.text(text, at: tree["time"]?.text(or: nil) ?? "")
      bytes += Array("  [\(tree["id"]?.integer ?? 0)]\n".utf8)
    }
    return bytes
  }
}
