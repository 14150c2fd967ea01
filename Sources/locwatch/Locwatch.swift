import ArgumentParser

@main struct Locwatch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "locwatch")
}
