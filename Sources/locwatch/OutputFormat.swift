import ArgumentParser
import LocationCore
import LocationFormats

/// How a command prints what it found.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text, ndjson

  /// The format asked for; else text on a terminal and NDJSON in a pipe.
  static func or(_ format: OutputFormat?) -> OutputFormat {
    format ?? (Terminal.isTerminal(.output) ? .text : .ndjson)
  }
}

/// `--format` and `--json` of commands that print text unless they are asked otherwise.
struct JSONOptions: ParsableArguments {
  @Flag(help: "JSON; the same as --format ndjson.")
  var json = false

  @Option(help: "text or ndjson (default: text).")
  var format: OutputFormat?

  func validate() throws {
    if json, format == .text { throw ValidationError("--json and --format text exclude each other") }
  }

  /// Whether JSON is to be printed.
  var isJSON: Bool { json || format == .ndjson }
}

/// `--format` of commands that print one item a line.
struct OutputFormatOptions: ParsableArguments {
  @Option(help: "text or ndjson (default: text on a terminal, ndjson in a pipe).")
  var format: OutputFormat?

  /// Prints a table, or one line of JSON for each item.
  func print<Item>(
    _ items: [Item], header: [String], rightAligned: Set<Int> = [], row: (Item) -> [String],
    json: (Item, inout JSONLine) -> Void
  ) throws(Failure) {
    switch OutputFormat.or(format) {
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

/// `--format` of commands that print the same in both formats, or nothing: a script can give it to all alike.
struct SameFormatOptions: ParsableArguments {
  @Option(help: "text or ndjson; the output is the same.")
  var format: OutputFormat?
}
