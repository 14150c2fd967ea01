import ArgumentParser
import LocationRuntime

/// `locwatch events`: what happened.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Print what happened, as NDJSON.",
    discussion: """
      The records of Docs/Wire.md, in order. The id of the last one read is a cursor for the next time.

        locwatch events
        locwatch events --since 1234
        locwatch events --follow | jq -r 'select(.type == "region.enter") | .region'
      """)

  @Option(help: ArgumentHelp("Only those with higher ids.", valueName: "id"))
  var since: Int = 0

  @Flag(name: [.short, .long], help: "Go on with those to come.")
  var follow = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    let path: String
    do throws(Failure) { path = try StatePath.resolve(option: state.state) } catch {
      throw Terminal.exit(for: error)
    }
    let (since, follow) = (since, follow)
    do throws(Failure) {
      let result = try await DedicatedThread.run { () -> Result<Void, Failure> in
        Result { () throws(Failure) in
          let output = try OutputFile(path: "-")
          var feed = EventFeed(state: path, since: since)
          guard follow else {
            return try feed.read { (bytes) throws(Failure) in try output.write(bytes) }
          }
          try feed.follow { (bytes) throws(Failure) in try output.write(bytes) }
        }
      }
      try result.get()
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
