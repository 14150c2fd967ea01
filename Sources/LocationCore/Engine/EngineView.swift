/// One subscriber as an engine knows it, for those who look.
public struct SubscriberView: Hashable, Sendable {
  /// An event that is not acknowledged.
  public struct Waiting: Hashable, Sendable {
    /// Its id.
    public var event: Int
    /// Whether the running process has been handed it.
    public var isHanded: Bool

    public init(event: Int, isHanded: Bool) {
      self.event = event
      self.isHanded = isHanded
    }
  }

  /// As it was added, with what it has asked for since.
  public var subscriber: Subscriber
  /// Where it stands.
  public var state: SubscriberState
  /// Whether the user force-quit it (rule A7).
  public var wasForceQuit: Bool
  /// Whether it was in the foreground when the screen was locked, and returns there with the unlock (rule A2).
  public var returnsAtUnlock: Bool
  /// What its next process is told that the one before asked to be kept (rule A11); nil where there is nothing.
  public var preserved: String?
  /// Events that are not acknowledged, oldest first.
  public var waiting: [Waiting]
  /// Names of its open finite tasks, oldest first.
  public var tasks: [String]
  /// The token of the task it opened last; 0 before the first.
  public var lastToken: Int
  /// When its time in the background is over; nil where it has no limit.
  public var budgetEnd: EngineInstant?
  /// When it is started again; nil where it is not due.
  public var relaunchAt: EngineInstant?
  /// How its last process ended by itself; nil before.
  public var lastEnd: ProgramEnd?
  /// What its good moments to fetch have come to; nil without the mode.
  public var fetch: FetchView?
  /// The longest time from one keep-alive call to the next, seconds; nil where it asked for none (rule E1).
  public var keepAliveSeconds: Double?
  /// Tags of the sockets that are watched for it, in the order in which it passed them (rule E4).
  public var sockets: [String]
  /// Its open audio sessions, in the order in which it opened them (rule F1).
  public var audio: [AudioView]
  /// Its sessions with accessories, in the order in which it opened them (rule J1).
  public var accessories: [AccessoryView]
  /// Services that it has published while it runs, in the order in which it asked for them (rule K6).
  public var advertised: [AdvertisedService]
  /// Its transfers that have not ended (rule I1).
  public var openTransfers: Int
  /// The name of the issue that was there last (rule I5); nil before the first.
  public var issue: String?
  /// Notifications that it has scheduled.
  public var scheduledNotifications: Int
}

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
  /// Whether somebody who is no subscriber wants each fix.
  public var hasAudience: Bool { state.policy.hasAudience }

  /// Every subscriber, by name.
  public var subscribers: [SubscriberView] {
    let configuration = state.policy.configuration
    return state.policy.sessions.map { SubscriberView($0, configuration) }
  }

  /// The names of those in a state, sorted.
  public func subscribers(in wanted: SubscriberState) -> [String] {
    state.policy.sessions.filter { $0.state == wanted }.map(\.subscriber.name)
  }

  /// One subscriber; nil where there is none of that name.
  public func subscriber(_ name: String) -> SubscriberView? {
    let configuration = state.policy.configuration
    return state.policy.session(name).map { SubscriberView($0, configuration) }
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

  /// Ids of the regions that the last fix is inside of, or whose beacons are seen, sorted.
  public var regionsInside: [String] {
    let seen = (state.beacons?.watches ?? []).filter { $0.state == .inside }.map(\.region.id)
    return (regions.evidence.inside.map { regions.catalog[$0].terms.id } + seen).sorted()
  }

  /// A region as it was added; nil where there is none of that id.
  public func region(_ id: String) -> Region? {
    regions.catalog.region(id) ?? state.beacons?.watches.first { $0.region.id == id }?.region
  }

  /// The latest instant the engine has been told of.
  public var instant: EngineInstant { state.instant }
}

extension SubscriberView {
  init(_ session: Session, _ configuration: Policy.Configuration) {
    subscriber = session.subscriber
    state = session.state
    wasForceQuit = session.wasForceQuit
    returnsAtUnlock = session.returnsAtUnlock
    preserved = session.preserved
    waiting = session.outbox.map { Waiting(event: $0.event, isHanded: $0.isHanded) }
    tasks = session.assertions.filter { $0.reason == .task }.map { $0.name ?? "" }
    lastToken = session.nextTask - 1
    budgetEnd = session.taskClock?.end ?? session.wakeClock?.end
    relaunchAt = session.relaunchAt
    lastEnd = session.lastEnd
    fetch = FetchView(session, configuration.fetch)
    keepAliveSeconds = session.modes.keepAlive?.seconds
    sockets = session.modes.sockets
    audio = session.modes.audio?.sessions.map(AudioView.init) ?? []
    accessories = (session.modes.accessories?.sessions ?? []).map {
      AccessoryView(session: $0.terms.session, isConnected: $0.isConnected, terms: $0.terms)
    }
    advertised = session.modes.advertised?.services ?? []
    openTransfers = session.modes.transfers?.entries.count ?? 0
    issue = session.modes.issues?.name
    scheduledNotifications = session.modes.notifications?.entries.count ?? 0
  }
}
