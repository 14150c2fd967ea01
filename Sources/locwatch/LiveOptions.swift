import ArgumentParser
import LocationFormats
import LocationRuntime

/// How a command handles what comes from gpsd.
struct LiveOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "NMEA 0183 without gpsd: nmea:/dev/ttyACM0:9600, udp::10110 or tcp:HOST:PORT.", valueName: "source"))
  var source: String?

  @Option(
    help: ArgumentHelp("Record every event for locwatch replay.", valueName: "file"), completion: .file())
  var record: String?

  @Flag(help: "gpsd plays a log (gpsfake): accept fixes of any date and use their time.")
  var simulated = false

  /// The source that the command is to read; `gpsd` where `--source` names none.
  func address(or gpsd: String) throws(Failure) -> GPSDAddress {
    if let source { try GPSDAddress(source: source) } else { try GPSDAddress(gpsd) }
  }
}
