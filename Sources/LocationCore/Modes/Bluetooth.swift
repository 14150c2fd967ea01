/// Rule J3: Bluetooth, through sessions of the kind `gatt`. They outlive the process of their program: what happens to
/// one also relaunches the program, which finds them open (state preservation).
extension BackgroundMode {
  /// Rule J3.
  public static let bluetooth = BackgroundMode(
    name: "Bluetooth event", kind: "bluetooth", modes: [.bluetoothCentral, .bluetoothPeripheral],
    trigger: .bluetooth)
}

extension Trigger {
  /// Rule J3.
  public static let bluetooth = Trigger(
    rule: .bluetooth, wakes: true, relaunches: true, afterForceQuit: .sessionClosed, budget: .short,
    waiting: .upTo(Policy.Configuration.Accessories().waitingLimit))

  /// Rule J3a: the user has taken Bluetooth from a program, which is told of the disconnect and not woken for it.
  public static let bluetoothWithdrawn = {
    var trigger = bluetooth
    trigger.wakes = false
    trigger.relaunches = false
    return trigger
  }()
}

// MARK: - What the user and the life cycle do to it

extension Policy {
  /// The user lets a program use Bluetooth, or no longer: that is as a disconnect that wakes nobody (rule J3a).
  mutating func permitBluetooth(_ isAllowed: Bool, _ index: Int, in turn: inout PolicyTurn) {
    var state = sessions[index].modes.accessories ?? AccessoryState()
    guard (state.isBluetoothDenied == true) == isAllowed else { return }
    state.isBluetoothDenied = !isAllowed
    update(index) { $0.modes.accessories = state }
    if !isAllowed, state.sessions.contains(where: { $0.terms.kind == .gatt && !$0.isPaused }) {
      decide(.drop, .bluetooth, .notPermitted, index, in: &turn)
    }
    // First, while it is known what waits to be told.
    alignAccessories(index, in: &turn)
    dropForbidden(index, in: &turn)
  }

  /// The process of a program ends, and with it the sessions that are not kept: of those of Bluetooth the daemon has to
  /// be told.
  mutating func closeAccessoriesOfProcess(_ index: Int, in turn: inout PolicyTurn) {
    guard let state = sessions[index].modes.accessories else { return }
    for session in state.sessions
    where session.terms.kind == .gatt && !state.outlivesProcess(session, of: sessions[index].subscriber) {
      order(.close, of: session.terms.session, index, in: &turn)
    }
  }

  /// The process of a program without the mode ends. The next process is not handed what waits of its sessions (rule
  /// J4).
  mutating func dropUndeclaredBluetooth(_ index: Int, in turn: inout PolicyTurn) {
    guard !sessions[index].subscriber.declares(.bluetooth) else { return }
    drop(.accessoryMode, .noMode, index, in: &turn) { $0.trigger.row == .bluetooth }
  }

  /// The machine has booted: connections are asked for again, at once or with the first unlock (rule J5).
  mutating func reopenBluetooth(_ index: Int, in turn: inout PolicyTurn) {
    loseBluetooth(index)
    openBluetooth(index, in: &turn)
  }

  /// The machine may be unlocked for the first time since it has booted: connections are asked for again (rule J5).
  mutating func openBluetooth(_ index: Int, in turn: inout PolicyTurn) {
    guard isUnlocked else { return }
    for session in sessions[index].modes.accessories?.sessions ?? []
    where session.terms.kind == .gatt && !session.isPaused {
      order(.open(session.terms), of: session.terms.session, index, in: &turn)
    }
  }

  /// Who held the sessions is gone: they are asked for anew.
  mutating func renewBluetooth(_ index: Int, in turn: inout PolicyTurn) {
    for session in sessions[index].modes.accessories?.sessions ?? [] where session.terms.kind == .gatt {
      order(.close, of: session.terms.session, index, in: &turn)
    }
    reopenBluetooth(index, in: &turn)
  }

  private mutating func loseBluetooth(_ index: Int) {
    for (place, session) in (sessions[index].modes.accessories?.sessions ?? []).enumerated()
    where session.terms.kind == .gatt {
      update(index) {
        $0.modes.accessories?.sessions[place].isConnected = false
        $0.modes.accessories?.sessions[place].merged = nil
      }
    }
  }
}

// MARK: - Services of this machine

extension Policy {
  /// Another device asks for something: that wakes or relaunches. While wakes are merged it waits with the others.
  mutating func noteRequest(
    _ request: GattRequest, of name: String, _ index: Int, in turn: inout PolicyTurn
  ) {
    guard let place = sessions[index].modes.accessories?.place(of: name),
      var known = sessions[index].modes.accessories?.sessions[place], known.isConnected
    else { return decide(.refuse, .bluetooth, .unknownAccessory, index, in: &turn) }
    let isRunning = sessions[index].state.isRunning
    let next = isRunning ? turn.instant : known.nextWake(at: turn.instant, configuration.accessories)
    guard next > turn.instant else {
      tellMerged(place, index, in: &turn)
      return report(request, of: name, index, in: &turn)
    }
    if known.merged == nil { decide(.coalesce, .overrun, .merged, index, in: &turn) }
    var merged = known.merged ?? AccessoryState.Merged(until: next)
    var requests = merged.requests ?? []
    guard requests.count < configuration.accessories.requestLimit else {
      return decide(.drop, .bluetooth, .outboxFull, index, in: &turn)
    }
    requests.append(request)
    merged.requests = requests
    known.merged = merged
    update(index) { $0.modes.accessories?.sessions[place] = known }
  }

  /// Tells a program what another device asks for.
  func report(_ request: GattRequest, of name: String, _ index: Int, in turn: inout PolicyTurn) {
    let event: AccessoryRecord.Event =
      switch request.kind {
      case .read: .read
      case .write: .write
      case .subscribe: .subscribe
      case .unsubscribe: .unsubscribe
      }
    var record = AccessoryRecord(subscriber: sessions[index].subscriber.name, session: name, event: event)
    record.request = request
    turn.steps.append(.attached(record))
  }

  /// A program gives the value of a characteristic of its service.
  mutating func publish(
    _ value: String, of characteristic: String, in name: String, _ index: Int, in turn: inout PolicyTurn
  ) {
    guard let place = sessions[index].modes.accessories?.place(of: name),
      case .peripheral(var service)? = sessions[index].modes.accessories?.sessions[place].terms.gatt,
      let which = service.characteristics.firstIndex(where: { $0.uuid == characteristic })
    else { return decide(.refuse, .bluetooth, .unknownAccessory, index, in: &turn) }
    // Where reads are the program's own to answer they stay so.
    if service.characteristics[which].value != nil {
      service.characteristics[which].value = value
      let terms = GattTerms.peripheral(service)
      update(index) { $0.modes.accessories?.sessions[place].terms.gatt = terms }
    }
    order(.publish(characteristic: characteristic, value: value), of: name, index, in: &turn)
  }
}
