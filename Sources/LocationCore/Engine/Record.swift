/// One thing that happened or was decided, with everything a reader of the output is told of it.
public struct Record: Hashable, Sendable, Codable {
  /// What it says.
  public enum Body: Hashable, Sendable, Codable {
    case significant(SignificantChange.Change)
    case region(RegionEvent)
    case visit(VisitEvent)
    case location(LocationUpdate)
    case pause(PauseEvent)
    case gap(seconds: Double, Gap)
    case source(SourceEvent)
    /// With what it said of each region for which it was weighed.
    case fixAccepted(Fix, [RegionVerdict])
    case fixRejected(RejectReason, FixReport)
    case decision(Decision)
    case subscriberState(StateMove)
    case power(PowerLedger.Entry)
    case advice(Advice)
    /// What the receiver was told to do; only with `explains`.
    case receiver(ReceiverOrder)
    /// Something the engine was asked to take and could not, with the reason in words.
    case refused(what: String, reason: String)
  }

  /// Why there were no fixes for a while.
  public enum Gap: String, Hashable, Sendable, Codable, CaseIterable {
    /// The track says so: a new segment.
    case segment
    /// None came.
    case silence
  }

  /// Stable: the same in every replay of the same input. Ids rise; not every one is used.
  public var id: Int
  /// UTC of the fix that decided, or of the deadline.
  public var time: UTCTime
  /// What it says.
  public var body: Body
}
