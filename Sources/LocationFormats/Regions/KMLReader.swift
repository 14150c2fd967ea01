import LocationCore

/// Makes regions of the placemarks of a KML file.
///
/// A Polygon becomes a polygon, a Point a circle with the radius that its ExtendedData (`radius_m`) or the
/// caller names, a LineString with `buffer_m` in its ExtendedData a corridor.
struct KMLReader: XMLRegionReader {
  var collector: RegionCollector
  private var placemark: Placemark?
  /// The elements that are open, the outermost first.
  private var path: [String] = []
  private var text: [UInt8] = []
  private var dataName: String?
  /// Whether the polygon under way has an outer boundary.
  private var hasOuter = false

  private struct Placemark {
    var line: Int
    var id: String?
    var name: String?
    /// ExtendedData, in the order of the file.
    var data: [(key: String, value: String)] = []
    var points: [RegionDraft.Position] = []
    var lines: [[RegionDraft.Position]] = []
    var polygons: [[[RegionDraft.Position]]] = []
    /// Geometries that no region is made of.
    var others: [String] = []
    var problem: RegionProblem?
  }

  private static let otherGeometries: Set<String> = ["Model", "Track", "MultiTrack", "LinearRing"]

  init(file: String, options: RegionFile.Options) {
    collector = RegionCollector(file: file, noun: "placemark", options: options)
  }

  /// Reads everything; what is wrong is in the collector.
  mutating func read(_ bytes: [UInt8]) { _ = readDocument(bytes) }

  mutating func take(_ event: XMLEvent) {
    switch event {
    case .start(let name, let attributes, let line):
      if name == "Placemark", placemark == nil {
        collector.number += 1
        placemark = Placemark(line: line, id: attributes.first { $0.name == "id" }?.value)
      } else if name == "Polygon" {
        placemark?.polygons.append([])
        hasOuter = false
      } else if name == "Data" || name == "SimpleData" {
        dataName = attributes.first { $0.name == "name" }?.value
      } else if Self.otherGeometries.contains(name), path.last == "Placemark" || path.last == "MultiGeometry"
      {
        placemark?.others.append(name)
      }
      path.append(name)
      text.removeAll(keepingCapacity: true)
    case .text(let bytes):
      if placemark != nil { text += bytes }
    case .end(let name):
      path.removeLast()
      end(name)
    }
  }

  private mutating func end(_ name: String) {
    guard placemark != nil else { return }
    switch name {
    case "Placemark": finish()
    case "name" where path.last == "Placemark": endName()
    case "coordinates": endCoordinates()
    case "Polygon":
      if !hasOuter {
        note(RegionProblem(what: "a Polygon without an outer boundary", remedy: "add an outerBoundaryIs"))
      }
    case "value" where path.last == "Data": endData()
    case "SimpleData": endData()
    default: break
    }
    text.removeAll(keepingCapacity: true)
  }

  private mutating func endName() {
    let value = value
    placemark?.name = RegionDraft.trimmed(value)
  }

  private var value: String { String(decoding: text, as: UTF8.self) }

  private mutating func endData() {
    let value = RegionDraft.trimmed(value) ?? ""
    if let key = dataName { placemark?.data.append((key, value)) }
    dataName = nil
  }

  private mutating func endCoordinates() {
    let positions: [RegionDraft.Position]
    do {
      positions = try Self.positions(text)
    } catch {
      return note(error)
    }
    switch path.last {
    case "Point":
      if let position = positions.first { placemark?.points.append(position) }
    case "LineString": placemark?.lines.append(positions)
    case "LinearRing":
      guard let polygon = placemark?.polygons.indices.last, path.count >= 2 else { return }
      if path[path.count - 2] == "outerBoundaryIs" {
        placemark?.polygons[polygon].insert(positions, at: 0)
        hasOuter = true
      } else if path[path.count - 2] == "innerBoundaryIs" {
        placemark?.polygons[polygon].append(positions)
      }
    default: break
    }
  }

  /// Keeps the first problem of a placemark for its end.
  private mutating func note(_ problem: RegionProblem) {
    if placemark?.problem == nil { placemark?.problem = problem }
  }

  /// `lon,lat[,alt]` between white space.
  private static func positions(_ text: [UInt8]) throws(RegionProblem) -> [RegionDraft.Position] {
    var positions: [RegionDraft.Position] = []
    for tuple in text.split(whereSeparator: \.isXMLSpace) {
      let numbers = tuple.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        .map { Double(numberText: Array($0).span) }
      guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] else {
        throw RegionProblem(
          what: "\"\(tuple.span.text())\" is no position",
          remedy: "KML has longitude,latitude with no space between")
      }
      positions.append(RegionDraft.Position(longitude: longitude, latitude: latitude))
    }
    return positions
  }

  private mutating func finish() {
    guard let done = placemark else { return }
    placemark = nil
    let label = done.name ?? done.id
    do throws(RegionProblem) {
      if let problem = done.problem { throw problem }
      guard let geometry = geometry(of: done, label: label) else { return }
      var draft = RegionDraft()
      draft.order = .kml
      draft.name = done.name ?? done.id
      draft.geometry = geometry
      var properties: [(key: String, json: String)] = []
      for (key, value) in done.data { try note(key, value, in: &draft, &properties) }
      try collector.addPlace(draft, properties: properties)
    } catch {
      collector.note(error.what, error.remedy, id: label, line: done.line)
    }
  }

  /// What of a placemark a region can be made of; nil where there is nothing.
  private mutating func geometry(of done: Placemark, label: String?) -> RegionDraft.Geometry? {
    if !done.polygons.isEmpty {
      if !done.points.isEmpty || !done.lines.isEmpty {
        collector.leaveOut("its points and lines, beside its polygons", id: label)
      }
      return done.polygons.count == 1 ? .polygon(done.polygons[0]) : .multiPolygon(done.polygons)
    }
    if done.points.count + done.lines.count > 1 {
      collector.leaveOut("several points or lines in one placemark", id: label)
      return nil
    }
    if let point = done.points.first { return .point(point) }
    if let line = done.lines.first { return .lineString(line) }
    collector.leaveOut(
      done.others.first.map { "no region is made of a \($0)" } ?? "it has no geometry", id: label)
    return nil
  }

  /// ExtendedData that has the name of a property of ours is one; the rest is the owner's own.
  private func note(
    _ key: String, _ value: String, in draft: inout RegionDraft,
    _ properties: inout [(key: String, json: String)]
  ) throws(RegionProblem) {
    func number() throws(RegionProblem) -> Double {
      guard let number = Double(numberText: Array(value.utf8).span) else {
        throw RegionProblem(
          what: "\(key): \"\(value)\" is no number", remedy: "write digits and a point, without a unit")
      }
      return number
    }
    switch RegionProperty(rawValue: key) {
    case .radiusMeters: draft.radiusMeters = try RegionDraft.radius(try number())
    case .bufferMeters: draft.bufferMeters = try RegionDraft.radius(try number())
    case .dwellSeconds: draft.dwellSeconds = try RegionDraft.seconds(try number())
    case .exitDelaySeconds: draft.exitDelaySeconds = try RegionDraft.seconds(try number())
    case .id, .name: break
    case .radius, .radiusUnits, .rad, .mapboxRadius, .mapboxDwell, .beacon, .notify, .maxLatencySeconds,
      .initial,
      .sensitivity, .tags, nil:
      properties.append((key, RegionProperty.json(key, value)))
    }
  }
}
