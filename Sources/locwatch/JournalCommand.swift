import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch journal`: what reached the daemon.
struct JournalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Write down what reached the daemon, for locwatch replay.",
    discussion: """
      A recording of what the state file still holds: with it, what happened in
      the field happens again wherever the file is copied. It says where somebody
      was, so a new file is for its owner alone.

        locwatch journal -o incident.journal
        locwatch replay incident.journal --explain
        locwatch journal --state copy-of.db | gzip > incident.journal.gz
      """)

  @Option(
    name: [.short, .long], help: ArgumentHelp("Where to (default: standard output).", valueName: "file"))
  var output: String?

  @OptionGroup var state: StateOptions

  func run() async throws {
    try Terminal.reporting { () throws(Failure) in
      let path = try StatePath.resolve(option: state.state)
      guard let database = try StateDatabase.openToRead(path: path) else {
        throw Failure(
          .conditionFails, file: path, what: "there is no state file yet", remedy: "locwatch run makes one")
      }
      let file = try OutputFile(path: output ?? "-", isPrivate: true)
      let count = try database.recording { (bytes) throws(Failure) in try file.write(bytes) }
      guard let count else {
        throw Failure(
          .conditionFails, file: path, what: "it has no journal yet", remedy: "locwatch run writes one")
      }
      if let output, output != "-" {
        Terminal.note("\(output): \(count) events; locwatch replay \(output)")
      }
    }
  }
}
