import FoundationEssentials
import LocationCore
import LocationFormats
import TestSupport
import Testing

/// Profiles as files.
@Suite struct PowerProfileFileTests {
  private static func read(_ yaml: String) throws(Failure) -> PowerProfile {
    try PowerProfile(StrictYAML(yaml, file: "mine.yaml", code: .config))
  }

  @Test(arguments: PowerProfile.builtIn) func theFileIsTheBuiltInProfile(_ profile: PowerProfile) throws {
    let path = "Profiles/\(profile.name).yaml"
    #expect(try PowerProfileFile.read(path: PackageRoot.file(path)) == profile)
    Golden.expect(path, PowerProfileText.yaml(profile))
  }

  @Test func noFileIsWithoutABuiltInProfile() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: PackageRoot.file("Profiles")).sorted()
    #expect(files == PowerProfile.builtIn.map { "\($0.name).yaml" }.sorted())
  }

  @Test func aProfileOfOnesOwnStatesOnlyWhatDiffers() throws {
    let profile = try Self.read(
      """
      name: my-boat
      about: on the boat's 12 V
      like: rpi4-ublox-m8
      parameters:
        base_mw: {value: 2100, spread: 1.1, mark: V, source: "shunt in the 12 V line"}
      """)
    #expect(profile.name == "my-boat")
    #expect(
      profile[.base] == PowerProfile.Parameter(2100, spread: 1.1, .verified, "shunt in the 12 V line"))
    #expect(profile[.receiverTrackStrong] == PowerProfile.rpi4UbloxM8[.receiverTrackStrong])
  }

  @Test func whatACalibrationFoundSurvivesTheFile() throws {
    var profile = PowerProfile.pinephone
    profile.name = "a \"quoted\" \\ name"
    profile[.awake] = PowerProfile.Parameter(1137.25, spread: 1.07, .calibrated, "this device")
    profile.calibration = PowerCalibrationNote(
      device: "PinePhone 1.2b: mine", meter: "INA226 # 2", date: "2026-05-02", kernel: "6.6.30",
      serial: "0x41",
      temperatureCelsius: 21.5, batteryHealth: 0.91, log: "a.csv, 4000 readings", windows: 24,
      conditionNumber: 12.5, residualSpread: 1.09)
    #expect(try Self.read(PowerProfileText.yaml(profile)) == profile)
  }

  private static let base = "{value: 2100, spread: 1.1, mark: V, source: x}"

  @Test(
    arguments: [
      ("awke_mw: \(base)", "unknown key \"awke_mw\"; did you mean \"awake_mw\"?"),
      (
        "base_mw: {value: 1, sprad: 2, mark: V, source: x}", "unknown key \"sprad\"; did you mean \"spread\"?"
      ),
      ("base_mw: {value: 1, spread: 0.5, mark: V, source: x}", "0.5 is outside 1 to 100"),
      ("base_mw: {value: -1, spread: 2, mark: V, source: x}", "-1 is outside 0 to 10000000"),
      ("base_mw: {value: 1, spread: 2, mark: X, source: x}", "unknown word \"X\"; words here: V, D, M, A, C"),
      ("base_mw: {value: 1, spread: 2, mark: V}", "`source` is missing"),
      ("base_mw: {value: 1, spread: 2, mark: V, source: \" \"}", "says nothing"),
      ("base_mw: {value: 0, spread: 2, mark: V, source: x}", "0 has no spread"),
    ]
  )
  func whatIsWrongIsSaidWithItsLine(_ line: String, _ complaint: String) throws {
    let yaml = "name: a\nabout: b\nlike: pinephone\nparameters:\n  \(line)\n"
    let failure = #expect(throws: Failure.self) { try Self.read(yaml) }
    #expect(failure?.description.contains(complaint) == true, "\(failure.map(\.description) ?? "")")
    #expect(failure?.line == 5)
    #expect(failure?.code == .config)
  }

  @Test func withoutAnotherToBeLikeEveryParameterIsAsked() throws {
    let yaml = "name: a\nabout: b\nparameters:\n  base_mw: \(Self.base)\n"
    let failure = #expect(throws: Failure.self) { try Self.read(yaml) }
    #expect(failure?.what.contains("`battery_wh` is missing") == true)
    let other = #expect(throws: Failure.self) {
      try Self.read("name: a\nabout: b\nlike: pinefone\nparameters: {}\n")
    }
    #expect(other?.remedy == "did you mean \"pinephone\"?")
  }

  @Test func aNameIsABuiltInProfileAndAPathIsAFile() throws {
    #expect(try PowerProfileFile.find("pinephone") == .pinephone)
    #expect(try PowerProfileFile.find(PackageRoot.file("Profiles/pinephone.yaml")) == .pinephone)
    let unknown = #expect(throws: Failure.self) { try PowerProfileFile.find("zzz") }
    #expect(unknown?.code == .usage)
    #expect(unknown?.remedy?.contains("rpi4-ublox-m8") == true)
    let absent = #expect(throws: Failure.self) { try PowerProfileFile.find("no/such.yaml") }
    #expect(absent?.code == .noInput)
  }
}
