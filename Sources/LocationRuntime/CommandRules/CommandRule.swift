package import LocationCore
package import LocationFormats

/// What a `locwatch on` command asks for: a command, the events that it is run for, and when.
///
/// It is stored as a subscriber of style `oneshot` whose filter names its events; a manifest can say the same.
package struct CommandRule: Sendable {
  /// What it is run for, in the order of ``EventKind``.
  package var kinds: [EventKind]
  /// Of which regions; empty where no kind is about regions.
  package var regions: [String]
  /// Seconds until a dwell, where the command line says so.
  package var dwellSeconds: Double?
  /// Hours, days and cooldown; its kinds are not used.
  package var filter = OfferFilter()
  /// Seconds that one run may take; nil for the default.
  package var maxTimeSeconds: Double?
  /// The program and its arguments.
  package var command: [String] = []

  /// Reads the words of a command line: events, then regions, and with `dwell` a duration at the end.
  ///
  /// - Throws: `.usage` where the first word is no event.
  package init(words: [String]) throws(Failure) {
    var kinds: Set<EventKind> = []
    var regions: [String] = []
    for word in words {
      let parts = word.split(separator: ",").map(String.init)
      let named = parts.compactMap { EventKind(rawValue: $0) }
      if regions.isEmpty, !named.isEmpty, named.count == parts.count {
        kinds.formUnion(named)
      } else if kinds.isEmpty {
        throw Self.unknownEvent(parts.first { EventKind(rawValue: $0) == nil } ?? word)
      } else {
        regions.append(word)
      }
    }
    guard !kinds.isEmpty else {
      throw Failure(.usage, what: "no event is named", remedy: "write locwatch on enter home -- COMMAND")
    }
    if kinds.contains(.dwell), let last = regions.last, last.first?.isNumber == true,
      let seconds = try? MeasureText.seconds(last)
    {
      guard seconds > 0 else {
        throw Failure(
          .usage, what: "a dwell takes some time, not \(last)",
          remedy: "write such as 10m, or enter for the arrival itself")
      }
      dwellSeconds = seconds
      regions.removeLast()
    }
    self.kinds = EventKind.allCases.filter(kinds.contains)
    // Named twice it is one region, as an event is one.
    self.regions = regions.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    guard !regions.isEmpty, !isAboutRegions else { return }
    let names = kinds.map(\.rawValue).sorted().joined(separator: ", ")
    throw Failure(
      .usage, what: "\(names) is not about a region, but \(regions.joined(separator: ", ")) was given",
      remedy: "leave the region out, or use enter or exit")
  }

  private static func unknownEvent(_ word: String) -> Failure {
    let words = EventKind.allCases.map(\.rawValue)
    let near = NearestWord.to(word, among: words + ["list", "remove", "test"])
    return Failure(
      .usage, what: "no event is called \"\(word)\"",
      remedy: near.map { "did you mean \($0)?" } ?? "events: \(words.joined(separator: ", "))")
  }

  /// Whether any of its events is about regions.
  package var isAboutRegions: Bool { kinds.contains { $0.service == .regions } }

  /// The subscriber that stands for it.
  package func subscriber(named name: String) -> Subscriber {
    var filter = filter
    filter.kinds = kinds
    var subscriber = Subscriber(
      name: name, command: command, style: .oneshot,
      services: kinds.reduce(into: []) { $0.formUnion($1.service) },
      regions: isAboutRegions ? regions : nil)
    subscriber.filter = filter
    subscriber.maxTimeSeconds = maxTimeSeconds
    return subscriber
  }

  /// A name made of its events and regions that no subscriber has: `enter-home`, then `enter-home-2`.
  package func freeName(among taken: Set<String>) -> String {
    let name = (kinds.map(\.rawValue) + regions).joined(separator: "-")
    var number = 1
    var free = name
    while taken.contains(free) {
      number += 1
      free = "\(name)-\(number)"
    }
    return free
  }
}

extension Subscriber {
  /// Whether it is one that `locwatch on` shows: a command for chosen events.
  package var isCommandRule: Bool { style == .oneshot && filter?.kinds != nil }

  /// `enters home or office, between 22:00-06:00 (Europe/Berlin), at most once in 30 min`
  ///
  /// - Parameter dwells: after how many seconds regions report a dwell, by id, where that is known.
  package func ruleText(dwells: [String: Double] = [:]) -> String {
    let kinds = filter?.kinds ?? []
    let ids = regions ?? ["any region"]
    let stays = ids.map { id in dwells[id].map { "\(id) for \(Wording.duration($0))" } ?? id }
    var parts = [
      kinds.map { $0.phrase(($0 == .dwell ? stays : ids).joined(separator: " or ")) }.joined(
        separator: ", or ")
    ]
    if let hours = filter?.hours { parts.append("between \(MeasureText.text(hours))") }
    if let days = filter?.days, days != .all { parts.append("on \(MeasureText.text(days))") }
    if let filter, filter.hours != nil || filter.days != .all { parts.append("in \(filter.zone.name)") }
    if let seconds = filter?.cooldownSeconds { parts.append("at most once in \(Wording.duration(seconds))") }
    return parts.joined(separator: ", ")
  }
}

extension EventKind {
  /// What the device does, after "when it".
  fileprivate func phrase(_ places: String) -> String {
    switch self {
    case .enter: "enters \(places)"
    case .exit: "leaves \(places)"
    case .dwell: "has stayed in \(places)"
    case .cross: "passes through \(places)"
    case .arrive: "arrives at a place"
    case .leave: "leaves a place"
    case .move: "has moved significantly"
    }
  }
}
