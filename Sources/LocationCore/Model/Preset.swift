/// A part of a configuration that mostly is as by default: its blank value. Only another value is coded. So what is
/// written without one is as it was before the part was there.
@propertyWrapper
public struct Preset<Value: Blank & Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
  /// The value.
  public var wrappedValue: Value

  /// A part with a value.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
  /// Absent is as by default.
  func decode<Value>(_ type: Preset<Value>.Type, forKey key: Key) throws -> Preset<Value> {
    Preset(wrappedValue: try decodeIfPresent(Value.self, forKey: key) ?? Value())
  }
}

extension KeyedEncodingContainer {
  /// As by default is absent.
  mutating func encode<Value>(_ preset: Preset<Value>, forKey key: Key) throws {
    guard preset.wrappedValue != Value() else { return }
    try encode(preset.wrappedValue, forKey: key)
  }
}
