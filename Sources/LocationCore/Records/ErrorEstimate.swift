/// By how much the error of the fixes is taken to differ from what is claimed, and what says so.
public struct ErrorEstimate: Hashable, Sendable, Codable {
  /// What an estimate comes from. The raw values are stable: they stand in records and docs.
  public enum Basis: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing speaks against what is claimed.
    case claimed
    /// The fixes at rest spread more than is claimed.
    case rest
    /// They did so at the last rest; on the way that fades.
    case motion
    /// The scatter about a smooth path of fixes that state no accuracy.
    case residuals
  }

  /// Factor on the error that is claimed or assumed.
  public var factor: Double
  /// What it comes from.
  public var basis: Basis
  /// Whether the position moves.
  public var isMoving: Bool
  /// Blocks of five minutes of the last rest that count; three make an estimate.
  public var restBlocks: Int
}
