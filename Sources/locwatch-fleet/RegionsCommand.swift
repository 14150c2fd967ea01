import ArgumentParser
import Glibc
import LocationCore
import LocationFleet
import LocationFormats

/// `locwatch-fleet regions`: the regions of the fleet.
struct RegionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regions", abstract: "List and change the regions that all devices are watched for.",
    discussion: """
      Each change is a new version. A message in each partition of the stream tells
      from which fix on it holds, so that every worker, and every recovery, applies
      it at the same point.

        locwatch-fleet regions add home --circle 48.1371,11.5754,120
        locwatch-fleet regions import places.geojson
        locwatch-fleet regions import --replace all.geojson
        locwatch-fleet regions remove depot-7
        locwatch-fleet regions list
        locwatch-fleet regions export > places.geojson
      """,
    subcommands: [
      List.self, CopyCommand<Show>.self, CopyCommand<Near>.self, CopyCommand<Locate>.self,
      CopyCommand<Check>.self, CopyCommand<Add>.self, CopyCommand<Edit>.self, CopyCommand<Move>.self,
      CopyCommand<Rename>.self, Import.self, Remove.self, Export.self, Announce.self,
    ])

  struct List: ReportingCommand {
    static let configuration = CommandConfiguration(abstract: "List the regions.")
    @OptionGroup var output: FormatOptions
    @OptionGroup var cluster: ClusterOptions

    func perform() throws(Failure) {
      let catalog = try cluster.layout().currentCatalog()
      guard !output.isJSON else {
        for entry in catalog.entries {
          let object = JSONTree.object([
            "id": .string(entry.feature.region.id), "since": .integer(entry.since),
          ])
          try Console.print(object.text + "\n")
        }
        return
      }
      let rows = catalog.entries.map { ["\($0.feature.region.id)", "\($0.since)"] }
      try Console.print(TextTable(header: ["REGION", "SINCE VERSION"], rows: rows, rightAligned: [1]).text)
    }
  }

  struct Import: ReportingCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Put regions in: GeoJSON, OwnTracks waypoints, KML, GPX, CSV or zones of Home Assistant; those with the same id are replaced."
    )
    @Argument(help: ArgumentHelp("Files; - is standard input.", valueName: "file"), completion: .file())
    var files: [String]
    @Flag(help: "Take out all regions that the files do not have.")
    var replace = false
    @Option(
      help: ArgumentHelp("The radius of points that have none, such as 100m.", valueName: "distance"),
      transform: {
        do { return try MeasureText.meters($0) } catch { throw ValidationError("\(error)") }
      })
    var radius: Double?
    @OptionGroup var cluster: ClusterOptions

    func perform() throws(Failure) {
      let read = try RegionFile.read(paths: files, options: .init(defaultRadiusMeters: radius))
      var features: [RegionFeature] = []
      for file in read {
        features += try file.features()
        for line in file.leftOut { Console.note("left out: \(line)") }
        for line in file.warnings { Console.note("warning: \(line)") }
      }
      try RegionsCommand.change(try cluster.layout()) { catalog throws(Failure) in
        try catalog.next(putting: features, replaces: replace)
      }
    }
  }

  struct Remove: ReportingCommand {
    static let configuration = CommandConfiguration(abstract: "Take regions out.")
    @Argument(help: ArgumentHelp("Ids of regions.", valueName: "id"))
    var ids: [String]
    @OptionGroup var cluster: ClusterOptions

    func perform() throws(Failure) {
      try RegionsCommand.change(try cluster.layout()) { catalog throws(Failure) in
        let known = Set(catalog.entries.map(\.feature.region.id))
        if let unknown = ids.first(where: { !known.contains($0) }) {
          throw Failure(
            .conditionFails, what: "there is no region \"\(unknown)\"",
            remedy: "locwatch-fleet regions list shows all")
        }
        return try catalog.next(putting: [], removing: Set(ids))
      }
    }
  }

  struct Export: ReportingCommand {
    static let configuration = CommandConfiguration(abstract: "Print the regions as GeoJSON.")
    @OptionGroup var cluster: ClusterOptions

    func perform() throws(Failure) {
      try Console.print(try cluster.layout().currentCatalog().geoJSON)
    }
  }

  struct Announce: ReportingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tell every partition the present version again, where a change broke off in the middle.")
    @OptionGroup var cluster: ClusterOptions

    func perform() throws(Failure) {
      let layout = try cluster.layout()
      let version = try layout.currentCatalog().version
      guard version > 0 else { return try Console.print("there are no regions to tell of\n") }
      try layout.announce(version, partitions: try layout.settings().partitions)
      try Console.print("every partition knows of version \(version)\n")
    }
  }

  /// So many first states of one device are hardly meant.
  private static let loudStates = 100

  fileprivate static func change(
    _ layout: FleetLayout, _ edit: (FleetCatalog) throws(Failure) -> FleetCatalog
  ) throws(Failure) {
    let settings = try layout.settings()
    let present = try layout.currentCatalog()
    let next = try edit(present)
    // Workers may have what the store has lost: then it is a change for them.
    guard next.entries != present.entries || present.stored != present.version else {
      let count = Wording.count(present.entries.count, "region")
      return try Console.print("version \(present.version): \(count), as before\n")
    }
    for entry in next.entries where entry.since == next.version && entry.feature.region.isOfBeacons {
      Console.note(
        "warning: \"\(entry.feature.region.id)\" is a region of beacons: no fix lies in it, and nothing else comes to a fleet"
      )
    }
    try layout.publish(next, partitions: settings.partitions)
    try Console.print("version \(next.version): \(Wording.count(next.entries.count, "region"))\n")
    let told = next.entries.count { $0.feature.region.initial == .state }
    if told > loudStates {
      Console.note(
        "warning: each new device will publish the first state of \(Wording.count(told, "region")); give them "
          + "\"initial\": \"event\" in the file, then only where it is is published")
    }
  }
}

