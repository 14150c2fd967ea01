import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime

/// What `locwatch on` is about to store, with everything checked.
struct OnPlan {
  private let subscriber: Subscriber
  private let regions: RuleRegions
  /// Lines to be said beside: where the region is, how old the fix is.
  private var notes: [String] = []
  private let state: StateOptions
  private let units: MeasureUnits
  /// The zone of the times that a trial tells.
  private let zone: ZoneOptions
  /// The command that is stored already and does the same; nil where there is none.
  private let existing: String?

  /// - Throws: ``Failure`` that says what is wrong with the command line.
  init(_ options: OnAdd) throws(Failure) {
    state = options.state
    units = try options.units.choice()
    zone = options.zone
    var rule = try CommandRule(words: options.words)
    guard let program = options.command.first else {
      throw Failure(
        .usage, what: "no command is given",
        remedy: "write it after --, like locwatch on \(Self.example(rule, options)) -- notify-send Home")
    }
    rule.command = [try CommandPath.resolve(program)] + options.command.dropFirst()
    rule.filter = try Self.filter(options)
    rule.maxTimeSeconds = try options.maxTime.map { (text) throws(Failure) in
      let seconds = try MeasureText.seconds(text)
      guard (1...86_400).contains(seconds) else {
        throw Failure(.usage, what: "--max-time \(text)", remedy: "write a time from 1s to 24h")
      }
      return seconds
    }
    var circle = try options.circle.map { (text) throws(Failure) in try PlaceText.circle(text) }
    if let here = options.here {
      let fix = try state.lastFix()
      circle = PlaceText.Circle(center: fix.coordinate, radiusMeters: try MeasureText.meters(here))
      notes.append(fix.described(in: units))
    }
    guard circle == nil || rule.isAboutRegions else {
      throw Failure(
        .usage, what: "\(rule.kinds.map(\.rawValue).joined(separator: ", ")) is not about a region",
        remedy: "leave out --circle and --here, or use enter or exit")
    }
    let database = try state.openToRead()
    regions = try RuleRegions(for: &rule, circle: circle, in: database)
    notes += regions.notes
    let known = state.knownPlaces()
    notes += regions.files.flatMap { RegionFinding.find(in: $0, near: known).map(\.line) }
    if rule.filter.hours != nil || rule.filter.days != .all,
      let warning = options.timeZone.flatMap(TimeZoneFile.warning)
    {
      notes.append(warning)
    }
    let stored = try database?.subscribers().map(\.subscriber) ?? []
    let names = Set(stored.map(\.name))
    let command = rule.command.map(ExactName.init)
    let same = stored.filter {
      rule.subscriber(named: $0.name) == $0 && $0.command.map(ExactName.init) == command
    }.map(\.name)
    existing = same.first { $0 == options.name } ?? same.first
    if let name = options.name, !SubscriberManifest.isName(name) {
      throw Failure(.usage, what: "--name \"\(name)\" is no name", remedy: "write another, or leave it out")
    }
    if let name = options.name, existing != name {
      if names.contains(name) {
        throw Failure(
          .cantCreate, what: "there is a subscriber \"\(name)\" already",
          remedy: "choose another name, or locwatch on remove \(CommandText.word(name))")
      }
      if let existing {
        throw Failure(
          .cantCreate, what: "\"\(existing)\" does the same already",
          remedy: "leave out --name, or locwatch on remove \(CommandText.word(existing))")
      }
    }
    subscriber = rule.subscriber(named: options.name ?? rule.freeName(among: names))
  }

  /// The words before a command that was left out. What follows the first region may be the command.
  private static func example(_ rule: CommandRule, _ options: OnAdd) -> String {
    let words = [rule.kinds.map(\.rawValue).joined(separator: ",")] + rule.regions.prefix(1)
    let isCut =
      rule.regions.count > 1 || rule.dwellSeconds != nil || options.circle != nil || options.here != nil
    return (words + (isCut ? ["…"] : [])).joined(separator: " ")
  }

  private static func filter(_ options: OnAdd) throws(Failure) -> OfferFilter {
    var filter = OfferFilter()
    if let text = options.between { filter.hours = try MeasureText.hours(text) }
    if let text = options.days { filter.days = try MeasureText.days(text) }
    if let text = options.cooldown { filter.cooldownSeconds = try MeasureText.seconds(text) }
    if options.between != nil || options.days != nil {
      filter.zone =
        if let name = options.timeZone { try TimeZoneFile.zone(name) } else { try TimeZoneFile.machine() }
    }
    return filter
  }

  // MARK: - Doing it

  /// Stores the rule, tells a running daemon, and says what was done.
  func carryOut(starting: Bool) throws(Failure) {
    let unit = ServiceUnit()
    if starting { try checkStart() }
    let seat = try state.seat()
    let database = try state.open()
    if !regions.files.isEmpty { _ = try database.put(regions.files, changing: true) }
    if existing == nil { try database.put(subscriber, replacing: false) }
    try seat.note(changes)
    try Terminal.print(
      existing.map { Self.text(of: ["\($0): it is there already"] + places + regions.notes) } ?? text)
    let running = try seat.daemonPID()
    if starting, running == nil { try unit.start(besides: nil) }
    try Terminal.print(daemonText(seat, unit))
    if starting, let running { try unit.start(besides: running) }
  }

