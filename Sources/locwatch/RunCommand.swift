import ArgumentParser
import LocationFormats
import LocationRuntime

/// `locwatch run`: the daemon.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the daemon: follow gpsd and wake the programs that subscribed.",
    discussion: """
        locwatch regions add home --circle 48.1371,11.5754,120
        locwatch subscribers add logger.yaml
        locwatch run
        locwatch run --gpsd pi.local:2947 --state ./locwatch.db
        locwatch run --source nmea:/dev/ttyACM0:9600     # a receiver without gpsd
        locwatch run --source mqtt:owntracks/anna/phone  # a phone as receiver
        locwatch run --record drive.journal    # for locwatch replay
        locwatch run --sampling adaptive       # disconnects from gpsd between fixes

      The daemon stays in the foreground and logs errors to standard error. All its
      state is in the state file: after any end it continues from there. SIGHUP
      makes it read settings, regions and subscribers again; SIGTERM ends it. A
      second daemon on the same state file exits with 75.

      The commands status, events, ack, regions, subscribers and power talk to it.
      Docs/Daemon.md has more; Examples/systemd has units.
      """)

  @Option(
    help: ArgumentHelp(
      "The address of gpsd: SERVER:PORT:DEVICE, or the path of its socket (default: \(SourceAddress.local)).",
      valueName: "address"))
  var gpsd: String?

  @OptionGroup var engine: EngineOptions

  @Option(
    help: ArgumentHelp(
      "continuous: the receiver is always on. adaptive: it is asked for a fix only when something could have changed (default: the setting).",
      valueName: "continuous|adaptive"))
  var sampling: SamplingChoice?

  @OptionGroup var live: LiveOptions

  @Flag(help: "Suspend programs with SIGSTOP even if the cgroup freezer is available.")
  var noCgroup = false

  @Option(
    help: ArgumentHelp(
      "A file whose creation after a boot reports the first unlock (default: unlocked, beside the control socket).",
      valueName: "file"), completion: .file())
  var unlockFile: String?

  @Option(
    help: ArgumentHelp(
      "Tell each fix in NMEA 0183 at this Unix socket, for GeoClue and its desktop programs.",
      valueName: "path"), completion: .file())
  var nmeaSocket: String?

  @Option(
    help: ArgumentHelp(
      "Write metrics for Prometheus to this file, at most every 15 s.", valueName: "file"))
  var metrics: String?

  @OptionGroup var state: StateOptions

  func validate() throws {
    if live.simulated, sampling == .adaptive {
      throw ValidationError("--sampling adaptive does not work with --simulated: a played log has no clock")
    }
  }

  func run() throws {
    do throws(Failure) {
      try Daemon.run(request())
    } catch {
      throw Terminal.exit(for: error)
    }
  }

  private func request() throws(Failure) -> DaemonRequest {
    var request = DaemonRequest(state: try StatePath.resolve(option: state.state))
    let others = [engine.config, engine.profile, live.sourceSecrets, unlockFile].compactMap { $0 }
    for output in [live.record, metrics] {
      try OutputFile.refuse(output, sameAs: StatePath.files(of: request.state) + others)
    }
    guard gpsd?.isEmpty != true else {
      throw Failure(.usage, what: "--gpsd names no address", remedy: "name one, or leave the option out")
    }
    if let metrics { try MetricsFile.refuseUnwritable(metrics) }
    request.address = try live.address(or: gpsd)
    request.settings = engine.config
    request.profile = try engine.profiles.named()
    request.sampling = sampling
    request.recording = live.record
    request.isSimulated = live.simulated
    request.usesCgroups = !noCgroup
    request.unlockFile = unlockFile
    request.metrics = metrics
    request.nmeaSocket = try nmeaSocket.map { (path) throws(Failure) in try StatePath.absolute(path) }
    return request
  }
}
