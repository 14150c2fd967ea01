import LocationCore
import LocationFormats

/// What comes in through outlets, and who reads fixes.
extension DaemonLoop {
  /// Tells the engine whether somebody reads fixes, where that changed: the receiver is on only while somebody does.
  mutating func alignAudience() throws(Failure) {
    let isThere = nmea?.hasClients ?? false
    // In a log that is played there is no time before the first fix.
    guard isThere != live.engine.hasAudience, !request.isSimulated || live.last > .distantPast else { return }
    try live.handle(.machine(.audience(isThere)), at: clock.read())
  }

  /// Tells those who read fixes of the one that was accepted.
  mutating func tell(of report: FixReport) {
    guard let fix = live.engine.tally.last else { return }
    nmea?.tell(fix, altitudeMeters: report.altitudeMeters)
    guard control.hasFixFollowers else { return }
    let speed = fix.speedMetersPerSecond.map { JSONTree.fixed($0, FixedPoint.meters) }
    let members = fix.members + JSONTree.members(["speed_mps": speed])
    control.tellFollowers(
      ofFix: .object(["v": .integer(1), "fix": .object(members)]),
      at: clock.instant)
  }

  /// Hands on what is new.
  mutating func pumpOutlets() {
    let now = clock.instant
    // Whatever a region reports, and whatever an outlet is told of that.
    if outlets.places.contains(where: { isInside($0.id) != $0.isInside }) { outlets.noteRegions() }
    // Where they can't be read the outlet fails, and is tried again.
    if outlets.wantsScene(at: now), let scene = try? scene() {
      for note in outlets.take(scene, at: now) { Self.log(note) }
    }
    for note in outlets.pump(at: now, newest: live.host.journal.newestID) { Self.log(note) }
  }

  /// Whether the device is in a region; nil where that is not known.
  private func isInside(_ region: String) -> Bool? {
    switch live.engine.regionState(region) {
    case .inside: true
    case .outside: false
    case .unknown, nil: nil
    }
  }

  /// The regions as outlets tell others of them.
  private func scene() throws(Failure) -> OwnTracksOutlet.Scene {
    var (places, count) = try database.outletPlaces(named: outlets.namedRegions)
    for index in places.indices { places[index].isInside = isInside(places[index].id) }
    var scene = OwnTracksOutlet.Scene(places: places, count: count, newest: live.host.journal.newestID)
    scene.position = live.engine.tally.last.map { fix in
      .init(
        latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
        accuracyMeters: fix.accuracy.radiusMeters)
    }
    return scene
  }

  /// Does what somebody asks through an outlet. What is wrong with it is a line in the log: nobody waits for an answer.
  mutating func obey(_ request: OutletRequest, of outlet: String) throws(Failure) {
    switch request {
    case .note(let text): complain(of: outlet, text)
    case .push(let push, let number):
      do throws(Failure) {
        try self.push(push)
      } catch  where [.noPermission, .usage, .data, .conditionFails].contains(error.code) {
        complain(of: outlet, "a push was refused: \(error)")
      }
      // The broker forgets it with the commit that stores it.
      outlets.noteTaken(number, through: outlet)
      try commit()
    case .command(let command):
      do throws(Failure) {
        try obey(command, of: outlet)
      } catch {
        complain(of: outlet, "a command was refused: \(error)")
      }
    }
  }

  /// Says what was refused, unless that is too much: whoever may publish could fill the log.
  private mutating func complain(of outlet: String, _ text: String) {
    let now = clock.instant
    guard !outletRefusals.isOver(outlet, at: now) else { return }
    outletRefusals.note(outlet, at: now)
    let isLast = outletRefusals.isOver(outlet, at: now)
    Self.log("outlet \(outlet): \(text)\(isLast ? "; what else is refused in this minute is not told" : "")")
  }

  private mutating func obey(_ command: JSONTree, of outlet: String) throws(Failure) {
    switch command["action"]?.string {
    case "reportLocation": report(through: outlet)
    case "setWaypoints":
      let change = try WaypointChange(command["waypoints"] ?? .null, outlet: outlet) { id throws(Failure) in
        let file = try database.regions(.ids([id]))
        return file.regions.isEmpty ? nil : try file.feature(at: 0)
      }
      if !change.files.isEmpty { _ = try database.put(change.files, changing: true) }
      let known = change.removed.isEmpty ? [] : try database.regions(.ids(change.removed)).regions.map(\.id)
      if !known.isEmpty { _ = try database.remove(.ids(known)) }
      var changes: [String] = []
      if !change.files.isEmpty || change.removed.isEmpty {
        changes.append("\(Self.regions(change.files.count)) set")
      }
      if !known.isEmpty { changes.append("\(Self.regions(known.count)) removed") }
      for id in change.removed where !known.contains(id) {
        changes.append("there is no region \"\(id)\" to remove")
      }
      try note(regions: change.ids, changes.joined(separator: " and "), outlet)
    case "clearWaypoints":
      let tag = WaypointChange.tag(of: outlet)
      let ids = try database.regions(.tag(tag)).regions.map(\.id)
      if !ids.isEmpty { _ = try database.remove(.tag(tag)) }
      try note(regions: ids, "\(Self.regions(ids.count)) removed", outlet)
    case "setConfiguration":
      throw Failure(.noPermission, what: "settings belong to the owner of the machine")
    case let other?: throw Failure(.usage, what: "\(other) is no command for locwatch")
    case nil: throw Failure(.usage, what: "it has no \"action\"")
    }
  }

  private static func regions(_ count: Int) -> String {
    count == 1 ? "1 region was" : "\(count) regions were"
  }

  private mutating func note(regions ids: [String], _ text: String, _ outlet: String) throws(Failure) {
    try applyRegions(ids)
    try commit()
    Self.log("outlet \(outlet): by a command \(text)")
  }

  /// Publishes the last accepted fix.
  private mutating func report(through outlet: String) {
    guard let fix = live.engine.tally.last else {
      return Self.log("outlet \(outlet): there is no fix to report")
    }
    let type = JSONTree.members(["type": .string(OwnTracksOutlet.report)])
    outlets.say(.object(type + fix.members), through: outlet)
  }
}
