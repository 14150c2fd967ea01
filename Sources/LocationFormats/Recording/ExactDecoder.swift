package import LocationCore

/// Makes a value of what ``ExactEncoder`` made of it.
package enum ExactDecoder {
  /// The value.
  ///
  /// - Parameter settings: stand in the value wherever it refers to settings.
  /// - Throws: a `DecodingError` where the JSON does not say such a value.
  package static func value<Value: Decodable>(
    _ type: Value.Type, of tree: JSONTree, settings: EngineSettings? = nil
  ) throws -> Value {
    try Value(from: TreeDecoder(tree: tree, settings: settings, codingPath: []))
  }
}

private struct TreeDecoder: Decoder {
  let tree: JSONTree
  let settings: EngineSettings?
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = tree else { throw mismatch("object") }
    return KeyedDecodingContainer(
      MemberDecoder<Key>(members: members, settings: settings, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = tree else { throw mismatch("array") }
    return ElementDecoder(elements: elements, settings: settings, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func mismatch(_ expected: String) -> DecodingError {
    DecodingError.typeMismatch(
      JSONTree.self, DecodingError.Context(codingPath: codingPath, debugDescription: "no \(expected)"))
  }
}

extension TreeDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { tree == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .boolean(let value) = tree else { throw mismatch("true or false") }
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .string(let value) = tree else { throw mismatch("string") }
    return value
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let value = ExactNumber.value(tree) else { throw mismatch("number") }
    return value
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    guard case .number(let text) = tree, let value = T(text) else { throw mismatch("whole number in range") }
    return value
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
}

private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [JSONTree.Member]
  let settings: EngineSettings?
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }
  func contains(_ key: Key) -> Bool { members.contains { $0.key == key.stringValue } }
  func decodeNil(forKey key: Key) throws -> Bool { try child(key).tree == .null }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try settings?.piece(type) ?? T(from: child(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try child(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try child(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder {
    TreeDecoder(tree: .object(members), settings: settings, codingPath: codingPath)
  }
  func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

  private func child(_ key: Key) throws -> TreeDecoder {
    guard let member = members.first(where: { $0.key == key.stringValue }) else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "\(key.stringValue) is missing"))
    }
    return TreeDecoder(tree: member.value, settings: settings, codingPath: codingPath + [key])
  }
}

private struct ElementDecoder: UnkeyedDecodingContainer {
  let elements: [JSONTree]
  let settings: EngineSettings?
  let codingPath: [any CodingKey]
  var currentIndex = 0

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard currentIndex < elements.count, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: next()) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> TreeDecoder {
    guard currentIndex < elements.count else {
      throw DecodingError.valueNotFound(
        JSONTree.self, DecodingError.Context(codingPath: codingPath, debugDescription: "the array ends"))
    }
    defer { currentIndex += 1 }
    return TreeDecoder(tree: elements[currentIndex], settings: settings, codingPath: codingPath)
  }
}
