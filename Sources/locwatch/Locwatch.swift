import ArgumentParser

@main struct Locwatch: AsyncParsableCommand {
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
      EventsCommand.self, AckCommand.self, RegionsCommand.self, SubscribersCommand.self, UnlockCommand.self,
      PowerCommand.self, Synth.self, CapabilitiesCommand.self, ConfigCommand.self,
    ])
}
