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

  /// Reads `{"_type":"waypoints","waypoints":[…]}`. A waypoint is known by its `rid`, else by its `desc`; one whose
  /// latitude or longitude is out of range is removed (owntracks/booklet, `docs/features/waypoints.md`).
  ///
  /// - Throws: what is wrong with the first waypoint that is not good.
  package init(_ tree: JSONTree, outlet: String) throws(Failure) {
    guard case .array(let waypoints)? = tree["waypoints"] else {
      throw Failure(.data, what: "it has no list of waypoints")
    }
    for waypoint in waypoints {
      let name = waypoint["rid"]?.text(or: nil) ?? waypoint["desc"]?.text(or: nil)
      guard let name, !name.isEmpty else { throw Failure(.data, what: "a waypoint has neither rid nor desc") }
      if Self.isOutOfRange(waypoint["lat"], 90) || Self.isOutOfRange(waypoint["lon"], 180) {
        removed.append(name)
        continue
      }
      let list = JSONTree.object([
        .init(key: "_type", value: .string("waypoints")), .init(key: "waypoints", value: .array([waypoint])),
      ])
      var edit = RegionEdit(id: name)
      edit.tags = [Self.tag(of: outlet)]
      let read = try RegionFile.read(bytes: Array(list.text.utf8), name: "setWaypoints")
      guard read.regions.count == 1 else {
        throw Failure(.data, what: "waypoint \"\(name)\" is no place: \(read.leftOut.first ?? "")")
      }
      files.append(try edit.apply(to: Array(try read.feature(at: 0).geoJSON.utf8), name: "setWaypoints"))
    }
  }

  private static func isOutOfRange(_ value: JSONTree?, _ limit: Double) -> Bool {
    guard case .number(let text)? = value, let number = Double(text) else { return false }
    return abs(number) > limit
  }
}
