import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `locwatch power`: what the power model is fed with.
struct PowerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "power",
    abstract: "Energy spent so far, and power profiles: what devices draw, and how well that is known.",
    discussion: """
        locwatch power                           # what the daemon has booked
        locwatch power profiles
        locwatch power show rpi4-ublox-m8
        locwatch power show rpi4-ublox-m8 --yaml > mine.yaml
        locwatch replay drive.gpx --profile mine.yaml
      """,
    subcommands: [Spent.self, Profiles.self, Show.self, Plan.self, Calibrate.self],
    defaultSubcommand: Spent.self)

  /// `locwatch power profiles`.
  struct Profiles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the built-in profiles.")

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() async throws {
      let profiles = PowerProfile.builtIn
      let text =
        json
        ? profiles.map { PowerProfileText.json($0, withParameters: false) }.joined()
        : PowerProfileText.list(profiles)
      print(text, terminator: "")
    }
  }

  /// `locwatch power show`.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a profile: every number with its spread, how it is known, and its source.")

    @Argument(help: ArgumentHelp("A built-in profile, or a YAML file.", valueName: "name|file"))
    var profile: String

    @Flag(help: "One JSON object.")
    var json = false

    @Flag(help: "The profile as a file that --profile takes.")
    var yaml = false

    func validate() throws {
      if json, yaml { throw ValidationError("--json and --yaml are two formats: name one") }
    }

    func run() async throws {
      do throws(Failure) {
        let profile = try PowerProfileFile.find(profile)
        let text =
          json
          ? PowerProfileText.json(profile, withParameters: true)
          : yaml ? PowerProfileText.yaml(profile) : PowerProfileText.table(profile)
        print(text, terminator: "")
      } catch {
        throw Terminal.exit(for: error)
      }
    }
  }
}
