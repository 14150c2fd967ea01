package import LocationCore

/// A JSON value in memory; numbers stay as they are written, members in their order.
package indirect enum JSONTree: Hashable, Sendable {
  /// A member of an object.
  package struct Member: Hashable, Sendable {
    /// Its key.
    package var key: String
    /// Its value.
    package var value: JSONTree

    package init(key: String, value: JSONTree) {
      self.key = key
      self.value = value
    }
  }

  case object([Member])
  case array([JSONTree])
  case string(String)
  case number(String)
  case boolean(Bool)
  case null

  /// Reads a value at the start of a text; what follows is not looked at.
  package init(_ bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes)
    try self.init(&reader)
  }

  /// Reads a text that holds one value and nothing behind it.
  package init(whole bytes: [UInt8]) throws(JSONError) {
    var reader = JSONReader(bytes)
    try self.init(&reader)
    try reader.end()
  }

  /// Reads the next value.
  package init(_ reader: inout JSONReader) throws(JSONError) {
    switch try reader.peek() {
    case .object:
      try reader.openObject()
      var members: [Member] = []
      while let key = try reader.nextKey() {
        members.append(Member(key: reader.decoded(key), value: try JSONTree(&reader)))
      }
      self = .object(members)
    case .array:
      try reader.openArray()
      var elements: [JSONTree] = []
      while try reader.nextElement() { elements.append(try JSONTree(&reader)) }
      self = .array(elements)
    case .string: self = .string(try reader.string())
    case .number:
      let first = reader.offset
      _ = try reader.number()
      self = .number(reader.written(from: first))
    case .boolean: self = .boolean(try reader.boolean())
    case .null:
      _ = try reader.skipNull()
      self = .null
    }
  }

  /// The value of a member; nil where this is no object or has no such member.
  package subscript(key: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// Whether this is an object with no other keys than these.
  package func hasOnly(_ keys: Set<String>) -> Bool {
    guard case .object(let members) = self else { return false }
    return members.allSatisfy { keys.contains($0.key) }
  }

  /// This value over another: of objects the members are taken together, and these count; anything else replaces.
  package func over(_ base: JSONTree) -> JSONTree {
    guard case .object(let mine) = self, case .object(var members) = base else { return self }
    for member in mine {
      if let index = members.firstIndex(where: { $0.key == member.key }) {
        members[index].value = member.value.over(members[index].value)
      } else {
        members.append(member)
      }
    }
    return .object(members)
  }

  /// Appends it as text without white space.
  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONString.append(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .string(let text): JSONString.append(text, to: &bytes)
    case .number(let text): bytes += Array(text.utf8)
    case .boolean(let value): bytes += Array((value ? "true" : "false").utf8)
    case .null: bytes += Array("null".utf8)
    }
  }
}

/// Doubles as JSON has them: the shortest text that reads back as the very same double. What JSON has no numbers for
/// is a word in quotes.
package enum ExactNumber {
  /// The number as a JSON value.
  package static func tree(_ value: Double) -> JSONTree {
    if value.isNaN { return .string("nan") }
    if value.isInfinite { return .string(value < 0 ? "-inf" : "inf") }
    return .number(value.description)
  }

  /// The number that a JSON value stands for; nil where it is none.
  package static func value(_ tree: JSONTree) -> Double? {
    switch tree {
    case .number(let text): Double(text)
    case .string("nan"): .nan
    case .string("inf"): .infinity
    case .string("-inf"): -.infinity
    case .string, .object, .array, .boolean, .null: nil
    }
  }
}

extension JSONTree {
  /// As text without white space.
  package var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONTree {
  /// An object of the members that have a value, in this order.
  package static func object(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
    .object(Self.members(members))
  }

  /// The members that have a value, in this order.
  package static func members(_ members: KeyValuePairs<String, JSONTree?>) -> [Member] {
    members.compactMap { key, value in value.map { Member(key: key, value: $0) } }
  }

  /// A whole number.
  package static func integer(_ number: some BinaryInteger) -> JSONTree { .number("\(number)") }

  /// A list of strings.
  package static func strings(_ texts: some Sequence<String>) -> JSONTree {
    .array(texts.map { .string($0) })
  }

  /// The string it is.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number it is.
  package var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

  /// The whole number it is.
  package var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  /// The strings of the list it is; nil where it is none, or holds anything else.
  package var strings: [String]? {
    guard case .array(let elements) = self else { return nil }
    var strings: [String] = []
    for element in elements {
      guard case .string(let text) = element else { return nil }
      strings.append(text)
    }
    return strings
  }

  /// A number with so many decimals.
  package static func fixed(_ value: Double, _ decimals: Int) -> JSONTree {
    var bytes: [UInt8] = []
    FixedPoint.append(value, decimals: decimals, to: &bytes)
    return .number(String(decoding: bytes, as: UTF8.self))
  }
}
