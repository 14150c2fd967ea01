/// The house rules that a machine can check, as functions from sources to violations.
enum Tidy {
  /// One breach of one rule.
  struct Violation: Equatable, CustomStringConvertible {
    var path: String
    /// Counted from 1.
    var line: Int
    var message: String

    init(_ path: String, _ line: Int, _ message: String) {
      self.path = path
      self.line = line
      self.message = message
    }

    init(_ source: SwiftSource, _ line: Int, _ message: String) {
      self.init(source.path, line, message)
    }

    var description: String { "\(path):\(line): \(message)" }
  }

  /// Longer files are named as advice, not as a failure: one idea belongs in one file.
  static let fileLines = 400
  /// A function fits on a screen.
  static let functionLines = 70

  /// The one file of the core that may import the C library, for its mathematics.
  static let mathematicsFile = "Sources/LocationCore/Geometry/Trig.swift"

  /// The layout in `Docs/Design.md`: what each target, and each folder of the core, may use of ours.
  static let layout: [String: Set<String>] = {
    let section = (try? Markdown("Docs/Design.md"))?.section("Layout") ?? ""
    return Markdown.rows(in: section).reduce(into: [:]) { layout, row in
      for folder in Markdown.codes(in: row[0]) { layout[folder] = Set(Markdown.codes(in: row[2])) }
    }
  }()

  /// Whether a folder of the layout is a target in C.
  static func isC(_ folder: String) -> Bool { folder.hasPrefix("C") && !folder.contains("/") }
}
