import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// The regions that a command is given in files.
struct RegionFileOptions: ParsableArguments {
  @Option(name: [.short, .long], help: ArgumentHelp("GeoJSON with regions; repeatable.", valueName: "file"))
  var regions: [String] = []

  /// Reads them all; what is odd about them goes to standard error.
  ///
  /// - Throws: ``Failure`` where a file can't be read, or two of its regions have one id.
  func read() throws(Failure) -> [Region] {
    var all: [Region] = []
    for path in regions {
      let file = try RegionFile.read(path: path)
      Terminal.warn(file.leftOut + file.warnings)
      all += file.regions
    }
    var seen: Set<String> = []
    for region in all where !seen.insert(region.id).inserted {
      throw Failure(
        .data, what: "two of the files have a region \"\(region.id)\"", remedy: "give one of them another id")
    }
    return all
  }
}
