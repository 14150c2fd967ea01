/// A type with a value that says nothing yet.
public protocol Blank {
  /// That value: empty, zero, false, or as by default.
  init()
}

extension Array: Blank {}
extension Bool: Blank {}
extension Int: Blank {}

/// A member that older versions did not write: where it is absent, it is blank. It is coded as the value itself.
@propertyWrapper
public struct Added<Value: Blank & Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
  /// The value.
  public var wrappedValue: Value

  /// A member with a value.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
  /// Absent is blank.
  func decode<Value>(_ type: Added<Value>.Type, forKey key: Key) throws -> Added<Value> {
    Added(wrappedValue: try decodeIfPresent(Value.self, forKey: key) ?? Value())
  }

  /// Absent is blank.
  func decode<Value: Blank & Codable>(_ type: Seldom<Value>.Type, forKey key: Key) throws -> Seldom<Value> {
    Seldom(wrappedValue: try decodeIfPresent(Value.self, forKey: key) ?? Value())
  }
}
