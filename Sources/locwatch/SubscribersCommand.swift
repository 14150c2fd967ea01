import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch subscribers`: the programs that want to know.
struct SubscribersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribers",
    abstract: "The programs that want to know: add, remove, look at and move them.",
    discussion: """
      A manifest says how a program is started and what it wants; Docs/Subscribers.md has its keys.

        locwatch subscribers add logger.yaml
        locwatch subscribers list
        locwatch subscribers show commute-logger
        locwatch subscribers launch commute-logger        # as its user does
        locwatch subscribers background commute-logger
        locwatch subscribers quit commute-logger          # force-quit
        locwatch subscribers remove commute-logger
      """,
    subcommands: [
      List.self, Show.self, Add.self, Remove.self, Launch.self, Foreground.self, Background.self, Quit.self,
    ])

  /// `locwatch subscribers list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List subscribers with their states and how many events they have not acknowledged.")

    @OptionGroup var format: RegionsFormatOptions
    @OptionGroup var state: StateOptions

    func run() async throws {
      try Terminal.reporting { () throws(Failure) in
        let records = try SubscriberRecord.all(try state.seat())
        if records.isEmpty {
          Terminal.note("no subscribers; locwatch subscribers add FILE adds one")
        }
        try format.print(records, header: SubscriberRecord.header, rightAligned: [2]) {
          $0.row
        } json: {
          $0.write(to: &$1)
        }
      }
    }
  }

  /// `locwatch subscribers show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show all that is known of a subscriber.")

    @Argument(help: ArgumentHelp("Its name.", valueName: "name"))
    var name: String

    @OptionGroup var format: RegionsFormatOptions
    @OptionGroup var state: StateOptions

    func run() async throws {
      try Terminal.reporting { () throws(Failure) in
        let all = try SubscriberRecord.all(try state.seat())
        guard let record = all.first(where: { $0.subscriber.name == name }) else {
          throw SubscriberRecord.unknown(name, among: all)
        }
        switch RegionsFormat.or(format.format) {
        case .text: try Terminal.print(record.text)
        case .ndjson:
          try format.print([record], header: []) {
            $0.row
          } json: {
            $0.write(to: &$1)
          }
        }
      }
    }
  }

  /// `locwatch subscribers add`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a subscriber by its manifest.")

    @Argument(help: ArgumentHelp("A manifest, YAML.", valueName: "file"))
    var file: String

    @Flag(help: "Replace a subscriber of this name; its program is started anew.")
    var replace = false

    @OptionGroup var state: StateOptions

    func run() async throws {
      try Terminal.reporting { () throws(Failure) in
        let subscriber = try SubscriberManifest.read(path: file)
        guard !subscriber.command.isEmpty else {
          throw Failure(
            .data, file: file, what: "no command: a live subscriber is a program",
            remedy: "add command: [PROGRAM, ARGUMENT]")
        }
        try state.open().put(subscriber, replacing: replace)
        try state.seat().noteSubscriber(subscriber.name)
        Terminal.note("added \(subscriber.name)")
      }
    }
  }

  /// `locwatch subscribers remove`
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a subscriber: its program is ended, and what waits for it is dropped.")

    @Argument(help: ArgumentHelp("Its name.", valueName: "name"))
    var name: String

    @OptionGroup var state: StateOptions

    func run() async throws {
      try Terminal.reporting { () throws(Failure) in
        guard try state.openToRead() != nil, try state.open().removeSubscriber(name) else {
          throw SubscriberRecord.unknown(name, among: try SubscriberRecord.all(try state.seat()))
        }
        try state.seat().noteSubscriber(name)
        Terminal.note("removed \(name)")
      }
    }
  }
}

extension SubscribersCommand {
  /// `locwatch subscribers launch`
  struct Launch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start or resume a subscriber as its user does: in the foreground.")
    @OptionGroup var user: SubscriberUser
    func run() async throws { try user.perform("launch") }
  }

  /// `locwatch subscribers foreground`
  struct Foreground: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Bring a subscriber to the foreground; the same as launch.")
    @OptionGroup var user: SubscriberUser
    func run() async throws { try user.perform("foreground") }
  }

  /// `locwatch subscribers background`
  struct Background: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a subscriber to the background, where it is suspended when it is idle.")
    @OptionGroup var user: SubscriberUser
    func run() async throws { try user.perform("background") }
  }

  /// `locwatch subscribers quit`
  struct Quit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Force-quit a subscriber: only location services start it again (rule A7).")
    @OptionGroup var user: SubscriberUser
    func run() async throws { try user.perform("quit") }
  }
}

/// What all that a user does to a subscriber have in common.
struct SubscriberUser: ParsableArguments {
  @Argument(help: ArgumentHelp("Its name.", valueName: "name"))
  var name: String

  @OptionGroup var state: StateOptions

  func perform(_ verb: String) throws {
    try Terminal.reporting { () throws(Failure) in try state.seat().user(verb, name) }
  }
}
