import Foundation
import TestSupport

/// A fenced block of a document that is run as it stands.
///
/// - `console` is a terminal: lines with `$ ` are commands (and those after a `\` or a `<<'END'`), the others are what they print,
///   standard error with it. A line that is only `…` stands for one line or more, `…` within a line for anything.
///   Every command ends with 0 unless the next one is `echo $?`.
/// - `sh` is commands without their output; they must end with 0.
/// - `sh not-run` is for what a test can't run.
///
/// It runs in a folder that has everything the package's folder has, so that what an example writes is gone after it.
struct Transcript: CustomStringConvertible, Sendable {
  /// A command and the lines it is shown to print; nil where none are asked for.
  struct Step: Equatable {
    var command: String
    var output: [String]?
  }

  var path: String
  var line: Int
  var steps: [Step]

  var description: String { "\(path):\(line)" }

  /// Those of a document.
  static func all(in document: Markdown) -> [Transcript] {
    document.fences.compactMap { fence in
      switch fence.info {
      case "console": Transcript(path: document.path, line: fence.line, steps: steps(of: fence.lines))
      case "sh":
        Transcript(
          path: document.path, line: fence.line,
          steps: [Step(command: "set -e\n" + fence.lines.joined(separator: "\n"))])
      default: nil
      }
    }
  }

  private static func steps(of lines: [String]) -> [Step] {
    var steps: [Step] = []
    var isContinued = false
    var hereDocumentEnd: String?
    for line in lines {
      let isCommand = line.hasPrefix("$ ") && !isContinued
      if isContinued, let last = steps.indices.last {
        steps[last].command += "\n" + line
      } else if isCommand {
        steps.append(Step(command: String(line.dropFirst(2)), output: []))
      } else if let last = steps.indices.last {
        steps[last].output?.append(line)
      }
      if let end = hereDocumentEnd {
        if line == end { hereDocumentEnd = nil }
        isContinued = hereDocumentEnd != nil
      } else if isCommand || isContinued {
        hereDocumentEnd = line.firstMatch(of: /<<'(\w+)'/).map { String($0.1) }
        isContinued = hereDocumentEnd != nil || line.hasSuffix("\\")
      }
    }
    return steps
  }

  /// What is wrong, a text each; empty where it does what is shown.
  func complaints() async throws -> [String] {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try await Binary.run(
      ["-c", script], environment: ["PATH": folder.appending(path: ".bin").path + ":" + path, "TZ": "UTC"],
      directory: folder.path, executable: "/bin/bash")
    let parts = run.stdout.split(separator: Self.mark, omittingEmptySubsequences: false)
    guard parts.count == 2 * steps.count + 1 else { return ["it broke off: \(run.stdout)\(run.stderr)"] }
    var complaints: [String] = []
    for (index, step) in steps.enumerated() {
      let isAsked = index + 1 < steps.count && steps[index + 1].command == "echo $?"
      if !isAsked, parts[2 * index + 1] != "0" {
        complaints.append("`\(step.command)` ends with \(parts[2 * index + 1]): \(parts[2 * index])")
      }
      guard let output = step.output else { continue }
      let actual = Self.lines(parts[2 * index])
      if !Self.matches(output[...], actual[...]) {
        let difference = UnifiedDiff.between(
          output.joined(separator: "\n") + "\n", actual.joined(separator: "\n") + "\n", path: description)
        complaints.append("`\(step.command)` prints something else:\n\(difference)")
      }
    }
    return complaints
  }

  /// Parts the outputs and the exit statuses.
  private static let mark: Character = "\u{1E}"

  private var script: String {
    let tell = "__status=$?; printf '\\036%d\\036' $__status; (exit $__status)"
    return (["exec 2>&1"] + steps.flatMap { [$0.command, tell] }).joined(separator: "\n")
  }

  /// A folder with a link to everything in the package's folder, and `locwatch` in `.bin`.
  private static func makeFolder() throws -> URL {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "locwatch-" + UUID().uuidString)
    try files.createDirectory(at: folder.appending(path: ".bin"), withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: folder.appending(path: ".bin/locwatch").path, withDestinationPath: Binary.path)
    for name in try files.contentsOfDirectory(atPath: PackageRoot.path) where !name.hasPrefix(".") {
      try files.createSymbolicLink(
        atPath: folder.appending(path: name).path, withDestinationPath: PackageRoot.file(name))
    }
    return folder
  }

  private static func lines(_ text: Substring) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Whether lines are those shown, with gaps.
  static func matches(_ shown: ArraySlice<String>, _ actual: ArraySlice<String>) -> Bool {
    guard let first = shown.first else { return actual.isEmpty }
    guard let line = actual.first else { return false }
    if first == "…" {
      return (1...actual.count).contains { matches(shown.dropFirst(), actual.dropFirst($0)) }
    }
    return matches(line: first, line) && matches(shown.dropFirst(), actual.dropFirst())
  }

  /// Whether a line is the one shown, with gaps.
  static func matches(line shown: String, _ actual: String) -> Bool {
    var parts = shown.split(separator: "…", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.popLast() else { return shown == actual }
    guard actual.hasPrefix(parts[0]), actual.hasSuffix(last) else { return false }
    var rest = actual.dropFirst(parts[0].count)
    for part in parts.dropFirst() where !part.isEmpty {
      guard let found = rest.range(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= last.count
  }
}
