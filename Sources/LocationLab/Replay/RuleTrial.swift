package import LocationCore
package import LocationFormats
import LocationRuntime

/// What a rule would have done on a track.
package struct RuleTrial {
  /// The events that ran the command, in order.
  package private(set) var runs: [Record] = []
  /// Events that the rule's hours or cooldown kept back, by reason.
  package private(set) var kept: [(reason: Decision.Reason, count: Int)] = []
  /// Generous readings of the track.
  package private(set) var notes: [String] = []
  /// Fixes on the track, and how many of them were believed.
  package private(set) var fixes = (all: 0, accepted: 0)

  /// Replays a track with one rule. No program is started.
  ///
  /// - Throws: what reading the track throws.
  package static func run(
    _ track: String, _ subscriber: Subscriber, _ regions: [Region], options: TrackOptions
  ) async throws(Failure) -> RuleTrial {
    var request = ReplayRequest()
    request.subscribers = [subscriber]
    request.regions = regions
    let source = try TrackSource.open(TrackPart(path: track), options: options)
    var trial = RuleTrial()
    var replay: TrackReplay<RuleSink> =
      if let recorded = source.recorded {
        try TrackReplay(request, recorded: recorded.configuration, from: recorded.snapshot, to: RuleSink())
      } else {
        TrackReplay(request, to: RuleSink())
      }
    var isLast = false
    while !isLast {
      let batch = await source.read()
      for item in batch.items { replay.take(item) }
      for event in batch.events { replay.take(event) }
      if let failure = batch.failure { throw failure }
      isLast = batch.isLast
      trial.notes = batch.notes
      source.takeBack(batch)
    }
    let summary = replay.finish(notes: trial.notes)
    trial.fixes = (summary.tally.fixes, summary.tally.accepted)
    trial.runs = replay.sink.runs
    trial.kept = replay.sink.kept.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    return trial
  }
}

/// Collects the events that are delivered, and why others are not.
private struct RuleSink: RecordSink {
  var runs: [Record] = []
  var kept: [Decision.Reason: Int] = [:]
  /// Events whose decisions may still come.
  private var events: [Int: Record] = [:]

  mutating func receive(_ record: Record) {
    guard case .decision(let decision) = record.body, let id = decision.event else {
      if EventKind(type: record.type) != nil { events[record.id] = record }
      return
    }
    // What is handed over once more is no further run.
    guard [.deliver, .wake, .relaunch, .drop].contains(decision.action),
      let event = events.removeValue(forKey: id)
    else { return }
    if decision.action == .drop {
      kept[decision.reason, default: 0] += 1
    } else {
      runs.append(event)
    }
  }
}
