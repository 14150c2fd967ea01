import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch events`: what happened.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Print the events so far, or follow them.",
    discussion: """
      Prints the records of Docs/Wire.md in order. To continue later, pass the id of
      the last record to --since; the text format shows ids in brackets.

        locwatch events
        locwatch events --since 1234
        locwatch events --follow | jq -r 'select(.type == "region.enter") | .region'
      """)

  @Option(help: ArgumentHelp("Only events with a higher id.", valueName: "id"))
  var since: Int = 0

  @Flag(name: [.short, .long], help: "Continue with new events.")
  var follow = false

  @OptionGroup var zone: ZoneOptions
  @OptionGroup var units: UnitsOptions
  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var state: StateOptions

  func run() throws {
    do throws(Failure) {
      try state.noteIfMissing()
      let output = try OutputFile(path: "-")
      var feed = EventFeed(state: try StatePath.resolve(option: state.state), since: since)
      let isText = OutputFormat.or(format.format) == .text
      var text = try EventText(in: isText ? zone.zone : .utc, Terminal.style(units.choice()))
      func print(_ bytes: [UInt8]) throws(Failure) {
        try output.write(isText ? text.describe(bytes) : bytes)
      }
      if follow {
        Terminal.endWithReader()
        try feed.follow { (bytes) throws(Failure) in try print(bytes) }
      } else {
        try feed.read { (bytes) throws(Failure) in try print(bytes) }
      }
    } catch {
      throw Terminal.exit(for: error)
    }
  }
}

/// `locwatch ack`: acknowledges by hand.
struct AckCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack",
    abstract: "Acknowledge an event by hand, so that it is not delivered again.",
    discussion: """
      Exits with 1 if no subscriber waits for the event.

        locwatch ack 1234
        locwatch ack 1234 --subscriber commute-logger
      """)

  @Argument(help: ArgumentHelp("The event's id.", valueName: "id"))
  var id: Int

  @Option(
    help: ArgumentHelp(
      "Acknowledge for this subscriber only (default: for all that wait for it).", valueName: "name"),
    completion: Candidates.subscribers)
  var subscriber: String?

  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    try state.seat().acknowledge(id, subscriber: subscriber)
  }
}
