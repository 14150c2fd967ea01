/// One thing that happened or was decided, with everything a reader of the output is told of it.
public struct Record: Hashable, Sendable, Codable {
  /// What it says.
  public enum Body: Hashable, Sendable, Codable {
    case significant(SignificantChangeEvent)
    case region(RegionEvent)
    case visit(VisitEvent)
    case location(LocationUpdate)
    case pause(PauseEvent)
    case gap(seconds: Double, Gap)
    /// The source's clock was moved, by so many seconds ahead.
    case clock(seconds: Double)
    case source(SourceEvent)
    /// An accepted fix, what it says about each region it was checked against, and the estimate of its true error.
    case fixAccepted(Fix, [RegionVerdict], ErrorEstimate? = nil)
    case fixRejected(RejectReason, FixReport)
    case decision(Decision)
    case subscriberState(StateMove)
    /// A process of a subscriber ended by itself.
    case program(subscriber: String, ProgramEnd)
    case power(PowerEntry)
    case advice(Advice)
    /// What the receiver was told to do; only with `explains`.
    case receiver(ReceiverOrder)
    /// A program is called for a background mode.
    case call(ModeCall)
    /// A notification is due.
    case notification(NotificationRecord)
    /// What came of a good moment to fetch.
    case fetch(FetchRecord)
    /// A push has come.
    case push(PushRecord)
    /// Something has become of a transfer.
    case transfer(TransferRecord)
    /// Something has become of an accessory.
    case accessory(AccessoryRecord)
    /// A service of a program is published, or no longer.
    case service(ServiceRecord)
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

extension Record {
  /// Every family of records.
  package static let families: [any RecordFamily.Type] = [
    SignificantChangeEvent.self, RegionEvent.self, VisitEvent.self, LocationUpdate.self, PauseEvent.self,
    GapRecord.self, ClockRecord.self, SourceEvent.self, AcceptedFix.self, RejectedFix.self, Decision.self,
    StateMove.self, ProgramRecord.self, PowerEntry.self, Advice.self, ReceiverOrder.self, ModeCall.self,
    NotificationRecord.self, FetchRecord.self, PushRecord.self, TransferRecord.self, AccessoryRecord.self,
    ServiceRecord.self, RefusedRecord.self,
  ]

  /// The record's type as it stands in its `type` key.
  package var type: String {
    var reader = TypeReader()
    body.describe(to: &reader)
    return reader.type
  }
}

extension Record.Body {
  /// Calls the visitor with the family's value and its fields. The one `switch` over all records.
  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    switch self {
    case .significant(let change): visitor.visit(change)
    case .region(let event): visitor.visit(event)
    case .visit(let event): visitor.visit(event)
    case .location(let update): visitor.visit(update)
    case .pause(let event): visitor.visit(event)
    case .gap(let seconds, let reason): visitor.visit(GapRecord(seconds: seconds, reason: reason))
    case .clock(let seconds): visitor.visit(ClockRecord(seconds: seconds))
    case .source(let event): visitor.visit(event)
    case .fixAccepted(let fix, let verdicts, let error):
      visitor.visit(AcceptedFix(fix: fix, verdicts: verdicts, error: error))
    case .fixRejected(let reason, let report): visitor.visit(RejectedFix(reason: reason, report: report))
    case .decision(let decision): visitor.visit(decision)
    case .subscriberState(let move): visitor.visit(move)
    case .program(let name, let end): visitor.visit(ProgramRecord(subscriber: name, end: end))
    case .power(let entry): visitor.visit(entry)
    case .advice(let advice): visitor.visit(advice)
    case .receiver(let order): visitor.visit(order)
    case .call(let call): visitor.visit(call)
    case .notification(let notification): visitor.visit(notification)
    case .fetch(let fetch): visitor.visit(fetch)
    case .push(let push): visitor.visit(push)
    case .transfer(let transfer): visitor.visit(transfer)
    case .accessory(let accessory): visitor.visit(accessory)
    case .service(let service): visitor.visit(service)
    case .refused(let what, let reason): visitor.visit(RefusedRecord(what: what, reason: reason))
    }
  }
}

/// Reads the type of a record and nothing else.
private struct TypeReader: RecordVisitor {
  var type = ""

  mutating func visit<Family: RecordFamily>(_ family: Family) { type = family.type }
}
