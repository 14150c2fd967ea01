import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// `locwatch run`: the daemon.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Watch gpsd in the foreground: decide, wake programs, remember.",
    discussion: """
      Everything it knows is in the state file, and it comes back from there after
      any end as if it had never been away. SIGHUP reads settings, regions and
      subscribers again; SIGTERM ends it in good order. A second one on the same
      state file is refused (exit status 75).

        locwatch regions add home --circle 48.1371,11.5754,120
        locwatch subscribers add logger.yaml
        locwatch run
        locwatch run --gpsd pi.local:2947 --state ./locwatch.db
        locwatch run --record drive.journal    # for locwatch replay
        locwatch run --sampling adaptive       # gpsd is let go of between fixes

      status, events, ack, regions, subscribers and power speak to it while it
      runs. Docs/Daemon.md tells the rest; Examples/systemd has its units.
      """)

  @Option(
    help: ArgumentHelp("Where gpsd is: SERVER:PORT:DEVICE, or its socket's path.", valueName: "address"))
  var gpsd: String = GPSDAddress.local.description

  @OptionGroup var engine: EngineOptions

  @Option(
    help: ArgumentHelp(
      "Whether the receiver is always on, or asked for a fix only when something could have changed (default: as --config has it).",
      valueName: "continuous|adaptive"))
  var sampling: SamplingChoice?

  @OptionGroup var live: LiveOptions

  @Flag(help: "Suspend programs by SIGSTOP even where they can be frozen.")
  var noCgroup = false

  @Option(
    help: ArgumentHelp(
      "Made after a boot, this tells of the first unlock (default: unlocked beside the control socket).",
      valueName: "file"))
  var unlockFile: String?

  @OptionGroup var state: StateOptions

  func validate() throws {
    if live.simulated, sampling == .adaptive {
      throw ValidationError("--sampling adaptive needs the machine's clock; a log that is played has none")
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
    request.address = try GPSDAddress(gpsd)
    request.settings = engine.config
    request.profile = try engine.namedProfile()
    request.sampling = sampling
    request.recording = live.record
    request.isSimulated = live.simulated
    request.usesCgroups = !noCgroup
    request.unlockFile = unlockFile
    return request
  }
}
