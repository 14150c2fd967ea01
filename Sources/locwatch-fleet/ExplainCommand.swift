import ArgumentParser
import LocationCore
import LocationFleet
import LocationFormats

/// `locwatch-fleet explain`: why something did, or did not, happen to a device.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain why something happened to a device, or did not.",
    discussion: """
      Has locwatch explain look at the fixes of the device that the stream still has,
      with the regions that held at the moment. Ids are those of locwatch-fleet events
      while the stream has all fixes of the device.

        locwatch-fleet explain alice/phone --region home
        locwatch-fleet explain alice/phone --at 2026-05-01T06:00:12Z
        locwatch-fleet explain alice/phone --event 1234
      """)

  @Argument(help: ArgumentHelp("User and device, as in its MQTT topic.", valueName: "user/device"))
  var device: String

  @Option(help: ArgumentHelp("The moment, as locwatch explain takes it.", valueName: "time"))
  var at: String?

  @Option(help: ArgumentHelp("The id of an event, from locwatch-fleet events.", valueName: "id"))
  var event: Int?

  @Option(help: ArgumentHelp("Only this region, however far away it is.", valueName: "id"))
  var region: String?

  @Flag(help: "One JSON object.")
  var json = false

  @OptionGroup var cluster: ClusterOptions

  func validate() throws {
    if at != nil, event != nil { throw ValidationError("--at and --event exclude each other") }
  }

  func run() throws {
    var status: Int32 = 0
    try Console.reporting { () throws(Failure) in
      let layout = try cluster.layout()
      let bench = try Workbench()
      let track = try OutputFile(path: bench.path(Self.track), isPrivate: true)
      try track.write(Array(Self.head.utf8))
      let history = try DeviceHistory(device, layout)
      try history.fixes { line throws(Failure) in try track.write(line + [UInt8(ascii: "\n")]) }
      let moment = try moment(in: history)
      // There are no programs in a fleet, and their decisions would count in the ids. Workers take fixes as they come.
      var arguments = ["explain", "--track", Self.track, "--no-programs", "--as-written"]
      if !moment.catalog.entries.isEmpty {
        try bench.write(Self.regions, moment.catalog.geoJSON)
        arguments += ["--regions", Self.regions]
      }
      if let at = moment.at { arguments.append("--at=\(at)") }
      if let event = moment.event { arguments.append("--event=\(event)") }
      if let region = moment.region { arguments.append("--region=\(region)") }
      if json { arguments.append("--json") }
      try bench.enter()
      status = try Workbench.run(arguments)
    }
    // locwatch has printed why.
    if status != 0 { throw ExitCode(status) }
  }

  /// What locwatch explain is asked, and the regions that held then.
  private struct Moment {
    var catalog: FleetCatalog
    var at: String?
    var event: Int?
    var region: String?
  }

  /// locwatch explain knows no regions that change. So of an event after a change it is asked by time and region.
  private func moment(in history: DeviceHistory) throws(Failure) -> Moment {
    var catalogs = try history.catalogs()
    var found: (sequence: UInt64, line: JSONTree)?
    var ends: (first: UInt64, last: UInt64)?
    try history.replay { bytes throws(Failure) in
      guard let line = try? JSONTree(bytes), let sequence = line["seq"]?.integer.map({ UInt64($0) }) else {
        return
      }
      ends = (ends?.first ?? sequence, sequence)
      if let event, line["id"]?.integer == event { found = (sequence, line) }
    }
    let last = ends?.last ?? .max
    let changes = ends.map { catalogs.changeCount(from: $0.first, to: $0.last) } ?? 0
    var moment = Moment(catalog: try catalogs.catalog(at: last), at: at, event: event, region: region)
    guard changes > 0 else { return moment }
    if let found {
      moment.catalog = try catalogs.catalog(at: found.sequence)
      moment.at = found.line["time"]?.string
      moment.region = region ?? found.line["region"]?.string
      moment.event = nil
    } else if event != nil {
      throw Failure(
        .conditionFails, what: "no event has this id", remedy: "locwatch-fleet replay \(device) lists them")
    } else if let time = at.flatMap({ UTCTime(rfc3339: $0) }) {
      moment.catalog = try catalogs.catalog(at: try history.lastSequence(until: time) ?? 0)
    } else if let region {
      moment.catalog = try catalogs.last(with: region) ?? moment.catalog
    }
    Console.note(
      "the regions changed \(Wording.count(changes, "time")) during these fixes; those of version \(moment.catalog.version) are used for all"
    )
    return moment
  }

  /// Makes the file one of JSON lines. What the first fix says beside its position could else make it another file, and
  /// choose who reads it.
  private static let head = "# fixes of a device\n{}\n"
  private static let track = "the fixes of the stream"
  private static let regions = "the regions of the fleet"
}
