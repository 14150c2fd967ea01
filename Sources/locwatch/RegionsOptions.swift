import ArgumentParser
import LocationCore
import LocationFormats

/// Regions from files, or those of the store.
struct RegionsSource: ParsableArguments {
  @Option(
    name: [.customShort("r"), .customLong("regions")],
    help: ArgumentHelp(
      "Read regions from this file instead of the state file; repeatable.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @OptionGroup var state: StateOptions

  /// Reads the files or the store; warnings go to standard error.
  func read() throws(Failure) -> [RegionFile] {
    guard !files.isEmpty else {
      let stored = try state.regions()
      if stored.regions.isEmpty { try state.noteIfMissing() }
      return [stored]
    }
    let read = try RegionFile.read(paths: files)
    for file in read { Terminal.warn(file.leftOut + file.warnings) }
    return read
  }
}

/// `--format` of commands that say in a sentence what has become of a region.
struct RegionChangeFormatOptions: ParsableArguments {
  @Option(help: "text or ndjson: the region as regions list has it (default: text).")
  var format: OutputFormat?

  /// Prints the sentence, or the region's line of JSON.
  func print(_ sentence: String, of region: RegionFeature) throws(Failure) {
    switch format ?? .text {
    case .text: try Terminal.print(sentence)
    case .ndjson:
      var line = JSONLine()
      RegionRecord(region).write(to: &line)
      try OutputFile(path: "-").write(line.bytes + [UInt8(ascii: "\n")])
    }
  }
}
