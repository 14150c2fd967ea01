import ArgumentParser
import LocationFormats
import LocationRuntime

/// How a command handles what comes from gpsd.
struct LiveOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Fixes without gpsd. NMEA 0183: nmea:/dev/ttyACM0:9600, udp::10110 or tcp:HOST:PORT. Another device's OwnTracks locations: mqtt:TOPIC or mqtts://HOST/TOPIC. This machine's GeoClue: geoclue.",
      valueName: "source"))
  var source: String?

  @Option(
    help: ArgumentHelp("A file with user and password for --source mqtt.", valueName: "file"),
    completion: .file())
  var sourceSecrets: String?

  @Option(
    help: ArgumentHelp("Record every event for locwatch replay.", valueName: "file"), completion: .file())
  var record: String?

  @Flag(help: "gpsd plays a log (gpsfake): accept fixes of any date and use their time.")
  var simulated = false

  /// The source that the command is to read: that of `--source`, or `gpsd`, or this machine's gpsd where both are nil.
  func address(or gpsd: String?) throws(Failure) -> SourceAddress {
    guard let source else {
      guard sourceSecrets == nil else {
        throw Failure(.usage, what: "--source-secrets is for --source mqtt:TOPIC", remedy: "leave it out")
      }
      return try gpsd.map { address throws(Failure) in try SourceAddress(address) } ?? .local
    }
    guard !source.isEmpty else {
      throw Failure(.usage, what: "--source names no source", remedy: "name one, or leave the option out")
    }
    let address = try SourceAddress(source: source)
    if let gpsd { Terminal.note("\(gpsd) is not read: --source names another source") }
    guard let sourceSecrets else { return address }
    let secured = try address.with(secrets: try StatePath.absolute(sourceSecrets))
    // The process that speaks to the broker reads it, each time it starts.
    try OutletSecrets.requirePrivate(sourceSecrets)
    return secured
  }
}
