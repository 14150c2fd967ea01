import FoundationEssentials
package import Testing

/// Expected outputs that are kept as files beside their inputs.
///
/// A missing file is a failure. `LOCWATCH_RECORD=1` writes the files that differ and fails the run all
/// the same, so that a new expectation is always read (`git diff`) and run once more before it counts.
package enum Golden {
  /// What comparing came to.
  package enum Outcome: Equatable, Sendable {
    /// Equal byte for byte.
    case equal
    /// Differs; the unified difference.
    case different(String)
    /// There is no such file.
    case missing
    /// The file was written.
    case recorded
    /// The file could not be written; why.
    case unwritable(String)
  }

  /// Records an issue unless the file holds exactly `actual`.
  ///
  /// - Parameters:
  ///   - path: below the package's folder, or absolute.
  ///   - actual: what the test has come to.
  package static func expect(
    _ path: String, _ actual: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let record = ProcessInfo.processInfo.environment["LOCWATCH_RECORD"] == "1"
    if let complaint = complaint(compare(path, actual, record: record), path: path) {
      Issue.record("\(complaint)", sourceLocation: sourceLocation)
    }
  }

  /// What is to be said of an outcome; nil where there is nothing to say.
  package static func complaint(_ outcome: Outcome, path: String) -> String? {
    switch outcome {
    case .equal: nil
    case .different(let text): "\(path) is not what came out; LOCWATCH_RECORD=1 records it.\n\(text)"
    case .missing: "\(path) is missing; LOCWATCH_RECORD=1 records it."
    case .recorded: "\(path): recorded, run again."
    case .unwritable(let reason): "\(path) could not be recorded: \(reason)"
    }
  }

  /// Compares, and with `record` writes what differs; records no issue.
  package static func compare(_ path: String, _ actual: String, record: Bool) -> Outcome {
    let file = PackageRoot.file(path)
    let expected = FileManager.default.contents(atPath: file)
    if let expected, expected.elementsEqual(actual.utf8) { return .equal }
    if record {
      do {
        try write(actual, to: file)
        return .recorded
      } catch {
        return .unwritable("\(error)")
      }
    }
    guard let expected else { return .missing }
    return .different(UnifiedDiff.between(String(decoding: expected, as: UTF8.self), actual, path: path))
  }

  private static func write(_ text: String, to file: String) throws {
    let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
  }
}
