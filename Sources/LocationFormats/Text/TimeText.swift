package import LocationCore

/// Times as people write them on a command line.
package enum TimeText {
  /// Reads a time: RFC 3339, or a local date, clock, or both: `2026-05-04 06:40`, `06:40`, `today`, `yesterday 22:00`,
  /// `10m ago`, `now`.
  ///
  /// What has a `T` and no zone is UTC, as in the files that locwatch reads.
  ///
  /// - Throws: `.usage`, with the forms.
  ///
  /// - Parameter further: forms that are told beside the usual ones.
  package static func time(
    _ text: String, now: UTCTime, zone: TimeZoneRule,
    further: String = "\"yesterday 22:00\" or \"10m ago\""
  ) throws(Failure) -> UTCTime {
    guard let time = read(text.lowercased(), now, zone) else {
      throw Failure(
        .usage, what: "\"\(text)\" is no time",
        remedy: "write 2026-05-04T06:40:00Z, \"2026-05-04 06:40\", 06:40, \(further)")
    }
    return time
  }

  private static func read(_ text: String, _ now: UTCTime, _ zone: TimeZoneRule) -> UTCTime? {
    if text == "now" { return now }
    if text.hasSuffix(" ago") {
      return (try? MeasureText.seconds(String(text.dropLast(4)))).map { now.advanced(bySeconds: -$0) }
    }
    let words = text.split(separator: " ").map(String.init)
    let isPlain = words.allSatisfy { word in !word.contains { "tz+".contains($0) } || dayBack(word) != nil }
    guard isPlain, (1...2).contains(words.count) else { return UTCTime(rfc3339: text) }
    let clock = words.count == 2 ? words[1] : words[0].contains(":") ? words[0] : "00:00"
    let isClockAlone = words.count == 1 && words[0].contains(":")
    let date = isClockAlone ? "today" : words[0]
    let day = dayBack(date).map { self.date(now, zone, daysBack: $0) } ?? date
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    // As if it were UTC, then by the zone's offset at that time; twice, because clocks may change between.
    let full = (parts[0].count == 1 ? "0" : "") + clock + (parts.count == 2 ? ":00" : "")
    guard let local = UTCTime(rfc3339: "\(day)T\(full)Z") else { return nil }
    var time = local
    for _ in 0..<2 { time = local.advanced(bySeconds: -Double(zone.secondsAhead(at: time))) }
    return time
  }

  /// How many days before today a word means.
  private static func dayBack(_ word: String) -> Int? {
    switch word {
    case "today": 0
    case "yesterday": 1
    default: nil
    }
  }

  /// The local date some days ago, `2026-05-04`.
  private static func date(_ now: UTCTime, _ zone: TimeZoneRule, daysBack: Int) -> String {
    String(zone.local(now.advanced(bySeconds: -86_400 * Double(daysBack))).prefix(10))
  }
}

extension TimeZoneRule {
  /// The local time in this zone as `2026-05-04T08:40:00.000`.
  package func local(_ time: UTCTime) -> Substring {
    time.advanced(bySeconds: Double(secondsAhead(at: time))).rfc3339.dropLast()
  }
}
