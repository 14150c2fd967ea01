package import LocationCore
import LocationRuntime

/// What a policy came to over all tracks.
package struct PolicyResult: Sendable {
  /// Which.
  package let policy: ComparedPolicy
  /// Region events of the reference that it told too.
  package internal(set) var found = 0
  /// Those it did not tell.
  package internal(set) var missed = 0
  /// Those it told without the reference.
  package internal(set) var extra = 0
  /// Seconds from the reference's region events to its own.
  package internal(set) var delays: [Double] = []
  /// Significant changes of the reference that it told too.
  package internal(set) var movesFound = 0
  /// Those it did not tell.
  package internal(set) var movesMissed = 0
  /// Begins and ends of visits of the reference that it told too.
  package internal(set) var visitsFound = 0
  /// Those it did not tell.
  package internal(set) var visitsMissed = 0
  /// Metres from what it knew to where the reference was, sampled over the tracks.
  package internal(set) var errors: [Float] = []
  /// Times its program was resumed or started.
  package internal(set) var wakes = 0
  /// Seconds the receiver was on.
  package internal(set) var receiverOnSeconds = 0.0
  /// Seconds of the tracks.
  package internal(set) var seconds = 0.0
  /// The share of that time for which the receiver was on, 0 to 1, nil without any time. A program that runs on, or a
  /// scenario, keeps it on after the last fix.
  var receiverShare: Double? { seconds > 0 ? min(1, receiverOnSeconds / seconds) : nil }
  /// What was used, without prices.
  package internal(set) var use = PowerUse()
  /// Why its receiver found little on one of the tracks, the first; nil where it did not on any.
  private(set) var receiverLack: String?

  init(_ policy: ComparedPolicy) { self.policy = policy }

  /// The value below which a share of the values lies, between neighbours in proportion: of two values, the median is
  /// their mean. Nil where there are none.
  static func quantile(_ share: Double, _ values: [Double]) -> Double? {
    let sorted = values.sorted()
    guard let last = sorted.last else { return nil }
    let place = max(0, share * Double(sorted.count) - 0.5)
    let below = Int(place)
    guard below + 1 < sorted.count else { return last }
    return sorted[below] + (place - Double(below)) * (sorted[below + 1] - sorted[below])
  }

  mutating func add(
    _ trial: PolicyTrial, _ summary: Summary, _ use: PowerUse, overSeconds seconds: Double,
    against reference: [ComparedEvent]
  ) {
    func match(_ service: Subscriber.Services) -> EventMatch {
      EventMatch(
        of: trial.events.filter { $0.service == service }, against: reference.filter { $0.service == service }
      )
    }
    let regions = match(.regions)
    found += regions.found
    missed += regions.missed
    extra += regions.extra
    delays += regions.delays
    let moves = match(.significantChange)
    movesFound += moves.found
    movesMissed += moves.missed
    let visits = match(.visits)
    visitsFound += visits.found
    visitsMissed += visits.missed
    errors += trial.errors
    wakes += summary.tally.wakes + summary.tally.relaunches
    receiverOnSeconds += summary.receiverOnSeconds
    receiverLack = receiverLack ?? trial.receiverLack
    self.seconds += seconds
    self.use.add(use)
  }
}
