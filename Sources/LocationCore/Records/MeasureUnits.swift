/// The units in which texts tell distances and speeds. Records and files always have metres and seconds.
public enum MeasureUnits: String, Hashable, Sendable, CaseIterable {
  /// Metres, kilometres, kilometres per hour.
  case metric
  /// Feet, miles, miles per hour.
  case imperial
  /// Metres, nautical miles, knots.
  case nautical

  /// The smaller unit of length, and up to how many metres it is used.
  fileprivate var small: (name: String, meters: Double, below: Double) {
    switch self {
    case .metric: ("m", 1, 10_000)
    case .imperial: ("ft", Self.footMeters, 1000 * Self.footMeters)
    case .nautical: ("m", 1, 1000)
    }
  }

  /// The larger unit of length.
  fileprivate var large: (name: String, meters: Double) {
    switch self {
    case .metric: ("km", 1000)
    case .imperial: ("mi", Self.mileMeters)
    case .nautical: ("nmi", Self.nauticalMileMeters)
    }
  }

  fileprivate var speed: (name: String, metersPerSecond: Double) {
    switch self {
    case .metric: ("km/h", 1000 / 3600)
    case .imperial: ("mph", Self.mileMeters / 3600)
    case .nautical: ("kn", Self.nauticalMileMeters / 3600)
    }
  }

  /// The international foot of 1959.
  package static let footMeters = 0.3048
  /// 5,280 feet.
  package static let mileMeters = 1609.344
  /// As the International Hydrographic Organization defined it in 1929.
  package static let nauticalMileMeters = 1852.0
  /// A nautical mile in an hour.
  package static let knotMetersPerSecond = 1852.0 / 3600
}

extension Wording {
  /// `±7 m`, marked where nobody measured it.
  package static func accuracy(_ accuracy: Accuracy, in units: MeasureUnits) -> String {
    let radius = "±\(distance(accuracy.radiusMeters, in: units))"
    switch accuracy.source {
    case .reported: return radius
    case .hdop: return "\(radius) (from hdop)"
    case .assumed: return "\(radius) (assumed)"
    }
  }

  /// `512 m`, `12.3 km`; `394 ft`, `2.45 mi`; `512 m`, `1.21 nmi`
  package static func distance(_ meters: Double, in units: MeasureUnits) -> String {
    let (small, large) = (units.small, units.large)
    if abs(meters) < small.below {
      let value = meters / small.meters
      return "\(figure(value, abs(value) < 10 ? 1 : 0)) \(small.name)"
    }
    let value = meters / large.meters
    return "\(figure(value, abs(value) < 10 ? 2 : 1)) \(large.name)"
  }

  /// `5.0 km/h`, `61.9 km/h`; `38.5 mph`; `33.4 kn`
  package static func speed(_ metersPerSecond: Double, in units: MeasureUnits) -> String {
    "\(figure(metersPerSecond / units.speed.metersPerSecond, 1)) \(units.speed.name)"
  }
}
