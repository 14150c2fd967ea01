package import LocationCore
package import LocationFormats
import Synchronization

/// Events on their way to the engine, from any thread, in the order in which they came.
///
/// It is bounded. When it is full, all but the newest of the fixes that wait are left out, and an event says so;
/// nothing else is ever left out. A source that can wait looks at ``hasRoom`` first.
package final class Inbox: Sendable {
  private struct State {
    var events: [Event] = []
    var failure: Failure?
    var trouble: GPSDTrouble?
    /// Fixes left out since the last look, and the first and last time they had.
    var dropped = 0
    var droppedFrom: UTCTime?
    var droppedTo: UTCTime?
  }

  private let state = Mutex(State())
  private let bell: WakePipe
  private let room: WakePipe
  private let limit: Int

  /// - Throws: ``Failure`` where the machine has no descriptors left.
  package init(limit: Int = GPSDLimits.inboxEvents) throws(Failure) {
    self.limit = limit
    bell = try WakePipe()
    room = try WakePipe()
  }

  /// Becomes readable when something is in it; for `poll`.
  package var readable: Int32 { bell.readEnd }
  /// Becomes readable when there is room again; for `poll`.
  package var roomy: Int32 { room.readEnd }

  /// Whether it is less than half full.
  package var hasRoom: Bool { state.withLock { $0.events.count < limit / 2 } }

  /// Adds an event.
  package func push(_ event: Event) {
    state.withLock { state in
      if state.events.count >= limit { Self.dropFixes(of: &state) }
      state.events.append(event)
    }
    bell.ring()
  }

  /// Says that no more will come from a source, and why.
  package func fail(_ failure: Failure) {
    state.withLock { $0.failure = $0.failure ?? failure }
    bell.ring()
  }

  /// Says why the source can't be read at the moment; nil where it can.
  package func note(_ trouble: GPSDTrouble?) { state.withLock { $0.trouble = trouble } }

  /// Why the source can't be read at the moment; nil where it can, or nobody knows.
  package var trouble: GPSDTrouble? { state.withLock { $0.trouble } }

  /// Moves everything that has come to the end of `events`.
  ///
  /// - Throws: what a source has failed of, once everything before has been taken.
  package func take(into events: inout [Event]) throws(Failure) {
    bell.silence()
    let failure = state.withLock { state -> Failure? in
      if state.dropped > 0 {
        let seconds = state.droppedFrom.flatMap { from in state.droppedTo.map { from.seconds(to: $0) } } ?? 0
        events.append(.source(.dropped(reports: state.dropped, seconds: max(0, seconds))))
        state.dropped = 0
        state.droppedFrom = nil
        state.droppedTo = nil
      }
      if state.events.isEmpty { return state.failure }
      events += state.events
      state.events.removeAll(keepingCapacity: true)
      return nil
    }
    room.ring()
    if let failure { throw failure }
    if state.withLock({ $0.failure != nil }) { bell.ring() }
  }

  /// The room bell has been heard.
  package func silenceRoom() { room.silence() }

  /// Leaves out every fix: a newer one is about to be added, or the newest will follow.
  private static func dropFixes(of state: inout State) {
    var kept: [Event] = []
    for event in state.events {
      guard case .fix(let report) = event else {
        kept.append(event)
        continue
      }
      state.dropped += 1
      if let time = report.time {
        state.droppedFrom = state.droppedFrom ?? time
        state.droppedTo = time
      }
    }
    state.events = kept
  }
}
