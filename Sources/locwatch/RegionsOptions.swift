import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// The state file.
struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The state file (default: ~/.local/state/locwatch/locwatch.db, for root /var/lib/locwatch/locwatch.db).",
      valueName: "file"), completion: .file())
  var state: String?

  /// The store to read; nil if there is none yet.
  func openToRead() throws(Failure) -> StateDatabase? {
    try StateDatabase.openToRead(path: try StatePath.resolve(option: state))
  }

  /// Says on standard error that there is no state file, for a command that has nothing to show without one.
  func noteIfMissing() throws(Failure) {
    let path = try StatePath.resolve(option: state)
    guard try !StateDatabase.isThere(path: path) else { return }
    let other = DaemonSeat(state: path).otherDaemon()
    let remedy = other.map { "a daemon runs on \($0)" } ?? "locwatch on, regions add or run makes one"
    Terminal.note("there is no state file \(path) yet; \(remedy)")
  }

  /// The store to change; creates one if there is none.
  func open() throws(Failure) -> StateDatabase {
    try StateDatabase.open(path: try StatePath.resolve(option: state))
  }

  /// The store to change. Says on standard error where a daemon runs that does not read it.
  func openToChange() throws(Failure) -> StateDatabase {
    let database = try open()
    let seat = try seat()
    if try !seat.hasDaemon(), let other = seat.otherDaemon() {
      Terminal.note(
        "no daemon runs on \(seat.state), but one runs on \(other); to change that one add --state \(other)")
    }
    return database
  }

  /// Where the device is, as far as anybody knows: the last fix, and the city of the machine's time zone.
  func knownPlaces() -> [Coordinate] {
    let fix = (try? lastFix())?.coordinate
    let zone = try? TimeZoneFile.machine()
    return [fix, zone.flatMap { TimeZonePlace.place(of: $0.name) }].compactMap { $0 }
  }

  /// The way to the state: through the daemon if one runs, else the file.
  func seat() throws(Failure) -> DaemonSeat { DaemonSeat(state: try StatePath.resolve(option: state)) }

  /// The regions chosen; none without a store.
  func regions(_ choice: StateDatabase.RegionChoice = .all) throws(Failure) -> RegionFile {
    guard let database = try openToRead() else { return RegionFile(name: state ?? "") }
    return try database.regions(choice)
  }
}

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

extension Terminal {
  /// Prints warnings on standard error.
  static func warn(_ lines: [String]) {
    for line in lines.prefix(shownWarnings) { note("warning: \(line)") }
    if lines.count > shownWarnings { note("warning: \(lines.count - shownWarnings) more warnings") }
  }

  private static let shownWarnings = 100

  /// Prints one line on standard error.
  static func note(_ line: String) {
    do throws(Failure) {
      let text = wrapped("locwatch: \(TextTable.cell(line))\n", on: .error)
      try OutputFile.standardError.write(Array(text.utf8))
    } catch {
      // Standard error is closed: the exit status is all that is left.
    }
  }

  /// Writes text to standard output. On a terminal its lines are broken between words.
  ///
  /// - Parameter asIs: whether no line is broken, because the text is for programs too.
  static func print(_ text: String, asIs: Bool = false) throws(Failure) {
    let isForPrograms = asIs || text.hasPrefix("{")
    try OutputFile(path: "-").write(Array((isForPrograms ? text : wrapped(text, on: .output)).utf8))
  }

  /// Runs a command's work; prints a failure in one line and turns it into the exit status.
  static func reporting(_ work: () throws(Failure) -> Void) throws {
    do throws(Failure) {
      try work()
    } catch {
      throw exit(for: error)
    }
  }
}
