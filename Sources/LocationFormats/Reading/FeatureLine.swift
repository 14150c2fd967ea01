import LocationCore

/// A line of newline-delimited GeoJSON, one feature a line: a point with a time among its properties.
enum FeatureLine {
  /// The report in a whole JSON object; nil where it is no feature with a point.
  ///
  /// - Parameter assumeAccuracyMeters: the 68 % radius of a fix that does not tell its own; nil for a typical one.
  static func report(_ line: Span<UInt8>, assumeAccuracyMeters: Double?) -> FixReport? {
    guard let tree = try? JSONTree(line.array), tree["type"] == .string("Feature"),
      tree["geometry"]?["type"] == .string("Point"),
      case .array(let position)? = tree["geometry"]?["coordinates"], position.count >= 2,
      case .number(let longitude) = position[0], case .number(let latitude) = position[1]
    else { return nil }
    let properties = tree["properties"]
    func number(_ keys: String...) -> Double? {
      for key in keys {
        if case .number(let text)? = properties?[key] { return Double(text) }
      }
      return nil
    }
    let time = ["time", "timestamp", "ts"].lazy.compactMap { key -> UTCTime? in
      switch properties?[key] {
      case .string(let text)?: UTCTime(rfc3339: text)
      case .number(let text)?: Double(text).flatMap { UTCTime(epochNumber: $0) }
      default: nil
      }
    }.first
    let altitude = position.count > 2 ? position[2].double : nil
    var mode = FixMode.unknown
    if case .string(let provider)? = properties?["provider"] { mode = FixMode(provider: provider.utf8.span) }
    return FixReport(
      time: time, latitude: Double(latitude) ?? .nan, longitude: Double(longitude) ?? .nan,
      accuracy: Accuracy(
        metersAt68Percent: number("acc_m", "accuracy", "horizontal_accuracy"), hdop: number("hdop"),
        assumedMeters: assumeAccuracyMeters, mode: mode), mode: mode,
      speedMetersPerSecond: number("speed_mps", "speed").flatMap { FixReport.speed($0) },
      courseDegrees: number("course_deg", "course", "heading").flatMap { FixReport.course($0) },
      altitudeMeters: altitude)
  }
}
