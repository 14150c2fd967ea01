import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch capabilities`: what works on this machine, and what does not and why.
struct CapabilitiesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capabilities",
    abstract: "Show what works on this machine, and what does not and why.",
    discussion: """
      This changes nothing. It asks gpsd for its devices but not for reports, and
      removes at once whatever it creates to test a permission.

        locwatch capabilities
        locwatch capabilities --gpsd pi.local --json
      """)

  @Option(help: ArgumentHelp("The address of gpsd.", valueName: "server[:port[:device]]"))
  var gpsd: String = SourceAddress.local.description

  @OptionGroup var output: JSONOptions

  func run() async throws {
    do throws(Failure) {
      let capabilities = try await Capabilities.look(gpsd: SourceAddress(gpsd))
      try OutputFile(path: "-").write(
        Array((output.isJSON ? capabilities.json + "\n" : capabilities.text).utf8))
    } catch {
      throw Terminal.exit(for: error)
    }
  }
}
