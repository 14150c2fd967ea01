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
  func rules() throws(Failure) -> Policy.Configuration { try read().0.policy }

  /// What the file sets for the daemon alone; that by default without one.
  func daemon() throws(Failure) -> DaemonSettings { try read().1 }

  private func read() throws(Failure) -> (EngineConfiguration, DaemonSettings) {
    var configuration = EngineConfiguration.standard
    var daemon = DaemonSettings()
    if let config { try Settings.read(path: config, into: &configuration, &daemon) }
    return (configuration, daemon)
  }
}

/// `--profile`. All commands share the type: `locwatch power` reads it before the subcommand, and the parser hands it on
/// to nobody else. What goes without it is for each to say.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The power profile: a name (locwatch power profiles) or a YAML file; the engine goes by \(PowerProfile.standardName) without one.",
      valueName: "name|file"),
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
  @OptionGroup var profiles: ProfileOptions

  /// The settings file; nil for the defaults.
  var config: String? { settings.config }

  /// The name or file of the profile; nil without the option.
  var profile: String? { profiles.profile }

  /// Applies the profile, then the settings, which can override numbers of the profile.
  func apply(to configuration: inout EngineConfiguration) throws(Failure) {
    if let profile = try profiles.named() { configuration.profile = profile }
    guard let config else { return }
    var daemon = DaemonSettings()
    try Settings.read(path: config, into: &configuration, &daemon)
  }
}
