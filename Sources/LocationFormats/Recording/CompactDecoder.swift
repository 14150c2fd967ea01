package import LocationCore

/// Makes a value of what ``CompactEncoder`` made of it.
package enum CompactDecoder {
  /// The value that begins at a place.
  ///
  /// - Parameter settings: stand in the value wherever it refers to settings.
  /// - Throws: a `DecodingError` where the bytes do not say such a value.
  package static func value<Value: Decodable>(
    _ type: Value.Type, of bytes: [UInt8], from start: Int = 0, settings: EngineSettings
  ) throws -> Value {
    try Value(
      from: CBORNode(tape: try CBORTape(bytes, from: start, settings: settings), index: 0))
  }
}

/// Every value of a text in the order in which they begin, each with the place of what follows it.
private final class CBORTape {
  enum Kind {
    case integer(Int64)
    case double(Double)
    case text(Range<Int>)
    case boolean(Bool)
    case null
    case map
    case list
  }

  struct Entry {
    var kind: Kind
    /// The place of the next value that is not within this one.
    var next: Int
  }

  let bytes: [UInt8]
  let settings: EngineSettings
  let entries: [Entry]

  init(_ bytes: [UInt8], from start: Int, settings: EngineSettings) throws {
    self.bytes = bytes
    self.settings = settings
    var reader = CBORReader(bytes: bytes)
    var offset = start
    try reader.read(&offset, depth: 0)
    entries = reader.entries
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The name of a member; nil where it is none.
  func name(_ index: Int) -> String? {
    switch entries[index].kind {
    case .text(let range): text(range)
    case .integer(let number) where CompactKeys.names.indices.contains(Int(number)):
      CompactKeys.names[Int(number)]
    case _: nil
    }
  }

  /// Whether a member has a name.
  func isNamed(_ index: Int, _ name: String) -> Bool {
    switch entries[index].kind {
    case .integer(let number):
      CompactKeys.names.indices.contains(Int(number)) && CompactKeys.names[Int(number)] == name
    case .text(let range): range.count == name.utf8.count && bytes[range].elementsEqual(name.utf8)
    case _: false
    }
  }

  static func damage(_ what: String) -> DecodingError {
    DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: what))
  }
}

/// Reads the values into a list. A value itself, so that nothing is checked at each step that a class would have to.
private struct CBORReader {
  let bytes: [UInt8]
  private(set) var entries: [CBORTape.Entry] = []

  /// Values nested deeper are refused, so that no input can exhaust the stack.
  private static let deepest = 32

  init(bytes: [UInt8]) {
    self.bytes = bytes
    entries.reserveCapacity(256)
  }

  mutating func read(_ offset: inout Int, depth: Int) throws {
    guard depth < Self.deepest else { throw CBORTape.damage("values nested too deep") }
    let initial = try byte(&offset)
    let place = entries.count
    entries.append(CBORTape.Entry(kind: .null, next: place + 1))
    switch initial {
    case 0xBF, 0x9F:
      entries[place].kind = initial == 0xBF ? .map : .list
      while case let key = try peek(offset), key != 0xFF {
        if initial == 0xBF {
          // A key is one entry: its value is the next.
          guard 0x00...0x3B ~= key || 0x60...0x7B ~= key else { throw CBORTape.damage("a key that is none") }
          try read(&offset, depth: depth + 1)
        }
        try read(&offset, depth: depth + 1)
      }
      offset += 1
      entries[place].next = entries.count
    case 0xF4: entries[place].kind = .boolean(false)
    case 0xF5: entries[place].kind = .boolean(true)
    case 0xF6: break
    case 0xFB: entries[place].kind = .double(Double(bitPattern: try number(&offset, bytes: 8)))
    case 0x00...0x1B: entries[place].kind = .integer(try integer(initial, &offset))
    case 0x20...0x3B: entries[place].kind = .integer(~(try integer(initial, &offset)))
    case 0x60...0x7B:
      let count = Int(try integer(initial, &offset))
      guard count <= bytes.count - offset else { throw CBORTape.damage("a text that is cut off") }
      entries[place].kind = .text(offset..<(offset + count))
      offset += count
    default: throw CBORTape.damage("a byte \(initial) where a value is expected")
    }
  }

