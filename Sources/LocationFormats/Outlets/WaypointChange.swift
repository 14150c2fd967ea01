import LocationCore

/// What the OwnTracks command `setWaypoints` makes of the regions: all of it, or nothing.
package struct WaypointChange: Sendable {
  /// Regions to store, a file each.
  package private(set) var files: [RegionFile] = []
  /// Ids of regions to remove.
  package private(set) var removed: [String] = []

  /// The ids of all regions that it changes.
  package var ids: [String] { files.flatMap { $0.regions.map(\.id) } + removed }

  /// The tag of regions that came through an outlet.
  package static func tag(of outlet: String) -> String { "mqtt:\(outlet)" }

  /// Reads `{"_type":"waypoints","waypoints":[…]}`, or the list alone. A waypoint is known by its `rid`, else by its
  /// `desc`; one whose latitude or longitude is out of range is removed (owntracks/booklet,
  /// `docs/features/waypoints.md`).
  ///
  /// A region that did not come through the outlet keeps all but its circle, and stays as it is where the waypoint is
  /// the one that was published for it.
  ///
  /// - Parameter known: the region of an id; nil where there is none.
  /// - Throws: what is wrong with the first waypoint that is not good.
  package init(
    _ tree: JSONTree, outlet: String, known: (String) throws(Failure) -> RegionFeature?
  ) throws(Failure) {
    guard case .array(let waypoints) = tree["waypoints"] ?? tree else {
      throw Failure(
        .data, what: "it has no list of waypoints", remedy: "send waypoints: […], as OwnTracks publishes them"
      )
    }
    var names: Set<String> = []
    for waypoint in waypoints {
      let name = waypoint["rid"]?.string ?? waypoint["desc"]?.string
      guard let name, !name.isEmpty else {
        throw Failure(.data, what: "a waypoint has neither rid nor desc", remedy: "give each of them one")
      }
      guard names.insert(name).inserted else {
        throw Failure(.data, what: "waypoint \"\(name)\" comes twice", remedy: "send it once")
      }
      if Self.isOutOfRange(waypoint["lat"], 90) || Self.isOutOfRange(waypoint["lon"], 180) {
        removed.append(name)
        continue
      }
      let list = JSONTree.object(["_type": .string("waypoints"), "waypoints": .array([waypoint])])
      var edit = RegionEdit(id: name)
      edit.tags = [Self.tag(of: outlet)]
      guard Self.number(waypoint["rad"]) ?? 0 != 0 else {
        throw Failure(
          .data, what: "waypoint \"\(name)\" is no place: it has no radius: rad, metres",
          remedy: "give it one, or a latitude beyond 90 to remove it")
      }
      let read = try RegionFile.read(bytes: Array(list.text.utf8), name: "setWaypoints")
      guard read.regions.count == 1 else {
        throw Failure(.data, what: "waypoint \"\(name)\" is no place: \(read.leftOut.first ?? "")")
      }
      let feature = try read.feature(at: 0)
      guard let there = try known(name), !there.tags.contains(Self.tag(of: outlet)) else {
        files.append(try edit.apply(to: Array(feature.geoJSON.utf8), name: "setWaypoints"))
        continue
      }
      let place = OwnTracksOutlet.Place(feature.region)
      if place.isTold(of: OwnTracksOutlet.Place(there.region)) { continue }
      guard case .circle(let center, let radius) = feature.region.shape, case .circle = there.region.shape
      else {
        throw Failure(
          .data, what: "region \"\(name)\" is no circle, and a waypoint can't make it another shape",
          remedy: "change it with locwatch regions add --replace")
      }
      files.append(try there.moved(to: PlaceText.Circle(center: center, radiusMeters: radius)))
    }
  }

  private static func isOutOfRange(_ value: JSONTree?, _ limit: Double) -> Bool {
    number(value).map { abs($0) > limit } ?? false
  }

  /// Some apps write numbers as text.
  private static func number(_ value: JSONTree?) -> Double? {
    value?.double ?? value?.string.flatMap { Double($0) }
  }
}
