package import LocationCore

/// One value of a YAML document that is decoded strictly, with the place it stands at.
///
/// The layer under every file people write for us: scenarios, manifests, settings, synth scenarios.
/// A map is opened with the closed list of its keys, so an unknown key is an error that suggests the
/// nearest one; every getter says what it expected, where, and what stood there.
///
/// ```swift
/// enum Key: String, CaseIterable { case start, interval = "interval_s" }
/// let map = try StrictYAML(text, file: "walk.synth.yaml", code: .data).map(Key.self)
/// let start = try map.required(.start).time()
/// let interval = try map.optional(.interval)?.double(in: 0.1...3600) ?? 1
/// ```
package struct StrictYAML {
  /// The largest document read, bytes: far above any file written by hand, far below trouble.
  package static let maximumBytes = 16 << 20

  private let node: YAMLNode.Content
  private let document: Document
  /// Where the value stands in the document, as `steps[2].speed_mps`; empty for the root.
  package let path: String
  /// The line it begins on, from 1.
  package let line: Int

  private struct Document {
    let file: String
    let code: Failure.Code
    /// Whether what it says is told to nobody: errors quote nothing of it.
    let isSecret: Bool
  }

  /// Parses a document.
  ///
  /// - Parameters:
  ///   - bytes: The whole document, UTF-8.
  ///   - file: The name that errors carry.
  ///   - code: What a mistake in this kind of file is: `.data` (65) or `.config` (78).
  ///   - mayBeEmpty: Whether a document of comments alone is a map without keys, and no mistake.
  ///   - isSecret: Whether errors quote nothing of it.
  /// - Throws: A failure with the line, when it is too long, not UTF-8, not YAML, empty, or more than one document.
  package init(
    _ bytes: [UInt8], file: String, code: Failure.Code, mayBeEmpty: Bool = false, isSecret: Bool = false
  ) throws(Failure) {
    func refuse(_ line: Int?, _ what: String, _ remedy: String? = nil) -> Failure {
      Failure(code, file: file, line: line, what: what, remedy: remedy)
    }
    guard bytes.count <= Self.maximumBytes else {
      throw refuse(nil, "\(bytes.count) bytes are too many for a YAML file (at most \(Self.maximumBytes))")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw refuse(FileBytes.firstLineNotUTF8(bytes), "not UTF-8", Failure.encodingRemedy)
    }
    try self.init(text, file: file, code: code, mayBeEmpty: mayBeEmpty, isSecret: isSecret)
  }

  /// Parses a document that is text already.
  package init(
    _ text: String, file: String, code: Failure.Code, mayBeEmpty: Bool = false, isSecret: Bool = false
  ) throws(Failure) {
    let document = Document(file: file, code: code, isSecret: isSecret)
    // libyaml counts the byte order mark as a column, so that the first key would stand further right than the next.
    let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    var root: YAMLNode?
    do throws(YAMLProblem) {
      root = try YAMLNode.document(of: text)
    } catch {
      throw Self.failure(for: error, in: document)
    }
    // A document of comments alone, with a marker of its beginning, is an empty scalar.
    if mayBeEmpty, case .scalar("", _) = root?.content { root = nil }
    guard let root = root ?? (mayBeEmpty ? YAMLNode(content: .map([]), line: 1) : nil) else {
      throw Failure(code, file: file, line: 1, what: "nothing in it", remedy: "check the path")
    }
    self.init(root, document: document, path: "")
  }

  private init(_ node: YAMLNode, document: Document, path: String) {
    self.node = node.content
    self.document = document
    self.path = path
    self.line = node.line
  }

  /// The failure that names this place: for what only the caller can see is wrong.
  package func failure(_ what: String, remedy: String? = nil) -> Failure {
    Failure(
      document.code, file: document.file, line: line,
      what: path.isEmpty ? what : "\(path): \(what)", remedy: remedy)
  }
}

// MARK: - Scalars

extension StrictYAML {
  /// The text of a scalar, quoted or not.
  package func string() throws(Failure) -> String {
    guard let text = scalarText else { throw expected("text") }
    // A name or path would end there where it is handed to the system.
    guard !text.utf8.contains(0) else {
      throw failure("a text with a NUL character", remedy: "leave \\0 out")
    }
    return text
  }

