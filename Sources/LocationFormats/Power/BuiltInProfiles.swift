public import LocationCore

extension PowerProfile {
  /// The files of the folder Profiles, by their names without the ending.
  private static let files: KeyValuePairs = [
    "android-pixel": PackageResources.android_pixel_yaml,
    "iphone-class": PackageResources.iphone_class_yaml,
    "pinephone": PackageResources.pinephone_yaml,
    "rpi-zero2-m10": PackageResources.rpi_zero2_m10_yaml,
    "rpi4-ublox-m8": PackageResources.rpi4_ublox_m8_yaml,
    "vehicle-tracker": PackageResources.vehicle_tracker_yaml,
  ]

  /// The names of the profiles that come with the program.
  public static let builtInNames = files.map(\.key)

  /// The profiles that come with the program, by name.
  public static var builtIn: [PowerProfile] { builtInNames.compactMap { builtIn(named: $0) } }

  /// The built-in profile of that name; nil where there is none.
  public static func builtIn(named name: String) -> PowerProfile? {
    guard let file = files.first(where: { $0.key == name }) else { return nil }
    return try? PowerProfile(StrictYAML(file.value, file: "Profiles/\(name).yaml", code: .config))
  }

  /// The name of the profile that is used where none is named.
  public static let standardName = "rpi4-ublox-m8"
}

extension EngineConfiguration {
  private static let priced: EngineConfiguration = {
    var configuration = EngineConfiguration()
    configuration.profile = PowerProfile.builtIn(named: PowerProfile.standardName) ?? .unpriced
    return configuration
  }()

  /// The default of every command: all default numbers, and the standard power profile.
  public static var standard: EngineConfiguration { priced }
}
