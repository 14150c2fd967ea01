import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch outlets`: where events go beside subscribers.
struct OutletsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outlets",
    abstract: "Send events to webhooks and brokers: add, list, test, enable, remove.",
    discussion: """
      Each event is sent at least once, in order, also across restarts and while
      the other side is away. Docs/Outlets.md describes bodies, signatures and
      retries.

        locwatch outlets add door --webhook https://example.net/hook
        locwatch outlets add phone --webhook https://ntfy.sh/my-topic --format ntfy
        locwatch outlets add broker --mqtt mqtts://broker.lan --home-assistant
        locwatch outlets test phone
        locwatch outlets list
        locwatch outlets enable phone
        locwatch outlets remove phone
      """,
    subcommands: [List.self, OutletsAdd.self, Test.self, Enable.self, Remove.self],
    defaultSubcommand: List.self)

  /// `locwatch outlets list`
  struct List: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List outlets with their state and the number of waiting events.",
      discussion: """
          locwatch outlets list
        """)

    @OptionGroup var format: OutputFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      let database = try state.openToRead()
      let all = try database?.outletStates() ?? []
      let ids = try database?.regionIDs() ?? []
      if all.isEmpty {
        try state.noteIfMissing()
        Terminal.note("no outlets; locwatch outlets add NAME adds one")
      }
      switch OutputFormat.or(format.format) {
      case .text:
        guard !all.isEmpty else { break }
        try Terminal.print(
          TextTable(header: OutletState.header, rows: all.map(\.row), rightAligned: [4]).text)
        for remedy in all.compactMap(\.remedy) { Terminal.note(remedy) }
      case .ndjson: for outlet in all { try Terminal.print(outlet.tree.text + "\n") }
      }
      Terminal.warn(
        all.compactMap { outlet in
          OwnTracksOutlet.complaint(about: outlet.settings, among: ids).map {
            "\(outlet.settings.name): \($0)"
          }
        })
    }
  }

  /// `locwatch outlets test`
  struct Test: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Send one event of type test, here and now.",
      discussion: """
          locwatch outlets test phone
        """)

    @OptionGroup var choice: OutletChoice

    func perform() throws(Failure) {
      try choice.state.requireOwn()
      let outlet = try choice.outlet()
      try OutletTrial.run(outlet)
      Terminal.note("\(outlet.name) accepted it")
      let state = try choice.state.openToRead()?.outletStates().first { $0.settings.name == outlet.name }
      if let remedy = state?.remedy { Terminal.note("events still wait; \(remedy)") }
    }
  }

  /// `locwatch outlets enable`
  struct Enable: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "enable", abstract: "Try an outlet at once, also one that was disabled.",
      discussion: """
          locwatch outlets enable phone
        """)

    @OptionGroup var choice: OutletChoice

    func perform() throws(Failure) {
      _ = try choice.outlet()
      _ = try choice.state.open().enableOutlet(choice.name)
      try choice.state.seat().note([.outlets([choice.name])])
      Terminal.note("enabled \(choice.name)")
    }
  }

  /// `locwatch outlets remove`
  struct Remove: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove an outlet and drop what waits for it.",
      discussion: """
          locwatch outlets remove phone
        """)

    @OptionGroup var choice: OutletChoice

    func perform() throws(Failure) {
      var damage: Failure?
      do throws(Failure) {
        _ = try choice.outlet()
      } catch {
        // The user can also remove an outlet that can't be read.
        guard error.code == .data else { throw error }
        damage = error
      }
      let isRemoved = try choice.state.open().removeOutlet(choice.name)
      if let damage, !isRemoved { throw damage }
      try choice.state.seat().note([.outlets([])])
      Terminal.note("removed \(choice.name)")
    }
  }
}

/// The name of an outlet.
struct OutletChoice: ParsableArguments {
  @Argument(help: ArgumentHelp("Its name.", valueName: "name"), completion: Candidates.outlets)
  var name: String

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var state: StateOptions

  /// The outlet of that name.
  func outlet() throws(Failure) -> OutletSettings {
    let all = try state.openToRead()?.outletSettings() ?? []
    guard let outlet = all.first(where: { $0.name == name }) else {
      throw Failure.unknown("outlet", name, among: all.map(\.name), see: "locwatch outlets list")
    }
    return outlet
  }
}
