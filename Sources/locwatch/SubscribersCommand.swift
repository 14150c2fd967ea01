import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch subscribers`: the programs that subscribe.
struct SubscribersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribers",
    abstract: "Manage the programs that subscribe: add, show, launch, quit, remove.",
    discussion: """
      A manifest says how to start a program and what it subscribes to;
      Docs/Subscribers.md describes it.

        locwatch subscribers add logger.yaml
        locwatch subscribers list
        locwatch subscribers show commute-logger
        locwatch subscribers launch commute-logger        # as its user would
        locwatch subscribers background commute-logger
        locwatch subscribers quit commute-logger          # force-quit
        locwatch subscribers microphone recorder deny
        locwatch subscribers accessory meter-log off
        locwatch subscribers bluetooth meter-log deny
        locwatch subscribers notifications logger deny
        locwatch subscribers remove commute-logger
      """,
    subcommands: [
      List.self, Show.self, Add.self, Remove.self, Launch.self, Foreground.self, Background.self, Quit.self,
      Microphone.self, Accessory.self, Bluetooth.self, Notifications.self,
    ], defaultSubcommand: List.self)

  /// `locwatch subscribers list`
  struct List: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List subscribers with their state and the number of unacknowledged events.",
      discussion: """
          locwatch subscribers list
          locwatch subscribers list --format ndjson | jq -r .name
        """)

    @OptionGroup var format: OutputFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      let records = try SubscriberRecord.all(try state.seat())
      if records.isEmpty {
        try state.noteIfMissing()
        Terminal.note("no subscribers; locwatch subscribers add FILE adds one")
      }
      try format.print(
        records, header: SubscriberRecord.header, rightAligned: [2], row: \.row, json: { $0.write(to: &$1) })
    }
  }

  /// `locwatch subscribers show`
  struct Show: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show everything about a subscriber.",
      discussion: """
          locwatch subscribers show commute-logger
        """)

    @Argument(help: ArgumentHelp("Its name.", valueName: "name"), completion: Candidates.subscribers)
    var name: String

    @OptionGroup var format: OutputFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      let all = try SubscriberRecord.all(try state.seat())
      guard var record = all.first(where: { $0.subscriber.name == name }) else {
        if all.isEmpty { try state.noteIfMissing() }
        throw SubscriberRecord.unknown(name, among: all)
      }
      let database = try state.openToRead()
      record.pushToken = try database?.pushToken(of: name)
      record.pushAddress = try database?.pushRegistration(of: name)?.address
      switch OutputFormat.or(format.format) {
      case .text: try Terminal.print(record.text)
      case .ndjson:
        try format.print([record], header: [], row: \.row, json: { $0.write(to: &$1) })
      }
    }
  }

  /// `locwatch subscribers add`
  struct Add: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a subscriber from its manifest.",
      discussion: """
          locwatch subscribers add logger.yaml
          locwatch subscribers add logger.yaml --replace
        """)

    @Argument(help: ArgumentHelp("A manifest, YAML.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Replace a subscriber with this name; its program is restarted.")
    var replace = false

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var format: SameFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      let subscriber = try SubscriberManifest.read(path: file, by: try settings.rules())
      guard !subscriber.command.isEmpty || subscriber.style == .socket else {
        throw Failure(
          .data, file: file, what: "the manifest has no command",
          remedy: "add command: [PROGRAM, ARGUMENT]")
      }
      let isReplaced = try state.openToChange().put(subscriber, replacing: replace)
      try state.seat().note([.subscribers([subscriber.name])])
      Terminal.note("\(isReplaced ? "replaced" : "added") \(subscriber.name)")
      Terminal.warn(try state.seat().complaints(about: subscriber))
    }
  }

  /// `locwatch subscribers remove`
  struct Remove: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a subscriber: end its program and drop its waiting events.",
      discussion: """
          locwatch subscribers remove commute-logger
        """)

    @Argument(help: ArgumentHelp("Its name.", valueName: "name"), completion: Candidates.subscribers)
    var name: String

    @OptionGroup var format: SameFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      guard try state.openToRead() != nil, try state.openToChange().removeSubscriber(name) else {
        throw SubscriberRecord.unknown(name, among: try SubscriberRecord.all(try state.seat()))
      }
      try state.seat().note([.subscribers([name])])
      Terminal.note("removed \(name)")
    }
  }
}

extension SubscribersCommand {
  /// `locwatch subscribers launch`
  struct Launch: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "launch",
      abstract: "Launch or resume a subscriber in the foreground, as its user would.",
      discussion: """
          locwatch subscribers launch commute-logger
        """)
    @OptionGroup var user: SubscriberUser
    func perform() throws(Failure) { try user.perform("launch") }
  }

  /// `locwatch subscribers foreground`
  struct Foreground: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "foreground",
      abstract: "Bring a subscriber to the foreground; the same as launch.",
      discussion: """
          locwatch subscribers foreground commute-logger
        """)
    @OptionGroup var user: SubscriberUser
    func perform() throws(Failure) { try user.perform("foreground") }
  }

  /// `locwatch subscribers background`
  struct Background: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "background",
      abstract: "Send a subscriber to the background, where it is suspended once idle.",
      discussion: """
          locwatch subscribers background commute-logger
        """)
    @OptionGroup var user: SubscriberUser
    func perform() throws(Failure) { try user.perform("background") }
  }

  /// `locwatch subscribers quit`
  struct Quit: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "quit",
      abstract: "Force-quit a subscriber: only location services start it again (rule A7).",
      discussion: """
          locwatch subscribers quit commute-logger
        """)
    @OptionGroup var user: SubscriberUser
    func perform() throws(Failure) { try user.perform("quit") }
  }
}

/// What a subscriber is allowed, or not.
struct PermissionOptions: ParsableArguments {
  /// What the user says.
  enum Word: String, ExpressibleByArgument, CaseIterable {
    case allow, deny

    /// Also takes the words of a scenario: allowed and denied.
    init?(argument: String) {
      switch argument {
      case "allow", "allowed": self = .allow
      case "deny", "denied": self = .deny
      default: return nil
      }
    }
  }

  @Argument(help: ArgumentHelp("Its name.", valueName: "name"), completion: Candidates.subscribers)
  var name: String

  @Argument(help: ArgumentHelp("allow or deny.", valueName: "word"))
  var word: Word

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var state: StateOptions

  /// Says it to the daemon, or leaves it for the next one.
  func change(_ event: (Bool) -> ModeEvent) throws(Failure) {
    try state.seat().change(name, event(word == .allow))
  }
}

extension SubscribersCommand {
  /// `locwatch subscribers microphone`
  struct Microphone: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "microphone",
      abstract: "Let a subscriber use the microphone, or not (rule F6).",
      discussion: """
          locwatch subscribers microphone recorder deny
        """)

    @OptionGroup var permission: PermissionOptions

    func perform() throws(Failure) { try permission.change { .audio(.permitMicrophone($0)) } }
  }
}

extension SubscribersCommand {
  /// `locwatch subscribers accessory`
  struct Accessory: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "accessory",
      abstract: "Let a subscriber use accessories, or not (rule J2).",
      discussion: """
          locwatch subscribers accessory meter-log off
        """)

    @Argument(help: ArgumentHelp("Its name.", valueName: "name"), completion: Candidates.subscribers)
    var name: String

    @Argument(help: ArgumentHelp("on or off.", valueName: "word"))
    var word: OnOrOff

    @OptionGroup var format: SameFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      try state.seat().change(name, .accessory(.allow(word == .on)))
    }
  }
}

extension SubscribersCommand {
  /// `locwatch subscribers bluetooth`
  struct Bluetooth: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "bluetooth",
      abstract: "Let a subscriber use Bluetooth, or not (rule J3).",
      discussion: """
          locwatch subscribers bluetooth meter-log deny
        """)

    @OptionGroup var permission: PermissionOptions

    func perform() throws(Failure) { try permission.change { .accessory(.permitBluetooth($0)) } }
  }
}

extension SubscribersCommand {
  /// `locwatch subscribers notifications`
  struct Notifications: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "notifications",
      abstract: "Let a subscriber show notifications, or not (rule D8).",
      discussion: """
          locwatch subscribers notifications logger deny

        The same as locwatch notifications allow and deny.
        """)

    @OptionGroup var permission: PermissionOptions

    func perform() throws(Failure) { try permission.change { .permitNotifications($0) } }
  }
}

/// One subscriber, or all.
struct SubscriberChoice: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The subscriber (default: all).", valueName: "name"),
    completion: Candidates.subscribers)
  var name: String?

  /// Whom a sentence is about.
  var said: String { name.map { "\($0) has" } ?? "the subscribers have" }

  /// The first column, where there are several.
  var header: [String] { name == nil ? ["SUBSCRIBER"] : [] }

  /// The items of the chosen, each with whose it is.
  func all(
    in state: StateOptions, _ items: (String) throws(Failure) -> [JSONTree]
  ) throws(Failure) -> [(name: String, item: JSONTree)] {
    let names = if let name { [name] } else { try state.openToRead()?.subscribers().map(\.subscriber.name) }
    var all: [(name: String, item: JSONTree)] = []
    for name in names ?? [] { all += try items(name).map { (name, $0) } }
    if all.isEmpty { try state.noteIfMissing() }
    return all
  }

  /// The cell of ``header``.
  func cell(_ name: String) -> [String] { self.name == nil ? [name] : [] }
}

/// The name of a subscriber, for commands that act as its user.
struct SubscriberUser: ParsableArguments {
  @Argument(help: ArgumentHelp("Its name.", valueName: "name"), completion: Candidates.subscribers)
  var name: String

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var state: StateOptions

  func perform(_ verb: String) throws(Failure) {
    try state.seat().user(verb, name)
  }
}
