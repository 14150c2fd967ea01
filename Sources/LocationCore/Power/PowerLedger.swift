/// Where the energy went: time in each state and counted impulses, each with a component, a payer and the rule that
/// caused it (rules L1 and L2), priced by a profile (rule L3).
///
/// It is told only when a state changes; between two changes it costs nothing. Time in a state is the union over all
/// who need it, in whole microseconds, so shares sum exactly and no reading in between changes them.
public struct PowerLedger: Hashable, Sendable, Codable {
  /// A part that draws power.
  public typealias Component = PowerComponent
  /// What one payer spent in one component under one rule.
  public typealias Entry = PowerEntry

  /// What the receiver does.
  public enum Receiver: Hashable, Sendable, Codable {
    case off, acquiring
    /// With fixes, and nobody says how strong the signal is.
    case tracking
    case trackingWeak, trackingStrong
    /// With fixes, in its own power-save mode.
    case powerSaving
  }

  /// Who sends by the radio.
  private struct Sender: Hashable, Sendable, Codable {
    var user: ReceiverUser
    /// When its seconds are over, unless it sends more.
    var end: EngineInstant

    /// Whether it sends until it is told otherwise.
    var isOpen: Bool { end.microseconds == .max }
  }

  /// The payer of what nobody in particular caused.
  public static let shared = "shared"

  /// What the device draws.
  @Shared public var profile: PowerProfile
  /// Who pays for what several need at once.
  public let sharing: PowerSharing
  private var bill = PowerBill()
  private var receiver = ReceiverMachine()
  private var receiverLane = PowerLane()
  private var host = HostMachine()
  private var hostLane = PowerLane()
  /// Who keeps the machine awake beside those who need the receiver.
  private var running: [ReceiverUser] = []
  private var radio = RadioMachine()
  private var radioLane = PowerLane()
  /// Who sends; nil where nobody does. One may be in it for an open transfer and for what ends by itself.
  private var senders: [Sender]?
  private var motionLane = PowerLane()
  private var networkLane = PowerLane()
  /// Whether the network's location service is on; nil where it never was, and in the snapshots of older versions.
  private var isNetworkOn: Bool?
  /// Up to when everything is booked.
  private var settledAt: EngineInstant?

  /// A ledger in which nothing is booked.
  public init(profile: PowerProfile, sharing: PowerSharing = .equal) {
    self.init(Shared(wrappedValue: profile), sharing: sharing)
  }

  init(_ profile: Shared<PowerProfile>, sharing: PowerSharing = .equal) {
    _profile = profile
    self.sharing = sharing
  }

  /// Prices by a profile, to which others refer, from now on.
  mutating func share(_ profile: Shared<PowerProfile>) { _profile = profile }
}

// MARK: - What happens

extension PowerLedger {
  /// What the receiver does from `instant` on.
  @inline(__always)
  mutating func setReceiver(_ state: Receiver, at instant: EngineInstant) {
    if !isBooked(state) { ask(state.demand, at: instant) }
  }

  /// Whether a state of the receiver is what is booked already, so that to set it changes nothing.
  @inline(__always)
  func isBooked(_ state: Receiver) -> Bool {
    state == Receiver(receiver.demand) && settledAt != nil && isNetworkOn != true
  }

  private mutating func ask(_ demand: ReceiverMachine.Demand, at instant: EngineInstant) {
    settle(at: instant)
    if isNetworkOn != nil { isNetworkOn = false }
    receiver.ask(demand, at: instant, profile)
    refreshHost(at: instant)
  }

  /// A fix came from Wi-Fi networks and cells: their location service is on until the receiver's state is told again.
  ///
  /// A receiver that had fixes searches meanwhile; one that had none stays off. Where the profile states no power of the
  /// service, each fix is a scan for Wi-Fi networks and a reading of the cells in sight.
  mutating func noteNetworkFix(at instant: EngineInstant) {
    if receiver.demand != .off { ask(.acquiring, at: instant) } else { settle(at: instant) }
    if profile[.networkLocation].value > 0 {
      networkLane.setUsers(receiverLane.users, sharing, into: &bill)
      isNetworkOn = true
    } else {
      bill.add(1_000_000, .wifiScan, among: receiverLane.payers(sharing))
      bill.add(1_000_000, .cellRead, among: receiverLane.payers(sharing))
    }
  }

  /// Who needs the receiver from `instant` on, in the order of their names.
  mutating func setUsers(_ users: [ReceiverUser], at instant: EngineInstant) {
    guard users != receiverLane.users else { return }
    settle(at: instant)
    receiverLane.setUsers(users, sharing, into: &bill)
    if isNetworkOn == true { networkLane.setUsers(users, sharing, into: &bill) }
    refreshHost(at: instant)
  }

  /// Who runs in the background from `instant` on and so keeps the machine awake, in the order of their names.
  mutating func setRunning(_ users: [ReceiverUser], at instant: EngineInstant) {
    guard users != running else { return }
    settle(at: instant)
    running = users
    refreshHost(at: instant)
  }

