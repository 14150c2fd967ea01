/// Section J: accessories, whose data wakes a suspended program.
extension BackgroundMode {
  /// Rule J1.
  public static let accessory = BackgroundMode(
    name: "accessory event", kind: "accessory", modes: .externalAccessory, trigger: .accessory)
}

extension Trigger {
  /// Rule J1.
  public static let accessory = Trigger(
    rule: .accessory, wakes: true, relaunches: false, afterForceQuit: .sessionClosed,
    beforeUnlock: .notRunning, budget: .short,
    waiting: .upTo(Policy.Configuration.Accessories().waitingLimit), isOfProcess: true)
}

/// A session with an accessory, for those who look.
public struct AccessoryView: Hashable, Sendable {
  /// What its program calls it.
  public var session: String
  /// Whether its device is there and open.
  public var isConnected: Bool
  /// What it was opened by.
  public var terms: AccessoryTerms
}

extension SubscriberView {
  /// Its sessions with accessories, in the order in which it opened them (rule J1).
  public var accessories: [AccessoryView] {
    (session.modes.accessories?.sessions ?? []).map {
      AccessoryView(session: $0.terms.session, isConnected: $0.isConnected, terms: $0.terms)
    }
  }
}

extension ModeMember {
  static let accessories = ModeMember(
    key: "accessories", title: "accessories", singular: "accessory",
    write: {
      $2.objects($1, $0.accessories) {
        $1.member("session", $0.session)
        $1.member("connected", $0.isConnected)
      }
    },
    unset: "waits",
    sentences: {
      $0.accessories.map {
        "session \($0.session) \($0.isConnected ? "is connected" : "waits for its device") (J1)"
      }
    })
}

extension ModePart {
  static let accessories = ModePart(
    deadline: { $1.modes.accessories?.sessions.compactMap(\.merged?.until).min() },
    fire: { $0.fireAccessories($1, in: &$3) },
    align: { policy, index, _ in
      guard !policy.sessions[index].state.isForeground else { return }
      let modes = policy.sessions[index].subscriber.modes
      policy.update(index) { $0.modes.accessories?.sessions.removeAll { !modes.contains($0.terms.mode) } }
    },
    endProcess: { $0.accessories?.endProcess(of: $1) })
}

extension Policy.Configuration {
  /// The numbers of section J.
  public struct Accessories: Hashable, Sendable, Codable, Blank {
    /// Open sessions of one subscriber, at most (rule J1).
    public var sessionLimit = 8
    /// Events that wait for one subscriber, at most (rule J1).
    public var waitingLimit = 256
    /// Wakes in a minute for one session, after which they are merged (rule J5).
    public var minuteLimit = 30
    /// Seconds from one wake for a session to the next while they are merged (rule J5).
    public var mergeSeconds = 2.0
    /// Requests to a service of this machine that wait while wakes are merged, at most (rule J5).
    public var requestLimit = 64

    public init() {}
  }
}

extension AccessoryTerms {
  /// The mode that keeps its session open in the background (rules J1 and J3).
  var mode: Subscriber.Modes {
    switch gatt {
    case nil: .externalAccessory
    case .central?: .bluetoothCentral
    case .peripheral?: .bluetoothPeripheral
    }
  }
}

/// The sessions with accessories of one subscriber.
struct AccessoryState: Hashable, Sendable, Codable {
  struct Session: Hashable, Sendable, Codable {
    var terms: AccessoryTerms
    /// Whether its device is there and open.
    var isConnected = false
    /// Whether it was closed for leaving the foreground or by a switch, and is opened again when that is over.
    var isPaused = false
    /// When it woke the program, of the last minute.
    var wakes: [EngineInstant] = []
    /// What waits for the next wake; nil where nothing does (rule J5).
    var merged: Merged?

    /// What the program has to be told of the connection, so that it knows that its state is `isConnected`: where it
    /// went and came meanwhile, both.
    func untoldChanges(to isConnected: Bool) -> [AccessoryRecord.Event] {
      let last: AccessoryRecord.Event = isConnected ? .connect : .disconnect
      guard merged?.wasConnected == isConnected else { return [last] }
      return [isConnected ? .disconnect : .connect, last]
    }

    /// When it may wake the program: where it has done so too often, not at once.
    func nextWake(at instant: EngineInstant, _ numbers: Policy.Configuration.Accessories) -> EngineInstant {
      guard let last = wakes.last, recentWakes(at: instant).count >= numbers.minuteLimit else {
        return instant
      }
      return max(instant, last.advanced(bySeconds: numbers.mergeSeconds))
    }

