/// A property wrapper of an optional value that is coded as one, by its absence.
public protocol CodedByAbsence: Codable {
  associatedtype Value: Codable
  /// The value; nil where there is none.
  var wrappedValue: Value? { get }
  /// The value; nil for none.
  init(wrappedValue: Value?)
}

extension CodedByAbsence {
  public init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
  /// Absent is nil.
  func decode<Wrapper: CodedByAbsence>(_ type: Wrapper.Type, forKey key: Key) throws -> Wrapper {
    Wrapper(wrappedValue: try decodeIfPresent(Wrapper.Value.self, forKey: key))
  }
}

extension KeyedEncodingContainer {
  /// Nil is absent.
  mutating func encode(_ value: some CodedByAbsence, forKey key: Key) throws {
    try encodeIfPresent(value.wrappedValue, forKey: key)
  }
}
