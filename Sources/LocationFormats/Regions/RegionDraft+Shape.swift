import LocationCore

extension RegionDraft {
  /// The outline, which is valid; nil where no region is made of such a geometry.
  func shape() throws(RegionProblem) -> Region.Shape? {
    if let beacon { return .beacon(beacon) }
    guard let shape = try writtenShape() else { return nil }
    if case .circle = shape { return shape }
    do {
      _ = try ShapeGeometry(shape)
    } catch {
      throw RegionProblem(error, order)
    }
    return shape
  }

  private func writtenShape() throws(RegionProblem) -> Region.Shape? {
    switch geometry {
    case .point(let position):
      return .circle(center: try Self.coordinate(position, order), radiusMeters: try statedRadius())
    case .lineString(let positions):
      guard let bufferMeters else {
        throw RegionProblem(
          what: "a LineString without a buffer", remedy: "add \"buffer_m\" (metres) to its properties")
      }
      guard positions.count >= 2 else {
        throw RegionProblem(what: "a line of less than two positions", remedy: "give it two, or a Point")
      }
      return .corridor(line: try places(positions), bufferMeters: bufferMeters)
    case .polygon(let rings):
      return .polygon(try polygon(rings))
    case .multiPolygon(let polygons):
      guard !polygons.isEmpty else {
        throw RegionProblem(what: "a MultiPolygon without polygons", remedy: "give it one, or remove it")
      }
      var made: [Region.Polygon] = []
      made.reserveCapacity(polygons.count)
      for rings in polygons { made.append(try polygon(rings)) }
      return .multiPolygon(made)
    case .other, .none:
      return nil
    }
  }

  private func statedRadius() throws(RegionProblem) -> Double {
    if let radiusMeters { return radiusMeters }
    if let meters = try foreignRadius?.meters() { return meters }
    throw RegionProblem(
      what: "a Point without a radius",
      remedy: "add \"radius_m\" (metres) to its properties, or import it with --radius METRES")
  }

  private func polygon(_ rings: [[Position]]) throws(RegionProblem) -> Region.Polygon {
    guard let outer = rings.first else {
      throw RegionProblem(what: "a Polygon without a ring", remedy: "give it a ring, or remove the feature")
    }
    var holes: [[Coordinate]] = []
    holes.reserveCapacity(rings.count - 1)
    for ring in rings.dropFirst() { holes.append(try self.ring(ring)) }
    return Region.Polygon(shell: try ring(outer), holes: holes)
  }

  private func ring(_ positions: [Position]) throws(RegionProblem) -> [Coordinate] {
    guard let first = positions.first, let last = positions.last else {
      throw RegionProblem(what: "an empty ring", remedy: "give it its positions, or remove it")
    }
    guard first == last else {
      throw RegionProblem(
        what: "a ring that is not closed: it begins at \(Self.shown(first)) and ends at \(Self.shown(last))",
        remedy: "repeat the first position at its end")
    }
    // Three corners, and the first again (RFC 7946, section 3.1.6).
    guard positions.count >= 4 else {
      throw RegionProblem(
        what: "a ring of less than four positions, at \(Self.shown(first))",
        remedy: "repeat the first position at its end")
    }
    return try places(positions)
  }

  /// Places of an outline. Longitudes may be written as 0 to 360, as those do who work around the antimeridian.
  private func places(_ positions: [Position]) throws(RegionProblem) -> [Coordinate] {
    var places: [Coordinate] = []
    places.reserveCapacity(positions.count)
    for position in positions {
      var turned = position
      if position.longitude > 180, position.longitude <= 360 { turned.longitude -= 360 }
      if position.longitude < -180, position.longitude >= -360 { turned.longitude += 360 }
      places.append(try Self.coordinate(turned, order))
    }
    return places
  }

  fileprivate static func shown(_ position: Position) -> String {
    "[\(JSONText.number(position.longitude)), \(JSONText.number(position.latitude))]"
  }
}

extension RegionProblem {
  /// Degrees to a centimetre.
  private static func rounded(_ degrees: Double) -> String {
    JSONText.number((degrees * 1e7).rounded() / 1e7)
  }

  /// What is wrong with an outline.
  ///
  /// - Parameter order: how its positions were written.
  init(_ error: RegionError, _ order: RegionDraft.Order) {
    switch error {
    case .invalidGeometry(_, let place):
      let at = place.map { place in
        let (latitude, longitude) = (Self.rounded(place.latitude), Self.rounded(place.longitude))
        return switch order {
        case .geoJSON: " at [\(longitude), \(latitude)]"
        case .kml: " at \(longitude),\(latitude)"
        case .latitudeFirst, .named: " at \(latitude),\(longitude)"
        }
      }
      self.init(what: "\(error)\(at ?? "")", remedy: "draw it anew there")
    case .isOfBeacons: self.init(what: "\(error)", remedy: nil)
    case .invalidRadius(let meters):
      self.init(what: "\(JSONText.number(meters)) is no radius", remedy: "write more than 0 metres")
    case .outOfMemory: self.init(what: "\(error)", remedy: Failure.memoryRemedy)
    case .invalidSeconds(let seconds):
      self.init(what: "\(JSONText.number(seconds)) is no duration", remedy: "write 0 or more seconds")
    case .duplicateID: self.init(what: "\(error)", remedy: "ids are unique")
    case .tooMany(let limit): self.init(what: "more than \(limit) regions", remedy: "remove some first")
    }
  }
}
