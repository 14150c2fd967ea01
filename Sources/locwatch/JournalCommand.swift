import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch journal`: exports what reached the daemon.
struct JournalCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal",
    abstract: "Export everything that reached the daemon as a recording for locwatch replay.",
    discussion: """
      The recording holds what the state file still has. A replay of it repeats an
      incident in the field on any machine. It says where somebody was, so a new
      file is readable by its owner only.

        locwatch journal -o incident.journal
        locwatch replay incident.journal --explain
        locwatch journal --state copy-of.db | gzip > incident.journal.gz
      """)

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The file to write (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    let path = try StatePath.resolve(option: state.state)
    guard let database = try StateDatabase.openToRead(path: path) else {
      throw DaemonSeat.noState(path)
    }
    try OutputFile.refuse(output, sameAs: StatePath.files(of: path))
    guard try database.hasJournal() else { throw DaemonSeat.noJournal(path) }
    let file = try OutputFile(path: output ?? "-", isPrivate: true)
    let count = try database.recording { (bytes) throws(Failure) in try file.write(bytes) }
    if let output, output != "-" {
      Terminal.note("\(output): \(count) events; locwatch replay \(CommandText.word(output))")
    }
  }
}
