import LocationCore
package import LocationFormats

/// The regions of a rule, as the state file is to have them.
package struct RuleRegions {
  /// Regions that are new or changed.
  package private(set) var files: [RegionFile] = []
  /// What is changed of regions that were there, and that others may notice; a line each.
  package private(set) var notes: [String] = []
  /// After how many seconds those of a dwell report it, by id.
  package private(set) var dwells: [String: Double] = [:]

  /// The tag of a region that `locwatch on` made: it goes with the last rule that needs it.
  package static let tag = "on"

  /// Finds the regions of a rule, or makes one of a circle, and sees to it that they report the rule's events.
  ///
  /// - Parameters:
  ///   - rule: is given the ids that it is about.
  ///   - circle: a region to be made; its id is the rule's only one, else a new one.
  ///   - database: nil where there is none yet.
  /// - Throws: code 1 where there is no such region, or one of another shape; `.usage` where none is named.
  package init(
    for rule: inout CommandRule, circle: PlaceText.Circle?, in database: StateDatabase?
  ) throws(Failure) {
    guard rule.isAboutRegions else { return }
    let known = try database?.regions() ?? RegionFile(name: "")
    if let circle {
      try add(circle, for: &rule, known)
    } else {
      guard !rule.regions.isEmpty else { throw Self.noRegion(known) }
      for id in rule.regions { try use(id, for: rule, known) }
    }
  }

  private static func noRegion(_ known: RegionFile) -> Failure {
    let ids = known.regions.prefix(5).map(\.id).joined(separator: ", ")
    let remedy =
      ids.isEmpty
      ? "add --circle LAT,LON,METRES, or --here 100m" : "name one (\(ids)), or add --circle or --here"
    return Failure(.usage, what: "no region is named", remedy: remedy)
  }

  private mutating func add(
    _ circle: PlaceText.Circle, for rule: inout CommandRule, _ known: RegionFile
  ) throws(Failure) {
    guard rule.regions.count <= 1 else {
      throw Failure(
        .usage,
        what: "a circle is one region, but several are named: \(rule.regions.joined(separator: ", "))",
        remedy: "name one; how long a dwell is follows it, such as 10m")
    }
    let id = rule.regions.first ?? Self.freeID(among: Set(known.regions.map(\.id)))
    rule.regions = [id]
    if let index = known.regions.firstIndex(where: { $0.id == id }) {
      let shape = Region.Shape.circle(center: circle.center, radiusMeters: circle.radiusMeters)
      guard known.regions[index].shape == shape else {
        throw Failure(
          .cantCreate, what: "there is another region \"\(id)\" already",
          remedy: "leave out the circle to use it, or name the new one otherwise")
      }
      return try use(id, for: rule, known)
    }
    var edit = RegionEdit(id: id)
    edit.tags = [Self.tag]
    edit.notify = Self.words(rule.notify.union([.enter, .exit]))
    if rule.notify.contains(.dwell) {
      edit.dwellSeconds = rule.dwellSeconds ?? Self.dwellSeconds
      dwells[id] = edit.dwellSeconds
    }
    files.append(try edit.apply(to: circle))
  }

  private static func freeID(among taken: Set<String>) -> String {
    var number = 1
    while taken.contains("place-\(number)") { number += 1 }
    return "place-\(number)"
  }

  /// Has a region that is there report what the rule is about.
  private mutating func use(_ id: String, for rule: CommandRule, _ known: RegionFile) throws(Failure) {
    guard let index = known.regions.firstIndex(where: { $0.id == id }) else {
      throw Failure(
        .conditionFails, what: "no region is called \"\(id)\"",
        remedy: EventKind(rawValue: id) == nil
          ? Self.remedy(for: id, of: rule, among: known.regions.map(\.id))
          : "events stand before the regions: locwatch on \(CommandText.line([id] + rule.kinds.map(\.rawValue))) …"
      )
    }
    let region = known.regions[index]
    let missing = rule.notify.subtracting(region.notify)
    var edit = RegionEdit(id: id)
    if !missing.isEmpty {
      edit.notify = Self.words(region.notify.union(missing))
      notes.append("\(id) reports \(Self.words(missing)) from now on, to everybody who subscribes to it")
    }
    if rule.notify.contains(.dwell) {
      let isNew = missing.contains(.dwell)
      if !isNew, let wanted = rule.dwellSeconds, wanted != region.dwellSeconds {
        throw Failure(
          .conditionFails,
          what:
            "\(id) reports a dwell after \(Wording.duration(region.dwellSeconds)), and has one such time only",
          remedy: "use that, or add a second region of the same place under another name")
      }
      if isNew { edit.dwellSeconds = rule.dwellSeconds ?? Self.dwellSeconds }
      dwells[id] = edit.dwellSeconds ?? region.dwellSeconds
    }
    guard !missing.isEmpty else { return }
    files.append(try edit.apply(to: Array(try known.feature(at: index).geoJSON.utf8), name: id))
  }

  /// What is done about a word that names no region.
  private static func remedy(for id: String, of rule: CommandRule, among known: [String]) -> String {
    if let near = NearestWord.to(id, among: known) { return "did you mean \(near)?" }
    let isTime = id.first?.isNumber == true
    if isTime, rule.notify.contains(.dwell), rule.dwellSeconds == nil, id.last?.isLetter == true,
      (try? MeasureText.seconds(id)) != nil
    {
      let words =
        [rule.kinds.map(\.rawValue).joined(separator: ",")] + rule.regions.filter { $0 != id } + [id]
      return "the time stands last: locwatch on \(CommandText.line(words)) -- COMMAND"
    }
    if isTime, rule.notify.contains(.dwell) { return "a time is written 90s, 10m or 1h30m" }
    if isTime, id.last?.isLetter == true { return "only dwell takes a time" }
    return "make it: locwatch on … \(id) --circle LAT,LON,METRES -- COMMAND"
  }

  private static let dwellSeconds = 300.0

  private static func words(_ notify: Region.Notify) -> String {
    let words: [(Region.Notify, String)] = [
      (.enter, "enter"), (.exit, "exit"), (.dwell, "dwell"), (.cross, "cross"),
    ]
    return words.filter { notify.contains($0.0) }.map(\.1).joined(separator: ",")
  }
}

