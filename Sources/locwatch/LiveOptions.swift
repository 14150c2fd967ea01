import ArgumentParser

/// How a command takes what comes from gpsd.
struct LiveOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Record everything that comes, for locwatch replay.", valueName: "file"))
  var record: String?

  @Flag(help: "gpsd plays a log (gpsfake): fixes may be of any date, and time is theirs.")
  var simulated = false
}
