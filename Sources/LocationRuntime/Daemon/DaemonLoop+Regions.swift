import LocationCore
import LocationFormats

/// What becomes of regions and settings that were changed.
extension DaemonLoop {
  /// Brings the engine's regions up to what the database has.
  ///
  /// - Parameter ids: which may have changed; nil for all.
  mutating func applyRegions(_ ids: [String]?) throws(Failure) {
    try live.applyRegions(ids, of: database, at: clock.read())
    alignBeacons()
    outlets.noteRegions()
  }

  /// Reads settings, regions, subscribers and outlets again, and applies them once all can be read. Settings with a
  /// mistake in them change nothing.
  ///
  /// - Returns: why not all can be read, where nothing was applied, or the mistake in the settings, where all but them
  ///   was; the log has it as well.
  /// - Throws: ``Failure`` where it can't be applied.
  mutating func reload() throws(Failure) -> Failure? {
    notice.reloading()
    let fresh: Result<(EngineConfiguration, DaemonSettings), Failure>
    do throws(Failure) {
      fresh = try validSettings()
      try live.readRegions(of: database)
      _ = try database.subscribers()
      _ = try database.outletSettings()
    } catch {
      Self.log("\(error); nothing was changed")
      notice.ready("nothing was changed")
      return error
    }
    if case .success(let (configuration, settings)) = fresh { try change(to: configuration, settings) }
    if live.engine.hasNotifications { try alignNotifications() }
    try applyRegions(nil)
    try applySubscribers(nil)
    try outlets.apply(database, environment: environment)
    try commit()
    notice.ready("reloaded")
    if case .failure(let mistake) = fresh { return mistake }
    return nil
  }

  /// The settings as they are now, or the mistake in them, which the log tells.
  private func validSettings() throws(Failure) -> Result<(EngineConfiguration, DaemonSettings), Failure> {
    do throws(Failure) { return .success(try request.configuration(isReload: true)) } catch {
      guard error.code == .config || error.code == .noInput else { throw error }
      Self.log("\(error); the settings stay as they were")
      return .failure(error)
    }
  }

  /// Says where the recording is, if that is not where it was asked for.
  static func note(recording path: String, _ asked: String) {
    if path != asked { log("\(asked) is there already: recording to \(path)") }
  }

  private mutating func change(
    to configuration: EngineConfiguration, _ settings: DaemonSettings
  ) throws(Failure) {
    if configuration != live.engine.configuration { try change(to: configuration) }
    self.settings = settings
    hook.command = settings.receiverHook
    notifier.hook = settings.notifyHook
    DaemonGreeting.complaints(about: settings).forEach(Self.log)
    try live.host.journal.keep(settings.retention, of: live.host.engine, at: clock.read())
  }

  private mutating func change(to configuration: EngineConfiguration) throws(Failure) {
    try commit()
    let isOtherSampling = configuration.sampling.mode != live.engine.configuration.sampling.mode
    try live.change(to: configuration, at: clock.read())
    // A recording has one set of settings: under new ones there is a new file.
    if live.host.journal.isRecording, let recording = request.recording {
      Self.note(recording: try live.record(to: recording), recording)
    }
    // The engine recalculates the current wait for the next fix. The event changes nothing else.
    if live.last > .distantPast {
      try live.handle(machine: .lowPower(live.engine.isLowPower), at: clock.read())
    }
    if isOtherSampling { try alignReceiver() }
  }
}
