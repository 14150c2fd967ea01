/// Safety, names, sizes and documentation.
extension Tidy {
  /// Nothing that traps because a value was not what the author believed.
  static func traps(_ sources: [SwiftSource]) -> [Violation] {
    sources.flatMap { source in
      source.tokens.indices.compactMap { index -> Violation? in
        let token = source.tokens[index]
        if token.isWord, token.text == "fatalError" {
          return Violation(source, token.line, "fatalError: return, throw or report instead")
        }
        guard token.text == "!", token.touchesPrevious, index > 0, !followsWithEquals(source, index) else {
          return nil
        }
        let before = source.tokens[index - 1]
        switch before.text {
        case "try", "as": return Violation(source, token.line, "\(before.text)! traps: handle the other case")
        case ")", "]", "}", ">", "?", "!", "\"\"": break
        default: if !before.isWord { return nil }
        }
        return Violation(source, token.line, "force unwrap: bind it, or make the type say it is there")
      }
    }
  }

  private static func followsWithEquals(_ source: SwiftSource, _ index: Int) -> Bool {
    source.text(index + 1) == "=" && source.tokens[index + 1].touchesPrevious
  }

  /// Neither `@unchecked Sendable` nor `nonisolated(unsafe)`.
  static func unchecked(_ sources: [SwiftSource]) -> [Violation] {
    sources.flatMap { source in
      source.tokens.indices.compactMap { index in
        let words = (0..<3).map { source.text(index + $0) }
        let found: String
        if words[0] == "@", words[1] == "unchecked" {
          found = "@unchecked"
        } else if words == ["nonisolated", "(", "unsafe"] {
          found = "nonisolated(unsafe)"
        } else {
          return nil
        }
        return Violation(source, source.tokens[index].line, "\(found): let the compiler prove it")
      }
    }
  }

  /// Names that say nothing of what a type is.
  static func emptyNames(_ sources: [SwiftSource]) -> [Violation] {
    sources.flatMap { source -> [Violation] in
      var violations = typeNames(in: source).filter { hasEmptyWord($0.name) }.map {
        Violation(source, $0.line, "\($0.name): a type is named for the thing it is")
      }
      if hasEmptyWord(source.name) {
        violations.append(Violation(source, 1, "\(source.name): a file is named for the thing it holds"))
      }
      return violations
    }
  }

  /// Whether one of the capitalised words of a name is empty talk; `Utilization` is not.
  private static func hasEmptyWord(_ name: String) -> Bool {
    let empty: Set = [
      "Manager", "Managers", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities",
    ]
    var words: [String] = []
    for character in name {
      if character.isUppercase || !character.isLetter || words.isEmpty { words.append("") }
      words[words.count - 1].append(character)
    }
    return words.contains(where: empty.contains)
  }

  /// Advice: the files that may hold more than one idea.
  static func fileLength(_ sources: [SwiftSource]) -> [Violation] {
    sources.filter { $0.lineCount > fileLines }.map {
      Violation($0, $0.lineCount, "\($0.lineCount) lines: is it one idea?")
    }
  }

  static func functionLength(_ sources: [SwiftSource]) -> [Violation] {
    sources.flatMap { source in
      source.tokens.indices.compactMap { index in
        guard ["func", "init"].contains(source.text(index)), source.text(index - 1) != ".",
          let open = body(source, index)
        else { return nil }
        let start = source.tokens[index].line
        let end = source.tokens[min(source.closing(open), source.tokens.count - 1)].line
        let count = end - start + 1
        return count > functionLines
          ? Violation(source, start, "a function of \(count) lines; it stops at \(functionLines)") : nil
      }
    }
  }

  /// The brace that opens a function's body; nil for a requirement of a protocol.
  private static func body(_ source: SwiftSource, _ function: Int) -> Int? {
    let next: Set = [
      "func", "init", "var", "let", "subscript", "case", "struct", "enum", "class", "typealias",
      "associatedtype",
      "extension", "protocol", "static", "mutating", "public", "package", "internal", "private",
      "fileprivate", "}",
    ]
    var index = function + 1
    while index < source.tokens.count {
      let text = source.text(index)
      if text == "{" { return index }
      if next.contains(text) { return nil }
      index = text == "(" || text == "[" ? source.closing(index) + 1 : index + 1
    }
    return nil
  }
}
