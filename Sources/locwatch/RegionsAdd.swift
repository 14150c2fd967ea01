import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch regions add`.
struct RegionsAdd: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a region: a circle, a polygon, a corridor, a beacon, or a GeoJSON file.",
    discussion: """
        locwatch regions add home --circle 48.1371,11.5754,120
        locwatch regions add sydney --circle -33.8568,151.2153,300 --tag travel
        locwatch regions add office --circle 48.14,11.56,80 --exit-delay 60
        locwatch regions add home --here 100m
        locwatch regions add yard --polygon '48.1,11.5 48.1,11.6 48.2,11.6'
        locwatch regions add way --line '48.1,11.5 48.2,11.6' --buffer 50m
        locwatch regions add desk --beacon 2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:7
        locwatch regions add yard --geojson yard.geojson --notify enter
        locwatch regions add home --circle 48.1371,11.5754,150 --replace

      The events are enter, exit, dwell (inside for --dwell seconds) and cross
      (passed through between two fixes). The default of --notify is enter and
      exit; with --dwell also dwell. Times are 90s, 10m or 1h30m, or seconds.
      """)

  @Argument(help: ArgumentHelp("The name of the region in events; unique.", valueName: "id"))
  var id: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A circle: degrees north, degrees east, metres.", valueName: "lat,lon,radius"))
  var circle: String?

  @Option(help: ArgumentHelp("A circle of this radius around the last fix.", valueName: "distance"))
  var here: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Corners, degrees north and east, separated by spaces.", valueName: "lat,lon ..."))
  var polygon: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The middle of a corridor, as --polygon; with --buffer.", valueName: "lat,lon ..."))
  var line: String?

  @Option(
    help: ArgumentHelp("Half the width of a corridor, such as 50m.", valueName: "distance"),
    transform: ArgumentText.meters)
  var buffer: Double?

  @Option(help: ArgumentHelp("Where this Bluetooth beacon is seen.", valueName: "uuid:major:minor"))
  var beacon: String?

  @Option(
    help: ArgumentHelp("A file with one Feature or geometry; - is standard input.", valueName: "file"),
    completion: .file())
  var geojson: String?

  @Option(help: ArgumentHelp("A name for people.", valueName: "text"))
  var name: String?

  @Option(
    name: [.customLong("tag")], help: ArgumentHelp("A word to find it by; repeatable.", valueName: "word"))
  var tags: [String] = []

  @Option(help: ArgumentHelp("The events to report, separated by commas.", valueName: "words"))
  var notify: String?

  @Option(
    help: ArgumentHelp("Time inside before dwell is reported (default: 5m).", valueName: "duration"),
    transform: ArgumentText.seconds)
  var dwell: Double?

  @Option(
    help: ArgumentHelp(
      "Time by which an exit is delayed; a return cancels it (default: 0s).", valueName: "duration"),
    transform: ArgumentText.seconds)
  var exitDelay: Double?

  @Option(
    help: ArgumentHelp(
      "The longest visit, and absence, that adaptive sampling may miss.", valueName: "duration"),
    transform: ArgumentText.seconds)
  var maxLatency: Double?

  @Option(
    help: ArgumentHelp(
      "What to report if the device is inside at first: state (default), event or silent.", valueName: "word")
  )
  var initial: String?

  @Option(
    help: ArgumentHelp(
      "How much evidence an enter or exit takes: early, balanced (default) or certain.", valueName: "word"))
  var sensitivity: String?

  @Flag(help: "Replace a region with this id.")
  var replace = false

  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var units: UnitsOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    guard [circle, here, polygon, line, beacon, geojson].count(where: { $0 != nil }) == 1 else {
      throw ValidationError(
        "give one of --circle LAT,LON,RADIUS, --here, --polygon, --line, --beacon and --geojson FILE")
    }
    if line != nil, buffer == nil { throw ValidationError("--line needs --buffer, such as 50m") }
    if buffer != nil, line == nil, geojson == nil {
      throw ValidationError("--buffer needs --line or --geojson")
    }
    if name == "" || tags.contains("") { throw ValidationError("--name and --tag need a word") }
  }

  func perform() throws(Failure) {
    let units = try units.choice()
    let fix = here == nil ? nil : try state.lastFix()
    let file = try made(at: fix?.coordinate)
    if dwell != nil, let region = file.regions.first, !region.notify.contains(.dwell) {
      throw Failure(
        .usage, what: "--dwell has no use where dwell is not reported", remedy: "name dwell in --notify")
    }
    let known = state.knownPlaces()
    let database = try state.openToChange()
    _ = try database.put([file], changing: replace)
    try state.seat().note([.regions([id])])
    if let fix { Terminal.note(fix.described(in: units)) }
    Terminal.warn(
      RegionFinding.find(in: file, near: known).map(\.line) + (try database.waitingInVain(for: [id])))
    let record = RegionRecord(try file.feature(at: 0))
    try format.print([record], header: RegionRecord.header, row: \.row, json: { $0.write(to: &$1) })
  }

  /// The region.
  ///
  /// - Parameter place: where the device was last, with `--here`.
  private func made(at place: Coordinate?) throws(Failure) -> RegionFile {
    var edit = RegionEdit(id: id)
    edit.name = name
    edit.tags = tags
    edit.notify = notify
    edit.dwellSeconds = dwell
    edit.exitDelaySeconds = exitDelay
    edit.maxLatencySeconds = maxLatency
    edit.initial = initial
    edit.sensitivity = sensitivity
    edit.bufferMeters = buffer
    if let circle { return try edit.apply(to: try PlaceText.circle(circle)) }
    if let here, let place {
      let radius = try MeasureText.meters(here)
      return try edit.apply(to: PlaceText.Circle(center: place, radiusMeters: radius))
    }
    if let beacon { return try edit.apply(toBeacon: beacon) }
    if let polygon { return try edit.apply(toPolygon: try PlaceText.places(polygon)) }
    if let line { return try edit.apply(toLine: try PlaceText.places(line)) }
    let file = try edit.apply(to: try FileBytes.read(path: geojson ?? "-"), name: geojson ?? "-")
    if buffer != nil, let shape = file.regions.first?.shape {
      guard case .corridor = shape else {
        throw Failure(
          .usage, file: file.name, what: "no line, so --buffer has no use", remedy: "leave it out")
      }
    }
    return file
  }
}

/// `locwatch regions remove`.
struct RegionsRemove: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove regions.",
    discussion: """
        locwatch regions remove home
        locwatch regions remove --tag travel
        locwatch regions remove --all
      """)

  @Argument(help: ArgumentHelp("Ids of regions.", valueName: "id"), completion: Candidates.regions)
  var ids: [String] = []

  @Option(help: ArgumentHelp("All regions with this tag.", valueName: "tag"))
  var tag: String?

  @Flag(help: "Every region.")
  var all = false

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    if [!ids.isEmpty, tag != nil, all].filter({ $0 }).count != 1 {
      throw ValidationError("give ids of regions, or --tag, or --all")
    }
  }

  func perform() throws(Failure) {
    guard try state.openToRead() != nil else {
      try RegionIDs.require(ids, in: nil)
      return Terminal.note("removed 0 regions")
    }
    let database = try state.openToChange()
    try RegionIDs.require(ids, in: database)
    let count = try database.remove(all ? .all : tag.map { .tag($0) } ?? .ids(ids))
    let named = ids.isEmpty ? nil : ids
    let seat = try state.seat()
    try seat.note([.regions(named)])
    Terminal.note("removed \(count) \(count == 1 ? "region" : "regions")")
    Terminal.warn(try database.waitingInVain(for: named) + seat.notificationsInVain(for: named))
  }
}