    /// It wakes the program.
    mutating func noteWake(at instant: EngineInstant) { wakes = recentWakes(at: instant) + [instant] }

    private func recentWakes(at instant: EngineInstant) -> [EngineInstant] {
      wakes.filter { $0.seconds(to: instant) < Self.minuteSeconds }
    }

    private static let minuteSeconds = 60.0
  }

  /// What came too soon after the wake before.
  struct Merged: Hashable, Sendable, Codable {
    var until: EngineInstant
    /// As it was told last.
    var bytes: Int?
    var lost: Int?
    /// What other devices asked for meanwhile, in order (rule J3); nil for data.
    var requests: [GattRequest]?
    /// Whether the program was last told that it is connected; nil where that has not changed since.
    var wasConnected: Bool?
    /// Whether there is data; nil where nothing else waits either.
    var hasData: Bool?
  }

  /// In the order in which they were opened.
  var sessions: [Session] = []
  /// Whether its program wants accessories (rule J2).
  var isWanted = true
  /// Whether the user lets it use accessories (rule J2).
  var isAllowed = true

  /// Whether the user does not let it use Bluetooth (rule J3a); nil where nobody has said.
  var isBluetoothDenied: Bool?

  /// Whether it uses accessories now.
  var isOn: Bool { isWanted && isAllowed }

  /// Why the switches or the user do not let it have a session now, or be told of one (rules J2 and J3); nil where they
  /// do. Its mode is not looked at.
  func objection(toBluetooth isBluetooth: Bool) -> (Rule, Decision.Reason)? {
    if !isOn { return (.accessorySwitch, .accessoryOff) }
    return isBluetooth && isBluetoothDenied == true ? (.bluetooth, .notPermitted) : nil
  }

  /// Whether a session goes on without the process of its program (rule J3).
  func outlivesProcess(_ session: Session, of subscriber: Subscriber) -> Bool {
    session.terms.kind == .gatt && isWanted && subscriber.modes.contains(session.terms.mode)
  }

  /// Forgets what ends with a process.
  mutating func endProcess(of subscriber: Subscriber) {
    sessions = sessions.filter { outlivesProcess($0, of: subscriber) }
    isWanted = true
  }

  /// An event of a session wakes or starts the program (rule J5). One that has to wait does not count.
  mutating func noteWake(by pending: LocationCore.Session.Pending, at instant: EngineInstant) {
    guard [.accessory, .bluetooth].contains(pending.trigger.row), let name = pending.session,
      let place = place(of: name)
    else { return }
    sessions[place].noteWake(at: instant)
  }

  /// A session of a name; nil where there is none.
  func session(_ name: String) -> Session? { sessions.first { $0.terms.session == name } }

  /// Where a session is; nil where there is none of that name.
  func place(of session: String) -> Int? { sessions.firstIndex { $0.terms.session == session } }
}

extension Session {
  /// Why it is not told of an accessory any more (rules J2 and J3); nil where it is, or runs: a process has what it was
  /// handed.
  func accessoryObjection(to trigger: Trigger) -> (Rule, Decision.Reason)? {
    guard [.accessory, .bluetooth].contains(trigger.row), !state.isRunning else { return nil }
    // That it lost the right a suspended one is told all the same.
    let isForbidden = trigger.wakes || state != .suspended
    return modes.accessories?.objection(toBluetooth: trigger.row == .bluetooth && isForbidden)
  }
}

// MARK: - What its program and the user say

extension Policy {
  /// Takes what a program says of its accessories, or the user or the machine does to them.
  mutating func take(_ event: AccessoryEvent, _ index: Int, in turn: inout PolicyTurn) {
    switch event {
    case .open(let terms): openAccessory(terms, index, in: &turn)
    case .close(let session): closeAccessory(session, index, in: &turn)
    case .want(let isWanted): wantAccessories(isWanted, index, in: &turn)
    case .allow(let isAllowed):
      switchAccessories(index, in: &turn) { $0.isAllowed = isAllowed }
    case .connected(let session): noteConnection(session, true, index, in: &turn)
    case .disconnected(let session): noteConnection(session, false, index, in: &turn)
    case .data(let session, let bytes, let lost):
      noteData(session, bytes: bytes, lost: lost, index, in: &turn)
    case .permitBluetooth(let isAllowed): permitBluetooth(isAllowed, index, in: &turn)
    case .request(let session, let request):
      noteRequest(request, of: session, index, in: &turn)
    case .publish(let session, let characteristic, let value):
      publish(value, of: characteristic, in: session, index, in: &turn)
    case .anew: renewBluetooth(index, in: &turn)
    }
  }

