/// What a track is made of, in its order.
public enum TrackItem: Hashable, Sendable {
  /// A position as the source claims it.
  case fix(FixReport)
  /// The border between two segments, tracks or devices: a gap in the signal. It stands between fixes,
  /// never first, last or twice in a row.
  case segmentBreak
}