// MARK: - As on one machine

/// What `locwatch regions` calls one of its commands.
protocol RegionsVerb {
  static var name: String { get }
  /// Whether it changes regions.
  static var changes: Bool { get }
}

extension RegionsVerb {
  static var changes: Bool { true }
}

/// A command of `locwatch regions`, which works on a copy of the fleet's regions.
struct CopyCommand<Verb: RegionsVerb>: ReportingCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Verb.name, abstract: "As locwatch regions \(Verb.name).",
      discussion: """
        Options of the fleet come first, then those of locwatch regions \(Verb.name).
        """)
  }

  @OptionGroup var cluster: ClusterOptions
  @Argument(parsing: .captureForPassthrough, help: .hidden) var words: [String] = []

  func perform() throws(Failure) {
    let status = try work()
    // locwatch has printed why.
    if status != 0 { Glibc.exit(status) }
  }

  private func work() throws(Failure) -> Int32 {
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return try LocwatchProgram.run(["regions", Verb.name, "--help"])
    }
    let layout = try cluster.layout()
    let present = try layout.currentCatalog()
    let folder = try TemporaryFolder()
    let state = folder("regions.db")
    try folder.write("regions.geojson", present.geoJSON)
    let imported = try LocwatchProgram.run(
      ["regions", "import", folder("regions.geojson"), "--state", state], isSilent: true)
    guard imported == 0 else {
      throw Failure(.software, what: "locwatch does not take version \(present.version) of the regions")
    }
    let status = try LocwatchProgram.run(["regions", Verb.name, "--state", state] + words)
    guard status == 0, Verb.changes else { return status }
    let copy = folder("changed.geojson")
    let exported = try LocwatchProgram.run(
      ["regions", "export", "-o", copy, "--state", state], isSilent: true)
    guard exported == 0 else { throw Failure(.software, what: "locwatch does not hand the regions back") }
    let features = try RegionFile.read(path: copy).features()
    try RegionsCommand.change(layout) { catalog throws(Failure) in
      guard catalog.version == present.version else {
        throw Failure(
          .tryAgain, what: "another operator changed the regions at the same time", remedy: "try again")
      }
      return try catalog.next(putting: features, replaces: true)
    }
    return 0
  }
}

extension RegionsCommand {
  enum Show: RegionsVerb {
    static let name = "show"
    static let changes = false
  }
  enum Near: RegionsVerb {
    static let name = "near"
    static let changes = false
  }
  enum Locate: RegionsVerb {
    static let name = "locate"
    static let changes = false
  }
  enum Check: RegionsVerb {
    static let name = "check"
    static let changes = false
  }
  enum Add: RegionsVerb { static let name = "add" }
  enum Edit: RegionsVerb { static let name = "edit" }
  enum Move: RegionsVerb { static let name = "move" }
  enum Rename: RegionsVerb { static let name = "rename" }
}
