import TestSupport
import Testing

@testable import LocationCore

private typealias Fixture = PowerFixture

/// Bands, shares of the variance and comparisons.
@Suite struct PowerBandTests {
  /// One hour of tracking, then one off.
  private static func use(trackingSeconds: Double = 3600, wakes: Double = 0, off: Double = 3600) -> PowerUse {
    var use = PowerUse()
    use[.trackingStrong] = trackingSeconds
    use[.backup] = off
    use[.wake] = wakes
    return use
  }

  @Test(arguments: [1.15, 1.5, 3]) func oneParameterAloneGivesItsOwnSpread(_ spread: Double) {
    let profile = Fixture.profile([.receiverTrackStrong: 100], spread: spread)
    let band = Self.use().band(under: profile, form: .alwaysOn)
    #expect(band.value == 360)
    let width = (PortableMath.log(spread) * PortableMath.log(spread) + pow2(PortableMath.log(1.3)))
      .squareRoot()
    #expect(abs(PortableMath.log(band.high / 360) / width - 1) < 1e-3)
    #expect(abs(PortableMath.log(360 / band.low) / width - 1) < 1e-3)
  }

  @Test func independentErrorsPartlyCancelAndSharedOnesDoNot() {
    let profile = Fixture.profile(
      [.receiverTrackStrong: 100, .receiverTrackWeak: 100, .awake: 100], spread: 2)
    var independent = PowerUse()
    independent[.trackingStrong] = 100
    independent[.awake] = 100
    var shared = PowerUse()
    shared[.trackingStrong] = 100
    shared[.trackingWeak] = 100
    let narrow = independent.band(under: profile, form: .alwaysOn)
    let wide = shared.band(under: profile, form: .alwaysOn)
    #expect(narrow.value == wide.value)
    #expect(narrow.high < wide.high)
    #expect(narrow.low > wide.low)
  }

  @Test func theFormWidensTheBandInQuadratureOfTheLogarithm() {
    let profile = Fixture.profile([.receiverTrackStrong: 100], spread: 1)
    for form in PowerForm.allCases {
      let band = Self.use().band(under: profile, form: form)
      #expect(abs(band.high / 360 - form.spread) < 1e-9)
      #expect(abs(360 / band.low - form.spread) < 1e-9)
    }
  }

  @Test func whatFormHoldsFollowsFromTheUseAndTheProfile() {
    var calibrated = PowerProfile.iphoneClass
    calibrated.calibration = PowerCalibrationNote(
      device: "d", meter: "m", log: "l", windows: 3, conditionNumber: 2, residualSpread: 1.1)
    #expect(Self.use(off: 0).form(under: .iphoneClass) == .alwaysOn)
    #expect(Self.use(off: 30).form(under: calibrated) == .alwaysOn)
    #expect(Self.use().form(under: .iphoneClass) == .uncalibrated)
    #expect(Self.use().form(under: calibrated) == .calibrated)
    #expect(PowerUse().form(under: .iphoneClass) == .uncalibrated)
  }

  @Test func aCalibratedProfileIsAsUncertainAsItsOwnWindowsWereOnceItHasMany() {
    func spread(windows: Int, _ residual: Double) -> Double {
      var profile = PowerProfile.iphoneClass
      profile.calibration = PowerCalibrationNote(
        device: "d", meter: "m", log: "l", windows: windows, conditionNumber: 2, residualSpread: residual)
      return PowerForm.calibrated.spread(under: profile)
    }
    #expect(abs(spread(windows: 0, 1.1) - 1.6) < 1e-12)
    #expect(abs(spread(windows: 1_000_000, 1.1) - 1.1) < 1e-4)
    #expect(spread(windows: 10, 1.1) < spread(windows: 5, 1.1) && spread(windows: 10, 1.1) > 1.1)
    #expect(spread(windows: 10, 2) > 1.6)
    #expect(PowerForm.uncalibrated.spread(under: .iphoneClass) == 2.5)
  }

  @Test func theWholeDevicesBandIsWidenedByTheServicesShareOnly() {
    let profile = Fixture.profile([.base: 900, .receiverTrackStrong: 200], spread: 1)
    let band = Self.use().band(under: profile, form: .uncalibrated, deviceSeconds: 7200)
    #expect(abs(band.value - (6480 + 720)) < 1e-9)
    #expect(abs(band.high / band.value - PortableMath.exp(0.1 * PortableMath.log(2.5))) < 1e-9)
  }

  @Test func nothingUsedIsNothingSpent() {
    let band = PowerUse().band(under: .rpi4UbloxM8)
    #expect(band == PowerBand(value: 0, low: 0, high: 0))
    #expect(PowerComparison(of: Self.use(), against: PowerUse(), seconds: 60, under: .rpi4UbloxM8) == nil)
  }

  @Test func aNumberNobodyKnowsWidensMoreThanItsShare() {
    let profile = Fixture.profile([.receiverTrackStrong: 100, .wake: 1], spread: 1.2)
    var loose = profile
    loose[.wake].spread = 3
    let use = Self.use(trackingSeconds: 1000, wakes: 100)
    #expect(use.band(under: loose).high > use.band(under: profile).high)
  }

  @Test func whatTwoPoliciesShareDoesNotBlurTheirComparison() {
    let profile = Fixture.profile([.receiverTrackStrong: 100, .base: 1000], spread: 2)
    guard
      let half = PowerComparison(
        of: Self.use(trackingSeconds: 1800), against: Self.use(), seconds: 3600, under: profile)
    else {
      Issue.record("there is a reference")
      return
    }
    #expect(abs(half.services.value - 0.5) < 1e-12)
    #expect(abs(half.services.high / 0.5 - half.form.spread) < 1e-9)
    #expect(abs(half.device.value - (180 + 3600) / (360 + 3600)) < 1e-12)
    #expect(half.device.low < half.device.value && half.device.high > half.device.value)
    #expect(half.device.high < 1.1)
  }

  @Test func theDrawsAreTheSameBitsOnAnyMachine() {
    // Recorded once; only operations that IEEE 754 rounds correctly lead there.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for parameter in PowerParameter.allCases {
      for value in PowerDraws.row(of: parameter) {
        digest = (digest ^ value.bitPattern) &* 0x0000_0100_0000_01b3
      }
    }
    #expect(digest == 3_005_700_198_832_863_419)
    let band = Self.use(wakes: 9).band(under: .iphoneClass)
    #expect(band.low.bitPattern == 4_638_775_201_603_561_937)
    #expect(band.high.bitPattern == 4_652_134_287_520_695_796)
  }

  @Test func everyRowHoldsEveryStratumOnce() {
    let sorted = PowerDraws.row(of: .base).sorted()
    #expect(sorted.count >= 1000)
    for parameter in PowerParameter.allCases { #expect(PowerDraws.row(of: parameter).sorted() == sorted) }
    #expect(PowerDraws.row(of: .base) != PowerDraws.row(of: .wake))
  }

  private func pow2(_ x: Double) -> Double { x * x }
}
