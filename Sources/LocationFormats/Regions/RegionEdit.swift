package import LocationCore

/// What a command line says of a region that is to be stored.
package struct RegionEdit: Sendable {
  /// What events call it.
  package var id: String
  /// For people.
  package var name: String?
  /// Words to find it by.
  package var tags: [String] = []
  /// `enter`, `exit`, `dwell`, `cross`, separated by commas.
  package var notify: String?
  /// Seconds inside until a dwell event.
  package var dwellSeconds: Double?
  /// Seconds by which an exit is held back.
  package var exitDelaySeconds: Double?
  /// The longest visit that may be missed, seconds.
  package var maxLatencySeconds: Double?
  /// Half the width of a corridor, metres.
  package var bufferMeters: Double?
  /// `state`, `event` or `silent`.
  package var initial: String?
  /// `early`, `balanced` or `certain`.
  package var sensitivity: String?

  /// An edit that says nothing but the id.
  package init(id: String) { self.id = id }

  /// The region that a circle becomes.
  ///
  /// - Throws: `.usage`.
  package func apply(to circle: PlaceText.Circle) throws(Failure) -> RegionFile {
    let text =
      #"{"type":"Feature","properties":{"radius_m":\#(JSONText.number(circle.radiusMeters))},"#
      + #""geometry":{"type":"Point","coordinates":["#
      + "\(JSONText.number(circle.center.longitude)),\(JSONText.number(circle.center.latitude))]}}"
    return try apply(to: Array(text.utf8), name: "--circle")
  }

  /// The region where a beacon is seen: `UUID:MAJOR:MINOR`, or less of it.
  ///
  /// - Throws: `.usage`.
  package func apply(toBeacon text: String) throws(Failure) -> RegionFile {
    guard let beacon = Beacon(text) else {
      throw Failure(
        .usage, what: "\"\(text)\" is no beacon",
        remedy: "write UUID:MAJOR:MINOR, or NAMESPACE:INSTANCE for Eddystone")
    }
    let text =
      #"{"type":"Feature","properties":{"beacon":\#(JSONText.string(beacon.text))},"geometry":null}"#
    return try apply(to: Array(text.utf8), name: "--beacon")
  }

  /// The region that the corners of a polygon become; the last need not repeat the first.
  ///
  /// - Throws: `.usage`.
  package func apply(toPolygon corners: [Coordinate]) throws(Failure) -> RegionFile {
    guard corners.count >= 3 else {
      throw Failure(
        .usage, what: "a polygon has at least three corners", remedy: "write LAT,LON LAT,LON LAT,LON")
    }
    let ring = corners.first == corners.last ? corners : corners + corners.prefix(1)
    // GeoJSON's outer rings run against the clock; its reader takes either way.
    return try apply(to: .polygon([ring.map(Self.position)]), name: "--polygon")
  }

  /// The corridor along a line.
  ///
  /// - Throws: `.usage`.
  package func apply(toLine line: [Coordinate]) throws(Failure) -> RegionFile {
    guard line.count >= 2 else {
      throw Failure(.usage, what: "a line has at least two places", remedy: "write LAT,LON LAT,LON")
    }
    return try apply(to: .lineString(line.map(Self.position)), name: "--line")
  }

  private func apply(to geometry: RegionDraft.Geometry, name: String) throws(Failure) -> RegionFile {
    var draft = RegionDraft()
    draft.geometry = geometry
    draft.order = .latitudeFirst
    do throws(RegionProblem) {
      draft.bufferMeters = try bufferMeters.map { (meters) throws(RegionProblem) in
        try RegionDraft.radius(meters)
      }
      // The text below is ours, the places are the user's: what is wrong with them is told as they were written.
      _ = try draft.shape()
    } catch {
      throw Failure(.usage, what: "\(name): \(error.what)", remedy: error.remedy)
    }
    let buffer = bufferMeters.map { "\"buffer_m\":\(JSONText.number($0))" } ?? ""
    let text = #"{"type":"Feature","properties":{\#(buffer)},"geometry":\#(geometry.json)}"#
    return try apply(to: Array(text.utf8), name: name)
  }

  private static func position(_ place: Coordinate) -> RegionDraft.Position {
    RegionDraft.Position(longitude: place.longitude, latitude: place.latitude)
  }

  /// The region that the one Feature or geometry of a file becomes.
  ///
  /// - Throws: `.usage` where the edit is wrong, `.data` where the file is.
  package func apply(to bytes: [UInt8], name: String) throws(Failure) -> RegionFile {
    let changes = try changes()
    let file = try RegionFile.read(bytes: bytes, name: name)
    guard file.regions.count == 1, file.leftOut.isEmpty else {
      throw Failure(
        .data, file: name,
        what: "holds \(file.regions.count + file.leftOut.count) features where one is expected",
        remedy: "locwatch regions import takes as many as there are")
    }
    let feature = try file.feature(at: 0)
    do {
      let text = try FeatureText.make(from: Array(feature.geoJSON.utf8)[...], changes, isBare: false)
      return try RegionFile.read(bytes: text, name: name)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.software, file: name, what: "\(error)")
    }
  }

  private func changes() throws(Failure) -> FeatureText.Changes {
    var changes = FeatureText.Changes()
    func set(_ property: RegionProperty, _ json: String) {
      changes.properties.append((property.rawValue, json))
    }
    do {
      changes.id = try RegionDraft.checkedID(id)
      if let name { set(.name, JSONText.string(name)) }
      if !tags.isEmpty { set(.tags, JSONText.strings(tags)) }
      if let notify {
        let words = notify.split(separator: ",").map { String($0.filter { $0 != " " }) }
        _ = try RegionDraft.notify(words)
        set(.notify, JSONText.strings(words))
      }
      if let dwellSeconds { set(.dwellSeconds, JSONText.number(try RegionDraft.seconds(dwellSeconds))) }
      if let exitDelaySeconds {
        set(.exitDelaySeconds, JSONText.number(try RegionDraft.seconds(exitDelaySeconds)))
      }
      if let bufferMeters { set(.bufferMeters, JSONText.number(try RegionDraft.radius(bufferMeters))) }
      if let maxLatencySeconds {
        set(.maxLatencySeconds, JSONText.number(try RegionDraft.seconds(maxLatencySeconds)))
      }
      if let sensitivity {
        set(.sensitivity, JSONText.string(try RegionDraft.sensitivity(sensitivity).rawValue))
      }
      if let initial { set(.initial, JSONText.string(try RegionDraft.initial(initial).rawValue)) }
    } catch {
      throw Failure(.usage, what: error.what, remedy: error.remedy)
    }
    return changes
  }
}
