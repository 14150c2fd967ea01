/// Where the energy went: time in each state times its power, and counted impulses, each entry with a component,
/// a payer and the rule that caused it (rules L1 and L2).
///
/// It is told only when a state changes; between two changes it costs nothing.
public struct PowerLedger: Hashable, Sendable, Codable {
  /// A part that draws power.
  public enum Component: String, Hashable, Sendable, Codable, CaseIterable {
    case receiverAcquiring = "receiver_acquiring"
    case receiverTracking = "receiver_tracking"
    case machineAwake = "machine_awake"
    case wake
    case subscriberRun = "subscriber_run"
    case relaunch
  }

  /// What one payer spent in one component under one rule.
  public struct Entry: Hashable, Sendable, Codable {
    /// The part that drew it.
    public var component: Component
    /// The subscriber, or `shared` where nobody in particular caused it.
    public var subscriber: String
    /// What caused it.
    public var rule: Rule
    /// Energy, joules.
    public var joules: Double
    /// Seconds in the state, shared out like the energy; 0 for impulses.
    public var seconds: Double
  }

  /// The total with the interval that holds it with 90 %.
  public struct Estimate: Hashable, Sendable {
    /// Energy, joules.
    public var joules: Double
    /// The lower end of the 90 % interval.
    public var lowJoules: Double
    /// The upper end of the 90 % interval.
    public var highJoules: Double

    public init(joules: Double, lowJoules: Double, highJoules: Double) {
      self.joules = joules
      self.lowJoules = lowJoules
      self.highJoules = highJoules
    }
  }

  /// What the receiver does.
  public enum Receiver: Hashable, Sendable, Codable {
    case off, acquiring, tracking
  }

  /// The payer of what nobody in particular caused.
  public static let shared = "shared"

  /// What the device draws.
  public let profile: PowerProfile
  /// Sorted by component, subscriber and rule.
  public private(set) var entries: [Entry] = []
  private var receiver = Receiver.off
  private var receiverSince: EngineInstant?
  /// Who needs the receiver, by name, and under which rule.
  private var users: [ReceiverUser] = []
  /// Seconds the receiver was on.
  public private(set) var receiverOnSeconds = 0.0

  public init(profile: PowerProfile) { self.profile = profile }

  /// What the receiver does from `instant` on; its time until then is booked.
  mutating func setReceiver(_ state: Receiver, at instant: EngineInstant) {
    guard state != receiver || receiverSince == nil else { return }
    settle(at: instant)
    receiver = state
  }

  /// Who needs the receiver from `instant` on, in the order of their names.
  mutating func setUsers(_ users: [ReceiverUser], at instant: EngineInstant) {
    guard users != self.users else { return }
    settle(at: instant)
    self.users = users
  }

  /// The ledger as it will be when nothing changes until `instant`.
  public func settled(at instant: EngineInstant) -> PowerLedger {
    var copy = self
    copy.settle(at: instant)
    return copy
  }

  /// Books the receiver's time up to `instant`.
  mutating func settle(at instant: EngineInstant) {
    defer { receiverSince = instant }
    guard let since = receiverSince, receiver != .off else { return }
    let seconds = since.seconds(to: instant)
    guard seconds > 0 else { return }
    receiverOnSeconds += seconds
    let isTracking = receiver == .tracking
    let power = isTracking ? profile.receiverTrackingMilliwatts : profile.receiverAcquiringMilliwatts
    share(isTracking ? .receiverTracking : .receiverAcquiring, seconds: seconds, milliwatts: power.value)
    share(.machineAwake, seconds: seconds, milliwatts: profile.machineAwakeMilliwatts.value)
  }

  /// Books the work a subscriber did for an event, in core seconds.
  mutating func addRun(_ subscriber: String, coreSeconds: Double, rule: Rule) {
    add(
      .subscriberRun, subscriber, rule, joules: coreSeconds * profile.coreMilliwatts.value * 1e-3,
      seconds: coreSeconds)
  }

  /// Books the start of a process.
  mutating func addRelaunch(_ subscriber: String, rule: Rule) {
    add(.relaunch, subscriber, rule, joules: profile.relaunchJoules.value, seconds: 0)
  }

  /// Splits time among all who need the receiver; the last takes what rounding leaves, so the shares sum exactly.
  private mutating func share(_ component: Component, seconds: Double, milliwatts: Double) {
    let joules = seconds * milliwatts * 1e-3
    guard let last = users.last else {
      return add(component, Self.shared, .sharedReceiver, joules: joules, seconds: seconds)
    }
    let count = Double(users.count)
    for user in users.dropLast() {
      add(component, user.subscriber, user.rule, joules: joules / count, seconds: seconds / count)
    }
    add(
      component, last.subscriber, last.rule, joules: joules - joules / count * (count - 1),
      seconds: seconds - seconds / count * (count - 1))
  }

  private mutating func add(
    _ component: Component, _ subscriber: String, _ rule: Rule, joules: Double, seconds: Double
  ) {
    let order = (component.rawValue, subscriber, rule.rawValue)
    for (index, entry) in entries.enumerated() {
      let other = (entry.component.rawValue, entry.subscriber, entry.rule.rawValue)
      if other == order {
        entries[index].joules += joules
        entries[index].seconds += seconds
        return
      }
      if other > order {
        return entries.insert(
          Entry(component: component, subscriber: subscriber, rule: rule, joules: joules, seconds: seconds),
          at: index)
      }
    }
    entries.append(
      Entry(component: component, subscriber: subscriber, rule: rule, joules: joules, seconds: seconds))
  }
}
