import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationLab

/// The blocks of a calibration as a file.
@Suite struct CalibrationFileTests {
  private static let head = """
    name: my-pi
    about: a Pi
    like: rpi4-ublox-m8
    device: Pi 4 no. 3
    meter: INA226
    kernel: 6.6.31
    temperature_c: 21
    shunt_uohm: 100000
    blocks:

    """

  private static func read(_ blocks: String) throws(Failure) -> CalibrationFile {
    try CalibrationFile(StrictYAML(head + blocks, file: "blocks.yaml", code: .config))
  }

  @Test func statesSecondsAndCountsAreWhatWasUsed() throws {
    let file = try Self.read(
      """
        - {from_s: 0, to_s: 600}
        - {from_s: 600, to_s: 1200, states: [tracking, awake]}
        - {from_s: 1200, to_s: 1800, seconds: {searching: 45, run: 900}, counts: {wifi_scans: 30, wakes: 2}}
      """)
    #expect(file.blocks.map(\.line) == [10, 11, 12])
    #expect(file.blocks[0].use == PowerUse())
    #expect(file.blocks[1].use[.trackingUnknown] == 600)
    #expect(file.blocks[1].use[.awake] == 600)
    #expect(file.blocks[2].use[.acquiringCold] == 45)
    #expect(file.blocks[2].use[.run] == 900)
    #expect(file.blocks[2].use[.wifiScan] == 30)
    #expect(file.shuntMicroohms == 100_000)
  }

  @Test(
    arguments: [
      ("- {from_s: 5, to_s: 5}", "is not after from_s"),
      ("- {from_s: 5, to_s: 9, states: [traking]}", "did you mean \"tracking\"?"),
      ("- {from_s: 5, to_s: 9, states: [run]}", "is not a state for the whole block"),
      ("- {from_s: 5, to_s: 9, seconds: {awake: 5}}", "5 is outside 0 to 4"),
      ("- {from_s: 5, to_s: 9, count: {wakes: 5}}", "did you mean \"counts\"?"),
    ]
  )
  func whatIsWrongIsSaidWithItsLine(_ block: String, _ complaint: String) {
    let failure = #expect(throws: Failure.self) { try Self.read("  \(block)\n") }
    #expect(failure?.description.contains(complaint) == true, "\(failure.map(\.description) ?? "")")
    #expect(failure?.line == 10)
  }

  @Test(
    arguments: [
      (["0, to_s: 10", "9.5, to_s: 20"], "9.500 to 20 s overlaps the block on line 10, 0 to 10 s"),
      (["10, to_s: 20", "0, to_s: 11"], "0 to 11 s overlaps the block on line 10, 10 to 20 s"),
      (["0, to_s: 9", "9, to_s: 12", "2, to_s: 3"], "2 to 3 s overlaps the block on line 10, 0 to 9 s"),
      (["5, to_s: 9", "5, to_s: 9"], "5 to 9 s overlaps the block on line 10, 5 to 9 s"),
    ]
  )
  func blocksThatOverlapAreRefused(_ blocks: [String], _ complaint: String) {
    let text = blocks.map { "  - {from_s: \($0)}\n" }.joined()
    let failure = #expect(throws: Failure.self) { try Self.read(text) }
    let remedy = "let each block end before the next begins"
    let place = "blocks.yaml:\(9 + blocks.count): blocks[\(blocks.count - 1)]"
    #expect(failure?.description == "\(place): \(complaint); \(remedy)")
  }

  @Test func blocksMayTouchAndStandInAnyOrder() throws {
    let file = try Self.read("  - {from_s: 10, to_s: 20}\n  - {from_s: 0, to_s: 10}\n")
    #expect(file.blocks.map(\.from) == [10, 0])
  }

  @Test func blocksThatTheLogDoesNotCoverAreNamed() throws {
    let file = try Self.read("  - {from_s: 0, to_s: 10}\n  - {from_s: 10, to_s: 30}\n")
    let stream = try MeterLog.stream(
      "seconds,energy_mwh\n0,0\n10,5\n20,10\n", file: "log.csv", kind: .usb)
    let (windows, notes) = file.windows(in: stream)
    #expect(windows.map(\.joules) == [18])
    #expect(notes.count == 2)
    #expect(notes[0].contains("line 10") && notes[0].contains("20 %"))
    #expect(
      notes[1]
        == "the block on line 11 (10 to 30 s) is left out: without a break the log covers only 0 to 20 s")
  }

  @Test func theStretchesNearestToABlockAreNamed() throws {
    var stream = MeterStream(kind: .powerSupply, meterSpread: 1.15)
    for run in 0..<40 {
      stream.breakOff()
      for reading in 0...9 {
        stream.append(seconds: Double(100 * run + 10 * reading), joules: Double(10 * run + reading))
      }
    }
    let (windows, notes) = try Self.read("  - {from_s: 2000, to_s: 2092}\n").windows(in: stream)
    #expect(windows.isEmpty)
    let named = "covers only 2000 to 2090, 2100 to 2190 s, and 38 more"
    #expect(notes.last?.hasSuffix(named) == true, "\(notes)")
  }

  @Test func `a plan is the same as text and as lines of JSON`() throws {
    let plan = CalibrationPlan(.pinephone, stepJoules: 410, error: 0.1)
    let lines = try plan.json.split(separator: "\n").map { try JSONTree(Array($0.utf8)) }
    #expect(lines.count == plan.states.count + plan.impulses.count)
    let awake = try #require(lines.first { $0["state"]?.string == "awake" })
    #expect(awake["type"]?.string == "power.plan")
    // 2 x 410 J / (0.1 x 1.2 W).
    #expect(awake["least_s"]?.double.map { abs($0 - 6833.333) < 0.01 } == true)
    #expect(lines.contains { $0["impulse"]?.string == "wakes" && $0["least_count"]?.integer ?? 0 > 0 })
  }

  @Test func aPlanIsAsLongAsTheMeterIsCoarse() {
    let fine = CalibrationPlan(.pinephone, stepJoules: 0.01, error: 0.1).text
    #expect(fine.contains("awake"))
    let coarse = CalibrationPlan(.pinephone, stepJoules: 410, error: 0.1).text
    // 2 x 410 J / (0.1 x 1.2 W) = 6833 s.
    #expect(coarse.contains("1 h 53 min"), "\(coarse)")
    #expect(!coarse.contains("network location"))
  }
}
