package import LocationCore
import LocationFormats

/// Records that were kept as lines, in words.
package struct EventText {
  private var encoder = RecordEncoder(format: .text, track: nil)
  private let zone: TimeZoneRule

  /// - Parameters:
  ///   - zone: the zone that times are told in.
  ///   - style: how the lines are written.
  package init(in zone: TimeZoneRule, _ style: TextStyle = TextStyle()) {
    self.zone = zone
    encoder.zoneName = zone.name
    encoder.style = style
  }

  /// The lines for people of whole lines of NDJSON, each with its id.
  package mutating func describe(_ lines: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      guard let stored = try? JSONTree(Array(line)) else { continue }
      let tree = zone == .utc ? stored : LocalTimes.move(stored, to: zone)
      guard let text = TextRecord(tree, in: encoder.style.units) else { continue }
      let id = tree["id"]?.integer ?? 0
      bytes += encoder.text(text, at: tree["time"]?.string ?? "", suffix: "  [\(id)]")
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}
