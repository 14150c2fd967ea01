import ArgumentParser
import Dispatch

/// Where the program starts: without concurrency, which a command that needs it begins itself.
///
/// An `async` entry would have Dispatch start its threads for every command, and their watch over each other wakes
/// the process every second: too much for a daemon that is idle.
@main enum Entry {
  static func main() {
    do {
      var command = try Locwatch.parseAsRoot()
      if command is any AsyncParsableCommand {
        Task {
          await Locwatch.main()
          Locwatch.exit()
        }
        dispatchMain()
      }
      try command.run()
    } catch {
      Locwatch.exit(withError: error)
    }
  }
}

struct Locwatch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locwatch",
    abstract: "Background location services for Linux.",
    discussion: """
      locwatch replay drive.gpx
        what would have woken a program on this drive, when, why and at what cost
      locwatch replay drive.gpx -r places.geojson -s logger.yaml --scenario day.yaml
        the same with your places, your program and what its user did
      locwatch regions add home --circle 48.1371,11.5754,120
        a place to keep; regions export writes what replay reads
      locwatch synth commute.synth.yaml -o commute.gpx
        a track without driving
      """,
    version: "0.1.0",
    subcommands: [
      ReplayCommand.self, CompareCommand.self, WatchCommand.self, RunCommand.self, StatusCommand.self,
      EventsCommand.self, ExplainCommand.self, JournalCommand.self, AckCommand.self, RegionsCommand.self,
      SubscribersCommand.self, UnlockCommand.self, LowPowerCommand.self, PowerCommand.self, Synth.self,
      CapabilitiesCommand.self, ConfigCommand.self,
    ])
}
