/// Documentation of what other modules see.
extension Tidy {
  /// Every public or package declaration has a doc comment.
  ///
  /// Exempt are what the standard library's protocols ask for and thereby document, and initialisers
  /// that only store their arguments in properties of the same names.
  static func documentation(_ sources: [SwiftSource]) -> [Violation] {
    sources.flatMap { source in
      source.tokens.indices.compactMap { index in
        guard ["public", "package", "open"].contains(source.text(index)), source.text(index - 1) != ".",
          let keyword = declaration(source, after: index),
          !isDocumented(source, source.tokens[index].line), !isWitness(source, keyword),
          !isMemberwise(source, keyword)
        else { return nil }
        let what = "\(source.text(keyword)) \(source.text(keyword + 1))"
        return Violation(
          source, source.tokens[index].line, "\(what) is \(source.text(index)) and has no doc comment")
      }
    }
  }

  /// The index of the keyword that an access modifier belongs to; nil for imports, extensions and setters.
  private static func declaration(_ source: SwiftSource, after access: Int) -> Int? {
    let keywords: Set = [
      "func", "var", "let", "struct", "enum", "class", "actor", "protocol", "typealias", "init", "subscript",
      "associatedtype", "macro",
    ]
    var index = access + 1
    if source.text(index) == "(" { return nil }
    while index < source.tokens.count {
      let text = source.text(index)
      // `class` is a modifier in `public class func`.
      let isModifier = text == "class" && ["func", "var", "subscript"].contains(source.text(index + 1))
      if keywords.contains(text), !isModifier { return index }
      if text == "import" || text == "extension" || text == "case" { return nil }
      if text == "(" {
        index = source.closing(index) + 1
      } else if text == "@" || source.tokens[index].isWord {
        index += 1
      } else {
        return nil
      }
    }
    return nil
  }

  private static func isDocumented(_ source: SwiftSource, _ line: Int) -> Bool {
    var index = line - 2
    while source.lines.indices.contains(index) {
      let text = source.lines[index].drop(while: { $0 == " " })
      if text.hasPrefix("///") || text.hasSuffix("*/") { return true }
      guard text.hasPrefix("@") || text.hasPrefix("#if") || text.hasPrefix("#else") else { return false }
      index -= 1
    }
    return false
  }

  private static func isWitness(_ source: SwiftSource, _ keyword: Int) -> Bool {
    let name = source.text(keyword + 1)
    switch source.text(keyword) {
    case "func":
      return ["<", "=", "-", "+", "*", "/", "~", "hash", "encode", "makeIterator", "next"].contains(name)
    case "var", "let": return ["rawValue", "description", "debugDescription", "hashValue"].contains(name)
    case "init": return name == "(" && source.text(keyword + 2) == "from"
    case "typealias": return ["Element", "Iterator", "RawValue", "Failure"].contains(name)
    default: return false
    }
  }

  private static func isMemberwise(_ source: SwiftSource, _ keyword: Int) -> Bool {
    guard source.text(keyword) == "init", source.text(keyword + 1) == "(" else { return false }
    var index = source.closing(keyword + 1) + 1
    guard source.text(index) == "{" else { return false }
    let end = source.closing(index)
    index += 1
    while index < end {
      guard source.text(index) == "self", source.text(index + 1) == ".", source.text(index + 3) == "=",
        source.text(index + 2) == source.text(index + 4)
      else { return false }
      index += 5
    }
    return true
  }
}
