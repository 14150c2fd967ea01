import LocationCore

/// An event in words, on one line.
package enum EventWords {
  /// The words of a record that was kept as a line.
  package static func text(_ line: JSONTree) -> String {
    if line["type"] == .string("test") { return "a test: \(line["reason"]?.string ?? "")" }
    guard let record = TextRecord(line) else { return line["type"]?.string ?? "?" }
    return record.detail.isEmpty ? record.what : "\(record.what) \(record.detail)"
  }
}
