import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `locwatch compare`: the same tracks under several policies.
struct CompareCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare policies on the same tracks: what each finds, how late, and at what cost.",
    discussion: """
      The policy "continuous" is a receiver that is always on and a program that
      gets every fix. The others are compared with it.

        locwatch compare day.gpx --regions places.geojson
        locwatch compare archive/*.gpx -r places.geojson --profile pinephone
        locwatch compare day.gpx -r places.geojson --format ndjson

      Docs/Power.md describes the model and how far you can trust it.
      """)

  /// How the comparison is printed.
  enum Format: String, ExpressibleByArgument {
    case text, ndjson
    /// What 0.1.0 called it.
    case json
  }

  @Argument(help: ArgumentHelp("Tracks; - is standard input.", valueName: "track"), completion: .file())
  var tracks: [String]

  @OptionGroup var regionFiles: RegionFileOptions

  @OptionGroup var engine: EngineOptions

  @Option(help: ArgumentHelp("The output format.", valueName: "text|ndjson"))
  var format: Format = .text

  @OptionGroup var units: UnitsOptions

  @OptionGroup var accuracy: AccuracyOptions

  @OptionGroup var times: TrackTimeOptions

  func validate() throws {
    if tracks.isEmpty { throw ValidationError("give a track, or - for standard input") }
  }

  func perform() throws(Failure) {
    let request = try request()
    let units = try units.choice()
    var comparison = Comparison(profile: request.configuration.profile)
    var lacks: [Failure] = []
    for track in tracks {
      if let lack = try comparison.add(track, request) { lacks.append(lack) }
    }
    if lacks.count < tracks.count {
      switch format {
      case .text: try Terminal.print(comparison.text(in: units, fitting: Terminal.columns(.output)))
      case .ndjson, .json: try Terminal.print(comparison.json + "\n", asIs: true)
      }
    }
    for lack in lacks.dropLast() { Terminal.report(lack) }
    if let last = lacks.last { throw last }
  }

  private func request() throws(Failure) -> ReplayRequest {
    var request = ReplayRequest()
    try engine.apply(to: &request.configuration)
    request.regions = try regionFiles.read()
    request.track = try times.track()
    request.track.assumeAccuracyMeters = accuracy.assumeAccuracy
    return request
  }
}
