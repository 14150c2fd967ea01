import LocationCore
import LocationFormats

/// What a manifest says that differs from its default, by the keys of the manifest; what is told of every subscriber is
/// left out.
struct SubscriberTerms {
  private let subscriber: Subscriber

  init(_ subscriber: Subscriber) { self.subscriber = subscriber }

  /// Which events it is offered: `events`, `between`, `days`, `time_zone`, `cooldown_s`.
  var offers: [(key: StaticString, value: JSONTree)] {
    guard let filter = subscriber.filter else { return [] }
    var terms: [(key: StaticString, value: JSONTree)] = []
    if let kinds = filter.kinds {
      terms.append(("events", .array(kinds.map { JSONTree.string($0.rawValue) })))
    }
    if let hours = filter.hours { terms.append(("between", .string(MeasureText.text(hours)))) }
    if filter.days != .all { terms.append(("days", .string(MeasureText.text(filter.days)))) }
    if filter.hours != nil || filter.days != .all { terms.append(("time_zone", .string(filter.zone.name))) }
    if let seconds = filter.cooldownSeconds { terms.append(("cooldown_s", Self.number(seconds))) }
    return terms
  }

  /// How it is told, and how its program is run.
  var others: [(key: StaticString, value: JSONTree)] { updates + process }

  private var updates: [(key: StaticString, value: JSONTree)] {
    var terms: [(key: StaticString, value: JSONTree)] = []
    let standard = subscriber.standard
    if subscriber.distanceFilterMeters != 0 {
      terms.append(("distance_filter_m", Self.number(subscriber.distanceFilterMeters)))
    }
    if standard.desiredAccuracy != .best {
      terms.append(("desired_accuracy", .string(standard.desiredAccuracy.rawValue)))
    }
    if standard.activity != .other { terms.append(("activity", .string(standard.activity.rawValue))) }
    if standard.pausesAutomatically { terms.append(("pauses_automatically", .boolean(true))) }
    if let meters = standard.deferMeters { terms.append(("defer_m", Self.number(meters))) }
    if let seconds = standard.deferSeconds { terms.append(("defer_s", Self.number(seconds))) }
    if let fetch = subscriber.fetch, fetch.intervalSeconds != FetchTerms.defaultIntervalSeconds {
      let interval = fetch.intervalSeconds.map { Self.number($0) } ?? .string("never")
      terms.append(("fetch_interval_s", interval))
    }
    if subscriber.fetch?.metered == true { terms.append(("metered", .boolean(true))) }
    if let issues = subscriber.issues {
      terms.append(
        ("issues", .object(["url": .string(issues.url), "every_s": Self.number(issues.intervalSeconds)])))
    }
    return terms
  }

  private var process: [(key: StaticString, value: JSONTree)] {
    var terms: [(key: StaticString, value: JSONTree)] = []
    if !subscriber.backgroundDelivery { terms.append(("background_delivery", .boolean(false))) }
    if subscriber.exitsOnSuspend { terms.append(("exits_on_suspend", .boolean(true))) }
    if let seconds = subscriber.maxTimeSeconds { terms.append(("max_time_s", Self.number(seconds))) }
    if let directory = subscriber.directory { terms.append(("directory", .string(directory))) }
    // The manifest's key stands for its open sessions here.
    if !subscriber.accessories.isEmpty {
      terms.append(("accessory_paths", .strings(subscriber.accessories)))
    }
    guard let limits = subscriber.confinement else { return terms }
    if let user = limits.user { terms.append(("user", .string(user))) }
    if let group = limits.group { terms.append(("group", .string(group))) }
    if let bytes = limits.memoryMaxBytes { terms.append(("memory_max", .integer(bytes))) }
    if let count = limits.tasksMax { terms.append(("tasks_max", .integer(count))) }
    if let count = limits.descriptorsMax { terms.append(("nofile", .integer(count))) }
    return terms
  }

  private static func number(_ value: Double) -> JSONTree { .number(JSONText.number(value)) }

  /// A value in a row of text.
  static func text(of value: JSONTree) -> String {
    value.strings?.joined(separator: ", ") ?? value.string ?? value.text
  }
}
