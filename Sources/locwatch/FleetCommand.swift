import ArgumentParser
import LocationFormats

/// `locwatch fleet`: starts `locwatch-fleet`, which alone links the client of the cluster.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Many devices on a cluster: starts locwatch-fleet (Docs/Fleet.md).",
    discussion: """
        locwatch fleet --help
        locwatch fleet status
        locwatch fleet device alice/phone
      """)

  @Argument(help: ArgumentHelp("As locwatch-fleet takes them.", valueName: "words"))
  var words: [String] = []

  func run() throws { throw Self.start(words) }

  /// Becomes `locwatch-fleet`.
  ///
  /// ``Entry`` calls it before the parser runs. A parser that captures the words of `fleet` ends the options of every
  /// command at a value of that name.
  ///
  /// - Returns: why that was not possible.
  static func start(_ words: [String]) -> any Error {
    let program = SiblingProgram.path("locwatch-fleet") ?? "locwatch-fleet"
    SiblingProgram.become(program, words)
    return Terminal.exit(
      for: Failure(
        .unavailable, what: "\(program) can't be started", remedy: "install the package locwatch-fleet"))
  }
}
