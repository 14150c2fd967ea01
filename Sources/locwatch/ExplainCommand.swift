import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `locwatch explain`: why something did, or did not, happen.
struct ExplainCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why something happened or did not: what was known, what decided, what was missing.",
    discussion: """
      Shows, for a moment (default: the latest known): the fix and whether it was
      accepted; for each region nearby, the distance to its edge and what a change
      of its state would have needed; for each subscriber, what an event would have
      led to. A time in whole seconds means all of that second.

      Works with and without a daemon, as far back as the journal reaches, and on
      recordings of locwatch journal or run --record. --track replays a track with
      the regions of --regions, as locwatch replay does, and explains that.

        locwatch explain
        locwatch explain --region home --at 2026-05-01T06:00:12Z
        locwatch explain --at '10m ago'
        locwatch explain --event 1234
        locwatch explain --subscriber commute-logger --json
        locwatch explain incident.journal --region home --at 2026-05-01T06:00:12Z
        locwatch explain --track drive.gpx --regions places.geojson --region home
      """)

  @Argument(
    help: ArgumentHelp("A recording (default: the state file).", valueName: "recording"), completion: .file())
  var recording: String?

  @Option(
    help: ArgumentHelp("A track instead, as locwatch replay takes it.", valueName: "file"),
    completion: .file())
  var track: String?

  @OptionGroup var regionFiles: RegionFileOptions
  @OptionGroup var engine: EngineOptions
  @OptionGroup var accuracy: AccuracyOptions
  @OptionGroup var times: TrackTimeOptions

  @Flag(help: "With --track: no programs. Ids are then those of locwatch replay --no-programs.")
  var noPrograms = false

  /// With a track: its points stay as they are written, also where the newest stand first. A fleet took them like that.
  @Flag(help: .hidden) var asWritten = false

  @Option(
    help: ArgumentHelp(
      "The moment: 2026-05-01T06:00:12Z, \"yesterday 22:00\", \"10m ago\".", valueName: "time"))
  var at: TimeArgument?

  @Option(help: ArgumentHelp("The id of a record, from locwatch events.", valueName: "id"))
  var event: Int?

  @Option(
    help: ArgumentHelp("Only this region, however far away it is.", valueName: "id"),
    completion: Candidates.regions)
  var region: String?

  @Option(help: ArgumentHelp("Only this subscriber.", valueName: "name"), completion: Candidates.subscribers)
  var subscriber: String?

  @Flag(help: "One JSON object; the same as --format ndjson.")
  var json = false

  @Flag(name: .customLong("private"), help: "Also tell what notifications say.")
  var isPrivate = false

  @OptionGroup var zone: ZoneOptions
  @OptionGroup var units: UnitsOptions
  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    if at != nil, event != nil { throw ValidationError("--at and --event exclude each other") }
    if track != nil, recording != nil { throw ValidationError("--track excludes a recording") }
    let needsTrack =
      !regionFiles.regions.isEmpty || engine.profile != nil
      || accuracy.assumeAccuracy != nil || times.points.interval != nil || noPrograms
    if track == nil, needsTrack {
      throw ValidationError(
        "--regions, --profile, --assume-accuracy, --interval and --no-programs need --track")
    }
    if noPrograms, subscriber != nil { throw ValidationError("--no-programs excludes --subscriber") }
    if json, format.format == .text { throw ValidationError("--json and --format text exclude each other") }
  }

  func perform() throws(Failure) {
    let zone = try zone.zone
    let units = try units.choice()
    let moment = try at.map { (at) throws(Failure) in try at.time(in: zone) }
    let question = Question(at: moment, event: event, region: region, subscriber: subscriber)
    var explanation: Explanation
    if let track {
      explanation = try Explanation(question, track: track, try request())
    } else if let recording {
      explanation = try Explanation(question, recording: recording)
    } else {
      explanation = try Explanation(question, state: try StatePath.resolve(option: state.state))
    }
    explanation.tellsNotifications = isPrivate
    let isText = !json && OutputFormat.or(format.format) == .text
    try Terminal.print(isText ? explanation.text(in: zone, units) : explanation.tree.text + "\n")
  }

  /// How a track is replayed.
  private func request() throws(Failure) -> ReplayRequest {
    var request = ReplayRequest()
    try engine.apply(to: &request.configuration)
    request.regions = try regionFiles.read()
    if !noPrograms { request.subscribers = [Subscriber(name: "replay")] }
    request.track = try times.track(isUTC: zone.utc)
    if asWritten { request.track.order = .asWritten }
    request.track.assumeAccuracyMeters = accuracy.assumeAccuracy
    return request
  }
}
