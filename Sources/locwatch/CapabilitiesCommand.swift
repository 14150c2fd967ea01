import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch capabilities`: what works on this machine, and what does not and why.
struct CapabilitiesCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "capabilities",
    abstract: "Show what works on this machine, and what does not and why.",
    discussion: """
      This changes nothing. It asks gpsd for its devices but not for reports, and
      removes at once whatever it creates to test a permission. A running daemon
      says where its fixes come from, unless --gpsd names a server. What shows
      notifications is in the settings: name the daemon's file with --config.

        locwatch capabilities
        locwatch capabilities --gpsd pi.local --json
      """)

  @Option(
    help: ArgumentHelp(
      "The address of gpsd (default: the daemon's, else \(SourceAddress.local)).",
      valueName: "server[:port[:device]]"))
  var gpsd: String?

  @OptionGroup var settings: SettingsOptions
  @OptionGroup var output: JSONOptions
  @OptionGroup var state: StateOptions

  func perform() async throws(Failure) {
    guard gpsd != "" else {
      throw Failure(.usage, what: "--gpsd names no address", remedy: "name one, or leave the option out")
    }
    let address = try gpsd.map { (text) throws(Failure) in try SourceAddress(text) }
    let status = address == nil ? try status() : nil
    let capabilities = try await Capabilities.look(
      gpsd: address, status: status, notifyHook: try settings.daemon().notifyHook)
    try Terminal.print(output.isJSON ? capabilities.json + "\n" : capabilities.text)
  }

  /// What the daemon says; nil where none runs, or none can be asked.
  ///
  /// - Throws: `.data` where the state file is damaged.
  private func status() throws(Failure) -> JSONTree? {
    do throws(Failure) { return try state.seat().status() } catch {
      if error.code == .data { throw error }
      if ControlClient.isNoAnswer(error) {
        Terminal.note("\(error.what); gpsd is looked for at \(SourceAddress.local)")
      }
      return nil
    }
  }
}
