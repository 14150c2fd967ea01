import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// The numbers that an engine goes by, for each command that has one.
struct EngineOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Thresholds other than the defaults.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Power profile: a name (locwatch power profiles), or a YAML file (default: \(PowerProfile.rpi4UbloxM8.name)).",
      valueName: "name|file"))
  var profile: String?

  /// The profile that is named; nil for none.
  func namedProfile() throws(Failure) -> PowerProfile? {
    guard let profile else { return nil }
    return try PowerProfileFile.find(profile)
  }

  /// Puts both into a configuration: the profile first, of which the settings can change a number.
  func apply(to configuration: inout EngineConfiguration) throws(Failure) {
    if let profile = try namedProfile() { configuration.profile = profile }
    if let config { try Settings.read(path: config, into: &configuration) }
  }
}
