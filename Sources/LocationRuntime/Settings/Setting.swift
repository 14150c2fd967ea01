public import LocationCore
import LocationFormats

/// One threshold that a user may set: its key, its unit, and where it stands in the configuration.
public struct Setting: Sendable {
  /// What a setting can be.
  public enum Value: Hashable, Sendable {
    case number(Double)
    case flag(Bool)
    case word(String)
    /// A program and its arguments.
    case command([String])
  }

  /// Where it stands, and what it may be.
  enum Place: Sendable {
    case number(any WritableKeyPath<EngineConfiguration, Double> & Sendable, in: ClosedRange<Double>)
    /// How often something happens, or of how many things there may be so many.
    case count(
      any WritableKeyPath<EngineConfiguration, Int> & Sendable, of: String = "times", in: ClosedRange<Int>)
    case flag(any WritableKeyPath<EngineConfiguration, Bool> & Sendable)
    /// Who decides when the receiver is on.
    case sampling
    /// How much of the past is kept.
    case kept(any WritableKeyPath<Retention, Double> & Sendable, in: ClosedRange<Double>)
    /// What the daemon runs.
    case command(any WritableKeyPath<DaemonSettings, [String]> & Sendable)
    /// A number for the daemon alone.
    case daemon(any WritableKeyPath<DaemonSettings, Double> & Sendable, in: ClosedRange<Double>)
    /// A file that the daemon uses; empty for none.
    case path(any WritableKeyPath<DaemonSettings, String> & Sendable)
  }

  /// Another setting of its section that it is measured against, where a file sets it.
  struct Bound: Sendable {
    let name: String
    /// Whether it may not be more; else it may not be less.
    let isUpper: Bool

    static func atMost(_ name: String) -> Bound { Bound(name: name, isUpper: true) }
    static func atLeast(_ name: String) -> Bound { Bound(name: name, isUpper: false) }
  }

  /// Where it stands in the file, as `significant_change.distance_m`.
  public let key: String
  /// The map of the file in which it stands.
  public let section: String
  /// Its key in that map; a number's ends with its unit.
  public let name: String
  /// What it means, in a few words.
  public let meaning: String
  let place: Place
  /// Nil where its range is all there is.
  let bound: Bound?

  /// One setting, by its key, and what it means.
  init(_ key: String, _ meaning: String, _ place: Place, _ bound: Bound? = nil) {
    self.key = key
    section = String(key.prefix { $0 != "." })
    name = String(key.dropFirst(section.count + 1))
    self.meaning = meaning
    self.place = place
    self.bound = bound
  }

  /// Its unit; nil where it has none.
  public var unit: String? {
    switch place {
    case .flag, .sampling, .command, .path: nil
    case .count(_, let unit, _): unit
    case .daemon, .number: Self.units.first { name.hasSuffix("_\($0.key)") }?.unit
    case .kept: name.hasSuffix("_days") ? "days" : "rows"
    }
  }

  /// What it is in a configuration.
  public func value(
    in configuration: EngineConfiguration, _ daemon: DaemonSettings = DaemonSettings()
  ) -> Value {
    switch place {
    case .number(let path, _): .number(configuration[keyPath: path])
    case .count(let path, _, _): .number(Double(configuration[keyPath: path]))
    case .flag(let path): .flag(configuration[keyPath: path])
    case .sampling: .word(configuration.sampling.mode.word)
    case .kept(let path, _): .number(daemon.retention[keyPath: path])
    case .command(let path): .command(daemon[keyPath: path])
    case .daemon(let path, _): .number(daemon[keyPath: path])
    case .path(let path): .word(daemon[keyPath: path])
    }
  }

