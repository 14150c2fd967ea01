package import LocationCore

/// How records are printed.
public enum RecordFormat: String, Sendable, CaseIterable {
  case text, ndjson, csv, geojson
}

/// Turns records into lines, all but their numbers in the stream, which are put in when a line is printed.
///
/// Tracks that are replayed side by side are thus printed in one sequence.
package struct RecordEncoder {
  package let format: RecordFormat
  private let track: String?
  private var line = JSONLine()
  private var lastDay: Int64?
  private var outside = 0

  /// `track` stands in each record when there are several.
  package init(format: RecordFormat, track: String?) {
    self.format = format
    self.track = track
  }

  /// The bytes after the record's number; nil where this format has nothing to say of it.
  package mutating func encode(_ record: Record) -> [UInt8]? {
    switch format {
    case .ndjson:
      line.reset()
      line.resume()
      record.write(to: &line, track: track)
      line.close()
      return line.bytes
    case .csv: return CSVRow.encode(record, track: track)
    case .geojson: return GeoJSONFeature.encode(record, track: track, line: &line)
    case .text: return text(record)
    }
  }

  /// The bytes after the summary's number; nil where this format has none.
  package mutating func encode(_ summary: Summary) -> [UInt8]? {
    switch format {
    case .ndjson:
      line.reset()
      line.resume()
      summary.write(to: &line, track: track)
      line.close()
      return line.bytes
    case .csv, .geojson: return nil
    case .text:
      return Array(
        SummaryText.describe(
          summary, title: track.map { "Summary of \($0)" } ?? "Summary", quietlyOutside: outside
        ).utf8)
    }
  }

  private mutating func text(_ record: Record) -> [UInt8]? {
    if case .region(let event) = record.body, case .state(.outside) = event.kind {
      outside += 1
      return nil
    }
    guard let text = TextRecord(record) else { return nil }
    var bytes: [UInt8] = []
    if let time = record.time {
      let day = Int64((Double(time.microseconds) / 86_400e6).rounded(.down))
      let stamp = Array(time.rfc3339.utf8)
      if day != lastDay {
        lastDay = day
        bytes += stamp.prefix(10)
        bytes += Array(" (UTC)\n".utf8)
      }
      bytes += Array("  ".utf8) + stamp.dropFirst(11).prefix(8)
    } else {
      bytes += Array("          ".utf8)
    }
    let what = text.isConsequence ? "  \(text.what)" : text.what
    bytes += Array("  \(what.padded(to: 10))  \(text.detail)".utf8)
    return bytes
  }
}

extension String {
  /// Followed by spaces up to so many characters.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
