import ArgumentParser

@main struct Locwatch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locwatch",
    abstract: "Background location services for Linux.",
    version: "0.1.0",
    subcommands: [ReplayCommand.self, RegionsCommand.self, Synth.self])
}
