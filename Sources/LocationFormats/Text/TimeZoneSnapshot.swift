package import LocationCore

/// The time zones of tzdata 2025b: each with the rule of POSIX by which it goes at present. A replay takes its zones
/// from here, so that it gives the same on every machine.
package enum TimeZoneSnapshot {
  /// The version of the IANA time zone database.
  package static let version = "2025b"

  /// A zone by its name; nil where the snapshot has none.
  package static func zone(_ name: String) -> TimeZoneRule? {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let rule = words.first, words.dropFirst().contains(where: { $0 == name }) else { continue }
      return TimeZoneRule(name: name, posix: String(rule))
    }
    return nil
  }

  /// Each line of `time-zones.txt`: a rule, and the zones that go by it.
  private static let table = String(decoding: PackageResources.time_zones_txt, as: UTF8.self)
}