  /// Who needs the motion sensor from `instant` on, in the order of their names.
  mutating func setMotionUsers(_ users: [ReceiverUser], at instant: EngineInstant) {
    guard users != motionLane.users else { return }
    settle(at: instant)
    motionLane.setUsers(users, sharing, into: &bill)
  }

  /// Books a transfer of so many kilobytes that takes so many seconds, and begins the radio's tail anew.
  mutating func addTransfer(
    _ subscriber: String, kilobytes: Double, seconds: Double = 0, rule: Rule, at instant: EngineInstant
  ) {
    settle(at: instant)
    let payer = ReceiverUser(subscriber: subscriber, rule: rule)
    var senders = senders ?? []
    bill.add(Int64(microsecondsIn: kilobytes), .radioKilobytes, payer)
    let own = senders.firstIndex { $0.user.subscriber == subscriber && !$0.isOpen }.map {
      senders.remove(at: $0)
    }
    if radio.transfer(seconds: seconds, at: instant, profile) { bill.add(1_000_000, .radioPromotion, payer) }
    let end = radio.sendingBegins(at: instant).advanced(bySeconds: seconds)
    senders.append(Sender(user: payer, end: own.map { max($0.end, end) } ?? end))
    setSenders(senders, trigger: payer)
  }

  /// Who sends or receives from `instant` on, until it is told otherwise, in the order of their names.
  mutating func setTransferring(_ users: [ReceiverUser], at instant: EngineInstant) {
    let before = (senders ?? []).filter(\.isOpen).map(\.user)
    guard users != before else { return }
    settle(at: instant)
    var senders = senders ?? []
    for place in senders.indices where senders[place].isOpen && !users.contains(senders[place].user) {
      senders[place].end = instant
    }
    let newcomers = users.filter { !before.contains($0) }
    let open = RadioMachine.openSeconds
    senders += newcomers.map { Sender(user: $0, end: instant.advanced(bySeconds: open)) }
    if let newcomer = newcomers.last, radio.transfer(seconds: open, at: instant, profile) {
      bill.add(1_000_000, .radioPromotion, newcomer)
    }
    if users.isEmpty, let last = senders.map(\.end).max() { radio.release(until: last) }
    setSenders(senders, trigger: newcomers.last)
  }

  private mutating func setSenders(_ senders: [Sender], trigger: ReceiverUser?) {
    radioLane.setUsers(Self.users(of: senders), trigger: trigger, sharing, into: &bill)
    self.senders = senders
  }

  /// Who sends, in the order of their names, each once however much of it is on its way.
  private static func users(of senders: [Sender]) -> [ReceiverUser] {
    var users: [ReceiverUser] = []
    for sender in senders.sorted(by: { $0.end > $1.end }) {
      guard !users.contains(where: { $0.subscriber == sender.user.subscriber }) else { continue }
      users.append(sender.user)
    }
    return users.sorted { $0.subscriber < $1.subscriber }
  }

  /// The ledger as it will be when nothing changes until `instant`.
  public func settled(at instant: EngineInstant) -> PowerLedger {
    var copy = self
    copy.settle(at: instant)
    return copy
  }

  /// Books the work a subscriber did for an event, in core seconds.
  mutating func addRun(_ subscriber: String, coreSeconds: Double, rule: Rule) {
    bill.add(Int64(microsecondsIn: coreSeconds), .run, ReceiverUser(subscriber: subscriber, rule: rule))
  }

  /// Books the start of a process.
  mutating func addRelaunch(_ subscriber: String, rule: Rule) {
    bill.add(1_000_000, .relaunch, ReceiverUser(subscriber: subscriber, rule: rule))
  }

  /// Begins a new bill at an instant. What runs then, runs on.
  mutating func beginBill(at instant: EngineInstant) {
    // Before the first event nothing runs.
    if settledAt != nil { settle(at: instant) }
    share()
    bill = PowerBill()
  }

  /// Books everything up to `instant`, each state until it ends.
  mutating func settle(at instant: EngineInstant) {
    guard var now = settledAt else {
      settledAt = instant
      return
    }
    guard instant > now else { return }
    while let due = nextDeadline, due <= instant {
      book(from: now, to: due)
      now = max(now, due)
      receiver.fire(at: due)
      host.fire(at: due)
      radio.fire(at: due, profile)
      endSending(at: due)
      refreshHost(at: due)
    }
    book(from: now, to: instant)
    settledAt = instant
  }

  /// When a state ends by itself.
  private var nextDeadline: EngineInstant? {
    let radioDeadline = EngineInstant.earlier(radio.deadline, senders?.map(\.end).min())
    return EngineInstant.earlier(receiver.deadline, EngineInstant.earlier(host.deadline, radioDeadline))
  }

  /// Whoever has sent needs the radio no longer. Who sends last pays for the tail.
  private mutating func endSending(at instant: EngineInstant) {
    guard let senders, senders.contains(where: { $0.end <= instant }) else { return }
    let left = senders.filter { $0.end > instant }
    self.senders = left.isEmpty ? nil : left
    if !left.isEmpty { radioLane.setUsers(Self.users(of: left), sharing, into: &bill) }
  }