  /// A finite number in decimal notation, in `range`.
  package func double(
    in range: ClosedRange<Double> = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
  ) throws(Failure) -> Double {
    guard let text = plainText, Self.isDecimal(text), let value = Double(text), value.isFinite else {
      throw expected("a number")
    }
    guard range.contains(value) else {
      throw outOfRange(text, JSONText.number(range.lowerBound), JSONText.number(range.upperBound))
    }
    return value
  }

  /// A whole number in decimal notation, in `range`.
  package func int(in range: ClosedRange<Int> = Int.min...Int.max) throws(Failure) -> Int {
    guard let text = plainText, let value = Int(text) else { throw expected("a whole number") }
    guard range.contains(value) else { throw outOfRange(text, "\(range.lowerBound)", "\(range.upperBound)") }
    return value
  }

  /// `true` or `false`, and nothing else.
  package func bool() throws(Failure) -> Bool {
    switch plainText {
    case "true": return true
    case "false": return false
    case .some, .none: throw expected("true or false")
    }
  }

  /// A time in RFC 3339.
  package func time() throws(Failure) -> UTCTime {
    guard case .scalar(let text, _) = node, let time = UTCTime(rfc3339: text) else {
      throw expected("a time as 2026-05-01T06:00:00Z")
    }
    return time
  }

  /// One of the words of an enumeration.
  package func word<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type
  ) throws(Failure) -> Word where Word.RawValue == String {
    guard let text = scalarText else { throw expected("one of \(Self.list(Word.self))") }
    if let word = Word(rawValue: text) { return word }
    throw failure(
      document.isSecret ? "unknown word" : "unknown word \"\(text)\"",
      remedy: Self.suggestion(for: text, among: Word.allCases.map(\.rawValue), of: "words"))
  }

  /// The text of an unquoted scalar that is not null.
  private var plainText: String? {
    guard case .scalar(let text, isPlain: true) = node, !Self.isNull(text) else { return nil }
    return text
  }

  /// The text of a scalar that is not null.
  private var scalarText: String? {
    guard case .scalar(let text, let isPlain) = node, !isPlain || !Self.isNull(text) else { return nil }
    return text
  }

  /// Whether nothing stands here, as below a key whose lines are all comments.
  package var isNothing: Bool { if case .scalar(let text, true) = node { Self.isNull(text) } else { false } }

  /// The spellings of null in YAML 1.2's core schema.
  private static func isNull(_ text: String) -> Bool {
    text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL"
  }

  /// Whether all characters are those of a decimal number: keeps out `nan`, `inf`, `0x10` and `1_000`.
  private static func isDecimal(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        return true
      default: return false
      }
    }
  }
}

// MARK: - Lists and maps

extension StrictYAML {
  /// The elements of a list.
  package func list() throws(Failure) -> [StrictYAML] {
    guard case .list(let elements) = node else { throw expected("a list") }
    return elements.enumerated().map { index, element in
      StrictYAML(element, document: document, path: "\(path)[\(index)]")
    }
  }

  /// The values of a map whose keys are the words of `Key`.
  ///
  /// - Throws: A failure at the first key that is not one of them, with the nearest that is.
  package func map<Key: RawRepresentable & CaseIterable & Equatable>(
    _ keys: Key.Type
  ) throws(Failure) -> StrictMap<Key> where Key.RawValue == String {
    var entries: [(key: Key, value: StrictYAML)] = []
    for (name, value) in try map(of: Key.allCases.map(\.rawValue)) {
      if let key = Key(rawValue: name) { entries.append((key, value)) }
    }
    return StrictMap(entries: entries, node: self)
  }

  /// The values of a map whose keys are some of `names`, in the order of the file.
  ///
  /// - Throws: A failure at the first key that is not one of them, with the nearest that is.
  package func map(of names: [String]) throws(Failure) -> [(name: String, value: StrictYAML)] {
    try entries("a map of \(names.joined(separator: ", "))", among: names)
  }

  /// The values of a map whose keys are names the author chose, in the order of the file.
  package func namedValues() throws(Failure) -> [(name: String, value: StrictYAML)] {
    try entries("a map of names", among: nil)
  }

