package import LocationCore
package import LocationFormats

/// Times of records and reports in a zone of people.
package enum LocalTimes {
  /// A record's line with every time moved into a zone, so that all that is said of it is local. It is for texts only:
  /// the times keep the form of UTC.
  package static func move(_ tree: JSONTree, to zone: TimeZoneRule) -> JSONTree {
    map(tree) { "\(zone.local($0))Z" }
  }

  /// A report with every time written for people: `2026-05-04 08:40:00 (Europe/Berlin)`.
  package static func describe(_ tree: JSONTree, in zone: TimeZoneRule) -> JSONTree {
    map(tree) { describe($0, in: zone) }
  }

  /// A time for people; in UTC as RFC 3339.
  package static func describe(_ time: UTCTime, in zone: TimeZoneRule) -> String {
    guard zone != .utc else { return time.rfc3339 }
    let text = zone.local(time)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) (\(zone.name))"
  }

  private static func map(_ tree: JSONTree, _ change: (UTCTime) -> String) -> JSONTree {
    switch tree {
    case .object(let members):
      return .object(members.map { JSONTree.Member(key: $0.key, value: map($0.value, change)) })
    case .array(let elements): return .array(elements.map { map($0, change) })
    case .string(let text):
      // As our own records write it; whatever an owner wrote stays.
      guard text.utf8.count == UTCTime.rfc3339ByteCount, text.hasSuffix("Z"),
        let time = UTCTime(rfc3339: text)
      else { return tree }
      return .string(change(time))
    case .number, .boolean, .null: return tree
    }
  }
}
