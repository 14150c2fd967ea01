/// A command and its arguments as they are typed in a shell.
package enum CommandText {
  /// One line; what a shell would take apart is quoted.
  package static func line(_ command: [String]) -> String { command.map(word).joined(separator: " ") }

  /// One word, quoted where a shell would take it apart.
  package static func word(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=,+@%".contains($0) }
    return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