  /// Opens a session, unless its program may not (rules J1 to J4).
  private mutating func openAccessory(_ terms: AccessoryTerms, _ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    func refuse(_ rule: Rule, _ reason: Decision.Reason) {
      decide(.refuse, rule, reason, index, in: &turn)
    }
    var state = session.modes.accessories ?? AccessoryState()
    if let reason = session.state.refusal { return refuse(terms.rule, reason) }
    if session.state == .background, !session.subscriber.modes.contains(terms.mode) {
      return refuse(.accessoryMode, .noMode)
    }
    if let (rule, reason) = state.objection(toBluetooth: terms.kind == .gatt) { return refuse(rule, reason) }
    let open = state.place(of: terms.session)
    guard open != nil || state.sessions.count < configuration.accessories.sessionLimit else {
      return refuse(terms.rule, .tooManyAccessories)
    }
    if let place = open {
      // A program that was started again asks for what it has.
      if terms.kind == .gatt, state.sessions[place].terms == terms, !state.sessions[place].isPaused {
        return order(.open(terms), of: terms.session, index, in: &turn)
      }
      state.sessions.remove(at: place)
      order(.close, of: terms.session, index, in: &turn)
    }
    state.sessions.append(AccessoryState.Session(terms: terms))
    update(index) { $0.modes.accessories = state }
    order(.open(terms), of: terms.session, index, in: &turn)
  }

  /// Closes a session as its program wishes.
  private mutating func closeAccessory(_ session: String, _ index: Int, in turn: inout PolicyTurn) {
    guard let place = sessions[index].modes.accessories?.place(of: session) else {
      return refuseUnknownAccessory(session, index, in: &turn)
    }
    update(index) { _ = $0.modes.accessories?.sessions.remove(at: place) }
    order(.close, of: session, index, in: &turn)
  }

  /// Its program wants accessories, or no longer; what the user says wins (rule J2).
  private mutating func wantAccessories(_ isWanted: Bool, _ index: Int, in turn: inout PolicyTurn) {
    if isWanted, sessions[index].modes.accessories?.isAllowed == false {
      return decide(.refuse, .accessorySwitch, .accessoryOff, index, in: &turn)
    }
    switchAccessories(index, in: &turn) { $0.isWanted = isWanted }
  }

  /// Closes all sessions, or opens them again, as a switch says (rule J2).
  private mutating func switchAccessories(
    _ index: Int, in turn: inout PolicyTurn, _ change: (inout AccessoryState) -> Void
  ) {
    var state = sessions[index].modes.accessories ?? AccessoryState()
    let wasOn = state.isOn
    change(&state)
    update(index) { $0.modes.accessories = state }
    guard state.isOn != wasOn else { return }
    if !state.isOn, !state.sessions.isEmpty {
      decide(.drop, .accessorySwitch, .accessoryOff, index, in: &turn)
    }
    dropForbidden(index, in: &turn)
    alignAccessories(index, in: &turn)
  }
}

// MARK: - What the life cycle does to it

extension Policy {
  /// A program without the mode leaves the foreground: its sessions are closed (rule J4).
  mutating func leaveForegroundWithAccessories(_ index: Int, in turn: inout PolicyTurn) {
    let modes = sessions[index].subscriber.modes
    guard let state = sessions[index].modes.accessories,
      state.sessions.contains(where: { !modes.contains($0.terms.mode) })
    else { return }
    decide(.refuse, .accessoryMode, .noMode, index, in: &turn)
    alignAccessories(index, in: &turn)
  }

  /// The user has force-quit a program: its sessions have ended (rule J5).
  mutating func noteDropped(_ dropped: [AccessoryState.Session], _ index: Int, in turn: inout PolicyTurn) {
    for session in dropped {
      decide(.drop, .accessoryClosed, .forceQuit, index, in: &turn)
      // A process takes the others with it.
      if session.terms.kind == .gatt { order(.close, of: session.terms.session, index, in: &turn) }
    }
    drop(.accessoryClosed, .forceQuit, index, in: &turn) { $0.trigger.row == .bluetooth }
  }

