import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch regions import`.
struct RegionsImport: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import regions from GeoJSON, OwnTracks, KML, GPX, CSV, Home Assistant or Google Takeout.",
    discussion: """
      The format is recognised by the content; gzip needs no unpacking. If a file
      has an error, nothing is imported. Regions with the same id are replaced. A
      feature whose id is a mere number is called by its name. Features that are not
      regions are listed on standard error.

        locwatch regions import places.geojson
        locwatch regions import configuration.yaml        # Home Assistant's zones
        locwatch regions import places.csv                # name,lat,lon,radius_m
        locwatch regions import 'Saved Places.json' --radius 100m   # Takeout
        locwatch regions import waypoints.otrw
        locwatch regions import --radius 50m pois.kml waypoints.gpx
        curl -s https://example.com/zones.geojson | locwatch regions import -
      """)

  @Argument(help: ArgumentHelp("Files; - is standard input.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp("The radius of points that have none, such as 100m.", valueName: "distance"),
    transform: ArgumentText.meters)
  var radius: Double?

  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    let read = try RegionFile.read(paths: files, options: .init(defaultRadiusMeters: radius))
    let known = state.knownPlaces()
    let database = try state.openToChange()
    let count = try database.put(read, changing: true)
    let ids = read.flatMap { $0.regions.map(\.id) }
    try state.seat().note([.regions(ids)])
    Terminal.warn(try database.waitingInVain(for: ids))
    for file in read {
      for line in file.leftOut { Terminal.note("left out: \(line)") }
      Terminal.warn(file.warnings)
      let swapped = RegionFinding.find(in: file, near: known).filter { $0.kind == .swapped }
      Terminal.warn(swapped.map { "\(file.name): \($0.line)" })
    }
    try report(count, leftOut: read.reduce(0) { $0 + $1.leftOut.count })
  }

  private func report(_ count: StateDatabase.PutCount, leftOut: Int) throws(Failure) {
    switch OutputFormat.or(format.format) {
    case .text:
      try Terminal.print(
        "\(count.added) added, \(count.changed) changed, \(count.unchanged) unchanged, \(leftOut) left out\n")
    case .ndjson:
      var line = JSONLine()
      line.open()
      line.member("added", count.added)
      line.member("changed", count.changed)
      line.member("unchanged", count.unchanged)
      line.member("left_out", leftOut)
      line.close()
      try OutputFile(path: "-").write(line.bytes + [UInt8(ascii: "\n")])
    }
  }
}

/// `locwatch regions export`.
struct RegionsExport: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write regions as a GeoJSON FeatureCollection.",
    discussion: """
      Numbers and properties come out as they went in, so importing the file again
      changes nothing.

        locwatch regions export > backup.geojson
        locwatch regions export home office -o two.geojson
        locwatch regions export --tag work
      """)

  @Argument(
    help: ArgumentHelp("Ids of regions (default: all).", valueName: "id"), completion: Candidates.regions)
  var ids: [String] = []

  @Option(help: ArgumentHelp("All regions with this tag.", valueName: "tag"))
  var tag: String?

  @Option(
    name: [.short, .long], help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"),
    completion: .file())
  var output = "-"

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var state: StateOptions

  /// Suffixes that promise what is not written.
  private static let otherFormats = [".kml", ".kmz", ".gpx", ".otrw", ".csv", ".yaml"]

  func validate() throws {
    if !ids.isEmpty, tag != nil { throw ValidationError("give ids of regions or --tag, not both") }
  }

  func perform() throws(Failure) {
    let name = output.lowercased()
    guard !Self.otherFormats.contains(where: { name.hasSuffix($0) }) else {
      throw Failure(
        .usage, file: output, what: "regions are written as GeoJSON", remedy: "name the file .geojson")
    }
    let path = try StatePath.resolve(option: state.state)
    guard let database = try state.openToRead() else {
      throw Failure(
        .conditionFails, file: path, what: "there is no state file yet",
        remedy: "locwatch regions add or import makes one")
    }
    try RegionIDs.require(ids, in: database)
    let file = try state.regions(tag.map { .tag($0) } ?? (ids.isEmpty ? .all : .ids(ids)))
    if let tag, file.regions.isEmpty { Terminal.warn(["no region has the tag \"\(tag)\""]) }
    try OutputFile.refuse(output, sameAs: StatePath.files(of: path))
    let to = try OutputFile(path: output, isPrivate: true)
    try file.writeCollection(to: to)
  }
}
