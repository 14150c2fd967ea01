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

  @OptionGroup var output: FormatOptions
  @OptionGroup var cluster: ClusterOptions

  func validate() throws {
    if at != nil, event != nil { throw ValidationError("--at and --event exclude each other") }
  }

  func run() throws {
    var status: Int32 = 0
    try Console.reporting { () throws(Failure) in
      let layout = try cluster.layout()
      let folder = try TemporaryFolder()
      let track = try OutputFile(path: folder(Self.track), isPrivate: true)
      try track.write(Array(Self.head.utf8))
      let history = try DeviceHistory(device, layout)
      let fixes = try history.fixes { line throws(Failure) in
        try track.write(line + [UInt8(ascii: "\n")])
      }
      let moment = try moment(of: fixes, in: history)
      // There are no programs in a fleet, and their decisions would count in the ids. Workers take fixes as they come.
      var arguments = ["explain", "--track", Self.track, "--no-programs", "--as-written"]
      if !moment.catalog.entries.isEmpty {
        try folder.write(Self.regions, moment.catalog.geoJSON)
        arguments += ["--regions", Self.regions]
      }
      if let at = moment.at { arguments.append("--at=\(at)") }
      if let event = moment.event { arguments.append("--event=\(event)") }
      if let region = moment.region { arguments.append("--region=\(region)") }
      // Without a format, locwatch prints text to a terminal alone.
      arguments += ["--format", output.isJSON ? "ndjson" : "text"]
      try folder.enter()
      status = try LocwatchProgram.run(arguments)
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
  ///
  /// - Parameter fixes: where the first and the last of them stand in the stream.
  private func moment(of fixes: ClosedRange<UInt64>, in history: DeviceHistory) throws(Failure) -> Moment {
    var catalogs = try history.catalogs()
    let changes = catalogs.changeCount(within: fixes)
    var moment = Moment(
      catalog: try catalogs.catalog(at: fixes.upperBound), at: at, event: event, region: region)
    guard changes > 0 else { return moment }
    if let event {
      var found: JSONTree?
      try history.replay { bytes throws(Failure) in
        guard found == nil, let line = try? JSONTree(bytes), line["id"]?.integer == event else { return }
        found = line
      }
      guard let found, let sequence = found["seq"]?.integer else {
        throw Failure(
          .conditionFails, what: "no event has this id",
          remedy: "locwatch-fleet replay \(CommandText.word(device)) lists them")
      }
      moment.catalog = try catalogs.catalog(at: UInt64(sequence))
      moment.at = found["time"]?.string
      moment.region = region ?? found["region"]?.string
      moment.event = nil
    } else if let at {
      let time = try TimeText.time(
        at, now: UTCTime(microseconds: Int64(FleetClock.wall * 1e6)),
        zone: try TimeZoneFile.machine())
      moment.catalog = try catalogs.catalog(at: try history.lastSequence(until: time) ?? 0)
      moment.at = time.rfc3339
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