  /// What a daemon is told. It is told of a rule that is there already, too: the command that stored it may have been
  /// interrupted before it told anybody.
  private var changes: [DaemonSeat.Change] {
    let ids = existing == nil ? regions.files.flatMap { $0.regions.map(\.id) } : subscriber.regions ?? []
    // A dwell that the change makes due is told at once: the rule has to be there.
    return [.subscribers([existing ?? subscriber.name])] + (ids.isEmpty ? [] : [.regions(ids)])
  }

  /// The unit's daemon has the usual state file.
  private func checkStart() throws(Failure) {
    guard let file = state.state, file != (try StatePath.resolve(option: nil)) else { return }
    throw Failure(
      .usage, what: "--start starts a daemon on the usual state file, not on \(file)",
      remedy: "leave out --state, or start locwatch run --state \(file)")
  }

  /// What the rule is, in lines.
  private var text: String {
    Self.text(
      of: [
        "\(subscriber.name): when this device \(subscriber.ruleText(dwells: regions.dwells)), it runs",
        "  \(CommandText.line(subscriber.command))",
      ] + places + notes)
  }

  /// The regions that are new or changed, in lines.
  private var places: [String] {
    regions.files.flatMap(\.regions).map { "region \($0.id): \($0.shape.described(in: units))" }
  }

  private static func text(of lines: [String]) -> String { lines.map { TextTable.cell($0) + "\n" }.joined() }

  /// Who will run it. Where a daemon runs, it has answered that it took the rule, or read it when it began.
  private func daemonText(_ seat: DaemonSeat, _ unit: ServiceUnit) throws(Failure) -> String {
    if let pid = try seat.daemonPID() { return "the daemon has it (process \(pid), state \(seat.state))\n" }
    let option = state.state.map { " --state \(CommandText.line([$0]))" } ?? ""
    var lines = ["no daemon runs on \(seat.state), so nothing happens until you start one:"]
    lines.append("  locwatch run\(option)")
    if option.isEmpty, unit.isInstalled { lines.append("  \(unit.commandLine)      # --start does this") }
    if let other = seat.otherDaemon() {
      lines.append("another daemon runs, on \(other); to give it to that one add --state \(other)")
    }
    return Self.text(of: lines)
  }

  // MARK: - Trying it

  /// Says what would be stored, and what would have happened on a track. Stores nothing.
  func describe(track: String?, _ points: IntervalOptions) async throws(Failure) {
    guard let track else {
      return try Terminal.print(text + "nothing was stored, because of --dry-run\n")
    }
    let zone = try zone.zone
    let changed = regions.files.flatMap(\.regions)
    let others = (subscriber.regions ?? []).filter { id in !changed.contains { $0.id == id } }
    let known = others.isEmpty ? [] : try state.regions(.ids(others)).regions
    var options = points.track
    // Here --start is another option.
    options.intervalRemedy = "give --interval SECONDS"
    let trial = try await RuleTrial.run(track, subscriber, changed + known, options: options)
    try Terminal.print(text)
    for run in trial.runs {
      // What a record says of other times is local as well.
      let record = zone == .utc ? JSONTree(run) : LocalTimes.move(JSONTree(run), to: zone)
      let what = TextRecord(record, in: units).map { "\($0.what) \($0.detail)" } ?? run.type
      try Terminal.print("\(LocalTimes.describe(run.time, in: zone))  \(TextTable.cell(what))\n")
    }
    var parts = ["it would have run \(Wording.count(trial.runs.count, "time"))"]
    parts += trial.kept.map { "\($0.count) × not, because \($0.reason.phrase)" }
    parts.append(
      "\(Wording.count(trial.fixes.accepted)) of \(Wording.count(trial.fixes.all, "fix", plural: "fixes")) believed"
    )
    try Terminal.print(parts.joined(separator: "; ") + "\n")
    for note in trial.notes { try Terminal.print("note: \(note)\n") }
    if trial.fixes.accepted == 0 {
      throw Failure(
        .conditionFails, file: track, what: "no fix was believed",
        remedy: "locwatch replay --explain tells why")
    }
  }
}

extension DaemonSeat.LastFix {
  /// How old and how exact it is: a place that is taken from it is not better.
  func described(in units: MeasureUnits) -> String {
    "the last fix is \(Wording.duration(ageSeconds)) old, ±\(Wording.distance(accuracyMeters, in: units))"
  }
}

extension StateOptions {
  /// The commands that `locwatch on` has made, by name.
  func rules() throws(Failure) -> [Subscriber] {
    try openToRead()?.subscribers().map(\.subscriber).filter(\.isCommandRule) ?? []
  }

  /// Where the device was last.
  ///
  /// - Parameter other: what to give instead.
  /// - Throws: code 1 where nobody knows.
  func lastFix(orGive other: String = "--circle LAT,LON,METRES") throws(Failure) -> DaemonSeat.LastFix {
    guard let fix = try seat().lastFix() else {
      throw Failure(
        .conditionFails, what: "no fix is known here yet",
        remedy: "run locwatch run until it has one, or give \(other)")
    }
    return fix
  }
}
