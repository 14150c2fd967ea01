/// A value that many engines refer to instead of each having a copy: configurations, which never change.
///
/// It is coded, compared and hashed as the value itself.
@propertyWrapper
public final class Shared<Value: Sendable>: Sendable {
  /// The value that all refer to.
  public let wrappedValue: Value

  /// Keeps a value for others to refer to.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Shared: Equatable where Value: Equatable {
  public static func == (a: Shared, b: Shared) -> Bool { a === b || a.wrappedValue == b.wrappedValue }
}

extension Shared: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { wrappedValue.hash(into: &hasher) }
}

extension Shared: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Shared: Decodable where Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }
}
