/// UTC as a receiver or a file claims it: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Microseconds rather than nanoseconds, so that every year a GPX file may name (1 to 9999) fits.
/// It is printed and ordered; intervals that decide something are taken on ``EngineInstant``.
/// Parsing and printing stand in `UTCTime+RFC3339.swift`.
public struct UTCTime: Hashable, Comparable, Sendable, Codable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  public var microseconds: Int64

  /// Stands in for a time that nobody knows yet: 1970-01-01T00:00:00Z.
  public static let unknown = UTCTime(microseconds: 0)

  /// The time that many microseconds after 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Decodes a whole number of microseconds.
  public init(from decoder: any Decoder) throws { microseconds = try Int64(from: decoder) }
  public func encode(to encoder: any Encoder) throws { try microseconds.encode(to: encoder) }

  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// The time that many seconds later, saturating at the ends of the range.
  public func advanced(bySeconds seconds: Double) -> UTCTime {
    UTCTime(microseconds: microseconds.saturatingAdd(Int64(microsecondsIn: seconds)))
  }

  /// Seconds from this time to a later one; negative when `other` is earlier.
  @inline(__always)
  public func seconds(to other: UTCTime) -> Double {
    Double(other.microseconds.saturatingSubtract(microseconds)) * 1e-6
  }
}
