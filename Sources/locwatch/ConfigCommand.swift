import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch config`: the settings in force.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the settings in force, or check a settings file.",
    discussion: """
        locwatch config
        locwatch config show --config locwatch.yaml
        locwatch config check locwatch.yaml
      """,
    subcommands: [Show.self, Check.self], defaultSubcommand: Show.self)

  /// `locwatch config show`
  struct Show: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show every setting with its unit and where its value comes from.",
      discussion: """
          locwatch config show
          locwatch config show --config locwatch.yaml
        """)

    @OptionGroup var settings: SettingsOptions

    @OptionGroup var output: JSONOptions

    func perform() throws(Failure) {
      let table = try SettingsTable(file: settings.config)
      try Terminal.print(output.isJSON ? table.json + "\n" : table.text)
    }
  }

  /// `locwatch config check`
  struct Check: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check a settings file: on a mistake, print its line and exit with 78.",
      discussion: """
          locwatch config check locwatch.yaml
        """)

    @Argument(
      help: "A settings file, YAML; - is standard input (default: that of --config, else none).",
      completion: .file())
    var file: String?

    @OptionGroup var settings: SettingsOptions

    func perform() throws(Failure) {
      let file = file ?? settings.config
      let table = try SettingsTable(file: file)
      let count = table.changeCount
      let settings = "\(count) \(count == 1 ? "setting" : "settings")"
      let warnings = table.complaints
      Terminal.warn(warnings)
      let end = warnings.isEmpty ? "all good" : "good but for what is missing on this machine"
      let text = "\(file ?? "no settings file"): \(settings), \(end)\n"
      try OutputFile(path: "-").write(Array(text.utf8))
    }
  }
}
