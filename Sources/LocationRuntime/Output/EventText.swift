package import LocationCore
import LocationFormats

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
