import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `--config`.
struct SettingsOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A settings file, YAML (locwatch config show).", valueName: "file"),
    completion: .file())
  var config: String?

  /// The numbers of the rules that the file sets; those by default without one.
  func rules() throws(Failure) -> Policy.Configuration {
    var configuration = EngineConfiguration.standard
    var daemon = DaemonSettings()
    if let config { try Settings.read(path: config, into: &configuration, &daemon) }
    return configuration.policy
  }
}

/// `--profile` of the commands of `locwatch power`. What goes without it is for each to say.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The power profile: a name (locwatch power profiles) or a YAML file.", valueName: "name|file"),
    completion: Candidates.profiles)
  var profile: String?

  /// The profile that is named; nil without the option.
  func named() throws(Failure) -> PowerProfile? {
    guard let profile else { return nil }
    return try PowerProfileFile.find(profile)
  }
}

/// Settings and power profile, for every command with an engine.
struct EngineOptions: ParsableArguments {
  @OptionGroup var settings: SettingsOptions

  @Option(
    help: ArgumentHelp(
      "The power profile: a name (locwatch power profiles) or a YAML file (default: \(PowerProfile.standardName)).",
      valueName: "name|file"), completion: Candidates.profiles)
  var profile: String?

  /// The settings file; nil for the defaults.
  var config: String? { settings.config }

  /// The profile that `--profile` names; nil without the option.
  func namedProfile() throws(Failure) -> PowerProfile? {
    guard let profile else { return nil }
    return try PowerProfileFile.find(profile)
  }

  /// Applies the profile, then the settings, which can override numbers of the profile.
  func apply(to configuration: inout EngineConfiguration) throws(Failure) {
    if let profile = try namedProfile() { configuration.profile = profile }
    guard let config else { return }
    var daemon = DaemonSettings()
    try Settings.read(path: config, into: &configuration, &daemon)
  }
}
