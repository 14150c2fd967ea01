import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch regions list`.
struct RegionsList: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List regions in the order in which they were added.",
    discussion: """
        locwatch regions list
        locwatch regions list --tag work
        locwatch regions list --format ndjson | jq -r .id
      """)

  @Option(help: ArgumentHelp("Only regions with this tag.", valueName: "tag"))
  var tag: String?

  @OptionGroup var units: UnitsOptions
  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    let file = try state.regions(tag.map { .tag($0) } ?? .all)
    var records: [RegionRecord] = []
    records.reserveCapacity(file.regions.count)
    let units = try units.choice()
    for index in file.regions.indices {
      records.append(RegionRecord(try file.feature(at: index), in: units))
    }
    if records.isEmpty {
      try state.noteIfMissing()
      Terminal.note(
        tag == nil
          ? "no regions; locwatch regions add home --circle LAT,LON,RADIUS adds one" : "no such regions")
    }
    try format.print(records, header: RegionRecord.header, row: \.row, json: { $0.write(to: &$1) })
  }
}

/// `locwatch regions show`.
struct RegionsShow: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show everything about regions, with their current state.",
    discussion: """
        locwatch regions show home
        locwatch regions show home office --format ndjson
        locwatch regions show home --map

      A terminal also gets a map of dots: x is the last fix.
      """)

  @Argument(help: ArgumentHelp("Ids of regions.", valueName: "id"), completion: Candidates.regions)
  var ids: [String]

  @Flag(inversion: .prefixedNo, help: "Draw each region (default: on a terminal).")
  var map: Bool?

  @OptionGroup var units: UnitsOptions
  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    if map == true, format.format == .ndjson {
      throw ValidationError("--map and --format ndjson exclude each other")
    }
  }

  func perform() throws(Failure) {
    let database = try state.openToRead()
    if database == nil { try state.noteIfMissing() }
    try RegionIDs.require(ids, in: database)
    guard let file = try database?.regions(.ids(ids)) else { return }
    var records: [RegionRecord] = []
    let units = try units.choice()
    let states = try state.seat().regionStates(ids)
    for index in file.regions.indices {
      let known = states[file.regions[index].id] ?? .unknown
      records.append(RegionRecord(try file.feature(at: index), state: known, in: units))
    }
    // A map is text.
    switch OutputFormat.or(map == true ? .text : format.format) {
    case .text:
      let here = (try? state.lastFix())?.coordinate
      let isDrawn = map ?? Terminal.isTerminal(.output)
      let texts = zip(records, file.regions).map { record, region in
        record.text + (isDrawn ? RegionMap(region.shape, here: here).text(in: units) : "")
      }
      try Terminal.print(texts.joined(separator: "\n"))
    case .ndjson:
      try format.print(records, header: [], row: \.row, json: { $0.write(to: &$1) })
    }
  }
}

/// Ids that the user gave.
enum RegionIDs {
  /// - Throws: `conditionFails` (exit code 1) if no region has one of the ids.
  static func require(_ ids: [String], in database: StateDatabase?) throws(Failure) {
    let unknown = try database?.unknown(among: ids) ?? ids
    guard let first = unknown.first else { return }
    let known = try database?.regionIDs() ?? []
    throw Failure.unknownRegion(first, among: known)
  }
}
