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
    var read: [RegionFile] = []
    for path in files {
      let file = try RegionFile.read(path: path)
      Terminal.warn(file.leftOut + file.warnings)
      read.append(file)
    }
    try RegionFile.refuseDuplicates(read)
    return read
  }
}

/// How regions are printed.
enum RegionsFormat: String, ExpressibleByArgument, CaseIterable {
  case text, ndjson

  /// The format asked for; else text on a terminal and NDJSON in a pipe.
  static func or(_ format: RegionsFormat?) -> RegionsFormat {
    format ?? (Terminal.isTerminal(.output) ? .text : .ndjson)
  }
}

/// `--format` and `--json` of commands that print text unless they are asked otherwise.
struct JSONOptions: ParsableArguments {
  @Flag(help: "JSON; the same as --format ndjson.")
  var json = false

  @Option(help: "text or ndjson (default: text).")
  var format: RegionsFormat?

  func validate() throws {
    if json, format == .text { throw ValidationError("--json and --format text exclude each other") }
  }

  /// Whether JSON is to be printed.
  var isJSON: Bool { json || format == .ndjson }
}

/// `--format` of commands that print one item a line.
struct RegionsFormatOptions: ParsableArguments {
  @Option(help: "text or ndjson (default: text on a terminal, ndjson in a pipe).")
  var format: RegionsFormat?

  /// Prints a table, or one line of JSON for each item.
  func print<Item>(
    _ items: [Item], header: [String], rightAligned: Set<Int> = [], row: (Item) -> [String],
    json: (Item, inout JSONLine) -> Void
  ) throws(Failure) {
    switch RegionsFormat.or(format) {
    case .text:
      guard !items.isEmpty else { return }
      try Terminal.print(TextTable(header: header, rows: items.map(row), rightAligned: rightAligned).text)
    case .ndjson:
      var bytes: [UInt8] = []
      var line = JSONLine()
      for item in items {
        line.reset()
        json(item, &line)
        bytes.append(contentsOf: line.bytes)
        bytes.append(UInt8(ascii: "\n"))
      }
      try OutputFile(path: "-").write(bytes)
    }
  }
}

/// `--format` of commands that say in a sentence what has become of a region.
struct RegionChangeFormatOptions: ParsableArguments {
  @Option(help: "text or ndjson: the region as regions list has it (default: text).")
  var format: RegionsFormat?

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

/// `--format` of commands that print the same in both formats, or nothing: a script can give it to all alike.
struct SameFormatOptions: ParsableArguments {
  @Option(help: "text or ndjson; the output is the same.")
  var format: RegionsFormat?
}
