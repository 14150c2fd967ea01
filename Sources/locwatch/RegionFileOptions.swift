import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// Regions from files, for commands that replay or watch.
struct RegionFileOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Regions: GeoJSON, OwnTracks, KML, GPX, CSV, zones of Home Assistant; repeatable.", valueName: "file"),
    completion: .file())
  var regions: [String] = []

  @Option(
    help: ArgumentHelp(
      "The radius of points of --regions that have none, such as 100m.", valueName: "distance"),
    transform: ArgumentText.meters)
  var radius: Double?

  func validate() throws {
    if radius != nil, regions.isEmpty { throw ValidationError("--radius needs --regions") }
  }

  /// Reads all files; warnings go to standard error.
  ///
  /// - Throws: ``Failure`` if a file cannot be read, or two regions have the same id.
  func read() throws(Failure) -> [Region] {
    let files = try RegionFile.read(paths: regions, options: .init(defaultRadiusMeters: radius))
    for file in files { Terminal.warn(file.leftOut + file.warnings) }
    return files.flatMap(\.regions)
  }
}