  /// Sets it as a file has it.
  func set(
    _ configuration: inout EngineConfiguration, _ daemon: inout DaemonSettings, to node: StrictYAML
  ) throws(Failure) {
    switch place {
    case .number(let path, let range): configuration[keyPath: path] = try number(node, in: range)
    case .count(let path, _, let range): configuration[keyPath: path] = try node.int(in: range)
    case .flag(let path): configuration[keyPath: path] = try node.bool()
    case .sampling: configuration.sampling.mode = try node.word(SamplingChoice.self).mode
    case .kept(let path, let range): daemon.retention[keyPath: path] = try number(node, in: range)
    case .command(let path): daemon[keyPath: path] = try Self.command(node)
    case .daemon(let path, let range): daemon[keyPath: path] = try number(node, in: range)
    case .path(let path): daemon[keyPath: path] = try node.string()
    }
  }

  /// A number of a file; a whole one where there is no half.
  private func number(_ node: StrictYAML, in range: ClosedRange<Double>) throws(Failure) -> Double {
    let number = try node.double(in: range)
    let isCounted = unit == "rows" || unit == "bytes"
    guard !isCounted || number == number.rounded() else {
      throw node.failure("expected a whole number, found \(number)")
    }
    return number
  }

  /// Looks whether it goes with the setting that bounds it: in the file, or else by default.
  ///
  /// - Parameter node: where the file sets it.
  /// - Throws: ``Failure`` with the place of the setting, the values of both, and what to do.
  func requireBound(
    in configuration: EngineConfiguration, _ daemon: DaemonSettings, at node: StrictYAML
  ) throws(Failure) {
    guard let bound, let other = Self.all.first(where: { $0.section == section && $0.name == bound.name }),
      case .number(let own) = value(in: configuration, daemon),
      case .number(let limit) = other.value(in: configuration, daemon),
      bound.isUpper ? own > limit : own < limit
    else { return }
    throw node.failure(
      "\(Value.number(own)) is \(bound.isUpper ? "above" : "below") \(other.key), which is \(Value.number(limit))",
      remedy: bound.isUpper ? "lower it, or raise \(other.key)" : "raise it, or lower \(other.key)")
  }

  private static func command(_ node: StrictYAML) throws(Failure) -> [String] {
    var words: [String] = []
    for word in try node.list() { words.append(try word.string()) }
    return words
  }

  /// How keys end, and what that means.
  private static let units = [
    (key: "mps", unit: "m/s"), (key: "m", unit: "m"), (key: "s", unit: "s"), (key: "percent", unit: "%"),
    (key: "bytes", unit: "bytes"), (key: "intervals", unit: "intervals"), (key: "share", unit: "share"),
    (key: "dbfs", unit: "dBFS"),
  ]
}

