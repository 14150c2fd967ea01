import Glibc
import LocationCore
import LocationFormats

/// The command that shows notifications to the user. It is run once for each and reads one line of JSON from its
/// standard input. It may end at once, or wait for the user: by its status it says that the user opened the
/// notification (rule D6).
struct NotifyHook {
  /// What to do where nothing shows notifications.
  static let remedy = "set notifications.notify_hook to a command that shows them"

  /// What came of one.
  enum Outcome: Equatable {
    /// The user opened it.
    case opened(subscriber: String, notification: String)
    /// What went wrong, for the log.
    case trouble(String)
  }

  private struct Running {
    let pid: pid_t
    let pidfd: Descriptor
    let subscriber: String
    let notification: String
    /// Whether it was killed, and its end has not come yet.
    var isKilled = false
  }

  /// The program and its arguments; empty where there is none.
  var command: [String]
  private let environment: [String]
  private var running: [Running] = []
  private var hasComplained = false

  init(_ command: [String], environment: [String]) {
    self.command = command
    self.environment = environment
  }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) { for program in running { polled.watch(program.pidfd.number) } }

  /// Has it show a notification: whether it was started for it, and what went wrong, for the log. Without a command there
  /// is nothing to be done.
  mutating func show(
    _ content: LocalNotification.Content, of subscriber: String, event: Int, notification: String
  ) -> (isStarted: Bool, trouble: String?) {
    guard !command.isEmpty else { return (true, nil) }
    while running.count(where: { !$0.isKilled }) >= Self.runningLimit { killOldest() }
    do throws(ProgramStart.Refusal) {
      let program = try ProgramStart(
        command: command, environment: environment, hasOutput: false, cgroup: nil, noting: { _ in })
      var queue = WriteQueue()
      // A line of a program has at most as many bytes as a pipe holds.
      _ = queue.append(Self.line(of: content, subscriber, event: event, notification: notification))
      queue.send(to: program.input)
      running.append(
        Running(
          pid: program.pid, pidfd: program.pidfd, subscriber: subscriber, notification: notification))
      return (true, nil)
    } catch {
      return (false, complain("can't be started: \(SystemReason.text(error.code))"))
    }
  }

  /// Takes note of those that have ended.
  mutating func take(_ polled: PollSet) -> [Outcome] {
    var outcomes: [Outcome] = []
    for program in running where polled.has(program.pidfd.number) {
      guard let end = ProgramStart.reap(program.pidfd) else { continue }
      running.removeAll { $0.pid == program.pid }
      switch end.status {
      case 0: hasComplained = false
      case Self.openedStatus:
        outcomes.append(.opened(subscriber: program.subscriber, notification: program.notification))
      case 128 + SIGKILL: break
      case let status:
        if let text = complain("ended with status \(status)") { outcomes.append(.trouble(text)) }
      }
    }
    return outcomes
  }

  /// Ends those that wait for the user.
  mutating func end() { while running.contains(where: { !$0.isKilled }) { killOldest() } }

  /// Kills the one that was started first, with all that it has started.
  private mutating func killOldest() {
    guard let place = running.firstIndex(where: { !$0.isKilled }) else { return }
    running[place].isKilled = true
    _ = SystemCall.signalProcess(-running[place].pid, SIGKILL)
  }

  /// Once, until it works again.
  private mutating func complain(_ what: String) -> String? {
    defer { hasComplained = true }
    return hasComplained ? nil : "notifications: \(command[0]) \(what); this is told once"
  }

  /// The status by which it says that the user opened the notification.
  static let openedStatus: Int32 = 100
  /// Those that wait for the user at a time; the oldest is ended for one more.
  private static let runningLimit = 32
}

extension NotifyHook {
  /// The line of a notification, with its end.
  static func line(
    of content: LocalNotification.Content, _ subscriber: String, event: Int, notification: String
  ) -> [UInt8] {
    JSONLine.line { line in
      line.member("v", 1)
      line.member("event", event)
      line.member("subscriber", subscriber)
      line.member("notification", notification)
      line.member("title", content.title)
      line.member("body", content.body)
      line.member("sound", content.sound)
      line.member("badge", content.badge)
      line.member("action", content.action)
      line.member(json: "data", content.data)
    }
  }

  /// The command that shows notifications where the settings name none: the desktop's service, where the daemon runs in a
  /// user's session and the helper is beside it; else none.
  static func desktop(environment: [String]) -> [String] {
    guard hasBus(environment: environment), let helper = SiblingProgram.executable("locwatch-notify") else {
      return []
    }
    return [helper]
  }

  /// Whether there is a bus of a user's session.
  static func hasBus(environment: [String]) -> Bool {
    func value(_ key: String) -> String? {
      environment.first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }
    return value("DBUS_SESSION_BUS_ADDRESS") != nil
      || value("XDG_RUNTIME_DIR").map { unsafe access($0 + "/bus", F_OK) == 0 } ?? false
  }
}
