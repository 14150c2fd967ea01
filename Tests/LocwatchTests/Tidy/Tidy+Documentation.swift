/// Documentation of what other modules see.
extension Tidy {
  /// Every public or package declaration has a doc comment.
  ///
  /// Exempt are what a protocol of the standard library or of the sources asks for and thereby documents, and
  /// initialisers that only store their arguments in properties of the same names.
  static func documentation(_ sources: [SwiftSource]) -> [Violation] {
    let scopes = sources.map { source in source.tokens.indices.compactMap { Scope(source, at: $0) } }
    let protocols = Protocols(scopes.joined())
    return zip(sources, scopes).flatMap { source, scopes in
      source.tokens.indices.compactMap { index in
        guard ["public", "package", "open"].contains(source.text(index)), source.text(index - 1) != ".",
          let keyword = declaration(source, after: index),
          !isDocumented(source, source.tokens[index].line), !isWitness(source, keyword),
          !isMemberwise(source, keyword),
          // The last scope that holds the token is the innermost.
          scopes.last(where: { $0.body.contains(index) })?.names.contains(where: {
            protocols.asks($0, for: source.text(keyword + 1))
          }) != true
        else { return nil }
        let what = "\(source.text(keyword)) \(source.text(keyword + 1))"
        return Violation(
          source, source.tokens[index].line, "\(what) is \(source.text(index)) and has no doc comment")
      }
    }
  }

  /// A type, a protocol or an extension.
  private struct Scope {
    /// Its name, then the protocols and other types that stand before its brace or its `where`.
    let names: [String]
    /// The tokens from brace to brace.
    let body: Range<Int>
    /// Its functions and variables; those of a protocol are what it asks for.
    let members: Set<String>
    let isProtocol: Bool

    /// Reads what begins at a keyword; nil for another token.
    init?(_ source: SwiftSource, at index: Int) {
      let keywords: Set = ["struct", "enum", "class", "actor", "protocol", "extension"]
      guard keywords.contains(source.text(index)),
        let open = source.tokens[index...].firstIndex(where: { $0.text == "{" })
      else { return nil }
      names = source.tokens[(index + 1)..<open].map(\.text).prefix { $0 != "where" }.filter { $0 != ":" }
      body = open..<source.closing(open)
      members = Set(body.filter { ["func", "var"].contains(source.text($0)) }.map { source.text($0 + 1) })
      isProtocol = source.text(index) == "protocol"
    }
  }

  /// The protocols of the sources by their names.
  private struct Protocols {
    private var scopes: [String: Scope] = [:]

    init(_ all: some Sequence<Scope>) {
      for scope in all where scope.isProtocol { scopes[scope.names.first ?? ""] = scope }
    }

    /// Whether a protocol, or one that it inherits from, asks for a member.
    func asks(_ name: String, for member: String) -> Bool {
      guard let scope = scopes[name] else { return false }
      return scope.members.contains(member) || scope.names.dropFirst().contains { asks($0, for: member) }
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
