import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch status`: what the daemon knows.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what the daemon knows: source, last fix, regions, subscribers.",
    discussion: """
      Exits with 1 if this is stale: no daemon runs or answers, its source is lost
      or silent for 5 s, or it had no fix for 30 s.

        locwatch status
        locwatch status --json | jq -r '.inside[]'
        locwatch status > /dev/null || echo "no fixes"
      """)

  @OptionGroup var output: JSONOptions
  @OptionGroup var zone: ZoneOptions
  @OptionGroup var units: UnitsOptions
  @OptionGroup var state: StateOptions

  func run() async throws {
    var isStale = false
    try Terminal.reporting { () throws(Failure) in
      let status = try status()
      isStale = status["stale"] != .boolean(false)
      if output.isJSON { return try Terminal.print(status.text + "\n") }
      let local = LocalTimes.describe(status, in: try zone.zone)
      try Terminal.print(StatusText.describe(local, in: try units.choice()))
    }
    if isStale { throw ExitCode(Failure.Code.conditionFails.rawValue) }
  }

  /// What the daemon says, or, where it does not answer, what it stored last.
  private func status() throws(Failure) -> JSONTree {
    let seat = try state.seat()
    do throws(Failure) {
      return try seat.pricedStatus()
    } catch {
      guard ControlClient.isNoAnswer(error) else { throw error }
      Terminal.note("\(error.what); this is what it stored last")
      return try seat.storedStatus(answers: false)
    }
  }
}

/// `locwatch lock`: the screen is locked.
struct LockCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Report that the screen was locked.",
    discussion: """
      Programs in the foreground go to the background. They return with
      locwatch unlock. Have the screen's locker run both.

        locwatch lock
      """)

  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    try state.seat().lock()
  }
}

/// `locwatch unlock`: the screen is unlocked.
struct UnlockCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Report that the screen was unlocked.",
    discussion: """
      Programs that were in the foreground before locwatch lock return to it.
      With policy.protect_until_first_unlock, the daemon starts nothing in the
      background before the first unlock after a boot.

        locwatch unlock
        locwatch unlock --state /var/lib/locwatch/locwatch.db
      """)

  @OptionGroup var state: StateOptions

  func perform() throws(Failure) {
    try state.seat().unlock()
  }
}
