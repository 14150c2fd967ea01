import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch on`: a command for an event, in one line.
struct OnCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "on",
    abstract: "Run a command when this machine arrives, leaves, stays or moves.",
    discussion: """
        locwatch on enter home -- notify-send Home
        locwatch on exit home --circle 48.1371,11.5754,120 -- ./lock-up.sh
        locwatch on dwell office 10m -- ./punch-in.sh
        locwatch on enter exit gate --here 100m -- ./gate.sh
        locwatch on arrive leave -- logger 'a visit'
        locwatch on move --cooldown 30m -- ./upload.sh
        locwatch on exit home --between 22:00-06:00 --days mon-fri -- ./alarm.sh
        locwatch on enter home --dry-run --track day.gpx -- notify-send Home
        locwatch on list
        locwatch on test home enter                       # runs it now
        locwatch on remove enter-home

      enter, exit, dwell and cross are about regions; arrive and leave about places
      where the device stays; move about a significant change. Everything after --
      is the command. It runs once for each event, and finds in its environment
      LOCWATCH_EVENT, LOCWATCH_REGION, LOCWATCH_TIME, LOCWATCH_LAT, LOCWATCH_LON,
      LOCWATCH_ACCURACY and LOCWATCH_DWELL_S, and the event's record on standard
      input. Exit status 0 means done; any other, and the event is tried again.

      A daemon has to run: locwatch run. locwatch on add --help lists the options.
      """,
    subcommands: [OnAdd.self, OnList.self, OnTest.self, OnRemove.self], defaultSubcommand: OnAdd.self)
}

/// `locwatch on enter home -- COMMAND`, which is short for `on add`.
struct OnAdd: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Run a command on events; add itself may be left out.",
    discussion: """
        locwatch on enter home -- notify-send Home
        locwatch on dwell office 10m --cooldown 8h -- ./punch-in.sh

      Events first, then regions, then for dwell how long. The region is a known one
      (locwatch regions list shows them), or a new one of --circle or --here.
      """)

  @Argument(
    help: ArgumentHelp(
      "enter, exit, dwell, cross, arrive, leave or move; several may follow.", valueName: "event"),
    completion: Candidates.events)
  var event: String?

  @Argument(
    help: ArgumentHelp("A region; several may follow, and for dwell a time.", valueName: "region"),
    completion: Candidates.regions)
  var region: String?

  // Beside the list after -- argument-parser takes no second one.
  @Argument(help: .hidden) var third: String?
  @Argument(help: .hidden) var fourth: String?
  @Argument(help: .hidden) var fifth: String?
  @Argument(help: .hidden) var sixth: String?
  @Argument(help: .hidden) var seventh: String?
  @Argument(help: .hidden) var eighth: String?

  /// What stands before `--`, without options.
  var words: [String] { [event, region, third, fourth, fifth, sixth, seventh, eighth].compactMap { $0 } }

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The command and its arguments, after --.", valueName: "command"))
  var command: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A new region: degrees north, degrees east, metres.", valueName: "lat,lon,radius"))
  var circle: String?

  @Option(
    help: ArgumentHelp("A new region of this radius around the last fix.", valueName: "distance"))
  var here: String?

  @Option(help: ArgumentHelp("Only at these times of day, such as 22:00-06:00.", valueName: "hours"))
  var between: String?

  @Option(help: ArgumentHelp("Only on these days, such as mon-fri or sat,sun.", valueName: "days"))
  var days: String?

  @Option(
    help: ArgumentHelp(
      "The time zone of --between and --days (default: this machine's).", valueName: "zone"))
  var timeZone: String?

  @Option(help: ArgumentHelp("At most one run in this time, such as 30m.", valueName: "duration"))
  var cooldown: String?

  @Option(
    help: ArgumentHelp("End a run that takes longer (default: 10m).", valueName: "duration"))
  var maxTime: String?

  @Option(
    help: ArgumentHelp("What list and remove call it (default: of events and regions).", valueName: "name"))
  var name: String?

  @Flag(help: "Only say what would be done.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "With --dry-run: also when the command would have run on this track.", valueName: "track"),
    completion: .file())
  var track: String?

  @OptionGroup var points: IntervalOptions

  @Flag(help: "Have systemd start the daemon, now and from now on.")
  var start = false

  @OptionGroup var zone: ZoneOptions
  @OptionGroup var units: UnitsOptions
  @OptionGroup var state: StateOptions

  func validate() throws {
    if circle != nil, here != nil { throw ValidationError("--circle and --here exclude each other") }
    if track != nil, !dryRun { throw ValidationError("--track needs --dry-run") }
    if points.interval != nil, track == nil { throw ValidationError("--interval needs --track") }
    if start, dryRun { throw ValidationError("--start and --dry-run exclude each other") }
    if timeZone != nil, between == nil, days == nil {
      throw ValidationError("--time-zone needs --between or --days")
    }
  }

  func perform() async throws(Failure) {
    let plan = try OnPlan(self)
    if dryRun { try await plan.describe(track: track, points) } else { try plan.carryOut(starting: start) }
  }
}

/// `locwatch on list`
struct OnList: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the commands that events run.",
    discussion: """
        locwatch on list
        locwatch on list --format ndjson
      """)

  @OptionGroup var format: OutputFormatOptions
  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    let rules = try state.rules()
    if rules.isEmpty {
      try state.noteIfMissing()
      Terminal.note("no commands; locwatch on enter home -- COMMAND adds one")
    }
    let dwells = try CommandRules.dwells(of: rules, in: try state.openToRead())
    try format.print(rules, header: ["NAME", "WHEN IT", "COMMAND"]) {
      [$0.name, $0.ruleText(dwells: dwells), CommandText.line($0.command)]
    } json: {
      $0.writeRule(to: &$1)
    }
  }
}

/// `locwatch on remove`
struct OnRemove: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove commands, and the regions made for them alone.",
    discussion: """
        locwatch on remove enter-home
        locwatch on remove --all
      """)

  @Argument(
    help: ArgumentHelp("Names, as locwatch on list shows them.", valueName: "name"),
    completion: Candidates.rules)
  var names: [String] = []

  @Flag(help: "Every command.")
  var all = false

  @OptionGroup var state: StateOptions

  func validate() throws {
    if names.isEmpty != all { throw ValidationError("give names, or --all") }
  }

  func perform() throws(Failure) {
    let rules = try state.rules()
    let chosen = all ? rules.map(\.name) : names
    for name in chosen where !rules.contains(where: { $0.name == name }) {
      throw CommandRules.unknown(name, among: rules)
    }
    guard !chosen.isEmpty else { return Terminal.note("no commands") }
    let database = try state.open()
    for name in chosen { _ = try database.removeSubscriber(name) }
    let removed = rules.filter { chosen.contains($0.name) }
    let unused = try CommandRules.unusedRegions(of: removed, in: database)
    if !unused.isEmpty { _ = try database.remove(.ids(unused)) }
    let seat = try state.seat()
    try seat.note([.subscribers(chosen)] + (unused.isEmpty ? [] : [.regions(unused)]))
    for name in chosen { try Terminal.print("removed \(TextTable.cell(name))\n") }
    for id in unused { try Terminal.print("removed region \(TextTable.cell(id)), which was made for it\n") }
    if !unused.isEmpty { Terminal.warn(seat.notificationsInVain(for: unused)) }
    for line in try CommandRules.leftDwells(of: removed, in: database) { Terminal.note(line) }
  }
}

/// `locwatch on test`
struct OnTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Run a command now, with a made-up event.",
    discussion: """
        locwatch on test enter-home        # by its name
        locwatch on test home enter        # whatever runs when home is entered
        locwatch on test move

      Exits with the status of the command.
      """)

  @Argument(
    help: ArgumentHelp("A name; or an event, and its region.", valueName: "words"),
    completion: Candidates.rulesAndEvents)
  var words: [String]

  @OptionGroup var state: StateOptions

  func run() async throws {
    var status: Int32 = 0
    try Terminal.reporting { () throws(Failure) in
      try state.requireOwn()
      let rules = try state.rules()
      let trials = try CommandRules.trials(words, among: rules)
      for trial in trials {
        let result = try run(trial)
        if result != 0 { status = result }
      }
    }
    if status != 0 { throw ExitCode(status) }
  }

  private func run(_ trial: CommandRules.Trial) throws(Failure) -> Int32 {
    let regions = try trial.region.map { (id) throws(Failure) in try state.regions(.ids([id])).regions } ?? []
    if let id = trial.region, regions.isEmpty {
      throw Failure(
        .conditionFails, what: "no region is called \"\(id)\" any more",
        remedy: "locwatch regions add \(CommandText.word(id)) --circle LAT,LON,METRES")
    }
    let place = (try? state.lastFix())?.coordinate
    let line = MadeUpEvent.line(
      trial.kind, in: regions.first, at: place ?? Self.somewhere,
      time: SystemClock().read().utc ?? UTCTime(microseconds: 0))
    Terminal.note("running \(CommandText.line(trial.rule.command)) for a made-up \(trial.kind.rawValue)")
    let result = try ProgramTrial.run(
      trial.rule.command, variables: MadeUpEvent.variables(of: trial.kind, line: line), input: line,
      seconds: trial.rule.maxTimeSeconds ?? Limits.oneshotSeconds)
    if result.isOverdue {
      Terminal.note("it was ended because its time was over; --max-time allows more")
    } else {
      Terminal.note("it ended with status \(result.status)")
    }
    return result.status
  }

  /// Greenwich, where no fix is known.
  private static let somewhere = Coordinate(uncheckedLatitude: 51.4779, longitude: -0.0015)
}
