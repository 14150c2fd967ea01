import LocationCore
import LocationRuntime

/// Keeps the records that are compared.
struct ComparedEvents: RecordSink {
  var events: [ComparedEvent] = []

  mutating func receive(_ record: Record) {
    if let event = ComparedEvent(record) { events.append(event) }
  }
}

/// One policy on one track.
final class PolicyTrial {
  let policy: ComparedPolicy
  private var replay: TrackReplay<ComparedEvents>
  private var filter: DistanceFilter?
  /// Metres from what the policy knows to where the reference is.
  private(set) var errors: [Float] = []
  private var handedOn = 0
  private let profile: PowerProfile

  init(_ policy: ComparedPolicy, _ request: ReplayRequest) {
    self.policy = policy
    var request = request
    request.configuration.sampling.mode = policy.sampling
    request.subscribers = [Subscriber(name: policy.rawValue, services: policy.services)]
    profile = request.configuration.profile
    filter = policy.distanceFilterMeters.map { DistanceFilter(thresholdMeters: $0) }
    replay = TrackReplay(request, to: ComparedEvents(), handsOnAll: filter == nil)
  }

  /// What the policy told.
  var events: [ComparedEvent] { replay.sink.events }

  /// The last fix that the policy was given.
  var known: Fix? { replay.fix }

  /// Why its receiver found little; nil where it did not.
  var receiverLack: String? { replay.receiverLack }

  /// Takes what a reader found next.
  func take(_ item: TrackItem) {
    if case .fix(let report) = item, filter != nil {
      guard replay.isWanted(report) else { return }
      guard let place = Coordinate(latitude: report.latitude, longitude: report.longitude),
        filter?.passes(place) == true
      else { return replay.pass(report) }
    }
    let before = replay.fix?.instant
    replay.take(item)
    if replay.fix?.instant != before { handedOn += 1 }
  }

  /// Notes how far what the policy knows is from the truth.
  func noteError(against truth: Fix) {
    guard let known else { return }
    errors.append(Float(Geodesy.distanceMeters(known.coordinate, truth.coordinate)))
  }

  /// Ends the track.
  func finish() -> (summary: Summary, use: PowerUse) {
    let summary = replay.finish(notes: [])
    var use = replay.ledger.use
    if policy.handsOnFixes { use[.run] += Double(handedOn) * profile.deliveryCoreSeconds }
    return (summary, use)
  }
}
