@testable import LocationCore

/// Profiles, ledgers and instants for the tests of the power model.
enum PowerFixture {
  static func at(_ seconds: Double) -> EngineInstant {
    EngineInstant(microseconds: 1_777_615_200_000_000).advanced(bySeconds: seconds)
  }

  /// A profile whose other parameters are none.
  static func profile(_ values: [PowerParameter: Double], spread: Double = 1.2) -> PowerProfile {
    PowerProfile(
      name: "test", about: "for a test",
      values.mapValues { PowerProfile.Parameter($0, spread: $0 > 0 ? spread : 1, .assumed, "a test") })
  }

  /// Every parameter a different round number.
  static let full = profile(
    Dictionary(uniqueKeysWithValues: PowerParameter.allCases.map { ($0, Double(3 + $0.index)) }))

  static func user(_ name: String, _ rule: Rule = .regions) -> ReceiverUser {
    ReceiverUser(subscriber: name, rule: rule)
  }

  /// A ledger that has been told of the instant 0.
  static func ledger(
    _ profile: PowerProfile, _ users: [String] = ["a"], sharing: PowerSharing = .equal
  ) -> PowerLedger {
    var ledger = PowerLedger(profile: profile, sharing: sharing)
    ledger.settle(at: at(0))
    ledger.setUsers(users.map { user($0) }, at: at(0))
    return ledger
  }
}

extension PowerLedger {
  /// Joules of everything on the bill.
  var joules: Double { entries.reduce(0) { $0 + $1.joules } }

  func seconds(_ component: Component) -> Double {
    entries.filter { $0.component == component }.reduce(0) { $0 + $1.seconds }
  }

  func joules(of subscriber: String) -> Double {
    entries.filter { $0.subscriber == subscriber }.reduce(0) { $0 + $1.joules }
  }
}
