import LocationCore
import TestSupport
import Testing

@Suite struct FixGateTests {
  /// One report after two good fixes at 0 and 1 s, and what becomes of it.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var report: FixReport
    var reason: RejectReason?
    var testDescription: String { name }

    init(_ name: String, _ reason: RejectReason?, _ change: (inout FixReport) -> Void) {
      self.name = name
      self.reason = reason
      report = Drive.report(2, east: 20)
      change(&report)
    }
  }

  static let cases: [Case] = [
    Case("a good fix", nil) { _ in },
    Case("no fix", .noFix) { $0.mode = .noFix },
    Case("no latitude", .noPosition) { $0.latitude = .nan },
    Case("an infinite longitude", .noPosition) { $0.longitude = .infinity },
    Case("latitude 91", .outOfRange) { $0.latitude = 91 },
    Case("0x7FFFFFFF in 1e-7 degrees", .outOfRange) { $0.longitude = 214.748_364_7 },
    Case("0, 0", .nullIsland) {
      $0.latitude = 0
      $0.longitude = 0
    },
    Case("no time", .noTime) { $0.time = nil },
    Case("the same time again", .duplicate) { $0.time = Drive.report(1, east: 0).time },
    Case("an earlier time", .late) { $0.time = Drive.report(0.5, east: 0).time },
    Case("a year ahead", .future) { $0.time = Drive.report(365 * 86_400, east: 0).time },
    Case("an error of 2 km", .inaccurate) { $0.accuracy.radiusMeters = 2000 },
    Case("an error of 0 is unknown", nil) { $0.accuracy.radiusMeters = 0 },
    Case("an error that is no number is unknown", nil) { $0.accuracy.radiusMeters = .nan },
    Case("1 km in a second", .speed) { $0.latitude += 0.009 },
    Case("1 km in a second with an error of 250 m twice over", .speed) {
      $0.latitude += 0.009
      $0.accuracy.radiusMeters = 250
    },
    Case("90 m in a second", nil) { $0.latitude += 0.0008 },
    Case("a live fix that is 16 s old", .stale) { $0.received = Drive.report(18, east: 0).time },
    Case("a live fix that is 14 s old", nil) { $0.received = Drive.report(16, east: 0).time },
    Case("a live fix from a minute ahead", .future) { $0.received = Drive.report(-58, east: 0).time },
  ]

  @Test(arguments: cases) func isRefusedForTheFirstReasonThatHolds(_ value: Case) {
    var gate = FixGate()
    #expect(gate.refusal(of: Drive.report(0, east: 0), at: 0) == nil)
    #expect(gate.refusal(of: Drive.report(1, east: 10), at: 1) == nil)
    #expect(gate.refusal(of: value.report, at: 2) == value.reason)
  }

  @Test func aMachineNearZeroZeroMayBeThere() {
    var gate = FixGate()
    for (seconds, degrees) in [(0.0, 0.001), (100, 0.0005), (200, 0)] {
      let report = FixReport(
        time: UTCTime(microseconds: Drive.instant(seconds).microseconds), latitude: degrees,
        longitude: degrees,
        accuracy: .assumed(.threeD))
      #expect(gate.refusal(of: report, at: seconds) == nil, "at \(degrees)")
    }
  }

  /// What becomes of reports a second apart, each so many metres east; nil is accepted.
  static func verdicts(_ east: [Double], every seconds: Double = 1) -> [RejectReason?] {
    var gate = FixGate()
    return east.enumerated().map { index, meters in
      let time = Double(index) * seconds
      return gate.refusal(of: Drive.report(time, east: meters), at: time)
    }
  }

  @Test func aJumpThatPersistsIsBelievedWithinThreeFixes() {
    #expect(
      Self.verdicts([0, 10, 100_000, 100_010, 100_020, 100_030])
        == [nil, nil, .speed, .speed, nil, nil])
  }

  @Test func teleportsThatDisagreeAreNeverBelieved() {
    #expect(
      Self.verdicts([0, 10, 50_000, -20_000, 80_000, 20, 30])
        == [nil, nil, .speed, .speed, .speed, nil, nil])
  }

  @Test func anAirlinerIsFollowedOnceItIsBelieved() {
    let east = (0..<30).map { Double($0) * 250 }
    let verdicts = Self.verdicts(east)
    #expect(verdicts.prefix(4) == [nil, .speed, .speed, nil])
    #expect(verdicts.dropFirst(4).allSatisfy { $0 == nil })
  }

  @Test func aTrainThatGathersSpeedIsNeverRefused() {
    let east = (0..<120).map { Double($0) * Double($0) / 2 }
    #expect(Self.verdicts(east).allSatisfy { $0 == nil })
  }

  @Test func onePercentTeleportsAreAllRefusedAndNothingElse() {
    var random = SeededRandom(20_260_501)
    var gate = FixGate()
    for index in 0..<5000 {
      let isTeleport = index > 0 && random.chance(0.01)
      let distance = isTeleport ? random.uniform(in: 1000...100_000) : 0
      let angle = random.uniform(in: 0...(2 * .pi))
      let report = Drive.report(
        Double(index), east: Double(index) * 15 + distance * Trig.cos(angle),
        north: distance * Trig.sin(angle))
      let refusal = gate.refusal(of: report, at: Double(index))
      #expect(refusal == (isTeleport ? .speed : nil), "\(random) at \(index)")
    }
  }

  /// Where each report comes twice, by two ways that may take unequally long: what is believed of it.
  @Test(arguments: [0, 1], ["silence", "jump", "clock"])
  func `a jump of which each report comes again is believed as well`(later: Int, kind: String) {
    var gate = FixGate()
    let begin = kind == "silence" ? 30_000.0 : kind == "jump" ? 6 : -50_000
    let reports =
      (0..<6).map { Drive.report(Double($0), east: 0) }
      + (0..<8).map { Drive.report(begin + Double($0), east: kind == "jump" ? 100_000 : 0) }
    var believed: [UTCTime?] = []
    for index in 0..<(reports.count + later) {
      for place in [index, index - later] where reports.indices.contains(place) {
        let report = reports[place]
        if gate.refusal(of: report, at: Double(index)) == nil { believed.append(report.time) }
      }
    }
    let missed = Set(reports.map(\.time)).subtracting(believed)
    #expect(missed.isSubset(of: reports[6...7].map(\.time)))
    #expect(Set(believed).count == believed.count, "\(believed)")
  }

  @Test func `a wrong date in the middle of a confirmation does not stop it`() {
    for (begin, wrong) in [(3 * 86_400.0, 13 * 86_400.0), (-50_000, -10_000)] {
      var gate = FixGate()
      let seconds = [0, 1, 2, begin, wrong] + (1..<60).map { begin + Double($0) }
      let refused = seconds.enumerated().count { index, second in
        gate.refusal(of: Drive.report(second, east: 0), at: Double(index)) != nil
      }
      #expect(refused <= 4, "from \(begin)")
    }
  }

  @Test func aLongPauseIsBelievedWhenItIsConfirmed() {
    var gate = FixGate()
    let year = 365.0 * 86_400
    var verdicts: [Bool] = []
    for seconds in [0, 1, year, year + 1, year + 2] {
      let report = Drive.report(seconds, east: 0)
      let believes = gate.instant(ofReplayed: report) != nil
      verdicts.append(gate.refusal(of: report, at: seconds) == nil)
      #expect(believes == verdicts.last)
    }
    #expect(verdicts == [true, true, false, false, true])
  }
}

extension FixGate {
  /// Why a report that came so many seconds after the start is refused; nil where it is believed.
  fileprivate mutating func refusal(of report: FixReport, at seconds: Double) -> RejectReason? {
    do {
      _ = try judge(report, at: Drive.instant(seconds))
      return nil
    } catch {
      return error
    }
  }
}
