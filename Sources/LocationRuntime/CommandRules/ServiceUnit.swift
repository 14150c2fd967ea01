import Glibc
package import LocationFormats

/// The systemd unit of a daemon, as the user who asks would start it.
package struct ServiceUnit: Sendable {
  /// Its unit's name.
  private static let name = "locwatch.service"
  /// Whether it is the machine's, not a user's.
  private let isSystem: Bool

  /// Root has the machine's unit, everybody else one of their own.
  package init() { isSystem = geteuid() == 0 }

  private func arguments(now: Bool) -> [String] {
    ["systemctl"] + (isSystem ? [] : ["--user"]) + ["enable"] + (now ? ["--now"] : []) + ["locwatch"]
  }

  /// What starts it, as it is typed.
  package var commandLine: String { arguments(now: true).joined(separator: " ") }

  /// Whether the unit is installed.
  package var isInstalled: Bool {
    var folders =
      isSystem
      ? [
        "/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
      ]
      : ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"]
    if !isSystem {
      let home = EnvironmentVariable.value("HOME") ?? ""
      folders.append("\(EnvironmentVariable.value("XDG_CONFIG_HOME") ?? home + "/.config")/systemd/user")
    }
    return folders.contains { unsafe access("\($0)/\(Self.name)", F_OK) == 0 }
  }

  /// Has systemd start it, now and from now on.
  ///
  /// - Parameter pid: the daemon that runs already: it is started from the next time on.
  /// - Throws: code 69 where systemd does not.
  package func start(besides pid: Int?) throws(Failure) {
    let remedy =
      if let pid { "process \(pid) runs on, but nothing starts the next one" } else {
        "start it by hand with locwatch run"
      }
    let arguments = arguments(now: pid == nil)
    do throws(Failure) {
      _ = try CommandPath.resolve(arguments[0])
    } catch {
      throw Failure(.unavailable, what: "there is no systemctl here", remedy: remedy)
    }
    let result = try ProgramTrial.run(arguments, seconds: Self.seconds)
    guard result.status == 0 else {
      throw Failure(
        .unavailable, what: "\(arguments.joined(separator: " ")) ended with status \(result.status)",
        remedy: remedy)
    }
  }

  /// Longer than systemd waits for a unit to be ready.
  private static let seconds = 120.0
}
