import Glibc
package import LocationFormats

/// A text in a file of its own, for an editor.
package struct EditedText {
  /// The file.
  package let path: String
  private let original: [UInt8]

  /// Writes the text to a new file that only its owner can read.
  ///
  /// - Throws: code 73 where there can be none.
  package init(_ text: String, suffix: String) throws(Failure) {
    original = Array(text.utf8)
    let folder = EnvironmentVariable.value("TMPDIR") ?? "/tmp"
    var template = Array("\(folder)/locwatch-XXXXXX\(suffix)".utf8CString)
    let file = unsafe mkstemps(&template, Int32(suffix.utf8.count))
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard file >= 0 else {
      throw Failure(.cantCreate, file: folder, what: "can't make a file: \(SystemReason.text(errno))")
    }
    defer { close(file) }
    guard unsafe original.withUnsafeBytes({ unsafe SystemCall.writeBytes(file, $0) }) == original.count else {
      throw Failure(.io, file: path, what: "can't write it: \(SystemReason.text(errno))")
    }
  }

  /// Whether the editor left the file.
  package var isThere: Bool { unsafe access(path, F_OK) == 0 }

  /// Removes the file.
  package func remove() { unsafe unlink(path) }

  /// Has the user's editor change it, and waits for its end. Where that fails, the file stays only if it was changed.
  ///
  /// - Throws: code 69 where there is no editor or it fails.
  package func edit() throws(Failure) {
    // An empty variable is as good as none.
    let named = ["VISUAL", "EDITOR"].first { EnvironmentVariable.value($0)?.isEmpty == false }
    let usual = ["editor", "vi", "nano"].first { (try? CommandPath.resolve($0)) != nil }
    guard let editor = named.flatMap(EnvironmentVariable.value) ?? usual else {
      remove()
      throw Failure(.unavailable, what: "there is no editor", remedy: "name one in EDITOR")
    }
    // By a shell, because the variable may have options in it.
    guard SiblingProgram.run("/bin/sh", ["-c", "trap : INT QUIT; \(editor) \"$1\"", "sh", path]) == 0 else {
      let isKept = isThere && (try? FileBytes.read(path: path)) != original
      if !isKept { remove() }
      throw Failure(
        .unavailable, what: "the editor \"\(editor)\" failed",
        remedy: "name another in \(named ?? "EDITOR"); "
          + (isKept ? "the text is kept in \(path)" : "nothing was changed"))
    }
  }
}
