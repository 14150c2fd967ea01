/// A value that few engines change: the others share one copy in memory. It is coded, compared and hashed as the value
/// itself.
@propertyWrapper
public struct Seldom<Value: Sendable>: Sendable {
  /// An array, because arrays share their memory until they are changed.
  private var one: [Value]

  /// The value, which copies of this share until they change it.
  public init(wrappedValue: Value) { one = [wrappedValue] }

  /// The value.
  public var wrappedValue: Value {
    @inline(__always) _read { yield one[0] }
    @inline(__always) _modify { yield &one[0] }
  }
}

extension Seldom: Equatable where Value: Equatable {}
extension Seldom: Hashable where Value: Hashable {}

extension Seldom: Codable where Value: Codable {
  public init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A large value that few engines have: the others spend one word on it. It is coded as an optional value is, by its
/// absence.
@propertyWrapper
public struct Rare<Value: Sendable>: Sendable {
  /// One value, or none.
  private var one: [Value] = []

  /// The value; nil for none.
  public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  // No `_read` and no `_modify`: a coroutine's frame would be allocated on the heap for each access.
  /// The value; nil where there is none.
  public var wrappedValue: Value? {
    @inline(__always) get { one.isEmpty ? nil : one[0] }
    @inline(__always) set {
      if let newValue {
        if one.isEmpty { one.append(newValue) } else { one[0] = newValue }
      } else if !one.isEmpty {
        one = []
      }
    }
  }

  /// Whether there is none: to ask whether the value is nil may copy it.
  @inline(__always) var isNone: Bool { one.isEmpty }

  /// Changes the value where it is; nil where there is none.
  @inline(__always)
  @discardableResult
  mutating func change<Result>(_ body: (inout Value) -> Result) -> Result? {
    one.isEmpty ? nil : body(&one[0])
  }

  /// Takes the value out; its memory stays for the next one.
  @inline(__always) mutating func take() -> Value? { one.popLast() }

  /// Gives the memory back that a value left behind which was taken out.
  @inline(__always)
  mutating func freeMemory() { if one.isEmpty, one.capacity > 0 { one = [] } }
}

extension Rare: Equatable where Value: Equatable {}
extension Rare: Hashable where Value: Hashable {}

extension Rare: Codable, CodedByAbsence where Value: Codable {}
