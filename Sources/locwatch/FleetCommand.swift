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

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("As locwatch-fleet takes them.", valueName: "words"))
  var words: [String] = []

  func run() throws {
    let program = SiblingProgram.path("locwatch-fleet") ?? "locwatch-fleet"
    SiblingProgram.become(program, GlobalOptions(in: words).others)
    throw Terminal.exit(
      for: Failure(
        .unavailable, what: "\(program) can't be started", remedy: "install the package locwatch-fleet"))
  }
}
