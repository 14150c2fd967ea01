import LocationFormats
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

@Suite struct EnergyAccountTests {
  private let rows = [
    StateDatabase.EnergyRow(
      day: "2026-05-01", component: "wake", subscriber: "a", rule: "B1", joules: 1, seconds: 0)
  ]

  private func books(_ name: String) throws -> EnergyBooks {
    var use = PowerUse()
    use[.trackingStrong] = 100
    use[.wake] = 2
    let profile = try #require(PowerProfile.builtIn.first { $0.name == name })
    var ledger = EnergyBooks(PowerLedger(profile: profile))
    ledger.use = use
    return ledger
  }

  @Test func `L3 an estimate has its profile and its interval`() throws {
    let account = EnergyAccount(rows, try books("pinephone"), byDay: true)
    let lines = account.json(at: UTCTime(microseconds: 0)).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines.first
        == #"{"v":1,"seq":1,"type":"power","time":"1970-01-01T00:00:00.000Z","day":"2026-05-01","component":"wake","subscriber":"a","joules":1.000,"seconds":0.000,"rule":"B1","profile":"pinephone"}"#
    )
    let summary = try #require(lines.last)
    let start = #"{"v":1,"seq":2,"type":"summary","time":"1970-01-01T00:00:00.000Z","energy_j":"#
    #expect(summary.hasPrefix(start))
    for key in ["energy_low_j", "energy_high_j", "profile", "receiver_on_s"] {
      #expect(summary.contains("\"\(key)\":"))
    }
    #expect(EnergyAccount([], nil, byDay: false).json(at: nil).isEmpty)
  }

  @Test func `B10 the account says who could have had as much for less`() throws {
    var books = try books("pinephone")
    books.advice = [
      Advice(subscriber: "a", rule: .standard, cheaper: .significantChange, updates: 12, joules: 4.5)
    ]
    let account = EnergyAccount(rows, books, byDay: false)
    #expect(account.text.contains("\nadvice: a: rule B1 would have told its 12 updates of rule B2 too\n"))
    let lines = account.json(at: UTCTime(microseconds: 0)).split(separator: "\n")
    #expect(
      lines[1]
        == #"{"v":1,"seq":2,"type":"advice","time":"1970-01-01T00:00:00.000Z","subscriber":"a","rule":"B2","cheaper":"B1","updates":12,"joules":4.500}"#
    )
    #expect(lines[2].contains(#""seq":3,"type":"summary""#))
  }

  @Test func `under another profile each day is priced anew`() throws {
    let folder = TemporaryFolder()
    let database = try StateDatabase.open(path: folder("s.db"))
    func entry(_ component: PowerLedger.Component, _ joules: Double, _ seconds: Double) -> PowerLedger.Entry {
      PowerLedger.Entry(
        component: component, subscriber: "a", rule: .regions, joules: joules, seconds: seconds)
    }
    let first = UTCTime(rfc3339: "2026-05-01T12:00:00Z") ?? UTCTime(microseconds: 0)
    try database.book([entry(.receiverTracking, 10, 100)], on: first)
    let old = [entry(.receiverTracking, 40, 400), entry(.wake, 0, 8), entry(.relaunch, 5, 0)]
    try database.book(old, on: first.advanced(bySeconds: UTCTime.daySeconds))
    let new = [entry(.receiverTracking, 4, 400), entry(.wake, 2, 8), entry(.relaunch, 5, 0)]
    try database.write { try StateDatabase.reprice(old, as: new, $0) }
    let rows = try database.energy().map { "\($0.day) \($0.component) \($0.joules) \($0.seconds)" }
    #expect(
      rows.sorted() == [
        "2026-05-01 receiver_tracking 1.0 100.0", "2026-05-02 receiver_tracking 3.0 300.0",
        "2026-05-02 relaunch 5.0 0.0", "2026-05-02 wake 2.0 8.0",
      ])
  }

  @Test func `another profile prices the same use by component`() throws {
    func sum(_ name: String) throws -> Double {
      let books = try books(name)
      let lines = EnergyAccount(priced: books).rowLines(at: nil)
      #expect(lines.count == 2 && !lines.joined().contains("subscriber\""))
      return books.use.joules(under: books.profile)
    }
    #expect(try sum("pinephone") != sum("rpi4-ublox-m8"))
  }
}
