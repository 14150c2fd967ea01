import LocationCore

/// Makes a ``JSONTree`` of any encodable value, so that ``ExactDecoder`` makes the same value of it, bit for bit.
///
/// Settings to which a snapshot refers are left out, as ``CompactEncoder`` does.
package enum ExactEncoder {
  /// The value as JSON.
  package static func tree(of value: some Encodable) throws -> JSONTree {
    let node = Node()
    try value.encode(to: NodeEncoder(node: node, codingPath: []))
    return node.tree
  }

  /// The value as the bytes of JSON.
  ///
  /// - Throws: `.software`, which names what can't be written.
  package static func bytes(of value: some Encodable, called what: String) throws(Failure) -> [UInt8] {
    do { return Array(try tree(of: value).text.utf8) } catch {
      throw Failure(.software, what: "can't write \(what): \(error)")
    }
  }

  /// A value under construction; a class because containers of one value share it.
  fileprivate final class Node {
    enum Kind {
      case unset
      case object([(key: String, value: Node)])
      case array([Node])
      case leaf(JSONTree)
    }

    var kind = Kind.unset

    var tree: JSONTree {
      switch kind {
      case .unset: .object([])
      case .object(let members):
        .object(members.map { JSONTree.Member(key: $0.key, value: $0.value.tree) })
      case .array(let elements): .array(elements.map(\.tree))
      case .leaf(let tree): tree
      }
    }

    func member(_ key: String) -> Node {
      let child = Node()
      var members: [(key: String, value: Node)] = []
      if case .object(let present) = kind { members = present }
      kind = .unset  // so that the list below is nobody else's, and grows in place
      members.append((key, child))
      kind = .object(members)
      return child
    }

    func element() -> Node {
      let child = Node()
      var elements: [Node] = []
      if case .array(let present) = kind { elements = present }
      kind = .unset
      elements.append(child)
      kind = .array(elements)
      return child
    }
  }
}

private struct NodeEncoder: Encoder {
  let node: ExactEncoder.Node
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .unset = node.kind { node.kind = .object([]) }
    return KeyedEncodingContainer(Members<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .unset = node.kind { node.kind = .array([]) }
    return Elements(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    Leaf(node: node, codingPath: codingPath)
  }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: ExactEncoder.Node
  let codingPath: [any CodingKey]

  private func child(_ key: some CodingKey) -> NodeEncoder {
    NodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
  }

  mutating func encodeNil(forKey key: Key) { child(key).node.kind = .leaf(.null) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    if !EngineSettings.isPiece(T.self) { try value.encode(to: child(key)) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    child(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    child(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { NodeEncoder(node: node, codingPath: codingPath) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { child(key) }
}

private struct Elements: UnkeyedEncodingContainer {
  let node: ExactEncoder.Node
  let codingPath: [any CodingKey]
  var count: Int { if case .array(let elements) = node.kind { elements.count } else { 0 } }

  private func child() -> NodeEncoder { NodeEncoder(node: node.element(), codingPath: codingPath) }

  mutating func encodeNil() { child().node.kind = .leaf(.null) }
  mutating func encode<T: Encodable>(_ value: T) throws { try value.encode(to: child()) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    child().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { child() }
}

private struct Leaf: SingleValueEncodingContainer {
  let node: ExactEncoder.Node
  let codingPath: [any CodingKey]

  mutating func encodeNil() { node.kind = .leaf(.null) }
  mutating func encode(_ value: Bool) { node.kind = .leaf(.boolean(value)) }
  mutating func encode(_ value: String) { node.kind = .leaf(.string(value)) }
  mutating func encode(_ value: Double) { node.kind = .leaf(ExactNumber.tree(value)) }
  // Every float is a double.
  mutating func encode(_ value: Float) { node.kind = .leaf(ExactNumber.tree(Double(value))) }
  mutating func encode<T: FixedWidthInteger & Encodable>(_ value: T) {
    node.kind = .leaf(.number(String(value)))
  }
  mutating func encode<T: Encodable>(_ value: T) throws {
    try value.encode(to: NodeEncoder(node: node, codingPath: codingPath))
  }
}
