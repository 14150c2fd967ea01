package import LocationCore
package import LocationFormats

/// The commands of a state file that `locwatch on` has made.
package enum CommandRules {
  /// What is said where there is none of that name.
  package static func unknown(_ name: String, among rules: [Subscriber]) -> Failure {
    Failure.unknown("command", name, among: rules.map(\.name), see: "locwatch on list")
  }

  /// One command to be tried with one event.
  package struct Trial: Sendable {
    /// The command.
    package var rule: Subscriber
    /// The event.
    package var kind: EventKind
    /// Its region; nil for an event that is about none.
    package var region: String?
  }

  /// What is to be tried: the command of a name, or those that run for an event, in its region where one is named.
  ///
  /// - Throws: `.usage` where the words mean nothing, code 1 where no such command is there.
  package static func trials(_ words: [String], among rules: [Subscriber]) throws(Failure) -> [Trial] {
    guard let word = words.first else { throw Failure(.usage, what: "nothing is named to be tried") }
    if words.count == 1, let rule = rules.first(where: { $0.name == word }) {
      guard let kind = rule.filter?.kinds?.first else { return [] }
      return [Trial(rule: rule, kind: kind, region: kind.service == .regions ? rule.regions?.first : nil)]
    }
    let kinds = words.compactMap { EventKind(rawValue: $0) }
    let others = words.filter { EventKind(rawValue: $0) == nil }
    guard let kind = kinds.first, kinds.count == 1, others.count <= 1 else {
      if words.count == 1 { throw unknown(word, among: rules) }
      throw Failure(
        .usage, what: "one event is tried at a time",
        remedy: "write the name of a command, or an event and its region, like home enter")
    }
    let trials = rules.compactMap { rule -> Trial? in
      guard rule.filter?.kinds?.contains(kind) ?? false else { return nil }
      guard kind.service == .regions else { return others.isEmpty ? Trial(rule: rule, kind: kind) : nil }
      guard let region = others.first ?? rule.regions?.first, rule.regions?.contains(region) ?? true else {
        return nil
      }
      return Trial(rule: rule, kind: kind, region: region)
    }
    guard trials.isEmpty else { return trials }
    let place = others.first.map { " of \($0)" } ?? ""
    let regions = rules.filter { $0.filter?.kinds?.contains(kind) ?? false }.flatMap { $0.regions ?? [] }
    let near = others.first.flatMap { NearestWord.to($0, among: regions) }
    throw Failure(
      .conditionFails, what: "no command runs for \(kind.rawValue)\(place)",
      remedy: near.map { "did you mean \($0)?" } ?? "locwatch on list lists what does")
  }

  /// After how many seconds the regions of commands report a dwell, by id; without those that report none.
  package static func dwells(
    of rules: [Subscriber], in database: StateDatabase?
  ) throws(Failure) -> [String: Double] {
    let ids = rules.filter { $0.filter?.kinds?.contains(.dwell) ?? false }.flatMap { $0.regions ?? [] }
    guard let database, !ids.isEmpty else { return [:] }
    return try database.regions(.ids(ids)).regions.filter { $0.notify.contains(.dwell) }
      .reduce(into: [:]) { $0[$1.id] = $1.dwellSeconds }
  }

  /// What regions go on reporting though nobody waits for it now that commands were removed, a line each. Whether it was
  /// `locwatch on` that had them report it is not known.
  package static func leftDwells(
    of removed: [Subscriber], in database: StateDatabase
  ) throws(Failure) -> [String] {
    let ids = removed.filter { $0.filter?.kinds?.contains(.dwell) ?? false }.flatMap { $0.regions ?? [] }
    guard !ids.isEmpty else { return [] }
    let others = try database.subscribers().map(\.subscriber).filter { $0.services.contains(.regions) }
    let left = try database.regions(.ids(ids)).regions.filter { region in
      region.notify.contains(.dwell)
        && !others.contains {
          ($0.regions?.contains(region.id) ?? true) && ($0.filter?.kinds?.contains(.dwell) ?? true)
        }
    }
    return left.map { region in
      "region \(region.id) still reports a dwell after \(Wording.duration(region.dwellSeconds)); "
        + "locwatch regions edit \(CommandText.word(region.id)) changes its \"notify\""
    }
  }

  /// Regions of removed rules that `locwatch on` has made and that no subscriber or outlet names any more.
  package static func unusedRegions(
    of removed: [Subscriber], in database: StateDatabase
  ) throws(Failure) -> [String] {
    let named = Set(removed.flatMap { $0.regions ?? [] })
    let made = try database.regions(.tag(RuleRegions.tag)).regions.map(\.id).filter(named.contains)
    let subscribers = try database.subscribers().map(\.subscriber).filter { $0.services.contains(.regions) }
    // One that takes all regions takes these too.
    guard subscribers.allSatisfy({ $0.regions != nil }) else { return [] }
    let outlets = try database.outletSettings()
    let used = Set(subscribers.flatMap { $0.regions ?? [] } + outlets.flatMap { $0.regions ?? [] })
    return made.filter { !used.contains($0) }
  }
}

extension Subscriber {
  /// A command rule as one JSON object.
  package func writeRule(to line: inout JSONLine) {
    line.open()
    line.member("name", name)
    line.member("events", filter?.kinds?.map(\.rawValue) ?? [])
    if let regions { line.member("regions", regions) }
    if let filter {
      line.member("between", filter.hours.map { MeasureText.text($0) })
      if filter.days != .all { line.member("days", MeasureText.text(filter.days)) }
      if filter.hours != nil || filter.days != .all { line.member("time_zone", filter.zone.name) }
      line.member("cooldown_s", filter.cooldownSeconds, decimals: FixedPoint.thousandths)
    }
    line.member("max_time_s", maxTimeSeconds, decimals: FixedPoint.thousandths)
    line.member("command", command)
    line.close()
  }
}
