/// What the receiver is to do, as an engine knows it, for those who look.
public struct ReceiverView: Hashable, Sendable {
  /// Whether it is to be on.
  public var isOn: Bool
  /// What decided; nil where nobody switches it.
  public var reason: ReceiverOrder.Reason?
  /// Off: when the next fix is asked for; nil until something happens that asks for one.
  public var dueAt: EngineInstant?
}

extension Engine {
  /// What the receiver is to do.
  public var receiver: ReceiverView {
    let plan = state.sampling
    return ReceiverView(
      isOn: plan.isOn, reason: configuration.sampling.isDutyCycled ? plan.reason : nil,
      dueAt: plan.isOn ? nil : plan.nextDeadline)
  }

  /// What a subscriber that asks is told of a region (rules B4 and B8).
  public enum RegionAnswer: Hashable, Sendable {
    case state(RegionState)
    /// It may not know.
    case refused(Decision.Reason)
    /// There is no such region, or its manifest has others.
    case unknown
  }

  /// What a subscriber that asks is told of a region: by the same rights as an event of it, and only of a region of its
  /// manifest.
  public func regionState(_ id: String, for name: String) -> RegionAnswer {
    guard let session = state.policy.session(name) else { return .unknown }
    if let reason = session.locationObjection { return .refused(reason) }
    if session.subscriber.accuracy == .reduced { return .refused(.reduced) }
    guard session.subscriber.regions?.contains(id) ?? true, let state = regionState(id) else {
      return .unknown
    }
    return .state(state)
  }

  /// Whether the machine has not been unlocked since it booted (rule A8).
  public var isLocked: Bool { !state.policy.isUnlocked }

  /// Whether the machine is in low-power mode.
  public var isLowPower: Bool { state.policy.isLowPower }
  /// How short of memory the machine is, as was said last.
  public var memoryPressure: MemoryPressure { state.policy.pressure }
  /// Whether somebody who is no subscriber wants each fix.
  public var hasAudience: Bool { state.policy.hasAudience }

  /// Every subscriber, by name.
  public var subscribers: [SubscriberView] {
    state.policy.sessions.map { SubscriberView($0, state.policy.configuration) }
  }

  /// The names of those in a state, sorted.
  public func subscribers(in wanted: SubscriberState) -> [String] {
    state.policy.sessions.filter { $0.state == wanted }.map(\.subscriber.name)
  }

  /// One subscriber; nil where there is none of that name.
  public func subscriber(_ name: String) -> SubscriberView? {
    state.policy.session(name).map { SubscriberView($0, state.policy.configuration) }
  }

  /// How many regions there are.
  public var regionCount: Int { regions.count + (state.beacons?.watches.count ?? 0) }

  /// Ids of all regions, sorted.
  public var regionIDs: [String] {
    let beacons = state.beacons?.watches ?? []
    let ids = regions.regions.map(\.id)
    return beacons.isEmpty ? ids : (ids + beacons.map(\.region.id)).sorted()
  }

  /// Which beacons are watched for, as the regions say (rule B11).
  public var beacons: [Beacon] { (state.beacons?.watches ?? []).map(\.beacon) }

  /// Ids of the regions that the device is inside of, or whose beacons are seen, sorted. One whose exit is held back
  /// counts.
  public var regionsInside: [String] {
    let seen = (state.beacons?.watches ?? []).filter { $0.state == .inside }.map(\.region.id)
    return (regions.inside.map { regions.catalog[$0].terms.id } + seen).sorted()
  }

  /// A region as it was added; nil where there is none of that id.
  public func region(_ id: String) -> Region? {
    regions.catalog.region(id) ?? state.beacons?.watches.first { $0.region.id == id }?.region
  }

  /// The latest instant the engine has been told of.
  public var instant: EngineInstant { state.instant }
}
