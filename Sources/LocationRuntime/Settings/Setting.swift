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

  /// The map of the file in which it stands.
  public let section: String
  /// Its key in that map; a number's ends with its unit.
  public let name: String
  /// What it means, in a few words.
  public let meaning: String
  let place: Place
  /// Nil where its range is all there is.
  var bound: Bound?

  /// Where it stands in the file, as `significant_change.distance_m`.
  public var key: String { "\(section).\(name)" }

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
    case .number(let path, let range): configuration[keyPath: path] = try node.double(in: range)
    case .count(let path, _, let range): configuration[keyPath: path] = try node.int(in: range)
    case .flag(let path): configuration[keyPath: path] = try node.bool()
    case .sampling: configuration.sampling.mode = try node.word(SamplingChoice.self).mode
    case .kept(let path, let range): daemon.retention[keyPath: path] = try node.double(in: range)
    case .command(let path): daemon[keyPath: path] = try Self.command(node)
    case .daemon(let path, let range): daemon[keyPath: path] = try node.double(in: range)
    case .path(let path): daemon[keyPath: path] = try node.string()
    }
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
      section: "significant_change", name: "distance_m",
      meaning: "how far the position moves until it has moved significantly",
      place: .number(\.significant.distanceMeters, in: 1...1e7)),
    Setting(
      section: "significant_change", name: "window_s",
      meaning: "the least time from one such move to the next",
      place: .number(\.significant.windowSeconds, in: 0...1e7)),
    Setting(
      section: "significant_change", name: "fresh_s",
      meaning: "how old the last fix may be to be a program's first significant change",
      place: .number(\.policy.moves.freshSeconds, in: 0...86_400)),
    Setting(
      section: "fix", name: "max_accuracy_m", meaning: "a fix whose error is larger is refused",
      place: .number(\.gate.maxAccuracyMeters, in: 1...1e7)),
    Setting(
      section: "fix", name: "max_speed_mps",
      meaning: "a fix that would take a higher speed needs confirmation",
      place: .number(\.gate.maxSpeedMetersPerSecond, in: 1...1e5)),
    Setting(
      section: "fix", name: "max_age_s", meaning: "a live fix that is older is refused",
      place: .number(\.gate.maxAgeSeconds, in: 1...1e5)),
    Setting(
      section: "fix", name: "max_future_s",
      meaning:
        "a live fix further ahead of the system clock is refused; larger where nothing sets that clock",
      place: .number(\.gate.maxFutureSeconds, in: 1...1e10)),
    Setting(
      section: "fix", name: "gap_s", meaning: "a time without fixes from which on it is told as a gap",
      place: .number(\.gapSeconds, in: 1...1e7)),
    Setting(
      section: "visits", name: "radius_m", meaning: "how far a place reaches from its middle",
      place: .number(\.visits.radiusMeters, in: 1...1e5)),
    Setting(
      section: "visits", name: "provisional_s",
      meaning: "a stay so long is confirmed by silence where no further fix comes",
      place: .number(\.visits.provisionalSeconds, in: 1...1e6),
      bound: .atMost("arrival_s")),
    Setting(
      section: "visits", name: "arrival_s", meaning: "a stay so long is a visit",
      place: .number(\.visits.confirmedSeconds, in: 1...1e6),
      bound: .atLeast("provisional_s")),
    Setting(
      section: "visits", name: "gap_s",
      meaning: "a silence after which nobody can say when a place now far away was left",
      place: .number(\.visits.gapSeconds, in: 1...1e7)),
    Setting(
      section: "visits", name: "merge_distance_m",
      meaning: "two places so near are one when the way back was short",
      place: .number(\.visits.mergeMeters, in: 0...1e5)),
    Setting(
      section: "visits", name: "merge_s", meaning: "a longer absence makes another visit",
      place: .number(\.visits.mergeSeconds, in: 0...1e6)),
    Setting(
      section: "beacons", name: "exit_s",
      meaning: "how long after the last sight of a beacon its region is left",
      place: .number(\.beacons.exitSeconds, in: 1...3600)),
    Setting(
      section: "sampling", name: "mode",
      meaning: "whether the receiver is always on, continuous, or switched by the engine, adaptive",
      place: .sampling),
    Setting(
      section: "sampling", name: "max_speed_mps",
      meaning: "adaptive: the machine is no faster",
      place: .number(\.sampling.maxSpeedMetersPerSecond, in: 0.1...1000)),
    Setting(
      section: "sampling", name: "latency_s",
      meaning: "adaptive: a visit may last so long unseen where the region has no max_latency_s",
      place: .number(\.sampling.latencySeconds, in: 1...86_400)),
    Setting(
      section: "sampling", name: "rest_s",
      meaning: "adaptive: the longest time between two fixes at rest",
      place: .number(\.sampling.restSeconds, in: 1...86_400),
      bound: .atMost("longest_s")),
    Setting(
      section: "sampling", name: "longest_s",
      meaning: "adaptive: the longest time between two fixes at all",
      place: .number(\.sampling.longestSeconds, in: 1...86_400)),
    Setting(
      section: "sampling", name: "power_off_s",
      meaning: "adaptive: how long the receiver stays on after it is released; else as the profile has it",
      place: .number(\.profile.receiverLingerSeconds, in: 0...3600)),
    Setting(
      section: "sampling", name: "receiver_hook",
      meaning: "adaptive: what the daemon runs with on or off when it switches the receiver",
      place: .command(\.receiverHook)),
    Setting(
      section: "policy", name: "force_quit_blocks_location",
      meaning: "whether location relaunches a program that the user force-quit no more",
      place: .flag(\.policy.forceQuitBlocksLocation)),
    Setting(
      section: "policy", name: "protect_until_first_unlock",
      meaning: "whether nothing is relaunched between a boot and the first unlock",
      place: .flag(\.policy.protectUntilFirstUnlock)),
    Setting(
      section: "policy", name: "grace_s",
      meaning: "how long a program may run on when it leaves the foreground",
      place: .number(\.policy.graceSeconds, in: 0...60)),
    Setting(
      section: "policy", name: "exit_s",
      meaning: "how long a program that has to end has for that, such as one without background",
      place: .number(\.policy.exitSeconds, in: 1...60)),
    Setting(
      section: "policy", name: "task_budget_s", meaning: "how long finite tasks may run in the background",
      place: .number(\.policy.taskBudgetSeconds, in: 1...600)),
    Setting(
      section: "policy", name: "task_warning_s",
      meaning: "how long before the end of that time a program is warned",
      place: .number(\.policy.taskWarningSeconds, in: 0...600),
      bound: .atMost("task_budget_s")),
    Setting(
      section: "policy", name: "wake_s",
      meaning: "how long a program has for where it is, a remote control or an accessory",
      place: .number(\.policy.wakes.seconds, in: 1...3600),
      bound: .atMost("wake_limit_s")),
    Setting(
      section: "policy", name: "long_wake_s",
      meaning: "how long a program has for what it does over a network, such as a fetch or a push",
      place: .number(\.policy.wakes.longSeconds, in: 1...3600),
      bound: .atMost("wake_limit_s")),
    Setting(
      section: "policy", name: "wake_limit_s",
      meaning: "how long a wake is at most, however much is acknowledged",
      place: .number(\.policy.wakeLimitSeconds, in: 1...3600),
      bound: .atLeast("long_wake_s")),
    Setting(
      section: "policy", name: "wake_pause_s",
      meaning: "how long after such a wake what is left is handed over",
      place: .number(\.policy.wakePauseSeconds, in: 1...3600)),
    Setting(
      section: "policy", name: "handed_limit", meaning: "how many events are handed over at once",
      place: .count(\.policy.handedLimit, of: "events", in: 1...Limits.outbox)),
    Setting(
      section: "policy", name: "pressure_look_s",
      meaning: "how long from the end of one program to the next while memory is critically short",
      place: .number(\.policy.pressureLookSeconds, in: 0.1...60)),
    Setting(
      section: "policy", name: "back_off_s",
      meaning: "how long until a program that failed is started again, doubled for each further failure",
      place: .number(\.policy.backOffSeconds, in: 0.1...3600),
      bound: .atMost("back_off_limit_s")),
    Setting(
      section: "policy", name: "back_off_limit_s",
      meaning: "the longest wait before a program that failed is started again",
      place: .number(\.policy.backOffLimitSeconds, in: 1...86_400)),
    Setting(
      section: "policy", name: "throttle_overruns",
      meaning: "how many wakes in a row a program overruns until it is throttled",
      place: .count(\.policy.throttleOverruns, in: 1...1000)),
    Setting(
      section: "policy", name: "throttle_s",
      meaning: "how long a throttled program is not started, doubled for each further overrun",
      place: .number(\.policy.throttleSeconds, in: 1...86_400),
      bound: .atMost("throttle_limit_s")),
    Setting(
      section: "policy", name: "throttle_limit_s", meaning: "the longest of these times",
      place: .number(\.policy.throttleLimitSeconds, in: 1...86_400)),
    Setting(
      section: "policy", name: "restore_s",
      meaning: "a process that ends so soon after it was restored may have ended for that",
      place: .number(\.policy.restoring.soonSeconds, in: 0...3600)),
    Setting(
      section: "policy", name: "restore_attempts",
      meaning: "after how many such ends in a row what was preserved is forgotten",
      place: .count(\.policy.restoring.attempts, in: 1...1000)),
    Setting(
      section: "policy", name: "coarse_s",
      meaning: "the least time from one coarse position to the next with reduced accuracy",
      place: .number(\.policy.coarse.leastSeconds, in: 1...86_400)),
    Setting(
      section: "keep_alive", name: "limit_s", meaning: "the longest time from one keep-alive to the next",
      place: .number(\.policy.keepAlive.limitSeconds, in: 600...604_800)),
    Setting(
      section: "keep_alive", name: "earliest_share",
      meaning: "after what share of that time the call may come, with something else",
      place: .number(\.policy.keepAlive.earliestShare, in: 0.01...1),
      bound: .atLeast("low_power_share")),
    Setting(
      section: "keep_alive", name: "low_power_share", meaning: "the same in low-power mode",
      place: .number(\.policy.keepAlive.lowPowerShare, in: 0.01...1),
      bound: .atMost("earliest_share")),
    Setting(
      section: "sockets", name: "limit", meaning: "how many sockets are watched for a program",
      place: .count(\.policy.sockets.limit, of: "sockets", in: 1...Limits.sockets)),
    Setting(
      section: "restart", name: "limit_s",
      meaning: "the longest wait before a program that has to run is started again",
      place: .number(\.policy.restart.limitSeconds, in: 1...86_400)),
    Setting(
      section: "restart", name: "steady_s",
      meaning: "how long it runs until it is started again at once when it fails",
      place: .number(\.policy.restart.steadySeconds, in: 1...86_400)),
    Setting(
      section: "audio", name: "quiet_dbfs", meaning: "a session whose peak is below is quiet",
      place: .number(\.policy.audio.quietDecibels, in: -200...0)),
    Setting(
      section: "audio", name: "silence_s",
      meaning: "after how much quiet a session no longer holds off suspension",
      place: .number(\.policy.audio.silenceSeconds, in: 1...3600)),
    Setting(
      section: "audio", name: "interruption_s",
      meaning: "how long an interrupted session holds off suspension",
      place: .number(\.policy.audio.interruptionSeconds, in: 0...3600)),
    Setting(
      section: "fetch", name: "least_s",
      meaning: "the least time from one good moment to fetch to the next, whatever the score",
      place: .number(\.policy.fetch.leastSeconds, in: 60...86_400)),
    Setting(
      section: "fetch", name: "latest_intervals",
      meaning: "after how many intervals the machine need not be awake for something else",
      place: .number(\.policy.fetch.latestIntervals, in: 1...100)),
    Setting(
      section: "fetch", name: "day_limit", meaning: "how many good moments a program has in a day",
      place: .count(\.policy.fetch.dayLimit, in: 1...1440)),
    Setting(
      section: "fetch", name: "battery_percent", meaning: "with less in the battery nobody is asked to fetch",
      place: .number(\.policy.fetch.batteryPercent, in: 0...100)),
    Setting(
      section: "push", name: "hour_limit", meaning: "how many silent pushes wake a program in an hour",
      place: .count(\.policy.push.hourLimit, in: 1...3600)),
    Setting(
      section: "push", name: "wait_s", meaning: "how long a further silent push waits at most",
      place: .number(\.policy.push.waitSeconds, in: 1...86_400)),
    Setting(
      section: "push", name: "waiting_limit",
      meaning: "how many pushes wait for a program; of more the oldest is dropped",
      place: .count(\.policy.push.waitingLimit, of: "pushes", in: 1...1000)),
    Setting(
      section: "push", name: "once_s", meaning: "how long another push of the same id is no news",
      place: .number(\.policy.push.onceSeconds, in: 0...604_800)),
    Setting(
      section: "accessories", name: "session_limit",
      meaning: "how many sessions with accessories a program has open",
      place: .count(\.policy.accessories.sessionLimit, of: "sessions", in: 1...64)),
    Setting(
      section: "accessories", name: "waiting_limit",
      meaning: "how many events of accessories wait for a program; of more the oldest is dropped",
      place: .count(\.policy.accessories.waitingLimit, of: "events", in: 1...Limits.outbox)),
    Setting(
      section: "accessories", name: "minute_limit",
      meaning: "how many wakes a session brings in a minute before they are merged",
      place: .count(\.policy.accessories.minuteLimit, in: 1...6000)),
    Setting(
      section: "accessories", name: "merge_s", meaning: "the least time from one merged wake to the next",
      place: .number(\.policy.accessories.mergeSeconds, in: 0.1...60)),
    Setting(
      section: "accessories", name: "request_limit",
      meaning: "how many requests of other devices wait while wakes are merged",
      place: .count(\.policy.accessories.requestLimit, of: "requests", in: 1...1000)),
    Setting(
      section: "notifications", name: "tolerance_limit_s",
      meaning: "how late a notification may be at most to come with another wake of the machine",
      place: .number(\.policy.notifications.toleranceSeconds, in: 0...Limits.notificationToleranceSeconds)),
    Setting(
      section: "notifications", name: "punctual_s",
      meaning: "how late a notification may be without being told as overdue",
      place: .number(\.policy.notifications.punctualSeconds, in: 0...3600)),
    Setting(
      section: "notifications", name: "notify_hook",
      meaning: "what the daemon runs for each notification, with one line of JSON on its standard input",
      place: .command(\.notifyHook)),
    Setting(
      section: "transfers", name: "open_limit", meaning: "how many open transfers a program has",
      place: .count(\.policy.transfers.openLimit, of: "transfers", in: 1...Limits.outbox)),
    Setting(
      section: "transfers", name: "running_limit", meaning: "how many of them run at once",
      place: .count(\.policy.transfers.runningLimit, of: "transfers", in: 1...64)),
    Setting(
      section: "transfers", name: "expiry_s", meaning: "how long until a transfer has failed",
      place: .number(\.policy.transfers.expirySeconds, in: 60...31_536_000)),
    Setting(
      section: "transfers", name: "answer_s",
      meaning: "how long a transfer waits for what a server asks its program for",
      place: .number(\.policy.transfers.answerSeconds, in: 1...604_800)),
    Setting(
      section: "transfers", name: "retry_s",
      meaning: "how long until a transfer that broke is tried again, doubled each time",
      place: .daemon(\.transferRetrySeconds, in: 0.1...3600),
      bound: .atMost("retry_limit_s")),
    Setting(
      section: "transfers", name: "retry_limit_s", meaning: "the longest of these waits",
      place: .daemon(\.transferRetryLimitSeconds, in: 1...86_400)),
    Setting(
      section: "transfers", name: "max_bytes", meaning: "the largest file that is fetched",
      place: .daemon(\.transferBytes, in: 1...1e15)),
    Setting(
      section: "transfers", name: "ca_file",
      meaning: "who vouches for servers, a PEM file; else those whom the machine trusts",
      place: .path(\.transferAuthority)),
    Setting(
      section: "issues", name: "least_s", meaning: "the least time from one issue to the next",
      place: .number(\.policy.issues.leastSeconds, in: 60...31_536_000)),
    Setting(
      section: "state", name: "journal_rows",
      meaning: "how many of the events that reached the daemon are kept at least",
      place: .kept(\.journalRows, in: 0...1e9)),
    Setting(
      section: "state", name: "event_rows", meaning: "how many records the daemon keeps",
      place: .kept(\.eventRows, in: 1...1e9)),
    Setting(
      section: "state", name: "event_days", meaning: "how long the daemon keeps a record",
      place: .kept(\.eventDays, in: 1...1e5)),
  ]
}

extension Setting.Value: CustomStringConvertible {
  /// As a settings file has it.
  public var description: String {
    switch self {
    case .flag(let value): value ? "true" : "false"
    case .number(let value): Int(exactly: value).map { "\($0)" } ?? "\(value)"
    case .word(let word): word
    case .command(let words): "[\(words.joined(separator: ", "))]"
    }
  }
}
