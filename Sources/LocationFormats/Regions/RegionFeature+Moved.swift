import LocationCore

extension RegionFeature {
  /// The same region as another circle; what else its owner wrote stays.
  ///
  /// - Throws: `.data` where the feature can't be read.
  package func moved(to circle: PlaceText.Circle) throws(Failure) -> RegionFile {
    guard case .object(var members)? = try? JSONTree(Array(geoJSON.utf8)) else {
      throw Failure(.data, what: "region \"\(region.id)\" is no object of GeoJSON")
    }
    func set(_ key: String, _ value: JSONTree, in members: inout [JSONTree.Member]) {
      members.removeAll { $0.key == key }
      members.append(JSONTree.Member(key: key, value: value))
    }
    var properties: [JSONTree.Member] = []
    if case .object(let old)? = members.first(where: { $0.key == "properties" })?.value { properties = old }
    // Other programs' names of a radius would contradict ours.
    let radii: [RegionProperty] = [.radius, .radiusUnits, .rad, .mapboxRadius]
    properties.removeAll { member in radii.contains { $0.rawValue == member.key } }
    set(
      RegionProperty.radiusMeters.rawValue, .number(JSONText.number(circle.radiusMeters)), in: &properties)
    set("properties", .object(properties), in: &members)
    let place = [circle.center.longitude, circle.center.latitude]
    set(
      "geometry",
      .object([
        "type": .string("Point"), "coordinates": .array(place.map { .number(JSONText.number($0)) }),
      ]), in: &members)
    return try RegionFile.read(bytes: Array(JSONTree.object(members).text.utf8), name: region.id)
  }
}
