package import LocationCore
import LocationFormats

/// What a program is told in answer to something it said.
package enum SubscriberReply: Hashable, Sendable {
  /// The token of a task it began, and the seconds until it must have ended it; nil for no limit.
  case task(token: Int, remainingSeconds: Double?)
  /// The seconds until it will be ended or suspended; nil for no limit.
  case remaining(seconds: Double?)
  /// Where it is with respect to a region.
  case state(region: String, RegionState)
  /// It is known by this name from now on.
  case registered(name: String)
  /// The name of a notification that it scheduled.
  case notification(id: String)
  /// The notifications that it has scheduled.
  case notifications([ScheduledNotification])
  /// A socket that it passed is watched from its next suspension on.
  case tagged(String)
  /// The token of an audio session that it opened.
  case audio(token: Int)
  /// What senders of pushes are to show, and where those of the Web send to, if they can.
  case pushToken(String, PushAddress?)
  /// The number of a transfer that it asked for.
  case transfer(number: Int)
  /// The transfers of a session that have not ended.
  case session(String, [TransferView])
  /// A descriptor that comes along is the accessory of this session.
  case accessory(String)
  /// The accessory of a session is not there yet.
  case accessoryAwaited(String)
  /// Something it asked for can't be done, and why.
  case refused(what: String, reason: String)

  /// Whether the oldest socket that it passed and named is not to be watched. What is invalid named none.
  var refusesSocket: Bool {
    if case .refused("tag", let reason) = self { reason != Self.invalid } else { false }
  }

  /// Why something is refused whose keys or values are none that this version knows.
  static let invalid = "invalid"

  /// The line, with its end.
  var line: [UInt8] {
    JSONLine.line { line in
      switch self {
      case .task(let token, let seconds):
        line.member("task", token)
        line.member("remaining_s", seconds, decimals: FixedPoint.thousandths)
      case .remaining(let seconds):
        line.head("remaining")
        line.member("remaining_s", seconds, decimals: FixedPoint.thousandths)
      case .state(let region, let state):
        line.head("region.state")
        line.member("region", region)
        line.member("state", state.rawValue)
        line.member("reason", "asked")
      case .registered(let name):
        line.head("registered")
        line.member("subscriber", name)
        // Only children of ours can be suspended (rule A2).
        line.member("suspension", "no")
      case .notification(let id): line.member("notification", id)
      case .tagged(let tag): line.member("tag", tag)
      case .audio(let token): line.member("audio", token)
      case .notifications(let list):
        line.head("notifications")
        line.member(json: "notifications", JSONTree.array(list.map(\.tree)).text)
      case .pushToken(let token, let address):
        line.head("push_token")
        line.member("token", token)
        line.member(json: "web_push", address?.tree.text)
      case .transfer(let number): line.member("transfer", number)
      case .session(let session, let transfers):
        line.head("session")
        line.member("session", session)
        line.objects("transfers", transfers) { $1.member("transfer", $0.number) }
      case .accessory(let session): line.member("accessory", session)
      case .accessoryAwaited(let session):
        line.member("accessory", session)
        line.member("connected", false)
      case .refused(let what, let reason):
        line.head("refused")
        line.member("what", what)
        line.member("reason", reason)
      }
    }
  }
}

/// Why a program was started or resumed: the first thing it is told, and what stands in its environment.
struct LaunchNotice: Hashable {
  /// What the engine says of it; nil where the user started it or returned to it.
  let launch: Order.Launch?
  /// What the process before asked to be kept (rule A11); nil where nothing was, or nothing is started.
  private let restored: String?
  private let sleptSeconds: Double?
  /// The sessions of Bluetooth that are open since before the start (rule J3).
  var sessions: [String] = []
  /// What the event of a oneshot's process is handed for; nil where a process is not for one event.
  var delivery: Order.Cause?

  init(_ launch: Order.Launch) {
    self.launch = launch
    restored = launch.restored
    sleptSeconds = launch.sleptSeconds
  }

  /// The user starts it or returns to it.
  init(_ launch: UserLaunch = UserLaunch()) {
    self.launch = launch.opened
    restored = launch.restored
    sleptSeconds = launch.sleptSeconds
  }

  /// Whether it is the user's doing.
  var isOfUser: Bool { launch.map { $0.notification != nil } ?? true }

  /// A rule's id, or `user`.
  private var cause: String { (delivery?.rule ?? launch?.cause)?.rawValue ?? "user" }
  /// The kind of a background mode, `redelivery`, or `user`.
  private var kind: String { delivery?.kind ?? launch?.kind ?? "user" }

  /// The variables of a program that is started for it.
  ///
  /// - Parameter event: what is delivered with the start; nil where nothing is.
  func environment(event: Int? = nil) -> [String] {
    [ProgramStart.causeKey + cause, ProgramStart.kindKey + kind]
      + [event ?? launch?.event].compactMap { $0.map { "\(ProgramStart.eventKey)\($0)" } }
  }

  /// The line, with its end.
  var line: [UInt8] {
    JSONLine.line { line in
      line.head("launch")
      line.member("cause", cause)
      line.member("kind", kind)
      line.member("event", launch?.event)
      line.member("of", launch?.eventKind)
      let budget = launch.flatMap { $0.budgetSeconds > 0 ? $0.budgetSeconds : nil }
      line.member("budget_s", budget, decimals: FixedPoint.thousandths)
      line.member("slept_s", sleptSeconds, decimals: FixedPoint.thousandths)
      line.member("throttle_s", launch?.throttleSeconds, decimals: FixedPoint.thousandths)
      line.member("locked", launch?.isLocked ?? false)
      line.member("restored", restored)
      line.member("notification", launch?.notification)
      line.member(json: "data", launch?.data)
      line.member("tag", launch?.tag)
      line.member("session", launch?.session)
      if !sessions.isEmpty { line.member("sessions", sessions) }
    }
  }

  /// The line of a warning.
  static func line(of warning: Order.Warning) -> [UInt8] {
    JSONLine.line { line in
      if let level = warning.level {
        line.head("memory")
        line.member("level", level.rawValue)
        line.member("seconds", warning.seconds, decimals: FixedPoint.thousandths)
      } else {
        line.head("warn")
        line.member("seconds", warning.seconds, decimals: FixedPoint.thousandths)
        line.member("reason", warning.reason.rawValue)
        line.member("task", warning.task)
      }
    }
  }

  /// The line that tells a program what has become of an audio session (section F).
  static func line(of notice: Order.AudioNotice) -> [UInt8] {
    JSONLine.line { line in
      line.head(notice.change.rawValue)
      line.member("audio", notice.token)
      if notice.change == .resumed { line.member("should_resume", true) }
    }
  }

  /// The line that tells a program the state that it moves to.
  static func line(of notice: Order.StateNotice) -> [UInt8] {
    JSONLine.line { line in
      line.head("state")
      line.member("state", notice.state == .suspended ? "suspending" : notice.state.rawValue)
      line.member("reason", notice.reason.rawValue)
      line.member("grace_s", notice.graceSeconds, decimals: FixedPoint.thousandths)
    }
  }
}

extension JSONLine {
  /// The version and the type, with which most lines begin.
  fileprivate mutating func head(_ type: String) {
    member("v", 1)
    member("type", type)
  }
}
