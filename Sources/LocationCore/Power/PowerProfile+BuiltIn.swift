extension PowerProfile {
  /// The profiles that come with the program, by name.
  public static let builtIn: [PowerProfile] = [
    androidPixel, iphoneClass, pinephone, rpiZero2M10, rpi4UbloxM8, vehicleTracker,
  ]

  /// The built-in profile of that name; nil where there is none.
  public static func builtIn(named name: String) -> PowerProfile? { builtIn.first { $0.name == name } }
}
