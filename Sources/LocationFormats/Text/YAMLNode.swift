import CYAML

/// One value of a YAML document, as libyaml reads it: what it means, ``StrictYAML`` says. The only file that imports
/// libyaml.
///
/// An alias is a copy of the value that it names. Tags say nothing.
struct YAMLNode: Equatable {
  /// What the value is made of.
  enum Content: Equatable {
    /// A text; quoted, in a block, or plain.
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case map([YAMLEntry])
  }

  let content: Content
  /// The line it begins on, from 1.
  let line: Int
}

/// A key of a map with its value.
struct YAMLEntry: Equatable {
  let key: YAMLNode
  let value: YAMLNode
}

/// Why a text is not one YAML document.
enum YAMLProblem: Error {
  case memory
  /// What libyaml says, and the line, from 1.
  case syntax(String, line: Int)
  /// A key that a map has twice: the line where it stands first, and the one where it stands again.
  case repeatedKey(String, first: Int, again: Int)
}

extension YAMLNode {
  /// Lists and maps in one another: far more than any file has, and few enough for the stack.
  static let deepestLevel = 256

  /// Values that aliases may repeat. A few lines of aliases of aliases stand for more than memory holds.
  static let mostRepeated = 100_000

  /// Levels of lists and maps in it; 0 of a scalar.
  fileprivate var depth: Int {
    switch content {
    case .scalar: 0
    case .list(let elements): 1 + (elements.map(\.depth).max() ?? 0)
    case .map(let entries): 1 + (entries.map { max($0.key.depth, $0.value.depth) }.max() ?? 0)
    }
  }

  fileprivate static func tooDeep(_ line: Int) -> YAMLProblem {
    .syntax("more than \(deepestLevel) levels of lists and maps", line: line)
  }

  /// The document of a text; nil where there is none.
  ///
  /// - Throws: The first thing that is wrong with it, or that there is more than one document.
  static func document(of text: String) throws(YAMLProblem) -> YAMLNode? {
    let bytes = Array(text.utf8)
    return unsafe try bytes.withUnsafeBufferPointer { (buffer) throws(YAMLProblem) in
      let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
      defer { unsafe parser.deallocate() }
      guard unsafe yaml_parser_initialize(parser) == 1 else { throw .memory }
      defer { unsafe yaml_parser_delete(parser) }
      unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
      unsafe yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
      var reader = unsafe YAMLReader(parser: parser, text: buffer)
      return unsafe try reader.document()
    }
  }
}

/// Makes values of the events of a parser of libyaml.
@unsafe private struct YAMLReader {
  let parser: UnsafeMutablePointer<yaml_parser_t>
  /// What the parser reads: for the line of a byte that it can't read.
  let text: UnsafeBufferPointer<UInt8>
  /// The values that have an anchor and are over, with how many values each is.
  private var anchors: [String: (node: YAMLNode, count: Int)] = [:]
  /// Values so far, and how many of them aliases repeated.
  private var count = 0
  private var repeated = 0

  init(parser: UnsafeMutablePointer<yaml_parser_t>, text: UnsafeBufferPointer<UInt8>) {
    unsafe self.parser = unsafe parser
    unsafe self.text = unsafe text
  }

  mutating func document() throws(YAMLProblem) -> YAMLNode? {
    _ = unsafe try next()  // The beginning of the stream.
    guard case .other(YAML_DOCUMENT_START_EVENT) = unsafe try next().kind else { return nil }
    let root = unsafe try node(next(), level: 0)
    _ = unsafe try next()  // The end of the document.
    let after = unsafe try next()
    guard case .other(YAML_STREAM_END_EVENT) = after.kind else {
      throw .syntax("a second document begins here; keep one", line: after.line)
    }
    return root
  }

  /// What begins, ends or stands at one place.
  private struct Event {
    enum Kind {
      case alias
      case scalar(String, isPlain: Bool)
      case list
      case map
      case other(yaml_event_type_t)
    }

