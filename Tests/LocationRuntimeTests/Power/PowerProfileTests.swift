import LocationCore
import LocationFormats
import TestSupport
import Testing

/// The profiles that come with the program.
@Suite struct PowerProfileTests {
  @Test func thereAreSixByNameInOrder() {
    let names = PowerProfile.builtIn.map(\.name)
    #expect(
      names == [
        "android-pixel", "iphone-class", "pinephone", "rpi-zero2-m10", "rpi4-ublox-m8", "vehicle-tracker",
      ])
    #expect(PowerProfile.builtInNames == names)
    #expect(EngineConfiguration.standard.profile == .rpi4UbloxM8)
    #expect(PowerProfile.builtIn(named: "pinephon") == nil)
  }

  @Test(arguments: PowerProfile.builtIn) func everyNumberHasASpreadAMarkAndASource(_ profile: PowerProfile) {
    for parameter in PowerParameter.allCases {
      let entry = profile[parameter]
      #expect(entry.value >= 0 && entry.value.isFinite, "\(parameter)")
      #expect(entry.spread >= 1 && entry.spread <= 3, "\(parameter)")
      #expect(entry.value > 0 || entry.spread == 1, "\(parameter)")
      #expect(!entry.source.isEmpty, "\(parameter)")
      #expect(entry.evidence != .calibrated, "\(parameter)")
    }
    #expect(profile.calibration == nil)
    // Searching draws at least what tracking does, and saving power at most.
    #expect(profile[.receiverAcquire].value >= profile[.receiverTrackWeak].value)
    #expect(profile[.receiverTrackWeak].value >= profile[.receiverTrackStrong].value)
    #expect(profile[.receiverPowerSave].value <= profile[.receiverTrackStrong].value)
    #expect(profile[.timeToFixCold].value >= profile[.timeToFixWarm].value)
    #expect(profile[.timeToFixWarm].value >= profile[.timeToFixHot].value)
  }

  @Test func joulesAreToldInWhatTheBatteryHolds() {
    #expect(PowerProfile.rpi4UbloxM8.batteryPercent(ofJoules: 1000) == nil)
    let phone = PowerProfile.iphoneClass
    #expect(abs((phone.batteryPercent(ofJoules: 6.91 * 36) ?? 0) - 1) < 1e-9)
    var worn = phone
    worn.calibration = PowerCalibrationNote(
      device: "d", meter: "m", batteryHealth: 0.5, log: "l", windows: 3, conditionNumber: 2,
      residualSpread: 1.1)
    #expect(abs((worn.batteryPercent(ofJoules: 6.91 * 36) ?? 0) - 2) < 1e-9)
  }
}
