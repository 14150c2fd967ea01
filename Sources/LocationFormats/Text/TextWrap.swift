/// Breaks lines at the width of a terminal, between words.
package enum TextWrap {
  /// The text with no line longer than `width` where a space allows it. What goes on stands under the last column of its
  /// line, or two characters in.
  package static func wrap(_ text: String, width: Int) -> String {
    guard width >= leastWidth else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.count <= width ? String(line) : wrap(line: line, width: width)
    }.joined(separator: "\n")
  }

  /// A terminal that is narrower shows nothing that can be read either way.
  private static let leastWidth = 20

  private static func wrap(line: Substring, width: Int) -> String {
    let indent = String(repeating: " ", count: hang(line, width))
    var lines: [String] = []
    var current = ""
    var rest = line[...]
    while !rest.isEmpty {
      let spaces = rest.prefix { $0 == " " }
      let word = rest.dropFirst(spaces.count).prefix { $0 != " " }
      rest = rest.dropFirst(spaces.count + word.count)
      if current.count + spaces.count + word.count > width, current.contains(where: { $0 != " " }) {
        lines.append(current)
        current = indent + word
      } else {
        current += spaces + word
      }
    }
    return (lines + [current]).joined(separator: "\n")
  }

  /// Where the last column of a line begins, in its first half; else two characters.
  private static func hang(_ line: Substring, _ width: Int) -> Int {
    let characters = Array(line.prefix(width / 2))
    var column = 2
    for index in characters.indices.dropFirst(2)
    where characters[index] != " " && characters[index - 1] == " " && characters[index - 2] == " " {
      column = index
    }
    return column
  }
}