  /// Closes the sessions that may not be open now, and opens again those that may.
  mutating func alignAccessories(_ index: Int, in turn: inout PolicyTurn) {
    guard let state = sessions[index].modes.accessories else { return }
    let isForeground = sessions[index].state.isForeground
    let modes = sessions[index].subscriber.modes
    for session in state.sessions {
      let isPermitted = state.objection(toBluetooth: session.terms.kind == .gatt) == nil
      let mayBeOpen = isPermitted && (isForeground || modes.contains(session.terms.mode))
      guard session.isPaused == mayBeOpen else { continue }
      if mayBeOpen {
        resumeAccessory(session.terms.session, index, in: &turn)
      } else {
        pauseAccessory(session.terms.session, index, in: &turn)
      }
    }
  }

  private mutating func pauseAccessory(_ name: String, _ index: Int, in turn: inout PolicyTurn) {
    guard let place = sessions[index].modes.accessories?.place(of: name),
      let session = sessions[index].modes.accessories?.sessions[place]
    else { return }
    update(index) {
      $0.modes.accessories?.sessions[place].isPaused = true
      $0.modes.accessories?.sessions[place].isConnected = false
      $0.modes.accessories?.sessions[place].merged = nil
    }
    // It wakes nobody. A suspended program hears it when it runs again, unless a switch stops that (rules J2 and J3a).
    let program = sessions[index]
    let isSuspended = program.state == .suspended && program.modes.accessories?.isOn == true
    let isNews =
      session.isConnected || session.merged?.wasConnected == true
      || isSuspended && program.outbox.contains { $0.session == name && $0.waits(of: .bluetooth) }
    if isNews, isSuspended || program.state.isRunning { report(name, .disconnect, index, in: &turn) }
    order(.close, of: session.terms.session, index, in: &turn)
  }

  private mutating func resumeAccessory(_ name: String, _ index: Int, in turn: inout PolicyTurn) {
    guard let place = sessions[index].modes.accessories?.place(of: name),
      let session = sessions[index].modes.accessories?.sessions[place]
    else { return }
    update(index) { $0.modes.accessories?.sessions[place].isPaused = false }
    // Before the first unlock it waits for that (rule J5).
    guard isUnlocked || session.terms.kind != .gatt else { return }
    order(.open(session.terms), of: session.terms.session, index, in: &turn)
  }
}

// MARK: - What the accessory does

extension Policy {
  /// The device of a session has come, or is gone (rule J1).
  private mutating func noteConnection(
    _ session: String, _ isConnected: Bool, _ index: Int, in turn: inout PolicyTurn
  ) {
    guard let place = sessions[index].modes.accessories?.place(of: session) else {
      return refuseUnknownAccessory(session, index, in: &turn)
    }
    // What was on its way when the session was closed is no news.
    guard let known = sessions[index].modes.accessories?.sessions[place], !known.isPaused,
      known.isConnected != isConnected
    else { return }
    let isRunning = sessions[index].state.isRunning
    let next = isRunning ? turn.instant : known.nextWake(at: turn.instant, configuration.accessories)
    guard next > turn.instant else {
      tellMerged(place, index, in: &turn)
      update(index) { $0.modes.accessories?.sessions[place].isConnected = isConnected }
      return report(session, isConnected ? .connect : .disconnect, index, in: &turn)
    }
    if known.merged == nil { decide(.coalesce, .overrun, .merged, index, in: &turn) }
    var merged = known.merged ?? AccessoryState.Merged(until: next)
    merged.wasConnected = merged.wasConnected ?? known.isConnected
    // The devices that made these requests are gone with the connection.
    if !isConnected { merged.requests = nil }
    update(index) {
      $0.modes.accessories?.sessions[place].isConnected = isConnected
      $0.modes.accessories?.sessions[place].merged = merged
    }
  }

  /// A session has something to read. While its program runs, the program sees that itself (rule J1). Of one that does
  /// not run, only sessions of Bluetooth are open (rule J3).
  private mutating func noteData(
    _ session: String, bytes: Int?, lost: Int?, _ index: Int, in turn: inout PolicyTurn
  ) {
    if !isUnlocked, sessions[index].modes.accessories?.session(session)?.terms.kind == .gatt {
      // It waits for the first unlock, as what it brings does (rule A8).
      noteConnection(session, true, index, in: &turn)
    }
    guard let place = sessions[index].modes.accessories?.place(of: session),
      let known = sessions[index].modes.accessories?.sessions[place], known.isConnected
    else { return refuseUnknownAccessory(session, index, in: &turn) }
    guard !sessions[index].state.isRunning else { return }
    let next = known.nextWake(at: turn.instant, configuration.accessories)
    guard next > turn.instant else {
      tellMerged(place, index, in: &turn)
      return report(session, .data, bytes: bytes, lost: lost, index, in: &turn)
    }
    if known.merged == nil { decide(.coalesce, .overrun, .merged, index, in: &turn) }
    update(index) {
      $0.modes.accessories?.sessions[place].merged = AccessoryState.Merged(
        until: next, bytes: bytes, lost: lost ?? known.merged?.lost, requests: known.merged?.requests,
        wasConnected: known.merged?.wasConnected, hasData: true)
    }
  }

