/// What separates two texts, in the unified format of `diff -u`.
package enum UnifiedDiff {
  /// Lines of context around a change, as `diff -u` has them.
  private static let contextLines = 3
  /// Texts that differ over more lines than this are not aligned, only cut at their first difference:
  /// the alignment costs time in the square of the difference.
  private static let alignedLines = 3_000

  /// The difference, one trailing newline included; empty where the texts are equal byte for byte.
  package static func between(_ expected: String, _ actual: String, path: String) -> String {
    guard !expected.utf8.elementsEqual(actual.utf8) else { return "" }
    let old = lines(expected)
    let new = lines(actual)
    let steps = steps(from: old, to: new)
    var text = "--- \(path) (expected)\n+++ \(path) (actual)\n"
    for range in hunks(steps) { text += hunk(steps, range) }
    return text
  }

  private struct Step {
    /// A space, a minus or a plus.
    var mark: Character
    var line: Substring
    /// Lines before this step in the expected and in the actual text.
    var oldBefore: Int
    var newBefore: Int
  }

  /// The lines with their ends, so that a missing newline or a CR shows as a difference.
  private static func lines(_ text: String) -> [Substring] {
    var result: [Substring] = []
    let bytes = text.utf8
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map(bytes.index(after:)) ?? bytes.endIndex
      result.append(text[start..<end])
      start = end
    }
    return result
  }

  private static func same(_ a: Substring, _ b: Substring) -> Bool { a.utf8.elementsEqual(b.utf8) }

  private static func steps(from old: [Substring], to new: [Substring]) -> [Step] {
    var head = 0
    while head < old.count, head < new.count, same(old[head], new[head]) { head += 1 }
    var tail = 0
    while tail < old.count - head, tail < new.count - head,
      same(old[old.count - 1 - tail], new[new.count - 1 - tail])
    { tail += 1 }
    let oldMiddle = Array(old[head..<(old.count - tail)])
    let newMiddle = Array(new[head..<(new.count - tail)])

    var removed = Set(oldMiddle.indices)
    var inserted = Set(newMiddle.indices)
    if oldMiddle.count + newMiddle.count <= alignedLines {
      let difference = newMiddle.difference(from: oldMiddle, by: same)
      removed = []
      inserted = []
      for change in difference {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): inserted.insert(offset)
        }
      }
    }

    var steps: [Step] = []
    var o = 0
    var n = 0
    func add(_ mark: Character, _ line: Substring) {
      steps.append(Step(mark: mark, line: line, oldBefore: o, newBefore: n))
      if mark != "+" { o += 1 }
      if mark != "-" { n += 1 }
    }
    for line in old[..<head] { add(" ", line) }
    while o - head < oldMiddle.count || n - head < newMiddle.count {
      if o - head < oldMiddle.count, removed.contains(o - head) {
        add("-", oldMiddle[o - head])
      } else if n - head < newMiddle.count, inserted.contains(n - head) {
        add("+", newMiddle[n - head])
      } else {
        add(" ", oldMiddle[o - head])
      }
    }
    for line in old[(old.count - tail)...] { add(" ", line) }
    return steps
  }

  private static func hunks(_ steps: [Step]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for (index, step) in steps.enumerated() where step.mark != " " {
      let range = max(0, index - contextLines)..<min(steps.count, index + contextLines + 1)
      if let last = ranges.last, last.upperBound >= range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }

  private static func hunk(_ steps: [Step], _ range: Range<Int>) -> String {
    let part = steps[range]
    let old = part.count { $0.mark != "+" }
    let new = part.count { $0.mark != "-" }
    let first = steps[range.lowerBound]
    // An empty side is named by the line before it, as in diff.
    let oldStart = old == 0 ? first.oldBefore : first.oldBefore + 1
    let newStart = new == 0 ? first.newBefore : first.newBefore + 1
    var text = "@@ -\(oldStart),\(old) +\(newStart),\(new) @@\n"
    for step in part {
      text.append(step.mark)
      if step.line.utf8.last == UInt8(ascii: "\n") {
        text += step.line
      } else {
        text += step.line + "\n\\ No newline at end of file\n"
      }
    }
    return text
  }
}
