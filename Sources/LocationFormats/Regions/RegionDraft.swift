import LocationCore

/// What a file or a command line says of a region, before it is one.
///
/// Every way in goes through it, so that the rules and their words are the same everywhere.
struct RegionDraft {
  /// A place as it is written.
  struct Position: Equatable {
    var longitude: Double
    var latitude: Double
  }

  /// In which order a position's numbers are written.
  enum Order {
    case geoJSON
    case kml
    case latitudeFirst
    /// Each with its name, so that there is none.
    case named
  }

  /// An outline as it is written.
  enum Geometry: Equatable {
    case point(Position)
    case lineString([Position])
    /// The outer ring, then its holes.
    case polygon([[Position]])
    case multiPolygon([[[Position]]])
    /// One that no region is made of; its type, for the message.
    case other(String)
    /// None at all, as GeoJSON's null.
    case none
  }

  var id: String?
  var name: String?
  var geometry: Geometry = .none
  var order = Order.geoJSON
  /// Metres, checked.
  var radiusMeters: Double?
  /// Metres to each side of a line, checked.
  var bufferMeters: Double?
  /// For a point without ``radiusMeters``.
  var foreignRadius: ForeignRadius?
  /// Whether the radius stands nowhere in the text.
  private(set) var isRadiusAssumed = false
  /// Whether the id is the Feature's own member.
  var hasOwnID = false
  /// Whether its id is a number for which its name stands.
  var isNumbered = false
  /// Whether it is from the saved places of Google Takeout.
  var isSavedPlace = false
  /// Which beacons it is made of.
  var beacon: Beacon?
  var tags: [String]?
  var notify: Region.Notify?
  var dwellSeconds: Double?
  var exitDelaySeconds: Double?
  var maxLatencySeconds: Double?
  var initial: Region.Initial?
  var sensitivity: Region.Sensitivity?

  /// What is missing to make a region of the geometry; nil where nothing is.
  var missing: String? {
    switch geometry {
    case .point: radiusMeters == nil && foreignRadius == nil ? "a Point without a radius" : nil
    case .lineString:
      bufferMeters == nil ? "a LineString without buffer_m; give it one, its half width in metres" : nil
    case .polygon, .multiPolygon, .other, .none: nil
    }
  }

  /// Gives a point without a radius this one.
  mutating func assume(radiusMeters meters: Double) {
    guard case .point = geometry, radiusMeters == nil, foreignRadius == nil else { return }
    radiusMeters = meters
    isRadiusAssumed = true
  }

  /// The region; nil where no region is made of such a geometry.
  func region(id: String) throws(RegionProblem) -> Region? {
    guard let shape = try shape() else { return nil }
    var region = Region(id: id, name: name, shape: shape)
    // A dwell time without `notify` implies `dwell`.
    region.notify = notify ?? (dwellSeconds == nil ? region.notify : region.notify.union(.dwell))
    region.dwellSeconds = dwellSeconds ?? region.dwellSeconds
    region.exitDelaySeconds = exitDelaySeconds ?? region.exitDelaySeconds
    region.maxLatencySeconds = maxLatencySeconds
    region.initial = initial ?? region.initial
    region.sensitivity = sensitivity
    return region
  }

  // MARK: Values

  /// The longest id accepted, bytes: a name for people and file systems, not a document.
  static let maximumIDBytes = 200

  static func checkedID(_ id: String) throws(RegionProblem) -> String {
    guard !id.isEmpty else { throw RegionProblem(what: "an empty id", remedy: "give it a name") }
    guard id.utf8.count <= maximumIDBytes else {
      throw RegionProblem(what: "an id of more than \(maximumIDBytes) bytes", remedy: "shorten it")
    }
    guard !OwnersText.hasControlCharacter(id) else {
      throw RegionProblem(what: "an id with a control character", remedy: OwnersText.nameRemedy)
    }
    return id
  }

  /// A text without white space around it; nil where nothing is left.
  static func trimmed(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    let body = bytes.span.rangeWithinXMLSpace
    return body.isEmpty ? nil : String(decoding: bytes[body], as: UTF8.self)
  }

