public import ArgumentParser
public import LocationCore
import LocationFormats
import LocationLab
public import LocationRuntime

/// `locwatch replay`: runs tracks through the engine.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Run tracks through the engine: what would have woken whom, when, why and at what cost.",
    discussion: """
      A track is GPX 1.0 or 1.1, gpsd's JSON lines (gpspipe -w) or lines like
      {"time":"2026-05-01T06:00:00Z","lat":48.1,"lon":11.5,"acc_m":5}; gzip is
      read as it is. A recording (locwatch watch --record) is replayed with its
      own regions, subscribers and thresholds; those named here take their place.
      Nothing is written but the output, and the page of --report.

        locwatch replay drive.gpx
        locwatch replay drive.gpx --regions places.geojson
        locwatch replay drive.gpx -s logger.yaml --scenario day.yaml
        locwatch replay drive.gpx --sampling adaptive --report drive.html
        locwatch replay drive.gpx --explain --format ndjson | grep fix.rejected
        locwatch replay old.gpx --interval 1         # a track without times
        locwatch replay archive/*.gpx --jobs 2 --format ndjson > events.ndjson
        gpspipe -w -n 500 | locwatch replay -

      Tracks/ has tracks with regions, manifests and scenarios to begin with;
      Docs/Wire.md describes every record and every key of these files.
      """)

  @Argument(help: ArgumentHelp("Tracks to replay; - reads standard input.", valueName: "track"))
  var tracks: [String]

  @OptionGroup var regionFiles: RegionFileOptions

  @Option(
    name: [.short, .customLong("subscriber")],
    help: ArgumentHelp(
      "A subscriber's manifest; repeatable. Without one, a program `replay` that wants everything.",
      valueName: "file"))
  var subscribers: [String] = []

  @Option(
    help: ArgumentHelp("What else happens, and when: launches, force-quits, reboots.", valueName: "file"))
  var scenario: String?

  @OptionGroup var engine: EngineOptions

  @Option(
    help: ArgumentHelp(
      "Whether the receiver is always on, or switched by the engine, which then sees only the fixes it asks for (default: as --config has it).",
      valueName: "continuous|adaptive"))
  var sampling: SamplingChoice?

  @Option(
    help: ArgumentHelp(
      "Also write a page for a browser: map, timeline, energy, other policies. One track.",
      valueName: "file.html"))
  var report: String?

  @Option(help: "How to print; without it, text on a terminal and ndjson in a pipe.")
  var format: RecordFormat?

  @Option(help: ArgumentHelp("Seconds of the track in a second, or max.", valueName: "factor"))
  var speed: Speed = .max

  @Option(help: ArgumentHelp("Only fixes from this time on.", valueName: "time"))
  var from: UTCTime?

  @Option(help: ArgumentHelp("Only fixes up to this time.", valueName: "time"))
  var to: UTCTime?

  @OptionGroup var accuracy: AccuracyOptions

  @Option(help: ArgumentHelp("Seconds between the points of a track without times.", valueName: "seconds"))
  var interval: Double?

  @Option(help: ArgumentHelp("Time of the first point of a track without times.", valueName: "time"))
  var start: UTCTime?

  @Option(
    help: ArgumentHelp(
      "Tracks replayed side by side; the output stays in order. 1 also unpacks gzip on the same thread. (default: 1)",
      valueName: "n"))
  var jobs: Int?

  @Flag(help: "Add a record for each fix: believed, or refused and why.")
  var explain = false

  func validate() throws {
    if tracks.isEmpty { throw ValidationError("name a track, or - for standard input") }
    if tracks.filter({ $0 == "-" }).count > 1 {
      throw ValidationError("standard input can be read only once")
    }
    if let jobs, jobs < 1 { throw ValidationError("--jobs takes a whole number from 1 on") }
    if let interval, !(interval > 0 && interval <= 1e7) {
      throw ValidationError("--interval takes seconds above 0")
    }
    if let report {
      if tracks.count > 1 { throw ValidationError("--report takes one track") }
      if report.isEmpty || report == "-" { throw ValidationError("--report takes the name of a file") }
    }
    if start != nil && interval == nil { throw ValidationError("--start needs --interval") }
    if let from, let to, to < from { throw ValidationError("--to is before --from") }
  }

  func run() async throws {
    let code: Failure.Code?
    do throws(Failure) {
      code = try await Replay.run(tracks, request(), to: OutputFile(path: "-")) { Terminal.report($0) }
    } catch {
      throw Terminal.exit(for: error)
    }
    if let code { throw ExitCode(code.rawValue) }
  }

  private func request() throws(Failure) -> ReplayRequest {
    var request = ReplayRequest()
    try engine.apply(to: &request.configuration)
    if let sampling { request.configuration.sampling.mode = sampling.mode }
    request.sampling = sampling?.mode
    request.keepsRecordedConfiguration = engine.config == nil && engine.profile == nil
    request.configuration.explains = explain
    request.regions = try regionFiles.read()
    for file in subscribers { request.subscribers.append(try SubscriberManifest.read(path: file)) }
    if subscribers.isEmpty {
      request.subscribers = [Subscriber(name: "replay")]
      request.hasDefaultSubscribers = true
    }
    if let scenario {
      let parsed = try Scenario(path: scenario, subscribers: request.subscribers.map(\.name))
      request.scenario = parsed
      if parsed.protectUntilFirstUnlock { request.configuration.policy.protectUntilFirstUnlock = true }
    }
    request.format = format ?? (Terminal.isTerminal(.output) ? .text : .ndjson)
    request.track = TrackOptions(
      assumeAccuracyMeters: accuracy.assumeAccuracy, intervalSeconds: interval, start: start)
    request.from = from
    request.to = to
    request.speed = speed.factor
    request.reportPath = report
    request.jobs = jobs
    request.showsProgress = Terminal.isTerminal(.error) && (jobs ?? 1) == 1
    return request
  }

  /// How fast a replay goes.
  enum Speed: ExpressibleByArgument {
    case max
    case times(Double)

    init?(argument: String) {
      if argument == "max" {
        self = .max
      } else if let factor = Double(argument), factor > 0, factor.isFinite {
        self = .times(factor)
      } else {
        return nil
      }
    }

    var defaultValueDescription: String { "max" }

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

extension UTCTime: ExpressibleByArgument {
  /// A time as RFC 3339 has it.
  public init?(argument: String) { self.init(rfc3339: argument) }
}
