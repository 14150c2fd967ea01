import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch regions near`.
struct RegionsNear: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "near", abstract: "List regions by the distance from a place to their edge.",
    discussion: """
      edge_m is the distance in metres; it is negative inside.

        locwatch regions near 48.1371,11.5754
        locwatch regions near -33.8568,151.2153 -n 3 --regions places.geojson
      """)

  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("Degrees north, degrees east.", valueName: "lat,lon"))
  var place: [String]

  @Option(
    name: [.customShort("n"), .long], help: ArgumentHelp("List at most this many.", valueName: "count"))
  var count: Int?

  @OptionGroup var units: UnitsOptions
  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var source: RegionsSource

  mutating func validate() throws {
    // Where unknown options are taken as well, the parser leaves the end of the options among them.
    if place.first == "--" { place.removeFirst() }
    if place.count != 1 || place[0].hasPrefix("--") {
      throw ValidationError("give one place: LAT,LON, such as 48.1371,11.5754")
    }
    if let count, count < 1 { throw ValidationError("-n needs a whole number of at least 1") }
  }

  func perform() throws(Failure) {
    let place = try PlaceText.place(place[0])
    let units = try units.choice()
    let regions = try source.read().flatMap(\.regions)
    let near = try RegionNearness.order(regions, from: place, limit: count)
    if near.isEmpty { Terminal.note("no regions") }
    try format.print(
      near, header: RegionNearness.header, rightAligned: [0], row: { $0.row(in: units) },
      json: { $0.write(to: &$1) })
  }
}

/// `locwatch regions locate`.
struct RegionsLocate: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate", abstract: "For each place on standard input, print the regions that contain it.",
    discussion: """
      Each input line is a place: LAT,LON, or JSON with lat and lon. Each output line
      is JSON, with lat and lon and, for example,
      "inside":["home"],"nearest":"home","edge_m":-118.20

        locwatch regions locate --regions places.geojson < points.ndjson
        echo 48.1371,11.5754 | locwatch regions locate
        jq -c . track.ndjson | locwatch regions locate | jq -r '.inside[]'
      """)

  @Argument(
    help: ArgumentHelp("A file of places; - is standard input.", valueName: "file"), completion: .file())
  var places = "-"

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var source: RegionsSource

  func perform() throws(Failure) {
    let locator = try RegionLocator(try source.read().flatMap(\.regions))
    try locator.run(path: places, to: OutputFile(path: "-"))
  }
}

/// `locwatch regions check`.
struct RegionsCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Report errors and likely mistakes in regions.",
    discussion: """
      Exits with 65 if a file cannot be imported, with every error on standard error;
      with 1 if there are only likely mistakes; else with 0.

        locwatch regions check --regions places.geojson
        locwatch regions check
      """)

  @Argument(help: ArgumentHelp("Files, the same as --regions.", valueName: "file"), completion: .file())
  var files: [String] = []

  @Option(
    help: ArgumentHelp("The radius of points that have none, such as 100m.", valueName: "distance"),
    transform: ArgumentText.meters)
  var radius: Double?

  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var source: RegionsSource

  func validate() throws {
    if radius != nil, files.isEmpty, source.files.isEmpty { throw ValidationError("--radius needs a file") }
  }

  func run() async throws {
    var problems = 0
    var findings: [RegionFinding] = []
    try Terminal.reporting { () throws(Failure) in
      let paths = source.files + files
      let known = source.state.knownPlaces(opensState: paths.isEmpty)
      guard !paths.isEmpty else {
        findings = try source.read().flatMap { RegionFinding.find(in: $0, near: known) }
        return
      }
      var good: [RegionFile] = []
      for path in paths {
        let (file, wrong) = try RegionFile.examine(path: path, options: .init(defaultRadiusMeters: radius))
        wrong.forEach(Terminal.report)
        problems += wrong.count
        good.append(file)
        findings += RegionFinding.find(in: file, near: known)
      }
      if problems == 0 { try RegionFile.refuseDuplicates(good) }
    }
    try Terminal.reporting { () throws(Failure) in
      try format.print(findings, header: []) {
        [$0.line]
      } json: {
        $0.write(to: &$1)
      }
    }
    if problems > 0 { throw ExitCode(Failure.Code.data.rawValue) }
    if !findings.isEmpty { throw ExitCode(1) }
    if OutputFormat.or(format.format) == .text { Terminal.note("no errors and no warnings") }
  }
}