  /// An id that looks like a name: on one line and short enough; nil where nothing is left of it.
  static func id(fromName name: String) -> String? {
    let words = name.unicodeScalars.split { $0.value <= 0x20 || $0.value == 0x7F }
    var id = ""
    for scalar in words.joined(separator: [" "]) {
      guard id.utf8.count + 4 <= maximumIDBytes - 10 else { break }
      id.unicodeScalars.append(scalar)
    }
    return id.isEmpty ? nil : id
  }

  /// Metres from pole to pole along a meridian, the most by which two places can be apart (WGS 84).
  static let halfwayRoundMeters = 20_003_931.0

  /// Metres, positive, less than ``halfwayRoundMeters``.
  static func radius(_ meters: Double) throws(RegionProblem) -> Double {
    guard meters > 0, meters.isFinite else {
      throw RegionProblem(what: "\(JSONText.number(meters)) is no radius", remedy: "write more than 0 metres")
    }
    guard meters < halfwayRoundMeters else {
      throw RegionProblem(
        what: "a radius of \(JSONText.number(meters)) m holds the whole Earth", remedy: "write metres")
    }
    return meters
  }

  /// Seconds, finite and not negative.
  static func seconds(_ seconds: Double) throws(RegionProblem) -> Double {
    guard seconds >= 0, seconds.isFinite else {
      throw RegionProblem(
        what: "\(JSONText.number(seconds)) is no duration", remedy: "write 0 or more seconds")
    }
    return seconds
  }

  /// - Parameter order: how the position was written, for the message.
  static func coordinate(_ position: Position, _ order: Order) throws(RegionProblem) -> Coordinate {
    let (longitude, latitude) = (position.longitude, position.latitude)
    if let place = Coordinate(latitude: latitude, longitude: longitude) { return place }
    if abs(latitude) > 90 {
      let mayBeSwapped = abs(longitude) <= 90 && abs(latitude) <= 180
      let remedy: String? =
        switch order {
        case .geoJSON:
          "GeoJSON has longitude first: [\(JSONText.number(latitude)), \(JSONText.number(longitude))]"
        case .kml: "KML has longitude first: \(JSONText.number(latitude)),\(JSONText.number(longitude))"
        case .latitudeFirst:
          "latitude comes first here: \(JSONText.number(longitude)),\(JSONText.number(latitude))"
        case .named: nil
        }
      throw RegionProblem(
        what: "latitude \(JSONText.number(latitude)) is not within -90 to 90"
          + (mayBeSwapped ? "; swapped?" : ""),
        remedy: mayBeSwapped ? remedy : nil)
    }
    throw RegionProblem(
      what: "longitude \(JSONText.number(longitude)) is not within -180 to 180",
      remedy: abs(longitude) <= 540
        ? "write \(JSONText.number(Geodesy.normalizedLongitude(longitude)))" : "write degrees of WGS 84")
  }

  static func notify(_ words: [String]) throws(RegionProblem) -> Region.Notify {
    var notify: Region.Notify = []
    for word in words {
      guard let one = notifyWords.first(where: { $0.word == word })?.notify else {
        let near = word == "leave" ? "exit" : NearestWord.to(word, among: notifyWords.map(\.word))
        throw RegionProblem(
          what: "\"\(word)\" is no event of a region",
          remedy: near.map { "did you mean \($0)?" } ?? "write enter, exit, dwell or cross")
      }
      notify.formUnion(one)
    }
    return notify
  }

  static func initial(_ word: String) throws(RegionProblem) -> Region.Initial {
    guard let initial = Region.Initial(rawValue: word) else {
      throw RegionProblem(what: "\"\(word)\" is no such word", remedy: "write state, event or silent")
    }
    return initial
  }

  static func sensitivity(_ word: String) throws(RegionProblem) -> Region.Sensitivity {
    guard let sensitivity = Region.Sensitivity(rawValue: word) else {
      throw RegionProblem(what: "\"\(word)\" is no such word", remedy: "write early, balanced or certain")
    }
    return sensitivity
  }

  static let notifyWords: [(word: String, notify: Region.Notify)] = [
    ("enter", .enter), ("exit", .exit), ("dwell", .dwell), ("cross", .cross),
  ]
}
