package import LocationCore
import LocationFormats

/// How records are printed.
public enum RecordFormat: String, Sendable, CaseIterable {
  case text, ndjson, csv, geojson, arrow
}

/// Turns records into lines, all but their numbers in the stream, which are put in when a line is printed.
///
/// Tracks that are replayed side by side are thus printed in one sequence.
package struct RecordEncoder {
  /// How records are printed.
  package let format: RecordFormat
  /// What stands behind each day of a text.
  package var zoneName = TimeZoneRule.utc.name
  /// How a text is written.
  package var style = TextStyle()
  /// Whether a text leaves out what was decided about programs: where one is only assumed, each event leads to the same.
  package var leavesOutDecisions = false
  private let track: String?
  private var line = JSONLine()
  private var lastDay: [UInt8] = []
  /// When programs were last woken or told something.
  private var started: [String: UTCTime] = [:]
  /// Programs that run because a standard update woke them, of which nothing was said.
  private var quietlyWoken: Set<String> = []
  private var outside = 0
  /// The id of the last standard update.
  private var updates: Int?

  /// `track` stands in each record when there are several.
  package init(format: RecordFormat, track: String?) {
    self.format = format
    self.track = track
  }

  /// The bytes after the record's number; nil where this format has nothing to say of it.
  package mutating func encode(_ record: Record) -> [UInt8]? {
    switch format {
    case .ndjson, .arrow: return object { $0.write(record, track: $1) }
    case .csv: return CSVRow.encode(record, track: track)
    case .geojson: return GeoJSONFeature.encode(record, track: track, line: &line)
    case .text: return text(record)
    }
  }

  /// The bytes after the summary's number; nil where this format has none.
  package mutating func encode(_ summary: Summary) -> [UInt8]? {
    switch format {
    case .ndjson, .arrow: return object { summary.write(to: &$0, track: $1) }
    case .csv, .geojson: return nil
    case .text:
      let title = track.map { "Summary of \(TextTable.cell($0))" } ?? "Summary"
      return Array(
        style.wrapped(SummaryText.describe(summary, title: title, quietlyOutside: outside)).utf8)
    }
  }

  /// An object that goes on after its first members.
  private mutating func object(_ write: (inout JSONLine, String?) -> Void) -> [UInt8] {
    line.reset()
    line.resume()
    write(&line, track)
    line.close()
    return line.bytes
  }

  private mutating func text(_ record: Record) -> [UInt8]? {
    if isDigested(record) { return nil }
    return TextRecord(record, in: style.units).map { text($0, at: record.time.rfc3339) }
  }

  /// A line for people, with the day above the first of each.
  ///
  /// - Parameter suffix: what stands at its end.
  package mutating func text(_ text: TextRecord, at time: String, suffix: String = "") -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(96)
    let day = time.utf8.prefix(10)
    if !day.elementsEqual(lastDay) {
      lastDay = Array(day)
      bytes += lastDay
      bytes += " (\(zoneName))\n".utf8
    }
    let what = (text.isConsequence ? "  \(text.what)" : text.what).padded(to: 10)
    // What others said may be in it.
    let line = TextTable.cell("  \(time.dropFirst(11).prefix(8))  \(what)  \(text.detail)\(suffix)")
    bytes += style.colored(style.wrapped(line), text).utf8
    return bytes
  }

  /// Whether people see a record in another form. Three kinds are: states outside at the start (a number in the
  /// summary), a suspension right after a wake (part of the wake), and standard updates, one for each fix, with their
  /// wakes (a number too).
  private mutating func isDigested(_ record: Record) -> Bool {
    if case .location(let update) = record.body {
      if update.reason == .update { updates = record.id }
      return update.reason == .update
    }
    if case .region(let event) = record.body, case .state(.outside) = event.kind {
      outside += 1
      return true
    }
    // What the user or the program did is told, and so is what comes of that.
    if case .subscriberState(let change) = record.body { quietlyWoken.remove(change.subscriber) }
    guard case .decision(let decision) = record.body else { return false }
    if leavesOutDecisions { return true }
    let isQuiet = decision.event.map { $0 == updates } ?? false
    switch decision.action {
    case .wake, .relaunch:
      if isQuiet { quietlyWoken.insert(decision.subscriber) } else { note(decision, at: record.time) }
    case .deliver: if !isQuiet { note(decision, at: record.time) }
    case .suspend:
      if quietlyWoken.remove(decision.subscriber) != nil { return true }
      guard let start = started.removeValue(forKey: decision.subscriber) else { return isQuiet }
      return start.seconds(to: record.time) <= Self.briefSeconds
    case .defer, .coalesce, .drop, .terminate, .purge, .refuse, .warn, .throttle, .notify, .hold:
      break
    }
    return isQuiet
  }

  /// Remembers what was told of a program.
  private mutating func note(_ decision: Decision, at time: UTCTime) {
    started[decision.subscriber] = time
    quietlyWoken.remove(decision.subscriber)
  }

  /// A program that is suspended again within so many seconds gets one line, not two.
  private static let briefSeconds = 1.0
}