  private func integer(_ initial: UInt8, _ offset: inout Int) throws -> Int64 {
    let value: UInt64
    switch initial & 0x1F {
    case let small where small < 24: value = UInt64(small)
    case 24: value = try number(&offset, bytes: 1)
    case 25: value = try number(&offset, bytes: 2)
    case 26: value = try number(&offset, bytes: 4)
    default: value = try number(&offset, bytes: 8)
    }
    guard let value = Int64(exactly: value) else { throw CBORTape.damage("a number that is too large") }
    return value
  }

  private func number(_ offset: inout Int, bytes count: Int) throws -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<count { value = value << 8 | UInt64(try byte(&offset)) }
    return value
  }

  private func byte(_ offset: inout Int) throws -> UInt8 {
    let byte = try peek(offset)
    offset += 1
    return byte
  }

  private func peek(_ offset: Int) throws -> UInt8 {
    guard offset < bytes.count else { throw CBORTape.damage("the value is cut off") }
    return bytes[offset]
  }
}

private struct CBORNode: Decoder, SingleValueDecodingContainer {
  let tape: CBORTape
  let index: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  private var kind: CBORTape.Kind { tape.entries[index].kind }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map = kind else { throw CBORTape.damage("no map where one is expected") }
    return KeyedDecodingContainer(CBORMap<Key>(tape: tape, index: index))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list = kind else { throw CBORTape.damage("no list where one is expected") }
    return CBORList(tape: tape, index: index)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { if case .null = kind { true } else { false } }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .boolean(let value) = kind else { throw CBORTape.damage("not true or false") }
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .text(let range) = kind else { throw CBORTape.damage("no text where one is expected") }
    return tape.text(range)
  }

  func decode(_ type: Double.Type) throws -> Double {
    switch kind {
    case .double(let value): return value
    case .integer(let value): return Double(value)
    default: throw CBORTape.damage("no number where one is expected")
    }
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    guard case .integer(let value) = kind, let value = T(exactly: value) else {
      throw CBORTape.damage("no whole number in range where one is expected")
    }
    return value
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let piece = tape.settings.piece(type) { return piece }
    return try T(from: self)
  }
}

private final class CBORMap<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let tape: CBORTape
  private let first: Int
  private let end: Int
  /// Where the search for the next key begins: members are mostly asked for in the order in which they stand.
  private var place: Int

  init(tape: CBORTape, index: Int) {
    self.tape = tape
    first = index + 1
    end = tape.entries[index].next
    place = first
  }

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    var keys: [Key] = []
    var index = first
    while index < end {
      if let name = tape.name(index), let key = Key(stringValue: name) { keys.append(key) }
      index = tape.entries[index + 1].next
    }
    return keys
  }

  private func find(_ name: String) -> CBORNode? {
    let start = place
    var index = place
    while index < end {
      let next = tape.entries[index + 1].next
      if tape.isNamed(index, name) {
        place = next
        return CBORNode(tape: tape, index: index + 1)
      }
      index = next
    }
    index = first
    while index < start {
      if tape.isNamed(index, name) { return CBORNode(tape: tape, index: index + 1) }
      index = tape.entries[index + 1].next
    }
    return nil
  }

  private func member(_ key: Key) throws -> CBORNode {
    guard let node = find(key.stringValue) else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: [], debugDescription: "no \(key.stringValue)"))
    }
    return node
  }

  func contains(_ key: Key) -> Bool {
    let start = place
    defer { place = start }
    return find(key.stringValue) != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let start = place
    defer { place = start }
    return try member(key).decodeNil()
  }

  /// What is there and is not null; looked for once.
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let node = find(key.stringValue), !node.decodeNil() else { return nil }
    return try node.decode(type)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try member(key).decode(type)
  }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { throw CBORTape.damage("no values of superclasses") }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct CBORList: UnkeyedDecodingContainer {
  let tape: CBORTape
  private let end: Int
  private var place: Int
  private(set) var currentIndex = 0
  let count: Int?
  var codingPath: [any CodingKey] { [] }

  init(tape: CBORTape, index: Int) {
    self.tape = tape
    end = tape.entries[index].next
    place = index + 1
    var count = 0
    var next = place
    while next < end {
      count += 1
      next = tape.entries[next].next
    }
    self.count = count
  }

  var isAtEnd: Bool { place >= end }

  private mutating func next() throws -> CBORNode {
    guard !isAtEnd else { throw CBORTape.damage("the list is too short") }
    defer {
      place = tape.entries[place].next
      currentIndex += 1
    }
    return CBORNode(tape: tape, index: place)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, CBORNode(tape: tape, index: place).decodeNil() else { return false }
    _ = try next()
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}
