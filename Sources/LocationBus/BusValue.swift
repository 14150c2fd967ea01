/// A value of a message.
package indirect enum BusValue: Hashable, Sendable {
  case text(String)
  /// The path of an object.
  case path(String)
  /// `u`.
  case uint32(UInt32)
  /// `i`.
  case int32(Int32)
  /// `n`.
  case int16(Int16)
  /// `q`.
  case uint16(UInt16)
  /// `t`.
  case uint64(UInt64)
  /// `x`.
  case int64(Int64)
  case real(Double)
  case flag(Bool)
  case byte(UInt8)
  /// `ay`.
  case bytes([UInt8])
  case texts([String])
  /// A value that says of what type it is, `v`.
  case variant(BusValue)
  /// Values in parentheses, or those of a list.
  case group([BusValue])
  /// A dictionary of names and values, `a{sv}`.
  case map([Entry])
  /// Values of one type, which is written before them. What is read is a ``group(_:)``.
  case list(String, [BusValue])
  /// A member of a dictionary that is no ``map(_:)``. What is read is a ``group(_:)``.
  case pair(BusValue, BusValue)

  /// A member of a dictionary.
  package struct Entry: Hashable, Sendable {
    /// Its name.
    package var key: String
    /// What it is.
    package var value: BusValue
    package init(_ key: String, _ value: BusValue) {
      self.key = key
      self.value = value
    }
  }

  var signature: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .uint32: "u"
    case .int32: "i"
    case .int16: "n"
    case .uint16: "q"
    case .uint64: "t"
    case .int64: "x"
    case .real: "d"
    case .flag: "b"
    case .byte: "y"
    case .bytes: "ay"
    case .texts: "as"
    case .variant: "v"
    case .group(let values): "(" + values.map(\.signature).joined() + ")"
    case .map: "a{sv}"
    case .list(let type, _): "a" + type
    case .pair(let key, let value): "{" + key.signature + value.signature + "}"
    }
  }
}
