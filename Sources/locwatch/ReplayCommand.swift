public import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
public import LocationRuntime

/// `locwatch replay`: replays tracks through the engine.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay tracks: what would have fired and woken which program, when, why and at what cost.",
    discussion: """
        locwatch replay drive.gpx                    # moves and visits
        locwatch replay drive.gpx -r places.geojson  # also your regions
        locwatch replay drive.gpx -s logger.yaml --scenario day.yaml
        locwatch replay drive.gpx --sampling adaptive --report drive.html
        locwatch replay drive.gpx --explain --format ndjson | grep fix.rejected
        locwatch replay old.gpx --interval 1         # for a track without times
        locwatch replay archive/*.gpx --jobs 2 --format ndjson > events.ndjson
        gpspipe -w -n 500 | locwatch replay -
        ls archive/*.gpx | locwatch replay --batch > events.ndjson

      A track is \(TrackReader.formats) with a header, gpsd's JSON lines
      (gpspipe -w), or lines such as
      {"time":"2026-05-01T06:00:00Z","lat":48.1,"lon":11.5,"acc_m":5}. gzip needs no
      unpacking. FIT, TCX, IGC and all else are read through gpsbabel where that is
      installed (apt install gpsbabel). A recording (locwatch watch --record) brings
      its own regions, subscribers and settings; options replace them. No program is
      started, and only the output and the page of --report are written.

      With --batch, one process takes many tracks as lines from a file or standard
      input: paths, or fixes that name their "track". Docs/Fleet.md has how Spark,
      xargs and GNU parallel use it.

      Tracks/ has sample tracks with regions, manifests and scenarios.
      Docs/Wire.md describes every record and every key of these files.
      """)

  @Argument(
    help: ArgumentHelp("Tracks to replay; - is standard input.", valueName: "track"), completion: .file())
  var tracks: [String] = []

  @OptionGroup var regionFiles: RegionFileOptions

  @Option(
    name: [.short, .customLong("subscriber")],
    help: ArgumentHelp(
      "A subscriber's manifest; repeatable (default: one suspended program `replay` that subscribes to everything).",
      valueName: "file"), completion: .file())
  var subscribers: [String] = []

  @Option(
    help: ArgumentHelp("What else happens and when: launches, force-quits, reboots.", valueName: "file"),
    completion: .file())
  var scenario: String?

  @OptionGroup var engine: EngineOptions

  @Option(
    help: ArgumentHelp(
      "continuous: the receiver is always on. adaptive: the engine switches it and sees only the fixes that it asks for (default: the setting).",
      valueName: "continuous|adaptive"))
  var sampling: SamplingChoice?

  @Option(
    help: ArgumentHelp(
      "Also write a page for a browser: map, timeline, energy, other policies. Only for one track.",
      valueName: "file.html"), completion: .file())
  var report: String?

  @Flag(name: .customLong("private"), help: "The page of --report also tells what notifications say.")
  var isPrivate = false

  @Option(
    help: ArgumentHelp(
      "A map under the track of --report: an MBTiles or PMTiles file, of which the page holds what is near the track; or an address such as https://tile.openstreetmap.org/{z}/{x}/{y}.png, which the page asks when it is looked at.",
      valueName: "file|url"), completion: .file())
  var tiles: String?

  @Option(
    help: ArgumentHelp(
      "The folder of Leaflet, which draws the map of --report. (default: \(Leaflet.usualFolder))",
      valueName: "folder"),
    completion: .directory)
  var leaflet: String?

  @Option(help: "The output format (default: text on a terminal, ndjson in a pipe).")
  var format: RecordFormat?

  @Option(help: ArgumentHelp("Seconds of the track to replay in one second, or max.", valueName: "factor"))
  var speed: Speed = .max

  @Option(
    help: ArgumentHelp(
      "Start at this time: 2026-05-04T06:40:00Z, or local as \"2026-05-04 08:40\".", valueName: "time"))
  var from: TimeArgument?

  @Option(help: ArgumentHelp("Stop at this time.", valueName: "time"))
  var to: TimeArgument?

  @OptionGroup var accuracy: AccuracyOptions

  @OptionGroup var times: TrackTimeOptions

  @Option(
    help: ArgumentHelp(
      "Read the tracks through gpsbabel, as this format of its list (gpsbabel -^3).", valueName: "format"))
  var gpsbabel: String?

  @Flag(help: "Replay each segment of a track alone: for files whose segments overlap in time.")
  var eachSegment = false

  @Option(
    help: ArgumentHelp(
      "How many tracks to replay at a time; the output stays in order. 1 also unpacks gzip on the same thread. (default: 1)",
      valueName: "n"))
  var jobs: Int?

  @Flag(help: "No programs: record only what happened, without decisions and energy of programs.")
  var noPrograms = false

  @Flag(help: "The tracks come as lines, many of them to one process; implies --no-programs and NDJSON.")
  var batch = false

  @Flag(help: "Read --from, --to and --start as UTC (default: as local time). Output is UTC.")
  var utc = false

  @OptionGroup var units: UnitsOptions

  @Flag(help: "Add a record for each fix: accepted, or rejected and why.")
  var explain = false

  func validate() throws {
    if noPrograms || batch, !subscribers.isEmpty || scenario != nil {
      throw ValidationError("--no-programs and --batch exclude --subscriber and --scenario")
    }
    if batch { try validateBatch() }
    if tracks.isEmpty, !batch { throw ValidationError("give a track, or - for standard input") }
    let inputs = tracks + (batch && tracks.isEmpty ? ["-"] : []) + regionFiles.regions
    if inputs.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
    if let jobs, jobs < 1 { throw ValidationError("--jobs needs a whole number of at least 1") }
    if !speed.isPossible { throw ValidationError("--speed needs a factor of at least 0.001, or max") }
    if let report {
      if tracks.count > 1 { throw ValidationError("--report works with one track only") }
      if report.isEmpty || report == "-" { throw ValidationError("--report needs the name of a file") }
    }
    if report == nil, isPrivate || tiles != nil || leaflet != nil {
      throw ValidationError("--private, --tiles and --leaflet need --report")
    }
    if speed.factor != nil, jobs ?? 1 > 1 { throw ValidationError("--speed and --jobs exclude each other") }
    if eachSegment && tracks.contains("-") {
      throw ValidationError("--each-segment works with files only")
    }
    if eachSegment && report != nil { throw ValidationError("--report works with one track only") }
  }

  private func validateBatch() throws {
    if tracks.count > 1 { throw ValidationError("--batch takes one file of lines, or standard input") }
    if report != nil || eachSegment || jobs != nil || speed.factor != nil {
      throw ValidationError("--batch excludes --report, --each-segment, --jobs and --speed")
    }
    if let format, format != .ndjson && format != .arrow {
      throw ValidationError("--batch writes ndjson or arrow")
    }
  }

  func run() async throws {
    let code: Failure.Code?
    do throws(Failure) {
      code =
        batch
        ? try await BatchReplay.run(tracks.first ?? "-", request(), to: OutputFile(path: "-")) {
          Terminal.report($0)
        }
        : try await Replay.run(tracks, request(), to: OutputFile(path: "-")) { Terminal.report($0) }
    } catch {
      throw Terminal.exit(for: error)
    }
    if let code { throw ExitCode(code.rawValue) }
  }

  private func request() throws(Failure) -> ReplayRequest {
    let others = [scenario, engine.config, engine.profile, tiles].compactMap { $0 }
    try OutputFile.refuse(report, sameAs: tracks + regionFiles.regions + subscribers + others)
    if let report { try OutputFile.refuseUnwritable(report) }
    var request = ReplayRequest()
    try engine.apply(to: &request.configuration)
    if let sampling { request.configuration.sampling.mode = sampling.mode }
    if noPrograms || batch, request.configuration.sampling.mode == .adaptive {
      throw Failure(
        .usage, what: "adaptive sampling needs a program: without one, the receiver is never on",
        remedy: "write --sampling continuous, or leave out \(batch ? "--batch" : "--no-programs")")
    }
    request.sampling = sampling?.mode
    request.keepsRecordedConfiguration = engine.config == nil
    request.hasOwnProfile = engine.profile != nil
    request.configuration.explains = explain
    request.regions = try regionFiles.read()
    for file in subscribers {
      let subscriber = try SubscriberManifest.read(
        path: file, by: request.configuration.policy, isReplayed: true)
      guard !request.subscribers.contains(where: { $0.name == subscriber.name }) else {
        throw Failure(
          .data, file: file, what: "another manifest is called \"\(subscriber.name)\" too",
          remedy: "give one of them another name")
      }
      request.subscribers.append(subscriber)
    }
    if subscribers.isEmpty && !noPrograms && !batch {
      request.subscribers = [Subscriber(name: "replay")]
      request.hasDefaultSubscribers = true
    }
    if let scenario {
      let parsed = try Scenario(path: scenario, subscribers: request.subscribers.map(\.name))
      request.scenario = parsed
      if let protects = parsed.protectUntilFirstUnlock {
        request.configuration.policy.protectUntilFirstUnlock = protects
      }
    }
    request.format = format ?? (Terminal.isTerminal(.output) ? .text : .ndjson)
    request.style = Terminal.style(try units.choice())
    func time(_ argument: TimeArgument?) throws(Failure) -> UTCTime? {
      guard let argument else { return nil }
      return try argument.time(in: utc ? .utc : TimeZoneFile.machine())
    }
    request.track = try times.track(isUTC: utc)
    request.track.assumeAccuracyMeters = accuracy.assumeAccuracy
    if !batch, !tracks.contains("-") { request.track.overlapRemedy = "--each-segment replays each alone" }
    request.track.gpsbabel = gpsbabel
    request.eachSegment = eachSegment
    request.from = try time(from)
    request.to = try time(to)
    if let from = request.from, let to = request.to, to < from {
      throw Failure(.usage, what: "--to is before --from", remedy: "swap them")
    }
    request.speed = speed.factor
    request.reportPath = report
    request.tellsNotifications = isPrivate
    request.leaflet = leaflet ?? Leaflet.usualFolder
    request.omitsPrograms = noPrograms
    request.baseMap = try tiles.map { (text) throws(Failure) in try BaseMap(text) }
    request.jobs = jobs
    request.showsProgress = Terminal.isTerminal(.error) && (jobs ?? 1) == 1
    return request
  }

  /// The speed of a replay.
  enum Speed: ExpressibleByArgument {
    case max
    case times(Double)

    init?(argument: String) {
      if argument == "max" {
        self = .max
      } else if let factor = Double(argument) {
        self = .times(factor)
      } else {
        return nil
      }
    }

    var defaultValueDescription: String { "max" }

    /// With the least a day takes three years: no clock counts as far as a much slower replay would last.
    var isPossible: Bool { factor.map { $0 >= 0.001 && $0.isFinite } ?? true }

    var factor: Double? {
      switch self {
      case .max: nil
      case .times(let factor): factor
      }
    }
  }
}

extension RecordFormat: ExpressibleByArgument {}

extension SamplingChoice: ExpressibleByArgument {}
