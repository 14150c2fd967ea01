import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch watch`: live fixes on the terminal.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show live fixes from gpsd and the events that follow from them.",
    discussion: """
      On a terminal it shows a view; q or Ctrl-C ends it. In a pipe, or with
      --format, it prints events as lines. It writes only the output and the
      recording.

        locwatch watch
        locwatch watch pi.local -r places.geojson
        locwatch watch localhost:2947:/dev/ttyACM0
        locwatch watch /run/gpsd.sock -n 1 --format ndjson        # one fix
        locwatch watch --record drive.journal && locwatch replay drive.journal
        gpsfake -c 0.1 drive.nmea & locwatch watch --simulated    # a log at 10x
        locwatch watch --source udp::10110                        # a boat's network

      Docs/Live.md says what happens when gpsd stalls, restarts or has no receiver.
      """)

  @Argument(
    help: ArgumentHelp(
      "The address of gpsd: a server (IPv6 in brackets), optionally with port and device, or the path of its socket (default: \(SourceAddress.local)).",
      valueName: "server[:port[:device]]"))
  var address: String?

  @OptionGroup var regionFiles: RegionFileOptions

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("End after this many accepted fixes.", valueName: "n"))
  var count: Int?

  @Option(
    name: [.customShort("x"), .customLong("seconds")],
    help: ArgumentHelp("End after this time, such as 10m.", valueName: "duration"),
    transform: ArgumentText.seconds)
  var seconds: Double?

  @Option(
    help: "text, ndjson, csv or geojson lines, or arrow (default: a view on a terminal, ndjson in a pipe).")
  var format: RecordFormat?

  @OptionGroup var units: UnitsOptions
  @OptionGroup var engine: EngineOptions

  @OptionGroup var live: LiveOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("-n needs a whole number of at least 1") }
    if seconds == 0 { throw ValidationError("-x needs a time above 0") }
  }

  func run() async throws {
    let ending: WatchEnding
    do throws(Failure) {
      ending = try await Watch.run(request())
    } catch {
      throw Terminal.exit(for: error)
    }
    switch ending {
    case .done: return
    // As a shell reports a program that a signal ended.
    case .signal(let number): throw ExitCode(128 + number)
    }
  }

  private func request() throws(Failure) -> WatchRequest {
    let inputs = [engine.config, engine.profile, live.sourceSecrets].compactMap { $0 }
    try OutputFile.refuse(live.record, sameAs: regionFiles.regions + inputs)
    var request = WatchRequest()
    request.address = try live.address(or: address)
    try engine.apply(to: &request.configuration)
    // The view shows each fix.
    request.configuration.explains = true
    request.configuration.sampling.mode = .continuous
    request.regions = try regionFiles.read()
    request.count = count
    request.seconds = seconds
    request.recording = live.record
    request.units = try units.choice()
    request.isSimulated = live.simulated
    if let format {
      request.output = .lines(format)
    } else if Terminal.isTerminal(.output) {
      request.output = .screen(isPlain: Terminal.wantsNoColor)
    }
    return request
  }
}