  private mutating func book(from start: EngineInstant, to end: EngineInstant) {
    let microseconds = end.microseconds.saturatingSubtract(start.microseconds)
    guard microseconds > 0 else { return }
    receiverLane.add(microseconds, receiver.state.term)
    if let term = host.term { hostLane.add(microseconds, term) }
    if let term = radio.term { radioLane.add(microseconds, term) }
    if !motionLane.users.isEmpty { motionLane.add(microseconds, .motion) }
    if isNetworkOn == true { networkLane.add(microseconds, .networkLocation) }
  }

  /// The machine is awake for the receiver and for whoever runs.
  private mutating func refreshHost(at instant: EngineInstant) {
    let isReceiving = receiver.demand != .off
    var users = isReceiving ? receiverLane.users : []
    for user in running where !users.contains(where: { $0.subscriber == user.subscriber }) {
      users.insert(user, at: users.firstIndex { $0.subscriber > user.subscriber } ?? users.endIndex)
    }
    hostLane.setUsers(users, sharing, into: &bill)
    if host.need(isReceiving || !users.isEmpty, at: instant, _profile.wrappedValue) {
      bill.add(1_000_000, .wake, among: hostLane.payers(sharing))
    }
  }
}

extension PowerLedger.Receiver {
  /// What meets a demand: to compare states takes less than to compare demands.
  @inline(__always)
  fileprivate init(_ demand: ReceiverMachine.Demand) {
    switch demand {
    case .off: self = .off
    case .acquiring: self = .acquiring
    case .tracking(.unknown): self = .tracking
    case .tracking(.weak): self = .trackingWeak
    case .tracking(.strong): self = .trackingStrong
    case .powerSaving: self = .powerSaving
    }
  }

  fileprivate var demand: ReceiverMachine.Demand {
    switch self {
    case .off: .off
    case .acquiring: .acquiring
    case .tracking: .tracking(.unknown)
    case .trackingWeak: .tracking(.weak)
    case .trackingStrong: .tracking(.strong)
    case .powerSaving: .powerSaving
    }
  }
}

// MARK: - What it came to

extension PowerLedger {
  /// What was used up to the last change, without prices.
  public var use: PowerUse { settledBill.use }

  /// Seconds the receiver was on.
  public var receiverOnSeconds: Double { use.receiverOnSeconds }

  /// Sorted by component, subscriber and rule.
  public var entries: [Entry] {
    var entries: [Entry] = []
    for line in settledBill.lines {
      var use = PowerUse()
      use.add(line.millionths, line.term)
      let entry = Entry(
        component: line.term.component, subscriber: line.payer.subscriber, rule: line.payer.rule,
        joules: use.joules(line.term, under: profile), seconds: line.term.isTime ? use[line.term] : 0)
      if let same = entries.firstIndex(where: { $0.order == entry.order }) {
        entries[same].joules += entry.joules
        entries[same].seconds += entry.seconds
      } else {
        entries.insert(entry, at: entries.firstIndex { $0.order > entry.order } ?? entries.endIndex)
      }
    }
    return entries
  }

  /// Everything spent so far, joules; without the interval that holds it, which takes a thousand draws.
  public var joules: Double { use.joules(under: profile) }

  /// Everything spent so far, with the interval that holds it with 90 %.
  public var estimate: PowerBand { estimate(nil) }

  /// The same, with draws that were made before.
  package func estimate(_ draws: PowerDrawTable?) -> PowerBand { use.band(under: profile, draws: draws) }

  /// What the whole device took over `seconds`: what was spent here and the base it has anyway, in joules.
  public func deviceJoules(overSeconds seconds: Double) -> Double {
    use.deviceJoules(overSeconds: seconds, under: profile)
  }

  /// Seconds a search would take that began at `instant`.
  public func timeToFixSeconds(at instant: EngineInstant) -> Double {
    var later = self
    later.settle(at: instant)
    let parameter: PowerParameter =
      switch later.receiver.startKind(at: instant, profile) {
      case .cold: .timeToFixCold
      case .warm: .timeToFixWarm
      case .hot: .timeToFixHot
      case .aided: .timeToFixAided
      }
    return profile[parameter].value
  }

  /// What a search is expected to take that begins within `hotSeconds` of an instant, and later.
  var outlook: (hotSeconds: Double, hotTimeToFix: Double, laterTimeToFix: Double) {
    let hot = settledAt.map { receiver.hotSeconds(at: $0, profile) } ?? 0
    let later: PowerParameter = receiver.isAided ? .timeToFixAided : .timeToFixWarm
    return (hot, profile[.timeToFixHot].value, profile[later].value)
  }

  /// The bill with what is still open shared out.
  private var settledBill: PowerBill {
    var ledger = self
    ledger.share()
    return ledger.bill
  }

  private mutating func share() {
    receiverLane.share(sharing, into: &bill)
    hostLane.share(sharing, into: &bill)
    radioLane.share(sharing, into: &bill)
    motionLane.share(sharing, into: &bill)
    networkLane.share(sharing, into: &bill)
  }
}

extension PowerLedger.Entry {
  fileprivate var order: (String, String, String) { (component.rawValue, subscriber, rule.rawValue) }
}
