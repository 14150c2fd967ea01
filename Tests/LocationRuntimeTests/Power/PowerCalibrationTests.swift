import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationLab

/// Fitting a profile to readings that were made from another.
@Suite struct PowerCalibrationTests {
  /// The profile the device really has.
  private static let truth: PowerProfile = {
    var profile = PowerProfile.pinephone
    profile[.base].value = 230
    profile[.receiverTrackWeak].value = 131
    profile[.receiverTrackStrong].value = 131
    profile[.awake].value = 900
    profile[.wake].value = 4.4
    profile[.core].value = 510
    return profile
  }()

  /// Blocks A B B A of each state, each of ten minutes.
  private static func windows(
    _ states: [[PowerTerm: Double]], noise: Double, step: Double = 0, seed: UInt64 = 1
  ) -> [PowerCalibration.Window] {
    var random = SeededRandom(seed)
    return states.flatMap { state in
      [[:], state, state, [:]].map { quantities in
        var use = PowerUse()
        for (term, quantity) in quantities { use[term] = quantity }
        var joules = use.deviceJoules(overSeconds: 600, under: truth)
        joules *= 1 + random.normal(sigma: noise)
        if step > 0 { joules = (joules / step).rounded() * step }
        return PowerCalibration.Window(use: use, seconds: 600, joules: joules, stepJoules: step)
      }
    }
  }

  private static let apart: [[PowerTerm: Double]] = [
    [.awake: 600], [.awake: 600, .trackingUnknown: 600], [.awake: 300, .wake: 60], [.awake: 600, .run: 550],
  ]

  private static func finding(_ calibration: PowerCalibration, _ parameter: PowerParameter)
    -> PowerCalibration.Finding?
  {
    calibration.findings.first { $0.parameter == parameter }
  }

  @Test func whatTheBlocksTellApartIsFound() throws {
    let calibration = try PowerCalibration(.pinephone, windows: Self.windows(Self.apart, noise: 0))
    for parameter in [PowerParameter.base, .receiverTrackStrong, .receiverTrackWeak, .awake, .wake, .core] {
      let finding = try #require(Self.finding(calibration, parameter))
      #expect(finding.isIdentified, "\(parameter)")
      let value = PowerProfile.pinephone[parameter].value * finding.factor
      #expect(abs(value / Self.truth[parameter].value - 1) < 0.02, "\(parameter): \(value)")
    }
    #expect(calibration.conditionNumber < 20)
    #expect(calibration.residualSpread < 1.01)
    // What was never done is not in it.
    #expect(Self.finding(calibration, .wifiScan) == nil)
  }

  @Test(arguments: [UInt64](1...5)) func theTruthLiesWithinTheSpreadsItStates(_ seed: UInt64) throws {
    let windows = Self.windows(Self.apart + Self.apart, noise: 0.02, seed: seed)
    let calibration = try PowerCalibration(.pinephone, windows: windows)
    for finding in calibration.findings where finding.isIdentified {
      let before = PowerProfile.pinephone[finding.parameter]
      let off = before.value * finding.factor / Self.truth[finding.parameter].value
      // A spread holds 90 %; three of them hold all but surely.
      #expect(abs(Trig.log(off)) < 3 * Trig.log(finding.spread) + 0.02, "\(finding) \(seed)")
      #expect(finding.spread < before.spread)
    }
  }

  @Test func whatAlwaysGoesTogetherIsKnownAsASumOnly() throws {
    let together: [[PowerTerm: Double]] = [
      [.awake: 600, .trackingUnknown: 600], [.awake: 300, .trackingUnknown: 300],
    ]
    let calibration = try PowerCalibration(.iphoneClass, windows: Self.windows(together, noise: 0.002))
    let awake = try #require(Self.finding(calibration, .awake))
    let tracking = try #require(Self.finding(calibration, .receiverTrackStrong))
    #expect(!awake.isIdentified || !tracking.isIdentified)
    #expect(awake.partner == .receiverTrackStrong)
    let sum =
      PowerProfile.iphoneClass[.awake].value * awake.factor
      + PowerProfile.iphoneClass[.receiverTrackStrong].value * tracking.factor
    #expect(abs(sum / (900 + 131) - 1) < 0.05, "\(sum)")
    let profile = calibration.profile(
      name: "x", about: "y",
      note: PowerCalibrationNote(
        device: "d", meter: "m", log: "l", windows: 8, conditionNumber: 1, residualSpread: 1),
      meterSpread: 1.05)
    #expect(profile[.awake].spread == PowerProfile.iphoneClass[.awake].spread)
    #expect(profile[.awake].source.contains("only its sum with receiver_track_strong_mw"))
  }