extension Setting {
  /// Every setting, in the order in which they are shown.
  public static let all: [Setting] = [
    Setting(
      "significant_change.distance_m", "how far the position moves until it has moved significantly",
      .number(\.significant.distanceMeters, in: 1...1e7)),
    Setting(
      "significant_change.window_s", "the least time from one such move to the next",
      .number(\.significant.windowSeconds, in: 0...1e7)),
    Setting(
      "significant_change.fresh_s", "how old the last fix may be to be a program's first significant change",
      .number(\.policy.moves.freshSeconds, in: 0...86_400)),
    Setting(
      "fix.max_accuracy_m", "a fix whose error is larger is refused",
      .number(\.gate.maxAccuracyMeters, in: 1...1e7)),
    Setting(
      "fix.max_speed_mps", "a fix that would take a higher speed needs confirmation",
      .number(\.gate.maxSpeedMetersPerSecond, in: 1...1e5)),
    Setting(
      "fix.max_age_s", "a live fix that is older is refused", .number(\.gate.maxAgeSeconds, in: 1...1e5)),
    Setting(
      "fix.max_future_s",
      "a live fix further ahead of the system clock is refused; larger where nothing sets that clock",
      .number(\.gate.maxFutureSeconds, in: 1...1e10)),
    Setting(
      "fix.gap_s", "a time without fixes that is told as a gap",
      .number(\.gapSeconds, in: 1...1e7)),
    Setting(
      "visits.radius_m", "how far a place reaches from its middle",
      .number(\.visits.radiusMeters, in: 1...1e5)),
    Setting(
      "visits.provisional_s", "a stay of this length is a visit if silence follows",
      .number(\.visits.provisionalSeconds, in: 1...1e6), .atMost("arrival_s")),
    Setting(
      "visits.arrival_s", "a stay so long is a visit",
      .number(\.visits.confirmedSeconds, in: 1...1e6), .atLeast("provisional_s")),
    Setting(
      "visits.gap_s", "a silence after which it is not known when a place now far away was left",
      .number(\.visits.gapSeconds, in: 1...1e7)),
    Setting(
      "visits.merge_distance_m", "after a short absence, places this close count as one",
      .number(\.visits.mergeMeters, in: 0...1e5)),
    Setting(
      "visits.merge_s", "a longer absence makes another visit", .number(\.visits.mergeSeconds, in: 0...1e6)),
    Setting(
      "beacons.exit_s", "how long after the last sight of a beacon its region is left",
      .number(\.beacons.exitSeconds, in: 1...3600)),
    Setting(
      "sampling.mode", "whether the receiver is always on, continuous, or switched by the engine, adaptive",
      .sampling),
    Setting(
      "sampling.max_speed_mps", "adaptive: the machine is no faster",
      .number(\.sampling.maxSpeedMetersPerSecond, in: 0.1...1000)),
    Setting(
      "sampling.latency_s", "adaptive: a visit may last so long unseen where the region has no max_latency_s",
      .number(\.sampling.latencySeconds, in: 1...86_400)),
    Setting(
      "sampling.rest_s", "adaptive: the longest time between two fixes at rest",
      .number(\.sampling.restSeconds, in: 1...86_400), .atMost("longest_s")),
    Setting(
      "sampling.longest_s", "adaptive: the longest time between two fixes at all",
      .number(\.sampling.longestSeconds, in: 1...86_400)),
    Setting(
      "sampling.power_off_s",
      "adaptive: how long the receiver stays on after it is released; else as the profile has it",
      .number(\.profile.receiverLingerSeconds, in: 0...3600)),
    Setting(
      "sampling.receiver_hook", "adaptive: what the daemon runs with on or off when it switches the receiver",
      .command(\.receiverHook)),
    Setting(
      "policy.force_quit_blocks_location",
      "whether location relaunches a program that the user force-quit no more",
      .flag(\.policy.forceQuitBlocksLocation)),
    Setting(
      "policy.protect_until_first_unlock",
      "whether nothing is relaunched between a boot and the first unlock",
      .flag(\.policy.protectUntilFirstUnlock)),
    Setting(
      "policy.grace_s", "how long a program may run on when it leaves the foreground",
      .number(\.policy.graceSeconds, in: 0...60)),
    Setting(
      "policy.exit_s", "how long a program that has to end has for that, such as one without background",
      .number(\.policy.exitSeconds, in: 1...60)),
    Setting(
      "policy.task_budget_s", "how long finite tasks may run in the background",
      .number(\.policy.taskBudgetSeconds, in: 1...600)),
    Setting(
      "policy.task_warning_s", "how long before the end of that time a program is warned",
      .number(\.policy.taskWarningSeconds, in: 0...600), .atMost("task_budget_s")),
    Setting(
      "policy.wake_s", "how long a program has for where it is, a remote control or an accessory",
      .number(\.policy.wakes.seconds, in: 1...3600), .atMost("wake_limit_s")),
    Setting(
      "policy.long_wake_s",
      "how long a program has for what it does over a network, such as a fetch or a push",
      .number(\.policy.wakes.longSeconds, in: 1...3600), .atMost("wake_limit_s")),
    Setting(
      "policy.wake_limit_s", "how long a wake is at most, however much is acknowledged",
      .number(\.policy.wakeLimitSeconds, in: 1...3600), .atLeast("long_wake_s")),
    Setting(
      "policy.wake_pause_s", "how long after such a wake what is left is handed over",
      .number(\.policy.wakePauseSeconds, in: 1...3600)),
    Setting(
      "policy.handed_limit", "how many events are handed over at once",
      .count(\.policy.handedLimit, of: "events", in: 1...Limits.outbox)),
    Setting(
      "policy.pressure_look_s",
      "how long from the end of one program to the next while memory is critically short",
      .number(\.policy.pressureLookSeconds, in: 0.1...60)),
    Setting(
      "policy.back_off_s",
      "how long until a program that failed is started again, doubled for each further failure",
      .number(\.policy.backOffSeconds, in: 0.1...3600), .atMost("back_off_limit_s")),
    Setting(
      "policy.back_off_limit_s", "the longest wait before a program that failed is started again",
      .number(\.policy.backOffLimitSeconds, in: 1...86_400)),
    Setting(
      "policy.throttle_overruns", "how many wakes in a row a program overruns until it is throttled",
      .count(\.policy.throttleOverruns, in: 1...1000)),
    Setting(
      "policy.throttle_s", "how long a throttled program is not started, doubled for each further overrun",
      .number(\.policy.throttleSeconds, in: 1...86_400), .atMost("throttle_limit_s")),
    Setting(
      "policy.throttle_limit_s", "the longest of these times",
      .number(\.policy.throttleLimitSeconds, in: 1...86_400)),
    Setting(
      "policy.restore_s", "a process that ends so soon after it was restored may have ended for that",
      .number(\.policy.restoring.soonSeconds, in: 0...3600)),
    Setting(
      "policy.restore_attempts", "after how many such ends in a row what was preserved is forgotten",
      .count(\.policy.restoring.attempts, in: 1...1000)),
    Setting(
      "policy.coarse_s", "the least time from one coarse position to the next with reduced accuracy",
      .number(\.policy.coarse.leastSeconds, in: 1...86_400)),
    Setting(
      "keep_alive.limit_s", "the longest time from one keep-alive to the next",
      .number(\.policy.keepAlive.limitSeconds, in: 600...604_800)),
    Setting(
      "keep_alive.earliest_share", "after what share of that time the call may come, with something else",
      .number(\.policy.keepAlive.earliestShare, in: 0.01...1), .atLeast("low_power_share")),
    Setting(
      "keep_alive.low_power_share", "the same in low-power mode",
      .number(\.policy.keepAlive.lowPowerShare, in: 0.01...1), .atMost("earliest_share")),
    Setting(
      "sockets.limit", "how many sockets are watched for a program",
      .count(\.policy.sockets.limit, of: "sockets", in: 1...Limits.sockets)),
    Setting(
      "restart.limit_s", "the longest wait before a program that has to run is started again",
      .number(\.policy.restart.limitSeconds, in: 1...86_400)),
    Setting(
      "restart.steady_s", "how long it runs until it is started again at once when it fails",
      .number(\.policy.restart.steadySeconds, in: 1...86_400)),
    Setting(
      "audio.quiet_dbfs", "a session whose peak is below is quiet",
      .number(\.policy.audio.quietDecibels, in: -200...0)),
    Setting(
      "audio.silence_s", "after how much quiet a session no longer holds off suspension",
      .number(\.policy.audio.silenceSeconds, in: 1...3600)),
    Setting(
      "audio.interruption_s", "how long an interrupted session holds off suspension",
      .number(\.policy.audio.interruptionSeconds, in: 0...3600)),
    Setting(
      "fetch.least_s", "the least time from one good moment to fetch to the next, whatever the score",
      .number(\.policy.fetch.leastSeconds, in: 60...86_400)),
    Setting(
      "fetch.latest_intervals", "after how many intervals the machine need not be awake for something else",
      .number(\.policy.fetch.latestIntervals, in: 1...100)),
    Setting(
      "fetch.day_limit", "how many good moments a program has in a day",
      .count(\.policy.fetch.dayLimit, in: 1...1440)),
    Setting(
      "fetch.battery_percent", "with less in the battery no program is asked to fetch",
      .number(\.policy.fetch.batteryPercent, in: 0...100)),
    Setting(
      "push.hour_limit", "how many silent pushes wake a program in an hour",
      .count(\.policy.push.hourLimit, in: 1...3600)),
    Setting(
      "push.wait_s", "how long a further silent push waits at most",
      .number(\.policy.push.waitSeconds, in: 1...86_400)),
    Setting(
      "push.waiting_limit", "how many pushes wait for a program; of more the oldest is dropped",
      .count(\.policy.push.waitingLimit, of: "pushes", in: 1...1000)),
    Setting(
      "push.once_s", "how long another push of the same id is no news",
      .number(\.policy.push.onceSeconds, in: 0...604_800)),
    Setting(
      "accessories.session_limit", "how many sessions with accessories a program has open",
      .count(\.policy.accessories.sessionLimit, of: "sessions", in: 1...64)),
    Setting(
      "accessories.waiting_limit",
      "how many events of accessories wait for a program; of more the oldest is dropped",
      .count(\.policy.accessories.waitingLimit, of: "events", in: 1...Limits.outbox)),
    Setting(
      "accessories.minute_limit", "how many wakes a session brings in a minute before they are merged",
      .count(\.policy.accessories.minuteLimit, in: 1...6000)),
    Setting(
      "accessories.merge_s", "the least time from one merged wake to the next",
      .number(\.policy.accessories.mergeSeconds, in: 0.1...60)),
    Setting(
      "accessories.request_limit", "how many requests of other devices wait while wakes are merged",
      .count(\.policy.accessories.requestLimit, of: "requests", in: 1...1000)),
    Setting(
      "notifications.tolerance_limit_s",
      "how late a notification may be at most to come with another wake of the machine",
      .number(\.policy.notifications.toleranceSeconds, in: 0...Limits.notificationToleranceSeconds)),
    Setting(
      "notifications.punctual_s", "how late a notification may be without being told as overdue",
      .number(\.policy.notifications.punctualSeconds, in: 0...3600)),
    Setting(
      "notifications.notify_hook",
      "what the daemon runs for each notification, with one line of JSON on its standard input",
      .command(\.notifyHook)),
    Setting(
      "transfers.open_limit", "how many open transfers a program has",
      .count(\.policy.transfers.openLimit, of: "transfers", in: 1...Limits.outbox)),
    Setting(
      "transfers.running_limit", "how many of them run at once",
      .count(\.policy.transfers.runningLimit, of: "transfers", in: 1...64)),
    Setting(
      "transfers.expiry_s", "how long until a transfer has failed",
      .number(\.policy.transfers.expirySeconds, in: 60...31_536_000)),
    Setting(
      "transfers.answer_s", "how long a transfer waits for what a server asks its program for",
      .number(\.policy.transfers.answerSeconds, in: 1...604_800)),
    Setting(
      "transfers.retry_s", "how long until a transfer that broke is tried again, doubled each time",
      .daemon(\.transferRetrySeconds, in: 0.1...3600), .atMost("retry_limit_s")),
    Setting(
      "transfers.retry_limit_s", "the longest of these waits",
      .daemon(\.transferRetryLimitSeconds, in: 1...86_400)),
    Setting(
      "transfers.max_bytes", "the largest file that is fetched", .daemon(\.transferBytes, in: 1...1e15)),
    Setting(
      "transfers.ca_file", "who vouches for servers, a PEM file; else those whom the machine trusts",
      .path(\.transferAuthority)),
    Setting(
      "issues.least_s", "the least time from one issue to the next",
      .number(\.policy.issues.leastSeconds, in: 60...31_536_000)),
    Setting(
      "state.journal_rows", "how many of the events that reached the daemon are kept at least",
      .kept(\.journalRows, in: 0...1e9)),
    Setting("state.event_rows", "how many records the daemon keeps", .kept(\.eventRows, in: 1...1e9)),
    Setting("state.event_days", "how long the daemon keeps a record", .kept(\.eventDays, in: 1...1e5)),
  ]
}

extension Setting.Value: CustomStringConvertible {
  /// As a settings file has it.
  public var description: String {
    switch self {
    case .flag(let value): value ? "true" : "false"
    case .number(let value): JSONText.number(value)
    case .word(let word): word
    case .command(let words): "[\(words.joined(separator: ", "))]"
    }
  }
}
