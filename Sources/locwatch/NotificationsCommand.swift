import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch notifications`: what programs have scheduled for the user.
struct NotificationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "List, add, cancel and open local notifications of a subscriber.",
    discussion: """
      A subscriber schedules its notifications itself (Docs/Subscribers.md). These
      commands do the same from a terminal. The daemon shows them by the desktop's
      service, or by the command of notifications.notify_hook.

        locwatch notifications add logger --title Tea --after 180
        locwatch notifications add logger --title Up --after 3600 --repeat day
        locwatch notifications add logger --title Home --region home --on enter
        locwatch notifications                      # those of all
        locwatch notifications list logger
        locwatch notifications open logger n1
        locwatch notifications cancel logger n1
        locwatch notifications deny logger          # the user wants to see none
      """,
    subcommands: [List.self, Add.self, Cancel.self, Open.self, Allow.self, Deny.self],
    defaultSubcommand: List.self)

  /// `locwatch notifications list`
  struct List: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List what subscribers have scheduled, by time.",
      discussion: """
          locwatch notifications list
          locwatch notifications list logger
        """)

    @OptionGroup var owner: SubscriberChoice
    @OptionGroup var format: OutputFormatOptions
    @OptionGroup var state: StateOptions

    func perform() throws(Failure) {
      let seat = try state.seat()
      let list = try owner.all(in: state) { (name) throws(Failure) in try seat.notifications(of: name) }
      if list.isEmpty { Terminal.note("\(owner.said) no notifications scheduled") }
      try format.print(list, header: owner.header + ["ID", "WHEN", "REPEAT", "TITLE"]) { name, tree in
        let region = tree["region"]?.string.map { "\(tree["on"]?.string ?? "") region \($0)" }
        return owner.cell(name) + [
          tree["id"]?.string ?? "", tree["at"]?.string ?? region ?? "",
          tree["repeat"]?.string ?? "", tree["title"]?.string ?? "",
        ]
      } json: { item, line in
        let (name, tree) = item
        line.open()
        line.member("subscriber", name)
        for key in ["id", "title", "at", "region", "on", "repeat"] {
          if let text = tree[key]?.string { line.member(named: key, text) }
        }
        if let badge = tree["badge"]?.integer { line.member("badge", badge) }
        line.close()
      }
      for line in try seat.notificationsToCome(of: owner.name) { Terminal.note(line) }
    }
  }

  /// `locwatch notifications add`
  struct Add: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Schedule a notification for a subscriber.",
      discussion: """
          locwatch notifications add logger --title Tea --after 3m
          locwatch notifications add logger --title Up --wall 2026-05-01T07:30
          locwatch notifications add logger --title Keys --region home --each-time
        """)

    @Argument(help: ArgumentHelp("The subscriber.", valueName: "name"))
    var name: String

    @Option(help: "Its first line.")
    var title: String

    @Option(help: "What follows it.")
    var body: String?

    @Option(help: "Its name; one of the same name is replaced (default: given by the daemon).")
    var id: String?

    @Option(
      help: ArgumentHelp(
        "A time: 2026-05-01T07:30:00Z, or local as \"2026-05-01 07:30\".", valueName: "time"))
    var at: TimeArgument?

    @Option(help: "A time of the clock on the wall, as 2026-05-01T07:30.")
    var wall: String?

    @Option(help: "The zone of --wall, as Europe/Berlin (default: the machine's).")
    var zone: String?

    @Option(
      help: ArgumentHelp("So long from now, such as 10m.", valueName: "duration"),
      transform: ArgumentText.seconds)
    var after: Double?

    @Flag(help: "At once.")
    var now = false

    @Option(help: "A region.")
    var region: String?

    @Option(help: "With --region: enter or exit.")
    var on: String?

    @Flag(help: "With --region: at each enter or exit, not only at the first.")
    var eachTime = false

    @Option(help: "minute, hour, day, weekday, week, month, quarter or year.")
    var `repeat`: String?

    @OptionGroup var format: SameFormatOptions
    @OptionGroup var state: StateOptions

    func validate() throws {
      if region == nil, on != nil || eachTime { throw ValidationError("--on and --each-time need --region") }
      if region != nil, `repeat` != nil {
        throw ValidationError("--region and --repeat exclude each other; give --each-time")
      }
    }

    func perform() throws(Failure) {
      let at = try at.map { (at) throws(Failure) in try at.timeAhead(in: try TimeZoneFile.machine()) }
      func text(_ text: String?) -> JSONTree? { text.map { .string($0) } }
      let notification = JSONTree.object([
        "title": .string(title), "body": text(body), "id": text(id), "at": text(at?.rfc3339),
        "wall": text(wall), "zone": text(zone), "region": text(region), "on": text(on),
        "repeat": text(`repeat`), "after_s": after.map { .number("\($0)") },
        "now": now ? .boolean(true) : nil, "once": eachTime ? .boolean(false) : nil,
      ])
      let given = try state.seat().notify(name, notification)
      Terminal.note(
        given.map { "scheduled \($0)" } ?? "\(id ?? "it") will be scheduled when locwatch run starts")
      let machine = try TimeZoneFile.machine()
      let wall = wall.flatMap { WallTime($0) }
      let there = if wall != nil, let zone { try TimeZoneFile.zone(zone) } else { machine }
      if `repeat` == nil, let due = at ?? wall.map(there.time(of:)), let now = SystemClock().read().utc,
        due < now
      {
        Terminal.note("its time, \(LocalTimes.describe(due, in: machine)), is past: it is due now")
      }
    }
  }

  /// `locwatch notifications cancel`
  struct Cancel: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "cancel", abstract: "Cancel a notification.",
      discussion: """
          locwatch notifications cancel logger n1
        """)

    @OptionGroup var one: OneNotification

    func perform() throws(Failure) {
      let isDone = try one.change { .cancelNotification(id: $0) }
      if !isDone { Terminal.note("\(one.id) will be cancelled when locwatch run starts") }
    }
  }

  /// `locwatch notifications open`
  struct Open: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "open", abstract: "Open a notification as the user would: it launches its subscriber.",
      discussion: """
          locwatch notifications open logger n1
        """)

    @OptionGroup var one: OneNotification

    func perform() throws(Failure) { _ = try one.change { .openNotification(id: $0) } }
  }

  /// `locwatch notifications allow`
  struct Allow: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "allow", abstract: "Let a subscriber show notifications.",
      discussion: """
          locwatch notifications allow logger
        """)

    @OptionGroup var permission: NotificationPermission

    func perform() throws(Failure) { try permission.set(true) }
  }

  /// `locwatch notifications deny`
  struct Deny: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "deny", abstract: "Let a subscriber show no notifications (rule D8).",
      discussion: """
          locwatch notifications deny logger
        """)

    @OptionGroup var permission: NotificationPermission

    func perform() throws(Failure) { try permission.set(false) }
  }
}

/// One notification of a subscriber.
struct OneNotification: ParsableArguments {
  @Argument(help: ArgumentHelp("The subscriber.", valueName: "name"))
  var name: String

  @Argument(help: ArgumentHelp("The notification.", valueName: "id"))
  var id: String

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var state: StateOptions

  /// Whether it is done; false where it waits for a daemon.
  func change(_ event: (String) -> ModeEvent) throws(Failure) -> Bool {
    try state.seat().change(name, event(id))
  }
}

/// Whether a subscriber may show notifications.
struct NotificationPermission: ParsableArguments {
  @Argument(help: ArgumentHelp("The subscriber.", valueName: "name"))
  var name: String

  @OptionGroup var format: SameFormatOptions
  @OptionGroup var state: StateOptions

  func set(_ isAllowed: Bool) throws(Failure) {
    try state.seat().change(name, .permitNotifications(isAllowed))
  }
}
