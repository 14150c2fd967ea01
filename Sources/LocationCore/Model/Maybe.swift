/// A type with a value that no caller can mean, which stands for none.
public protocol HasNone: Sendable {
  /// What stands for none.
  static var none: Self { get }
  /// Whether this is that.
  var isNone: Bool { get }
}

/// An optional value in the memory of the value alone: thousands of engines have dozens of them. It is coded as an
/// optional value is, by its absence.
@propertyWrapper
public struct Maybe<Value: HasNone>: Sendable {
  private var value: Value

  /// The value; nil for none.
  @inline(__always) public init(wrappedValue: Value?) { value = wrappedValue ?? .none }

  /// The value; nil where there is none.
  public var wrappedValue: Value? {
    @inline(__always) get { value.isNone ? nil : value }
    @inline(__always) set { value = newValue ?? .none }
  }
}

extension Maybe: Equatable where Value: Equatable {}
extension Maybe: Hashable where Value: Hashable {}

extension Maybe: Codable, CodedByAbsence where Value: Codable {}

extension Double: HasNone {
  /// Less than any measure.
  public static var none: Double { -.infinity }
  public var isNone: Bool { @inline(__always) get { self == -.infinity } }
}

extension EngineInstant: HasNone {
  /// Earlier than every instant a caller can name.
  public static var none: EngineInstant { .distantPast }
  public var isNone: Bool { @inline(__always) get { microseconds == .min } }
}

extension Coordinate: HasNone {
  /// South of the pole.
  public static var none: Coordinate { Coordinate(uncheckedLatitude: .none, longitude: 0) }
  public var isNone: Bool { @inline(__always) get { latitude.isNone } }
}
