package import LocationCore
import LocationFormats

/// How texts for people are written.
package struct TextStyle: Hashable, Sendable {
  /// The units of distances and speeds.
  package var units = MeasureUnits.metric
  /// Characters in a line, at most; nil for any number.
  package var columns: Int?
  /// Whether what happened stands out by a colour.
  package var isColored = false

  package init(units: MeasureUnits = .metric, columns: Int? = nil, isColored: Bool = false) {
    self.units = units
    self.columns = columns
    self.isColored = isColored
  }

  /// A text with its lines broken between words where they are too long.
  func wrapped(_ text: String) -> String {
    guard let columns, text.utf8.count > columns else { return text }
    return TextWrap.wrap(text, width: columns)
  }

  /// Sets off a word in a text, the first of its kind; the same colours as on the page of a report, where a terminal has
  /// them.
  func colored(_ text: String, _ record: TextRecord) -> String {
    guard isColored, let color = Self.color(of: record), let range = text.firstRange(of: record.what) else {
      return text
    }
    let (before, after) = (text[..<range.lowerBound], text[range.upperBound...])
    return "\(before)\u{1B}[\(color)m\(record.what)\u{1B}[0m\(after)"
  }

  /// The number of a colour in a terminal's control sequences (ECMA-48, section 8.3.117); nil for none.
  private static func color(of record: TextRecord) -> Int? {
    if record.isConsequence { return 36 }
    switch record.what {
    case "entered", "inside", "dwelled", "arrived": return 32
    case "left", "departed": return 35
    case "moved", "first fix", "crossed": return 33
    case "refused", "no fixes", "stale": return 31
    default: return nil
    }
  }
}
