/// A Swift file cut into tokens, without comments and the text of string literals.
///
/// It knows as much of the language as the house rules need. A regular expression between bare slashes
/// is not recognised; `#/.../#` is.
struct SwiftSource: Sendable {
  /// A word, or one byte of punctuation.
  struct Token: Sendable {
    /// The word without backticks; `""` for a string literal.
    var text: String
    /// Counted from 1.
    var line: Int
    /// Whether no space stands between the token before and this one.
    var touchesPrevious: Bool
    /// Whether it is a word or a number, not punctuation or a literal.
    var isWord: Bool
  }

  /// Below the package's folder, with slashes.
  let path: String
  /// The lines as they stand.
  let lines: [Substring]
  /// In order.
  let tokens: [Token]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var lexer = SwiftLexer(bytes: Array(text.utf8))
    lexer.code(untilParenthesis: false)
    tokens = lexer.tokens
  }

  /// The target's folder: `LocationCore` of `Sources/LocationCore/Model/Fix.swift`.
  var target: String { component(1) }

  /// The folder inside the target, `Model` in the example; empty for a file that stands in none.
  var folder: String { path.utf8.count(where: { $0 == UInt8(ascii: "/") }) >= 3 ? component(2) : "" }

  /// The file's own name.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// How many lines, not counting the empty one after the last newline.
  var lineCount: Int { lines.last?.isEmpty == true ? lines.count - 1 : lines.count }

  /// The token's text, empty beyond either end.
  func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  /// The index of the bracket that closes the one at `open`, or the end.
  func closing(_ open: Int) -> Int {
    let pairs = ["(": ")", "{": "}", "[": "]"]
    guard let close = pairs[text(open)] else { return open }
    var depth = 0
    for index in open..<tokens.count {
      if tokens[index].text == tokens[open].text { depth += 1 }
      if tokens[index].text == close { depth -= 1 }
      if depth == 0 { return index }
    }
    return tokens.count
  }

  private func component(_ index: Int) -> String {
    let parts = path.split(separator: "/")
    return parts.indices.contains(index) ? String(parts[index]) : ""
  }
}

/// Turns bytes into tokens.
private struct SwiftLexer {
  let bytes: [UInt8]
  var tokens: [SwiftSource.Token] = []
  private var at = 0
  private var line = 1
  private var lastEnd = -1

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads code; with `untilParenthesis` up to the parenthesis that ends a string's interpolation.
  mutating func code(untilParenthesis: Bool) {
    var depth = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
        advance()
      } else if starts("//") {
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
      } else if starts("/*") {
        blockComment()
      } else if isWordByte(byte) || byte == UInt8(ascii: "`") {
        word()
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), literal() {
        continue
      } else {
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
        if untilParenthesis, depth < 0 { return }
        add(from: at, to: at + 1, isWord: false)
        at += 1
      }
    }
  }

  private mutating func word() {
    let start = at
    if bytes[at] == UInt8(ascii: "`") {
      at += 1
      while at < bytes.count, bytes[at] != UInt8(ascii: "`") { at += 1 }
      at = min(at + 1, bytes.count)
      add(from: start + 1, to: max(start + 1, at - 1), isWord: true)
      lastEnd = at
    } else {
      while at < bytes.count, isWordByte(bytes[at]) { at += 1 }
      add(from: start, to: at, isWord: true)
    }
  }

  private mutating func blockComment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        at += 2
      } else if starts("*/") {
        depth -= 1
        at += 2
      } else {
        advance()
      }
    } while depth > 0 && at < bytes.count
  }

  /// Reads a string or an extended regular expression; false, and nothing read, where there is none.
  private mutating func literal() -> Bool {
    var hashes = 0
    while at + hashes < bytes.count, bytes[at + hashes] == UInt8(ascii: "#") { hashes += 1 }
    guard at + hashes < bytes.count else { return false }
    let fence = String(repeating: "#", count: hashes)
    let isRegex = hashes > 0 && bytes[at + hashes] == UInt8(ascii: "/")
    guard isRegex || bytes[at + hashes] == UInt8(ascii: "\"") else { return false }

    let start = at
    let startLine = line
    at += hashes
    let quote = isRegex ? "/" : starts("\"\"\"") ? "\"\"\"" : "\""
    at += quote.utf8.count
    while at < bytes.count, !starts(quote + fence) {
      if !isRegex, starts("\\" + fence + "(") {
        at += hashes + 2
        code(untilParenthesis: true)
        advance()
      } else if isRegex ? bytes[at] == UInt8(ascii: "\\") : starts("\\" + fence) {
        at += isRegex ? 1 : hashes + 1
        advance()
      } else {
        advance()
      }
    }
    at = min(at + quote.utf8.count + hashes, bytes.count)
    tokens.append(
      .init(text: "\"\"", line: startLine, touchesPrevious: start == lastEnd, isWord: false))
    lastEnd = at
    return true
  }

  private mutating func add(from start: Int, to end: Int, isWord: Bool) {
    tokens.append(
      .init(
        text: String(decoding: bytes[start..<end], as: UTF8.self), line: line,
        touchesPrevious: start == lastEnd, isWord: isWord))
    lastEnd = end
  }

  private mutating func advance() {
    guard at < bytes.count else { return }
    if bytes[at] == UInt8(ascii: "\n") { line += 1 }
    at += 1
  }

  private func starts(_ text: String) -> Bool {
    let wanted = text.utf8
    return at + wanted.count <= bytes.count && zip(bytes[at...], wanted).allSatisfy(==)
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