extension StateDatabase {
  /// What commands of `locwatch on`, other subscribers and outlets wait for that these regions do not report, or that
  /// are gone; a line each.
  ///
  /// - Parameter ids: the regions that were changed or removed; nil for all.
  package func waitingInVain(for ids: [String]?) throws(Failure) -> [String] {
    let asked = ids.map { Set($0) }
    var lines: [String] = []
    for subscriber in try subscribers().map(\.subscriber) where subscriber.services.contains(.regions) {
      let wanted = (subscriber.regions ?? []).filter { asked?.contains($0) ?? true }
      guard !wanted.isEmpty else { continue }
      let there = try regions(.ids(wanted)).regions
      for id in wanted {
        guard let region = there.first(where: { $0.id == id }) else {
          lines.append("\(subscriber.name) waits for region \"\(id)\", which is not there")
          continue
        }
        for kind in subscriber.filter?.kinds ?? [] where !region.notify.contains(kind.notify) {
          lines.append(
            "\(subscriber.name) waits for \(kind.rawValue), which region \"\(id)\" does not report; add it to --notify"
          )
        }
      }
    }
    for outlet in try outletSettings() {
      let wanted = (outlet.regions ?? []).filter { asked?.contains($0) ?? true }
      lines += try unknown(among: wanted).map {
        "outlet \(outlet.name) waits for region \"\($0)\", which is not there"
      }
    }
    return lines
  }
}

extension CommandRule {
  /// What its regions have to report.
  fileprivate var notify: Region.Notify { kinds.reduce(into: []) { $0.formUnion($1.notify) } }
}
