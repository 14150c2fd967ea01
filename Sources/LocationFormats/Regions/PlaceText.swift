package import LocationCore

/// Places as people write them, latitude first.
package enum PlaceText {
  /// A place and the metres around it.
  package struct Circle: Hashable, Sendable {
    /// The middle.
    package var center: Coordinate
    /// Metres, positive.
    package var radiusMeters: Double

    package init(center: Coordinate, radiusMeters: Double) {
      self.center = center
      self.radiusMeters = radiusMeters
    }
  }

  /// `LAT,LON` in degrees.
  package static func place(_ text: String) throws(Failure) -> Coordinate {
    let numbers = try numbers(text, count: 2, "a place is LAT,LON in degrees, like 48.1371,11.5754")
    return try checked(text, latitude: numbers[0], longitude: numbers[1])
  }

  /// `LAT,LON LAT,LON …`, several places between spaces.
  package static func places(_ text: String) throws(Failure) -> [Coordinate] {
    var places: [Coordinate] = []
    for word in text.split(separator: " ") {
      places.append(try place(String(word)))
    }
    return places
  }

  /// `LAT,LON,RADIUS` in degrees and metres.
  package static func circle(_ text: String) throws(Failure) -> Circle {
    var text = text
    // The radius may have a unit.
    if let comma = text.lastIndex(of: ","), text.count(where: { $0 == "," }) == 2, text.last?.isLetter == true
    {
      let meters = try MeasureText.meters(String(text[text.index(after: comma)...]))
      text = "\(text[...comma])\(JSONText.number(meters))"
    }
    let numbers = try numbers(
      text, count: 3, "a circle is LAT,LON,RADIUS in degrees and metres, like 48.1371,11.5754,120")
    let center = try checked(text, latitude: numbers[0], longitude: numbers[1])
    do {
      return Circle(center: center, radiusMeters: try RegionDraft.radius(numbers[2]))
    } catch {
      throw Failure(.usage, what: "\(text): \(error.what)", remedy: error.remedy)
    }
  }

  private static func numbers(_ text: String, count: Int, _ remedy: String) throws(Failure) -> [Double] {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { Double(numberText: Array($0.utf8).span) }
    guard numbers.count == fields.count, numbers.count == count else {
      throw Failure(.usage, what: "\"\(text)\" is no \(count == 2 ? "place" : "circle")", remedy: remedy)
    }
    return numbers
  }

  private static func checked(_ text: String, latitude: Double, longitude: Double) throws(Failure)
    -> Coordinate
  {
    do {
      return try RegionDraft.coordinate(
        RegionDraft.Position(longitude: longitude, latitude: latitude), .latitudeFirst)
    } catch {
      throw Failure(.usage, what: "\(text): \(error.what)", remedy: error.remedy)
    }
  }

  /// The place on one line of a stream: `LAT,LON`, or JSON with `lat` and `lon`.
  ///
  /// - Throws: what is wrong with it.
  package static func place(line: Span<UInt8>) throws(RegionProblem) -> Coordinate {
    let body = line.rangeWithinXMLSpace
    if !body.isEmpty, line[body.lowerBound] == UInt8(ascii: "{") {
      switch FixLine(line.extracting(body), assumeAccuracyMeters: nil) {
      case .fix(let report):
        guard !report.latitude.isNaN, !report.longitude.isNaN else {
          throw RegionProblem(
            what: "an object whose \(report.latitude.isNaN ? "lat" : "lon") is missing or no number",
            remedy: "write {\"lat\":LAT,\"lon\":LON}, without quotes around the numbers")
        }
        return try RegionDraft.coordinate(
          RegionDraft.Position(longitude: report.longitude, latitude: report.latitude), .named)
      case .gpsd, .other:
        throw RegionProblem(what: "an object without lat and lon", remedy: "write {\"lat\":LAT,\"lon\":LON}")
      case .malformed(let why): throw RegionProblem(what: why, remedy: nil)
      }
    }
    guard let comma = line.firstIndex(of: UInt8(ascii: ",")),
      let latitude = Double(numberText: line.extracting(0..<comma)),
      let longitude = Double(numberText: line.extracting((comma + 1)...))
    else {
      throw RegionProblem(
        what: "\"\(line.text())\" is no place", remedy: "write LAT,LON or {\"lat\":LAT,\"lon\":LON}")
    }
    return try RegionDraft.coordinate(
      RegionDraft.Position(longitude: longitude, latitude: latitude), .latitudeFirst)
  }
}
