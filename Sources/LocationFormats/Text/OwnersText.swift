/// What holds for every short text that a person gives: names, ids, values of a file of secrets.
package enum OwnersText {
  /// Whether the text has a control character of ASCII: it would move a terminal's cursor, and at NUL the text ends for
  /// SQLite and the system.
  package static func hasControlCharacter(_ text: String) -> Bool {
    text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
  }

  /// What to do about it in a name.
  package static let nameRemedy = "use letters, digits and - _ ."
}
