import ArgumentParser
import LocationCore
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

  @Option(name: [.short, .long], help: ArgumentHelp("GeoJSON with regions; repeatable.", valueName: "file"))
  var regions: [String] = []

  @Option(help: ArgumentHelp("Thresholds other than the defaults.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Power profile: a name (locwatch power profiles), or a YAML file (default: \(PowerProfile.rpi4UbloxM8.name)).",
      valueName: "name|file"))
  var profile: String?

  @Option(help: ArgumentHelp("How to print.", valueName: "text|json"))
  var format: Format = .text

  @Option(help: ArgumentHelp("68 % radius of fixes that state no accuracy.", valueName: "metres"))
  var assumeAccuracy: Double?

  func validate() throws {
    if tracks.isEmpty { throw ValidationError("name a track, or - for standard input") }
    if let assumeAccuracy, !(assumeAccuracy > 0 && assumeAccuracy <= 1e7) {
      throw ValidationError("--assume-accuracy takes metres above 0")
    }
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
    if let profile { request.configuration.profile = try PowerProfileFile.find(profile) }
    if let config { try Settings.read(path: config, into: &request.configuration) }
    for path in regions {
      let file = try RegionFile.read(path: path)
      Terminal.warn(file.leftOut + file.warnings)
      request.regions += file.regions
    }
    try Region.refuseDuplicates(among: request.regions)
    request.track = TrackOptions(assumeAccuracyMeters: assumeAccuracy)
    return request
  }
}
