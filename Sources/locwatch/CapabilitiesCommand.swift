import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch capabilities`: what works on this machine, and why not.
struct CapabilitiesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capabilities",
    abstract: "Tell what works on this machine, and why not.",
    discussion: """
      Nothing is changed: gpsd is asked for its devices without being asked for reports, and what is made to try
      a right is removed at once.

        locwatch capabilities
        locwatch capabilities --gpsd pi.local --json
      """)

  @Option(help: ArgumentHelp("Where gpsd is.", valueName: "server[:port[:device]]"))
  var gpsd: String = GPSDAddress.local.description

  @Flag(help: "One JSON object.")
  var json = false

  func run() async throws {
    do throws(Failure) {
      let capabilities = try await Capabilities.look(gpsd: GPSDAddress(gpsd))
      try OutputFile(path: "-").write(Array((json ? capabilities.json + "\n" : capabilities.text).utf8))
    } catch {
      throw Terminal.exit(for: error)
    }
  }
}
