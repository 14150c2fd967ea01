import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch events`: what happened.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Print what happened.",
    discussion: """
      The records of Docs/Wire.md, in order. The id of the last one read is a cursor
      for the next time; as text it stands in brackets.

        locwatch events
        locwatch events --since 1234
        locwatch events --follow | jq -r 'select(.type == "region.enter") | .region'
      """)

  @Option(help: ArgumentHelp("Only those with higher ids.", valueName: "id"))
  var since: Int = 0

  @Flag(name: [.short, .long], help: "Go on with those to come.")
  var follow = false

  @OptionGroup var format: RegionsFormatOptions
  @OptionGroup var state: StateOptions

  func run() throws {
    do throws(Failure) {
      let output = try OutputFile(path: "-")
      var feed = EventFeed(state: try StatePath.resolve(option: state.state), since: since)
      var text = EventText()
      let isText = RegionsFormat.or(format.format) == .text
      func print(_ bytes: [UInt8]) throws(Failure) {
        try output.write(isText ? text.describe(bytes) : bytes)
      }
      if follow {
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
struct AckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack",
    abstract: "Acknowledge an event by hand: it is not handed to a subscriber again.",
    discussion: """
      Exit status 1 where nobody waits for it.

        locwatch ack 1234
        locwatch ack 1234 --subscriber commute-logger
      """)

  @Argument(help: ArgumentHelp("The event's id.", valueName: "id"))
  var id: Int

  @Option(help: ArgumentHelp("For this one only (default: for all who wait for it).", valueName: "name"))
  var subscriber: String?

  @OptionGroup var state: StateOptions

  func run() async throws {
    try Terminal.reporting { () throws(Failure) in
      try state.seat().acknowledge(id, subscriber: subscriber)
    }
  }
}
