/// A point on the engine's own time axis: microseconds since an origin that the caller chose once.
///
/// Live, the axis runs with the machine's boot-time clock; in a replay it is derived from the time of the
/// fixes. The origin is chosen so that the axis begins near UTC: what happens before the first fix is dated by it.
/// It is the only time the engine compares; it can't be mixed with ``UTCTime``.
public struct EngineInstant: Hashable, Comparable, Sendable, Codable {
  /// Microseconds since the caller's origin.
  public var microseconds: Int64

  /// The instant that many microseconds after the caller's origin.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Earlier than every instant a caller can name.
  public static var distantPast: EngineInstant { EngineInstant(microseconds: .min) }

  /// Decodes a whole number of microseconds.
  public init(from decoder: any Decoder) throws { microseconds = try Int64(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try microseconds.encode(to: encoder) }

  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// The instant that many seconds later, saturating at the ends of the axis.
  @inline(__always)
  public func advanced(bySeconds seconds: Double) -> EngineInstant {
    EngineInstant(microseconds: microseconds.saturatingAdd(Int64(microsecondsIn: seconds)))
  }

  /// Seconds from this instant to a later one; negative when `other` is earlier.
  @inline(__always)
  public func seconds(to other: EngineInstant) -> Double {
    Double(other.microseconds.saturatingSubtract(microseconds)) * 1e-6
  }
}

extension Int64 {
  /// Whole microseconds in a number of seconds, rounded to the nearest and saturated; NaN is zero.
  @inline(__always)
  package init(microsecondsIn seconds: Double) {
    let scaled = seconds * 1e6
    if abs(scaled) < 9.2e18 {
      // What is cut off is exact, and so is the comparison: rounding itself takes a call.
      let whole = Int64(scaled)
      let rest = scaled - Double(whole)
      self = whole + (rest >= 0.5 ? 1 : rest <= -0.5 ? -1 : 0)
    } else {
      self = scaled.isNaN ? 0 : scaled > 0 ? .max : .min
    }
  }

  /// The sum, or the end of the range it would have passed.
  package func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  /// The difference, or the end of the range it would have passed.
  @inline(__always)
  package func saturatingSubtract(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return _fastPath(!overflow) ? difference : Self.end(passedBySubtracting: other)
  }

  /// Apart, because real times never need it: the caller then has a branch, which costs less than a choice.
  @inline(never)
  private static func end(passedBySubtracting other: Int64) -> Int64 { other > 0 ? .min : .max }
}

extension EngineInstant {
  /// The earlier of two instants, where there are two.
  @inlinable
  package static func earlier(_ one: EngineInstant?, _ other: EngineInstant?) -> EngineInstant? {
    guard let one else { return other }
    guard let other else { return one }
    return min(one, other)
  }
}
