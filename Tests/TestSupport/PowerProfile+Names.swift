package import LocationCore
import LocationFormats

/// The built-in profiles, for tests that name one.
extension PowerProfile {
  package static let androidPixel = named("android-pixel")
  package static let iphoneClass = named("iphone-class")
  package static let pinephone = named("pinephone")
  package static let rpiZero2M10 = named("rpi-zero2-m10")
  package static let rpi4UbloxM8 = named("rpi4-ublox-m8")
  package static let vehicleTracker = named("vehicle-tracker")

  private static func named(_ name: String) -> PowerProfile { builtIn(named: name) ?? .unpriced }
}

extension EngineConfiguration {
  /// The default numbers, of an engine that prices energy.
  package static var priced: EngineConfiguration { standard }
}
