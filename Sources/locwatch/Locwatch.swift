import ArgumentParser

@main struct Locwatch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locwatch",
    abstract: "Background location services for Linux.",
    version: "0.1.0",
    subcommands: [
      ReplayCommand.self, WatchCommand.self, RegionsCommand.self, Synth.self, CapabilitiesCommand.self,
      ConfigCommand.self,
    ])
}
