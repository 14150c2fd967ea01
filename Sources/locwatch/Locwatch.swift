import ArgumentParser
import Dispatch
import LocationFormats

/// The entry point. It is synchronous; commands that need concurrency start it themselves.
///
/// With an `async` entry point Dispatch starts its threads for every command. Their watchdog wakes the process
/// every second, which an idle daemon must avoid.
@main enum Entry {
  static func main() {
    Descriptors.holdStandardStreams()
    InheritedSignals.tellOfChildren()
    InheritedSignals.failWritesBeyondLimits()
    let options = GlobalOptions(in: Array(CommandLine.arguments.dropFirst()))
    if let failure = Descriptors.failure ?? ArgumentEncoding.failure ?? UnknownCommand.failure(options.others)
    {
      Locwatch.exit(withError: Terminal.exit(for: failure))
    }
    do {
      try CompletionScript.printIfRequested(Array(CommandLine.arguments.dropFirst()))
      if options.others.first == FleetCommand.configuration.commandName {
        try Terminal.reporting { () throws(Failure) in try options.requireSettings() }
        throw FleetCommand.start(Array(options.others.dropFirst()))
      }
      let command = try parsed()
      try Terminal.reporting { () throws(Failure) in try options.requireSettings() }
      guard let concurrent = command as? any AsyncParsableCommand else {
        var command = command
        return try command.run()
      }
      run(concurrent, options.others)
    } catch {
      exit(error, after: options.others)
    }
  }

  /// The command that the arguments name.
  private static func parsed() throws -> sending any ParsableCommand { try Locwatch.parseAsRoot() }

  /// Runs a command that needs concurrency.
  private static func run(_ command: sending any AsyncParsableCommand, _ words: [String]) -> Never {
    Task {
      do {
        var command = command
        try await command.run()
      } catch {
        exit(error, after: words)
      }
      Locwatch.exit()
    }
    dispatchMain()
  }

  /// Ends as an error says: with help, a version, or one line on what is wrong with the arguments.
  ///
  /// - Parameter words: the command line without what every command takes.
  private static func exit(_ error: any Error, after words: [String]) -> Never {
    if !(error is ExitCode), Locwatch.exitCode(for: error) == .success { tell(error) }
    guard !(error is ExitCode), Locwatch.exitCode(for: error) == .validationFailure else {
      Locwatch.exit(withError: error)
    }
    let text = Locwatch.message(for: error)
    if !text.hasPrefix("Unknown option"), let failure = UnknownOption.failure(words) {
      Locwatch.exit(withError: Terminal.exit(for: failure))
    }
    let message = text.split(whereSeparator: \.isNewline).joined(separator: " ")
      .replacing(/\. Did you mean ('.*'\?)/) { " (did you mean \($0.1))" }
    // The parser alone knows which command it is about.
    let command = Locwatch.fullMessage(for: error).firstMatch(of: /See '(.*)' for/)?.1
    let failure = Failure(
      .usage, what: message.prefix(1).lowercased() + message.dropFirst().replacing(/\.$/, with: ""),
      remedy: negativeValue(text, words) ?? command.map { "see \($0)" })
    Locwatch.exit(withError: Terminal.exit(for: failure))
  }

  /// Prints help or a version. The parser would not look at whether it arrives.
  private static func tell(_ error: any Error) -> Never {
    do throws(Failure) {
      try Terminal.print(Locwatch.fullMessage(for: error) + "\n", asIs: true)
    } catch {
      Locwatch.exit(withError: Terminal.exit(for: error))
    }
    Locwatch.exit()
  }

  /// How a value is given that begins with -, which the parser took for an option; nil where there is none.
  private static func negativeValue(_ message: String, _ words: [String]) -> String? {
    if message.hasPrefix("Missing expected argument"),
      let value = words.first(where: { $0.starts(with: /-\d/) })
    {
      return "\(value) is taken for an option; write it after --"
    }
    guard let option = message.firstMatch(of: /^Missing value for '(--?[\w-]+)/)?.1,
      let value = words.drop(while: { $0 != option }).dropFirst().first, value.starts(with: /-[^-]/)
    else { return nil }
    return "a value that begins with - is written as \(option)=\(value)"
  }
}

struct Locwatch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locwatch",
    abstract: "Background location services for Linux.",
    discussion: """
      Run a command when this machine arrives, leaves or moves; replay any GPS
      track to see beforehand what would have fired.

        locwatch on enter home --circle 48.1371,11.5754,120 -- notify-send Home
        locwatch run                                      # the daemon; needs gpsd
        locwatch replay drive.gpx -r places.geojson       # what would have fired?
        locwatch subscribers add logger.yaml              # your program's manifest
        locwatch status
        locwatch explain --region home                    # why did it not fire?
      """,
    version: ProgramVersion.text,
    subcommands: [
      OnCommand.self, ReplayCommand.self, CompareCommand.self, WatchCommand.self, RunCommand.self,
      StatusCommand.self,
      EventsCommand.self, ExplainCommand.self, JournalCommand.self, AckCommand.self, RegionsCommand.self,
      SubscribersCommand.self, NotificationsCommand.self, PushCommand.self, TransfersCommand.self,
      OutletsCommand.self, MetricsCommand.self, ServeCommand.self, LockCommand.self, UnlockCommand.self,
      LowPowerCommand.self, PowerCommand.self, FleetCommand.self,
      Synth.self,
      CapabilitiesCommand.self, ConfigCommand.self, CompletionCommand.self,
    ])

  // The root reads these wherever they stand, so every command takes them. A command that declares one of the groups as
  // well gets what was read here.
  @OptionGroup var settings: SettingsOptions
  @OptionGroup var state: StateOptions
}
