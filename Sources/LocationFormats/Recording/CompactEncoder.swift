import LocationCore

/// Makes CBOR (RFC 8949) of any encodable value, for snapshots that are written by the million: a third of the bytes of
/// JSON, and every double is exact. Names of members are numbers (``CompactKeys``).
///
/// Settings are left out: a snapshot only refers to them, and ``CompactDecoder`` puts them back.
package enum CompactEncoder {
  /// The value as CBOR, appended to `bytes`.
  package static func append(_ value: some Encodable, to bytes: inout [UInt8]) throws {
    let writer = CBORWriter()
    swap(&writer.bytes, &bytes)
    defer { swap(&writer.bytes, &bytes) }
    try value.encode(to: CBOREncoder(writer: writer))
    writer.close(to: 0)
  }
}

/// The bytes of a value under construction. A container ends when something is written at a level above it: Swift's
/// encoders are not told of an end.
private final class CBORWriter {
  var bytes: [UInt8] = []
  private var level = 0

  /// Ends the containers below a level.
  func close(to level: Int) {
    while self.level > level {
      bytes.append(0xFF)
      self.level -= 1
    }
  }

  /// Begins a map or a list of unknown length; its level.
  func open(_ initial: UInt8) -> Int {
    bytes.append(initial)
    level += 1
    return level
  }

  var depth: Int { level }

  func head(_ major: UInt8, _ value: UInt64) {
    switch value {
    case 0..<24: bytes.append(major | UInt8(value))
    case 24..<0x100:
      bytes.append(major | 24)
      bytes.append(UInt8(value))
    case 0x100..<0x1_0000: write(major | 25, value, bits: 16)
    case 0x1_0000..<0x1_0000_0000: write(major | 26, value, bits: 32)
    default: write(major | 27, value, bits: 64)
    }
  }

  private func write(_ initial: UInt8, _ value: UInt64, bits: Int) {
    bytes.append(initial)
    for shift in stride(from: bits - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  func text(_ text: String) {
    let utf8 = text.utf8
    head(0x60, UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  func double(_ value: Double) {
    if let whole = Int32(exactly: value), !(value == 0 && value.sign == .minus) { return integer(whole) }
    write(0xFB, value.bitPattern, bits: 64)
  }

  func integer(_ value: some FixedWidthInteger) {
    if value < 0 { head(0x20, UInt64(truncatingIfNeeded: ~value)) } else { head(0, UInt64(value)) }
  }

  func boolean(_ value: Bool) { bytes.append(value ? 0xF5 : 0xF4) }

  func null() { bytes.append(0xF6) }

  func value<T: Encodable>(_ value: T) throws {
    let level = depth
    let start = bytes.count
    if EngineSettings.isPiece(T.self) { return null() }
    try value.encode(to: CBOREncoder(writer: self))
    close(to: level)
    // What has no members has asked for no container.
    if bytes.count == start { bytes += [0xBF, 0xFF] }
  }
}

private struct CBOREncoder: Encoder {
  let writer: CBORWriter
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(CBORMembers<Key>(writer: writer, level: writer.open(0xBF)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    CBORElements(writer: writer, level: writer.open(0x9F))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { CBORValue(writer: writer) }
}

private struct CBORMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let writer: CBORWriter
  let level: Int
  var codingPath: [any CodingKey] { [] }

  /// Writes a key; the writer, for the value.
  private func at(_ key: Key) -> CBORWriter {
    writer.close(to: level)
    if let number = CompactKeys.numbers[key.stringValue] {
      writer.integer(number)
    } else {
      writer.text(key.stringValue)
    }
    return writer
  }

  mutating func encodeNil(forKey key: Key) { at(key).null() }
  mutating func encode(_ value: Bool, forKey key: Key) { at(key).boolean(value) }
  mutating func encode(_ value: Double, forKey key: Key) { at(key).double(value) }
  mutating func encode(_ value: Float, forKey key: Key) { at(key).double(Double(value)) }
  mutating func encode(_ value: String, forKey key: Key) { at(key).text(value) }
  mutating func encode<T: FixedWidthInteger & Encodable>(_ value: T, forKey key: Key) {
    at(key).integer(value)
  }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try at(key).value(value) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    CBOREncoder(writer: at(key)).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    CBOREncoder(writer: at(key)).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { CBOREncoder(writer: writer) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { CBOREncoder(writer: at(key)) }
}

private struct CBORElements: UnkeyedEncodingContainer {
  let writer: CBORWriter
  let level: Int
  var count = 0
  var codingPath: [any CodingKey] { [] }

  /// Counts an element; the writer, for its value.
  private mutating func next() -> CBORWriter {
    writer.close(to: level)
    count += 1
    return writer
  }

  mutating func encodeNil() { next().null() }
  mutating func encode<T: Encodable>(_ value: T) throws { try next().value(value) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    CBOREncoder(writer: next()).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    CBOREncoder(writer: next()).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { CBOREncoder(writer: next()) }
}

private struct CBORValue: SingleValueEncodingContainer {
  let writer: CBORWriter
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() { writer.null() }
  mutating func encode(_ value: Bool) { writer.boolean(value) }
  mutating func encode(_ value: String) { writer.text(value) }
  mutating func encode(_ value: Double) { writer.double(value) }
  mutating func encode(_ value: Float) { writer.double(Double(value)) }
  mutating func encode<T: FixedWidthInteger & Encodable>(_ value: T) { writer.integer(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try writer.value(value) }
}
