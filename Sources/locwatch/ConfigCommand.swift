import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch config`: the effective settings.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the thresholds in force, or check a file of them.",
    subcommands: [Show.self, Check.self], defaultSubcommand: Show.self)

  /// `locwatch config show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show every setting with its unit and where it was made.",
      discussion: """
          locwatch config show
          locwatch config show --config locwatch.yaml
        """)

    @Option(help: ArgumentHelp("A settings file, YAML.", valueName: "file"))
    var config: String?

    @Flag(help: "One JSON object.")
    var json = false

    func run() async throws {
      do throws(Failure) {
        let table = try SettingsTable(file: config)
        try OutputFile(path: "-").write(Array((json ? table.json + "\n" : table.text).utf8))
      } catch {
        throw Terminal.exit(for: error)
      }
    }
  }

  /// `locwatch config check`
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check a settings file: exit status 78 and the first mistake, with its line.")

    @Argument(help: "A settings file, YAML; - reads standard input.")
    var file: String

    func run() async throws {
      do throws(Failure) {
        let count = try SettingsTable(file: file).changeCount
        let text = "\(file): \(count) \(count == 1 ? "setting" : "settings"), all good\n"
        try OutputFile(path: "-").write(Array(text.utf8))
      } catch {
        throw Terminal.exit(for: error)
      }
    }
  }
}
