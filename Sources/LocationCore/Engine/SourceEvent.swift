/// What can happen to the source of live fixes.
public enum SourceEvent: Hashable, Sendable, Codable {
  /// It is there and speaks; the name is for people.
  case found(name: String)
  /// What is known of the position grows old: so many seconds have passed since the last fix, or since the
  /// search for one began.
  case stale(Staleness, seconds: Double)
  /// The fixes that follow come from another receiver and do not continue what came before.
  case switched(to: String)
  /// Reports over so many seconds came faster than they were taken; all but the newest were left out.
  case dropped(reports: Int, seconds: Double)

  /// Why there are no fixes. The raw values are stable: they stand in records and docs.
  public enum Staleness: String, Hashable, Sendable, Codable, CaseIterable {
    /// They stopped a moment ago.
    case silent
    /// The source is there, and has none.
    case noFix = "no_fix"
    /// The source is there, and has no receiver.
    case noDevice = "no_device"
    /// The source is not there.
    case lost
  }
}
