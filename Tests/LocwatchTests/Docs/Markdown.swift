import Foundation
import TestSupport

/// A document of the project, as far as tests hold it to the program.
struct Markdown {
  /// Below the package's folder.
  let path: String
  let text: String

  init(_ path: String) throws {
    self.init(path: path, text: try String(contentsOfFile: PackageRoot.file(path), encoding: .utf8))
  }

  init(path: String, text: String) {
    self.path = path
    self.text = text
  }

  /// A fenced block.
  struct Fence: Equatable {
    /// What stands behind the opening fence.
    var info: String
    /// Of the opening fence, counted from 1.
    var line: Int
    var lines: [String]
  }

  var fences: [Fence] {
    var fences: [Fence] = []
    var open: Fence?
    for (index, line) in lines.enumerated() {
      if var fence = open {
        if line == "```" {
          fences.append(fence)
          open = nil
        } else {
          fence.lines.append(line)
          open = fence
        }
      } else if line.hasPrefix("```") {
        open = Fence(info: String(line.dropFirst(3)), line: index + 1, lines: [])
      }
    }
    return fences
  }

  /// What stands under the first heading that has `words`, up to the next heading of its level or above; nil where
  /// there is none.
  func section(_ words: String) -> String? {
    guard
      let start = lines.firstIndex(where: { Self.level(of: $0) > 0 && $0.contains(words) })
    else { return nil }
    let level = Self.level(of: lines[start])
    let end = lines[(start + 1)...].firstIndex { (1...level).contains(Self.level(of: $0)) } ?? lines.endIndex
    return lines[(start + 1)..<end].joined(separator: "\n")
  }

  /// The targets of all links.
  var links: [String] {
    text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
  }

  /// What a link can name behind `#`, as GitHub makes it of the headings.
  var anchors: Set<String> {
    Set(
      lines.filter { Self.level(of: $0) > 0 }.map { line in
        let heading = line.drop { $0 == "#" }.dropFirst().lowercased()
        return String(
          heading.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 })
      })
  }

  /// The document with the lines between `<!-- generated: NAME -->` and `<!-- end -->` replaced; nil without them.
  func replacing(generated name: String, with body: String) -> String? {
    guard let start = lines.firstIndex(of: "<!-- generated: \(name) -->"),
      let end = lines[start...].firstIndex(of: "<!-- end -->")
    else { return nil }
    let parts = [
      lines[...start].joined(separator: "\n"), "", body, "", lines[end...].joined(separator: "\n"),
    ]
    return parts.joined(separator: "\n")
  }

  /// The rows of all tables in a text, without their headings, as cells.
  static func rows(in text: String) -> [[String]] {
    var rows: [[String]] = []
    var isBody = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        isBody = false
        continue
      }
      if line.hasPrefix("| ---") {
        isBody = true
      } else if isBody {
        rows.append(cells(of: String(line)))
      }
    }
    return rows
  }

  /// The words of a cell that stand in backquotes.
  static func codes(in cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  /// A table in Markdown.
  static func table(_ heading: [String], _ rows: [[String]]) -> String {
    let rule = heading.map { _ in "---" }
    return ([heading, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  private static func cells(of line: String) -> [String] {
    let marked = line.replacing("\\|", with: "\u{1}")
    return marked.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
      $0.trimmingCharacters(in: .whitespaces).replacing("\u{1}", with: "|")
    }
  }

  private var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// 1 for `#`; 0 for what is no heading.
  private static func level(of line: String) -> Int {
    let count = line.prefix { $0 == "#" }.count
    return line.dropFirst(count).hasPrefix(" ") ? count : 0
  }
}
