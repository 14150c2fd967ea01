import ArgumentParser

/// How a command handles what comes from gpsd.
struct LiveOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Record every event for locwatch replay.", valueName: "file"))
  var record: String?

  @Flag(help: "gpsd plays a log (gpsfake): accept fixes of any date and use their time.")
  var simulated = false
}
