import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `locwatch explain`: why something did, or did not, happen.
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Tell why something happened, or did not: what was known, what decided, what it lacked.",
    discussion: """
      For a moment, the newest one that is known if none is named: the fix, and
      whether it was believed; for each region that was near, how far the edge was
      and what its state would have taken to change; for each subscriber, what an
      event would have led to. A time in whole seconds means all of that second.
      Works with a daemon and without, as far back as the journal reaches, and on
      a file that locwatch journal or run --record wrote.

        locwatch explain
        locwatch explain --region home --at 2026-05-01T06:00:12Z
        locwatch explain --event 1234
        locwatch explain --subscriber commute-logger --json
        locwatch explain incident.journal --region home --at 2026-05-01T06:00:12Z
      """)

  @Argument(help: ArgumentHelp("A recording (default: the state file).", valueName: "recording"))
  var recording: String?

  @Option(help: ArgumentHelp("When, UTC.", valueName: "time"))
  var at: UTCTime?

  @Option(help: ArgumentHelp("A record's id; locwatch events has them.", valueName: "id"))
  var event: Int?

  @Option(help: ArgumentHelp("About this region, however far it is.", valueName: "id"))
  var region: String?

  @Option(help: ArgumentHelp("About this one alone.", valueName: "name"))
  var subscriber: String?

  @Flag(help: "One JSON object; the same as --format ndjson.")
  var json = false

  @OptionGroup var format: RegionsFormatOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    if at != nil, event != nil { throw ValidationError("--at and --event exclude each other") }
    if recording != nil, state.state != nil {
      throw ValidationError("a recording and --state exclude each other")
    }
    if json, format.format == .text { throw ValidationError("--json and --format text exclude each other") }
  }

  func run() async throws {
    try Terminal.reporting { () throws(Failure) in
      let question = Question(at: at, event: event, region: region, subscriber: subscriber)
      let explanation: Explanation
      if let recording {
        explanation = try Explanation(question, recording: recording)
      } else {
        explanation = try Explanation(question, state: try StatePath.resolve(option: state.state))
      }
      let isText = !json && RegionsFormat.or(format.format) == .text
      try Terminal.print(isText ? explanation.text : explanation.tree.text + "\n")
    }
  }
}