  /// A block of 120 s of work that the meter shows nothing of.
  /// With 1,020 J its factor would be 0.
  @Test(arguments: [1_200.0, 1_020]) func whatComesOutNearNothingIsKept(joules: Double) throws {
    let before = PowerProfile.rpi4UbloxM8
    let windows: [PowerCalibration.Window] = [
      [:], [.trackingUnknown: 600], [.trackingUnknown: 600, .run: 120],
    ]
    .map { (quantities: [PowerTerm: Double]) in
      var use = PowerUse()
      for (term, quantity) in quantities { use[term] = quantity }
      return PowerCalibration.Window(use: use, seconds: 600, joules: joules, stepJoules: 0)
    }
    let calibration = try PowerCalibration(before, windows: windows)
    let core = try #require(Self.finding(calibration, .core))
    #expect(!core.isIdentified && core.spread == before[.core].spread, "\(core)")
    let profile = calibration.profile(
      name: "x", about: "y",
      note: PowerCalibrationNote(
        device: "d", meter: "m", log: "l", windows: 3, conditionNumber: 1, residualSpread: 1),
      meterSpread: 1.05)
    #expect(profile[.core] == before[.core])
    #expect(
      CalibrationReport.text(calibration, profile, notes: []).contains("not told by these blocks: kept"))
    for finding in calibration.findings {
      #expect(profile[finding.parameter].spread <= before[finding.parameter].spread, "\(finding)")
    }
  }

  @Test func ofTwoThatAlwaysGoTogetherNoneIsFittedWhereOneComesOutAsNothing() throws {
    var before = PowerProfile(name: "two", about: "two", [:])
    before[.core] = PowerProfile.Parameter(1000, spread: 4, .calibrated, "guess")
    before[.awake] = PowerProfile.Parameter(5000, spread: 1.5, .calibrated, "guess")
    var use = PowerUse()
    (use[.run], use[.awake]) = (200, 200)
    let windows = [700.0, 705, 695].map {
      PowerCalibration.Window(use: use, seconds: 600, joules: $0, stepJoules: 0)
    }
    let calibration = try PowerCalibration(before, windows: windows)
    #expect(calibration.findings.count == 2)
    #expect(calibration.findings.allSatisfy { !$0.isIdentified }, "\(calibration.findings)")
    #expect(calibration.conditionNumber == .infinity)
  }

  @Test func aCoarseMeterTellsLess() throws {
    let fine = try PowerCalibration(.pinephone, windows: Self.windows(Self.apart, noise: 0))
    let coarse = try PowerCalibration(.pinephone, windows: Self.windows(Self.apart, noise: 0, step: 410))
    #expect(coarse.findings.count(where: \.isIdentified) < fine.findings.count(where: \.isIdentified))
    for finding in coarse.findings where !finding.isIdentified {
      #expect(finding.spread == PowerProfile.pinephone[finding.parameter].spread)
    }
  }

  @Test func noFactorIsNegative() throws {
    // A device that draws less while it is awake, which no part can.
    var windows = Self.windows([[.awake: 600]], noise: 0)
    for index in windows.indices where windows[index].use[.awake] > 0 { windows[index].joules = 20 }
    let calibration = try PowerCalibration(.pinephone, windows: windows)
    #expect(calibration.findings.allSatisfy { $0.factor >= 0 })
  }

  @Test func withoutWindowsOrWithNothingToFitItIsRefused() {
    #expect(throws: Failure.self) { try PowerCalibration(.pinephone, windows: []) }
    let zero = PowerProfile(name: "z", about: "z", [:])
    #expect(throws: Failure.self) { try PowerCalibration(zero, windows: Self.windows(Self.apart, noise: 0)) }
  }

  @Test func theSameWindowsGiveTheSameProfile() throws {
    let windows = Self.windows(Self.apart, noise: 0.03)
    let a = try PowerCalibration(.pinephone, windows: windows)
    let b = try PowerCalibration(.pinephone, windows: windows)
    #expect(a.findings == b.findings)
  }

  @Test func theFitIsTheOneOfTheNormalEquations() {
    // Two unknowns, solved by hand: ridge 1 on each, rows (1, 1) = 4 and (1, -1) = 0.
    var equations = RidgeFit.Equations(ridge: [1, 1])
    equations.add(row: [1, 1], value: 4)
    equations.add(row: [1, -1], value: 0)
    let fit = RidgeFit(equations)
    #expect(abs(fit.solution[0] - 5.0 / 3) < 1e-9)
    #expect(abs(fit.solution[1] - 5.0 / 3) < 1e-9)
    #expect(abs(fit.conditionNumber - 1) < 1e-9)
    #expect(abs(fit.deviation(0) - (1.0 / 3).squareRoot()) < 1e-9)
  }

  @Test func theConditionIsThatOfTheColumns() {
    var same = RidgeFit.Equations(ridge: [1, 1])
    same.add(row: [1, 2], value: 1)
    same.add(row: [2, 4], value: 1)
    #expect(RidgeFit(same).conditionNumber == .infinity)
    var skew = RidgeFit.Equations(ridge: [1, 1])
    skew.add(row: [1, 0], value: 1)
    skew.add(row: [1, 1], value: 1)
    skew.add(row: [0, 1], value: 1)
    // Columns of length √2 with the cosine ½: eigenvalues 3/2 and 1/2.
    #expect(abs(RidgeFit(skew).conditionNumber - 3.0.squareRoot()) < 1e-9)
  }
}