  private func entries(
    _ wanted: String, among names: [String]?
  ) throws(Failure) -> [(name: String, value: StrictYAML)] {
    guard case .map(let map) = node else { throw expected(wanted) }
    var entries: [(name: String, value: StrictYAML)] = []
    entries.reserveCapacity(map.count)
    for entry in map {
      let at = StrictYAML(entry.key, document: document, path: path)
      let name = try at.string()
      if let names, !names.contains(name) {
        let key = document.isSecret ? "unknown key" : "unknown key \"\(name)\""
        let parts = name.split(separator: ".", maxSplits: 1)
        if !document.isSecret, parts.count == 2, names.contains(String(parts[0])) {
          throw at.failure(key, remedy: "write \(parts[0]): {\(parts[1]): …}")
        }
        throw at.failure(key, remedy: Self.suggestion(for: name, among: names, of: "keys"))
      }
      let below = path.isEmpty ? name : "\(path).\(name)"
      entries.append((name, StrictYAML(entry.value, document: document, path: below)))
    }
    return entries
  }

  /// The value with all that is in it, whatever that is, as JSON.
  package func tree() throws(Failure) -> JSONTree {
    switch node {
    case .map:
      var members: [JSONTree.Member] = []
      for (name, value) in try namedValues() {
        members.append(JSONTree.Member(key: name, value: try value.tree()))
      }
      return .object(members)
    case .list:
      var elements: [JSONTree] = []
      for element in try list() { elements.append(try element.tree()) }
      return .array(elements)
    case .scalar(let text, let isPlain):
      guard isPlain else { return .string(text) }
      if Self.isNull(text) { return .null }
      // What is a number, true or false in JSON is that here too; anything else is text.
      do throws(JSONError) {
        let tree = try JSONTree(whole: Array(text.utf8))
        switch tree {
        case .number, .boolean: return tree
        case .object, .array, .string, .null: return .string(text)
        }
      } catch {
        return .string(text)
      }
    }
  }

  /// Whether the value is a list, a map or a scalar: for keys that allow more than one.
  package var shape: Shape {
    switch node {
    case .scalar: return .scalar
    case .list: return .list
    case .map: return .map
    }
  }

  /// What a value is made of.
  package enum Shape { case scalar, list, map }
}

// MARK: - Errors

extension StrictYAML {
  private func expected(_ what: String) -> Failure {
    failure("expected \(what), found \(found)")
  }

  private func outOfRange(_ text: String, _ low: String, _ high: String) -> Failure {
    failure("\(document.isSecret ? "a number" : text) is outside \(low) to \(high)")
  }

  /// What stands here, in a few words.
  private var found: String {
    switch node {
    case .list: return "a list"
    case .map: return "a map"
    case .scalar(let text, let isPlain):
      if isNothing { return "nothing" }
      if document.isSecret { return "text" }
      let short = text.count > 40 ? text.prefix(40) + "…" : text[...]
      return "\(isPlain ? "" : "the quoted text ")\"\(short.filter { !$0.isNewline })\""
    }
  }

  private static func list<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type
  ) -> String where Word.RawValue == String {
    Word.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// `did you mean "…"?` where one is near, else all there are, called `kind`.
  package static func suggestion(for text: String, among words: [String], of kind: String) -> String {
    if let near = NearestWord.to(text, among: words) { return "did you mean \"\(near)\"?" }
    return "\(kind) here: \(words.joined(separator: ", "))"
  }

  /// The parser's complaint as ours.
  private static func failure(for problem: YAMLProblem, in document: Document) -> Failure {
    func failure(_ line: Int?, _ what: String, _ remedy: String? = nil) -> Failure {
      Failure(document.code, file: document.file, line: line, what: what, remedy: remedy)
    }
    switch problem {
    case .memory: return failure(nil, "can't be parsed")
    case .syntax(let what, let line): return failure(line, "not YAML: \(what)")
    case .repeatedKey(let key, let first, let again):
      let name = document.isSecret ? "a key" : "`\(key)`"
      return failure(again, "\(name) is there more than once, first in line \(first)", "keep one of them")
    }
  }
}