    let kind: Kind
    let anchor: String?
    let line: Int
  }

  private func next() throws(YAMLProblem) -> Event {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw unsafe problem }
    defer { unsafe yaml_event_delete(&event) }
    let line = unsafe Int(event.start_mark.line) + 1
    func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
      unsafe bytes.map { unsafe String(cString: $0) }
    }
    switch unsafe event.type {
    case YAML_ALIAS_EVENT:
      return unsafe Event(kind: .alias, anchor: text(event.data.alias.anchor), line: line)
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      // A text may have a NUL character.
      let value = unsafe String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
      return unsafe Event(kind: .scalar(value, isPlain: isPlain), anchor: text(scalar.anchor), line: line)
    case YAML_SEQUENCE_START_EVENT:
      return unsafe Event(kind: .list, anchor: text(event.data.sequence_start.anchor), line: line)
    case YAML_MAPPING_START_EVENT:
      return unsafe Event(kind: .map, anchor: text(event.data.mapping_start.anchor), line: line)
    case let type: return Event(kind: .other(type), anchor: nil, line: line)
    }
  }

  private mutating func node(_ event: Event, level: Int) throws(YAMLProblem) -> YAMLNode {
    guard level <= YAMLNode.deepestLevel else { throw YAMLNode.tooDeep(event.line) }
    let before = unsafe count
    unsafe count += 1
    let content: YAMLNode.Content
    switch event.kind {
    case .alias:
      guard let name = event.anchor, let (node, size) = unsafe anchors[name] else {
        throw .syntax("found undefined alias", line: event.line)
      }
      unsafe count += size
      unsafe repeated += size
      guard unsafe repeated <= YAMLNode.mostRepeated else {
        throw .syntax("aliases repeat more than \(YAMLNode.mostRepeated) values", line: event.line)
      }
      guard level + node.depth <= YAMLNode.deepestLevel else { throw YAMLNode.tooDeep(event.line) }
      return node
    case .scalar(let text, let isPlain): content = .scalar(text, isPlain: isPlain)
    case .list: content = unsafe try .list(elements(level: level))
    case .map: content = unsafe try .map(entries(level: level))
    case .other: throw .memory  // libyaml ends a value before anything else begins.
    }
    let node = YAMLNode(content: content, line: event.line)
    if let name = event.anchor { unsafe anchors[name] = unsafe (node, count - before) }
    return node
  }

  private mutating func elements(level: Int) throws(YAMLProblem) -> [YAMLNode] {
    var elements: [YAMLNode] = []
    while true {
      let event = unsafe try next()
      if case .other(YAML_SEQUENCE_END_EVENT) = event.kind { return elements }
      elements.append(unsafe try node(event, level: level + 1))
    }
  }

  private mutating func entries(level: Int) throws(YAMLProblem) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    var lines: [String: Int] = [:]
    while true {
      let event = unsafe try next()
      if case .other(YAML_MAPPING_END_EVENT) = event.kind { return entries }
      let key = unsafe try node(event, level: level + 1)
      if case .scalar(let name, _) = key.content {
        if let first = lines[name] { throw .repeatedKey(name, first: first, again: key.line) }
        lines[name] = key.line
      }
      let value = unsafe try node(next(), level: level + 1)
      entries.append(YAMLEntry(key: key, value: value))
    }
  }

  /// What stopped the parser.
  private var problem: YAMLProblem {
    guard let what = unsafe parser.pointee.problem.map({ unsafe String(cString: $0) }) else { return .memory }
    switch unsafe parser.pointee.error {
    case YAML_MEMORY_ERROR: return .memory
    case YAML_READER_ERROR:
      let before = unsafe text.prefix(Int(clamping: parser.pointee.problem_offset))
      let line = unsafe 1 + before.count { $0 == UInt8(ascii: "\n") }
      return .syntax(what, line: line)
    case _: return unsafe .syntax(what, line: Int(parser.pointee.problem_mark.line) + 1)
    }
  }
}