  /// There is no such session, or no device of it. One that is not known is of Bluetooth where its program declares
  /// only that.
  private mutating func refuseUnknownAccessory(_ name: String, _ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    let known = session.modes.accessories?.session(name)?.terms.rule
    let isOfBluetooth =
      session.subscriber.declares(.bluetooth) && !session.subscriber.modes.contains(.externalAccessory)
    decide(.refuse, known ?? (isOfBluetooth ? .bluetooth : .accessory), .unknownAccessory, index, in: &turn)
  }

  /// Tells what was merged, once its time has come.
  mutating func fireAccessories(_ index: Int, in turn: inout PolicyTurn) {
    for (place, session) in (sessions[index].modes.accessories?.sessions ?? []).enumerated() {
      guard let merged = session.merged, merged.until <= turn.instant else { continue }
      tellMerged(place, index, in: &turn)
    }
  }

  /// Tells all that was merged for a session, in order. What comes when it need not be merged any more is told after
  /// that. Data the program has seen itself if it runs by now.
  mutating func tellMerged(_ place: Int, _ index: Int, in turn: inout PolicyTurn) {
    guard let session = sessions[index].modes.accessories?.sessions[place], let merged = session.merged else {
      return
    }
    let requests = merged.requests ?? []
    let changes = merged.wasConnected == nil ? [] : session.untoldChanges(to: session.isConnected)
    let isOfData = merged.hasData ?? (merged.wasConnected == nil && requests.isEmpty)
    let hasData = isOfData && !sessions[index].state.isRunning
    update(index) { $0.modes.accessories?.sessions[place].merged = nil }
    let name = session.terms.session
    // Data came while it was connected.
    let isDataFirst = merged.wasConnected != false
    func reportData() {
      guard hasData else { return }
      report(name, .data, bytes: merged.bytes, lost: merged.lost, index, in: &turn)
    }
    if isDataFirst { reportData() }
    for change in changes {
      report(name, change, index, in: &turn)
      if !isDataFirst, change == .connect { reportData() }
    }
    for request in requests { report(request, of: name, index, in: &turn) }
  }

  private func report(
    _ session: String, _ event: AccessoryRecord.Event, bytes: Int? = nil, lost: Int? = nil, _ index: Int,
    in turn: inout PolicyTurn
  ) {
    var record = AccessoryRecord(
      subscriber: sessions[index].subscriber.name, session: session, event: event, bytes: bytes)
    if let lost, lost > 0 { record.lost = lost }
    turn.steps.append(.attached(record))
  }

  func order(_ order: AccessoryOrder, of session: String, _ index: Int, in turn: inout PolicyTurn) {
    turn.order(.accessory(subscriber: sessions[index].subscriber.name, session: session, order))
  }

  /// Hands over, or keeps, what has its record. Of too many that wait, the oldest makes room.
  mutating func present(_ record: AccessoryRecord, event: Int, _ index: Int, in turn: inout PolicyTurn) {
    let state = sessions[index].modes.accessories
    let terms = state?.session(record.session)?.terms
    let isWithdrawn = record.event == .disconnect && state?.isBluetoothDenied == true
    let bluetooth: Trigger = isWithdrawn ? .bluetoothWithdrawn : .bluetooth
    let trigger: Trigger = terms?.kind == .gatt ? bluetooth : .accessory
    let waiting = sessions[index].outbox.filter { $0.trigger.row == trigger.row && !$0.isHanded }
    if waiting.count >= configuration.accessories.waitingLimit, let oldest = waiting.first {
      drop(trigger.rule, .outboxFull, index, in: &turn) { $0.event == oldest.event }
    }
    offer(
      event: event, trigger: trigger, session: record.session, reason: record.event.reason,
      to: index, in: &turn)
  }
}
