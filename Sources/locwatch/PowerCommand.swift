import ArgumentParser
import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// `locwatch power`: energy used so far, and power profiles.
struct PowerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "power",
    abstract: "Show the energy used so far, and manage power profiles.",
    discussion: """
        locwatch power                           # energy used by the daemon
        locwatch power --profile pinephone       # what it would be on another device
        locwatch power profiles
        locwatch power show rpi4-ublox-m8
        locwatch power show rpi4-ublox-m8 --yaml > mine.yaml
        locwatch replay drive.gpx --profile mine.yaml

      A profile says what a device draws, and how reliable each number is.
      """,
    subcommands: [
      Spent.self, Profiles.self, Show.self, Plan.self, Calibrate.self, Predict.self, Validate.self,
    ],
    defaultSubcommand: Spent.self)

  // Read here so that it may stand before the subcommand; each of them takes it.
  @OptionGroup var profiles: ProfileOptions

  /// `locwatch power profiles`.
  struct Profiles: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "profiles", abstract: "List the built-in profiles, or only that of --profile.",
      discussion: """
          locwatch power profiles
          locwatch power profiles --json | jq -r .name
        """)

    @OptionGroup var profiles: ProfileOptions
    @OptionGroup var output: JSONOptions

    func perform() throws(Failure) {
      let listed = try profiles.named().map { [$0] } ?? PowerProfile.builtIn
      try Terminal.print(
        output.isJSON
          ? listed.map { PowerProfileText.json($0, withParameters: false) }.joined()
          : PowerProfileText.list(listed))
    }
  }

  /// `locwatch power show`.
  struct Show: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a profile: every number with its spread and its source.",
      discussion: """
          locwatch power show rpi4-ublox-m8
          locwatch power show mine.yaml --json | jq .name
        """)

    @OptionGroup var choice: ProfileChoice
    @OptionGroup var output: JSONOptions

    @Flag(help: "Print a file for --profile.")
    var yaml = false

    func validate() throws {
      if output.isJSON, yaml { throw ValidationError("--json and --yaml exclude each other") }
    }

    func perform() throws(Failure) {
      let profile = try choice.profile()
      let text =
        output.isJSON
        ? PowerProfileText.json(profile, withParameters: true)
        : yaml ? PowerProfileText.yaml(profile) : PowerProfileText.table(profile)
      try Terminal.print(text, asIs: yaml)
    }
  }

  /// `locwatch power`, or `power spent`.
  struct Spent: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "spent",
      abstract: "Show the energy used so far, by component, subscriber and rule.",
      discussion: """
          locwatch power
          locwatch power spent --by-day
          locwatch power spent --profile pinephone
          locwatch power spent --json | jq -s 'map(.joules) | add'

        The energy is modelled with the profile of locwatch run: see Docs/Power.md.
        Another --profile prices the same use, by component only.
        """)

    @Flag(help: "One row for each day.")
    var byDay = false

    @OptionGroup var profiles: ProfileOptions
    @OptionGroup var output: JSONOptions
    @OptionGroup var state: StateOptions

    func validate() throws {
      if byDay, profiles.profile != nil {
        throw ValidationError("--by-day and --profile exclude each other")
      }
    }

    func perform() throws(Failure) {
      let account = try account()
      if account.isEmpty {
        try state.noteIfMissing()
        if !output.isJSON { return Terminal.note("no energy recorded yet; locwatch run records it") }
      }
      try Terminal.print(output.isJSON ? account.json(at: SystemClock().read().utc) : account.text)
    }

    private func account() throws(Failure) -> EnergyAccount {
      let profile = try profiles.named()
      let spent = try state.seat().energy()
      guard let profile, var books = spent.books else {
        return EnergyAccount(spent.rows, spent.books, byDay: byDay)
      }
      books.profile = profile
      return EnergyAccount(priced: books)
    }
  }

  /// `locwatch power calibrate`.
  struct Calibrate: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "calibrate",
      abstract: "Fit a profile to a meter's log of a device that did what the blocks say.",
      discussion: """
        The log has snapshots of /sys/class/power_supply (a folder, or uevent files),
        the output of upower -d, or the readings of a RAPL counter, an INA2xx or a
        USB meter. Parameters that the blocks cannot separate keep their spread.

          locwatch power plan rpi4-ublox-m8 --step-j 13.7   # how long blocks must be
          locwatch power calibrate blocks.yaml --log ina226.csv -o my-pi.yaml

        Docs/Power.md describes the formats.
        """)

    @Argument(help: "What the device did and when, YAML.", completion: .file())
    var blocks: String

    @Option(help: ArgumentHelp("The meter's log.", valueName: "file|folder"), completion: .file())
    var log: String

    @Option(help: "power_supply, upower, rapl, ina2xx or usb_meter (default: recognised by the content).")
    var meter: MeterStream.Kind?

    @Option(name: .shortAndLong, help: "The profile to write; - is standard output.")
    var output: String

    // It takes the place of `like` in the blocks.
    @OptionGroup var profiles: ProfileOptions
    @OptionGroup var report: JSONOptions

    func perform() throws(Failure) {
      try OutputFile.refuse(output, sameAs: [blocks, log])
      try PowerProfileFile.refuseBuiltInName(output)
      let file = try CalibrationFile(path: blocks, like: try profiles.named())
      let log = try MeterLog(path: log, kind: meter, shuntMicroohms: file.shuntMicroohms)
      let (windows, notes) = file.windows(in: log.stream)
      guard !windows.isEmpty else {
        guard notes.count > 1 else {
          throw Failure(.data, file: blocks, what: notes.first ?? "it has no blocks")
        }
        for note in notes { Terminal.note(note) }
        throw Failure(
          .data, file: blocks, what: "none of its blocks can be used",
          remedy: "compare their times with those of the log")
      }
      let calibration = try PowerCalibration(file.before, windows: windows)
      let profile = calibration.profile(
        name: file.name, about: file.about, note: file.note(calibration, log: log.identity),
        meterSpread: log.stream.meterSpread)
      let written = try OutputFile(path: output)
      try written.write(Array(PowerProfileText.yaml(profile).utf8))
      let remarks = log.stream.notes + notes
      let found =
        report.isJSON
        ? CalibrationReport.json(calibration, profile, notes: remarks)
        : CalibrationReport.text(calibration, profile, notes: remarks)
      if output == "-" {
        try OutputFile.standardError.write(Array(found.utf8))
      } else {
        try Terminal.print(found)
      }
    }
  }

  /// `locwatch power plan`.
  struct Plan: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "plan",
      abstract: "Show how long the blocks of a calibration must be for a meter's resolution.",
      discussion: """
          locwatch power plan rpi4-ublox-m8 --step-j 13.7
        """)

    @OptionGroup var choice: ProfileChoice
    @Option(
      help: ArgumentHelp(
        "The meter's smallest step in joules: 1 % of a 3000 mAh battery is 410, 1 mAh is 13.7, 1 mWh is 3.6.",
        valueName: "joules"))
    var stepJ: Double

    @Option(help: ArgumentHelp("The allowed relative error.", valueName: "share"))
    var error: Double = 0.1

    @OptionGroup var output: JSONOptions

    func validate() throws {
      guard stepJ > 0, stepJ.isFinite else {
        throw ValidationError("--step-j needs a number of joules above 0")
      }
      guard error > 0, error < 1 else { throw ValidationError("--error needs a number between 0 and 1") }
    }

    func perform() throws(Failure) {
      let plan = CalibrationPlan(try choice.profile(), stepJoules: stepJ, error: error)
      try Terminal.print(output.isJSON ? plan.json : plan.text)
    }
  }
}

/// A profile that is named alone, or by `--profile`.
struct ProfileChoice: ParsableArguments {
  @Argument(
    help: ArgumentHelp("A built-in profile, or a YAML file.", valueName: "name|file"),
    completion: Candidates.profiles)
  var name: String?

  @OptionGroup var profiles: ProfileOptions

  func validate() throws {
    guard (name == nil) != (profiles.profile == nil) else {
      throw ValidationError("name one profile; locwatch power profiles lists them")
    }
  }

  func profile() throws(Failure) -> PowerProfile {
    try PowerProfileFile.find(name ?? profiles.profile ?? PowerProfile.standardName)
  }
}

extension MeterStream.Kind: ExpressibleByArgument {}
