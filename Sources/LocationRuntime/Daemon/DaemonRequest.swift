public import LocationCore
import LocationFormats

/// What `locwatch run` is to do, settled before anything is opened.
public struct DaemonRequest: Sendable {
  /// Where fixes come from.
  public var address = SourceAddress.local
  /// The state file.
  public var state: String
  /// The settings file; nil for none. It is read again on SIGHUP.
  public var settings: String?
  /// The power profile; nil for that of the settings.
  public var profile: PowerProfile?
  /// Who decides when the receiver is on; nil for what the settings say.
  public var sampling: SamplingChoice?
  /// Where what reaches the engine is recorded; nil for nowhere.
  public var recording: String?
  /// Whether the source plays a log: fixes may be of any date, and time is theirs.
  public var isSimulated = false
  /// Whether programs are suspended by the cgroup freezer where that can be.
  public var usesCgroups = true
  /// The file that tells of the first unlock after a boot; nil for the usual one.
  public var unlockFile: String?

  /// The Unix socket at which fixes are told in NMEA, for GeoClue; nil for none.
  public var nmeaSocket: String?
  /// The file that metrics are written to; nil for none.
  public var metrics: String?

  public init(state: String) { self.state = state }

  /// The numbers in force, from the file as it is now.
  ///
  /// - Parameter isReload: whether they have been read before.
  /// - Throws: ``Failure`` of code 78 that names file, line and key.
  func configuration(
    isReload: Bool = false
  ) throws(Failure) -> (engine: EngineConfiguration, daemon: DaemonSettings) {
    var configuration = EngineConfiguration.standard
    var daemon = DaemonSettings()
    var origins: Settings.Origins = [:]
    if let profile { configuration.profile = profile }
    if let settings {
      origins = try Settings.read(path: settings, into: &configuration, &daemon, isReread: isReload)
    }
    if let sampling { configuration.sampling.mode = sampling.mode }
    guard configuration.sampling.isDutyCycled else { return (configuration, daemon) }
    guard address.traits.canRest else {
      throw Failure(
        .config, file: settings, what: "the other device decides when it measures: adaptive sampling can't",
        remedy: "leave out --source mqtt, or the sampling")
    }
    guard !isSimulated else {
      throw Failure(
        .config, file: settings,
        what: "adaptive sampling needs the machine's clock: a log that is played has none",
        remedy: "leave out --simulated, or the sampling")
    }
    if daemon.receiverHook.isEmpty, origins["sampling.power_off_s"] == nil {
      configuration.profile.lingerAsGPSD()
    }
    return (configuration, daemon)
  }
}
