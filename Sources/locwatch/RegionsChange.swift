import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch regions move`.
struct RegionsMove: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a circle, or change its radius.",
    discussion: """
        locwatch regions move home 48.1371,11.5754
        locwatch regions move home 48.1371,11.5754,200m
        locwatch regions move home --here                 # to the last fix
        locwatch regions move home --radius 200m
      """)

  @Argument(help: ArgumentHelp("The region.", valueName: "id"), completion: Candidates.regions)
  var id: String

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Degrees north, degrees east, and a radius.", valueName: "lat,lon[,radius]"))
  var place: [String] = []

  @Flag(help: "To the last fix of the daemon.")
  var here = false

  @Option(
    help: ArgumentHelp("A new radius, such as 200m.", valueName: "distance"), transform: ArgumentText.meters)
  var radius: Double?

  @OptionGroup var units: UnitsOptions
  @OptionGroup var format: RegionChangeFormatOptions
  @OptionGroup var state: StateOptions

  mutating func validate() throws {
    // Where unknown options are taken as well, the parser leaves the end of the options among them.
    if place.first == "--" { place.removeFirst() }
    if place.count > 1 { throw ValidationError("give one place: LAT,LON, such as 48.1371,11.5754") }
    if place.isEmpty, !here, radius == nil { throw ValidationError("give a place, --here or --radius") }
    if !place.isEmpty, here { throw ValidationError("a place and --here exclude each other") }
    if radius != nil, let text = place.first, text.split(separator: ",").count == 3 {
      throw ValidationError("give the radius once, in the place or with --radius")
    }
  }

  func perform() throws(Failure) {
    let units = try units.choice()
    let (region, feature) = try state.feature(of: id)
    guard case .circle(var center, var meters) = region.shape else {
      throw Failure(
        .usage, what: "\(id) is no circle, but a \(region.shape.word)",
        remedy: "locwatch regions edit \(CommandText.word(id)) changes its outline")
    }
    if let text = place.first {
      if text.split(separator: ",").count == 3 {
        let circle = try PlaceText.circle(text)
        (center, meters) = (circle.center, circle.radiusMeters)
      } else {
        center = try PlaceText.place(text)
      }
    }
    let fix = here ? try state.lastFix(orGive: "the place as LAT,LON") : nil
    if let fix { center = fix.coordinate }
    if let radius { meters = radius }
    let file = try feature.moved(to: PlaceText.Circle(center: center, radiusMeters: meters))
    try state.openToChange().replace(id, as: feature, with: file)
    try state.seat().note([.regions([id])])
    if let fix { Terminal.note(fix.described(in: units)) }
    Terminal.warn(RegionFinding.find(in: file, near: state.knownPlaces()).map(\.line))
    try format.print(
      "\(TextTable.cell(id)): \(file.regions.first?.shape.described(in: units) ?? "")\n",
      of: file.feature(at: 0))
  }
}

/// `locwatch regions rename`.
struct RegionsRename: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a region another id, also in the programs and outlets that name it.",
    discussion: """
      The region counts as a new one: whether the device is inside is found out
      again, and if it is, its visit begins anew. Notifications that wait for it
      go on waiting for its old id; the command names them.

        locwatch regions rename office work
      """)

  @Argument(help: ArgumentHelp("The id that it has.", valueName: "id"), completion: Candidates.regions)
  var old: String

  @Argument(help: ArgumentHelp("The id that it gets.", valueName: "new-id"))
  var new: String

  @OptionGroup var format: RegionChangeFormatOptions
  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    let (_, feature) = try state.feature(of: old)
    guard new != old else {
      throw Failure(.cantCreate, what: "the region is called \"\(old)\" already", remedy: "give another id")
    }
    let file = try RegionEdit(id: new).apply(to: Array(feature.geoJSON.utf8), name: old)
    let database = try state.openToChange()
    let users = try database.rename(old, as: feature, with: file)
    var changes = [DaemonSeat.Change.regions([old, new])]
    if !users.subscribers.isEmpty { changes.append(.subscribers(users.subscribers)) }
    if !users.outlets.isEmpty { changes.append(.outlets([])) }
    let seat = try state.seat()
    try seat.note(changes)
    let naming = (users.subscribers + users.outlets.map { "outlet \($0)" }).map {
      "\(TextTable.cell($0)) names it \(TextTable.cell(new))\n"
    }
    let renamed = "renamed \(TextTable.cell(old)) to \(TextTable.cell(new))\n"
    try format.print(naming.joined() + renamed, of: file.feature(at: 0))
    Terminal.warn(seat.notificationsInVain(for: [old]))
  }
}

/// `locwatch regions edit`.
struct RegionsEdit: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Edit a region as GeoJSON in an editor, check it, and store it.",
    discussion: """
      The editor is that of VISUAL or EDITOR, else editor or vi. If the result is
      wrong, nothing is stored, and the message says where the text is kept.

        locwatch regions edit home
        EDITOR=nano locwatch regions edit home
      """)

  @Argument(help: ArgumentHelp("The region.", valueName: "id"), completion: Candidates.regions)
  var id: String

  @OptionGroup var units: UnitsOptions
  @OptionGroup var format: RegionChangeFormatOptions
  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    let units = try units.choice()
    let (_, feature) = try state.feature(of: id)
    let text = try EditedText(feature.geoJSON + "\n", suffix: ".geojson")
    try text.edit()
    let file: RegionFile
    let isChanged: Bool
    do throws(Failure) {
      let edited = try FileBytes.read(path: text.path)
      if let other = (try? JSONTree(edited))?["id"]?.string, other != id {
        throw Failure(
          .data, file: text.path, what: "the id was changed",
          remedy: "change the rest alone, then locwatch regions rename \(CommandText.line([id, other]))")
      }
      file = try RegionEdit(id: id).apply(to: edited, name: text.path)
      isChanged = try file.feature(at: 0).geoJSON != feature.geoJSON
      if isChanged { try state.openToChange().replace(id, as: feature, with: file) }
    } catch {
      var failure = error
      let kept = text.isThere ? "the text is kept in \(text.path)" : "nothing was changed"
      failure.remedy = [failure.remedy, kept].compactMap { $0 }.joined(separator: "; ")
      throw failure
    }
    text.remove()
    guard isChanged else { return Terminal.note("nothing was changed") }
    try state.seat().note([.regions([id])])
    let inVain = try state.openToRead()?.waitingInVain(for: [id]) ?? []
    Terminal.warn(RegionFinding.find(in: file, near: state.knownPlaces()).map(\.line) + inVain)
    try format.print(
      "changed \(TextTable.cell(id)): \(file.regions.first?.shape.described(in: units) ?? "")\n",
      of: file.feature(at: 0))
  }
}

extension StateOptions {
  /// A region of the state file, with its text.
  ///
  /// - Throws: code 1 where there is none of that id.
  fileprivate func feature(of id: String) throws(Failure) -> (Region, RegionFeature) {
    let database = try openToRead()
    try RegionIDs.require([id], in: database)
    let file = try regions(.ids([id]))
    guard let region = file.regions.first else {
      throw Failure.unknownRegion(id)
    }
    return (region, try file.feature(at: 0))
  }
}
