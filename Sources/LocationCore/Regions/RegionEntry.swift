/// What a monitor keeps of one region, side by side in memory: among a million regions most of what an event costs
/// is waiting for memory, so all it needs lies in two or three cache lines in a row.
///
/// The order of the fields here and in their types is that of memory: what each event needs is in the middle, what
/// few need at the ends.
struct RegionEntry: Sendable {
  /// What its owner asked for.
  var terms: RegionTerms
  /// Its outline in singles, where it has one.
  var outline: FlatOutlines.Outline?
  /// Its outline, exact.
  var shape: ShapeGeometry
  /// What is remembered of it.
  var track: RegionEvidence

  /// What each event needs of its memory: from what the owner wants to hear of, to the state.
  static let busyBytes = 32..<144
}
