import LocationCore

/// The properties of a feature that mean something to us.
enum RegionProperty: String, CaseIterable {
  case id
  case name
  case radiusMeters = "radius_m"
  /// As Leaflet and many others have it, with `radius_units`.
  case radius
  case radiusUnits = "radius_units"
  /// As OwnTracks has it, metres.
  case rad
  /// Mapbox, metres.
  case mapboxRadius = "MBX_GEOFENCE_POINT_RADIUS"
  /// Mapbox, minutes.
  case mapboxDwell = "MBX_GEOFENCE_DWELL_TIME"
  /// Metres to each side of a line.
  case bufferMeters = "buffer_m"
  /// Which beacons it is made of, with a geometry of null.
  case beacon
  case notify
  case dwellSeconds = "dwell_s"
  case exitDelaySeconds = "exit_delay_s"
  case maxLatencySeconds = "max_latency_s"
  case initial
  case sensitivity
  /// A list of the owner's own words.
  case tags

  init?(_ key: JSONReader.Text, in reader: borrowing JSONReader) {
    for known in Self.byLength[min(key.range.count, Self.byLength.count - 1)]
    where reader.equals(key, known.key) {
      self = known.property
      return
    }
    guard key.hasEscapes, let property = Self(rawValue: reader.decoded(key)) else { return nil }
    self = property
  }

  /// The JSON text of a property from a file that has nothing but text: a number or a list of words where that is what
  /// the property has to be, else a string.
  static func json(_ key: String, _ text: String) -> String {
    switch Self(rawValue: key) {
    case .radiusMeters, .radius, .rad, .mapboxRadius, .mapboxDwell, .bufferMeters, .dwellSeconds,
      .exitDelaySeconds, .maxLatencySeconds:
      let number = Double(numberText: Array(text.utf8).span)
      return number.flatMap { $0.isFinite ? JSONText.number($0) : nil } ?? JSONText.string(text)
    case .notify, .tags: return JSONText.strings(text.split { " ;|,".contains($0) }.map(String.init))
    case .id, .name, .radiusUnits, .beacon, .initial, .sensitivity, nil: return JSONText.string(text)
    }
  }

  private static let byLength: [[(key: [UInt8], property: RegionProperty)]] = (0...32).map { length in
    allCases.map { (key: Array($0.rawValue.utf8), property: $0) }.filter { $0.key.count == length }
  }

  /// The property that an unknown key was probably meant to be; nil where it looks like nothing of ours.
  ///
  /// Stricter than ``NearestWord``, because a feature may have any properties of its owner's: capitals,
  /// dashes and a missing unit are looked through, and one letter in five may differ.
  static func meant(by key: String) -> RegionProperty? {
    let plain = plain(key)
    for property in ours {
      let wanted = Self.plain(property.rawValue)
      let stem = property.rawValue.split(separator: "_").dropLast().joined()
      if plain == wanted || (!stem.isEmpty && plain == stem) { return property }
      let allowed = wanted.utf8.count / 5
      if abs(wanted.utf8.count - plain.utf8.count) <= allowed,
        NearestWord.editDistance(plain, wanted) <= allowed
      {
        return property
      }
    }
    return nil
  }

  /// Those that nobody else has, so that a near miss is a slip.
  private static let ours: [RegionProperty] = [
    .radiusMeters, .bufferMeters, .notify, .dwellSeconds, .exitDelaySeconds, .maxLatencySeconds, .initial,
    .sensitivity,
  ]

  private static func plain(_ key: String) -> String {
    String(
      decoding: key.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }.map(\.asciiLowercased),
      as: UTF8.self)
  }
}
