import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `locwatch compare`: the same tracks under several policies.
struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "The same tracks under several policies: what each finds, how late, and at what cost.",
    discussion: """
      Continuous is a receiver that is always on and a program that is handed
      every fix; the others are held against it.

        locwatch compare day.gpx --regions places.geojson
        locwatch compare archive/*.gpx -r places.geojson --profile pinephone
        locwatch compare day.gpx -r places.geojson --format json

      Docs/Power.md tells what is modelled and how far it can be believed.
      """)

  /// How the comparison is printed.
  enum Format: String, ExpressibleByArgument {
    case text, json
  }

  @Argument(help: ArgumentHelp("Tracks; - reads standard input.", valueName: "track"))
  var tracks: [String]

  @OptionGroup var regionFiles: RegionFileOptions

  @OptionGroup var engine: EngineOptions

  @Option(help: ArgumentHelp("How to print.", valueName: "text|json"))
  var format: Format = .text

  @OptionGroup var accuracy: AccuracyOptions

  func validate() throws {
    if tracks.isEmpty { throw ValidationError("name a track, or - for standard input") }
  }

  func run() async throws {
    do throws(Failure) {
      let request = try request()
      var comparison = Comparison(profile: request.configuration.profile)
      for track in tracks { try comparison.add(track, request) }
      switch format {
      case .text: print(comparison.text, terminator: "")
      case .json: print(comparison.json)
      }
    } catch {
      throw Terminal.exit(for: error)
    }
  }

  private func request() throws(Failure) -> ReplayRequest {
    var request = ReplayRequest()
    try engine.apply(to: &request.configuration)
    request.regions = try regionFiles.read()
    request.track = TrackOptions(assumeAccuracyMeters: accuracy.assumeAccuracy)
    return request
  }
}
