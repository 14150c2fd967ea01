import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch status`: what the daemon knows.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what the daemon knows: source, last fix, regions, subscribers.",
    discussion: """
      Exit status 1 where that is stale: no daemon runs, or it has had no fix for 30 s.

        locwatch status
        locwatch status --json | jq -r '.inside[]'
        locwatch status > /dev/null || echo "no fixes"
      """)

  @Flag(help: "One JSON object.")
  var json = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    var isStale = false
    try Terminal.reporting { () throws(Failure) in
      let status = try state.seat().status()
      isStale = status["stale"] != .boolean(false)
      try Terminal.print(json ? status.text + "\n" : StatusText.describe(status))
    }
    if isStale { throw ExitCode(Failure.Code.conditionFails.rawValue) }
  }
}

/// `locwatch unlock`: the first unlock after a boot.
struct UnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Tell the daemon that the machine was unlocked after its boot.",
    discussion: """
      With policy.protect_until_first_unlock nothing is started in the background before that.

        locwatch unlock
        locwatch unlock --state /var/lib/locwatch/locwatch.db
      """)

  @OptionGroup var state: StateOptions

  func run() async throws {
    try Terminal.reporting { () throws(Failure) in try state.seat().unlock() }
  }
}
