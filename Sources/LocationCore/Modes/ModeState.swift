/// What the background modes remember of one subscriber. Each mode's part is a type in the mode's own file; nil until
/// the mode is used, so that a mode nobody uses costs nothing. ``ModePart`` lists what is done with the parts.
struct ModeState: Hashable, Sendable, Codable, Blank {
  /// Section D.
  var notifications: NotificationBook?
  /// Rule E2.
  var keepAlive: KeepAliveState?
  /// The tags of the sockets that are watched for the process, in the order in which it passed them (rule E4).
  @Added var sockets: [String] = []
  /// Rule E5.
  var restart: RestartState?
  /// Section G.
  var fetch: FetchState?
  /// Section F.
  var audio: AudioState?
  /// Section H.
  var pushes: PushState?
  /// Section I.
  var transfers: TransferBook?
  /// Rule I5.
  var issues: IssueState?
  /// Section J.
  var accessories: AccessoryState?
  /// Rule K6.
  var advertised: AdvertisedServices?

  /// Whether any mode is used.
  var isUsed: Bool { self != ModeState() }

  /// Nobody was there for some seconds: what runs for the program ends as much later.
  mutating func giveBack(seconds: Double) {
    if let askedAt = fetch?.askedAt { fetch?.askedAt = askedAt.advanced(bySeconds: seconds) }
    if let startedAt = restart?.startedAt { restart?.startedAt = startedAt.advanced(bySeconds: seconds) }
    audio?.giveBack(seconds: seconds)
    transfers?.giveBack(seconds: seconds)
  }

  /// Forgets what ends with a process.
  mutating func endProcess(of subscriber: Subscriber) {
    for part in ModePart.all { part.endProcess?(&self, subscriber) }
  }
}

/// What a program says to a background mode, or the user or the machine does to one.
public enum ModeEvent: Hashable, Sendable, Codable {
  /// It schedules a notification (rule D1).
  case notify(LocalNotification)
  /// It cancels a notification (rule D4).
  case cancelNotification(id: String)
  /// It cancels all its notifications (rule D4).
  case cancelNotifications
  /// A notification, by the id of its record, has reached who shows it to the user.
  case presented(event: Int)
  /// The user opens a notification (rule D6).
  case openNotification(id: String)
  /// The user lets it show notifications, or no longer (rule D8).
  case permitNotifications(Bool)
  /// It asks to be called at least once in so many seconds, or no longer: 0 (rule E1).
  case keepAlive(seconds: Double)
  /// It passes a socket that is to be watched while it is suspended (rule E4).
  case tag(String)
  /// Something can be read of that socket: so many bytes, where they are known, and so many datagrams lost (rule E4).
  case traffic(tag: String, bytes: Int?, lost: Int?)
  /// It answers a good moment to fetch or a push, with the bytes it received and the processor time it used, in seconds,
  /// where they can be counted (rule G2).
  case fetched(FetchResult, bytes: Int?, coreSeconds: Double? = nil)
  /// Its audio (section F).
  case audio(AudioEvent)
  /// A push has come for it (rule H1).
  case push(Push)
  /// It asks for a transfer (rule I1).
  case transfer(TransferTerms)
  /// It, or the user, wants a transfer no longer.
  case cancelTransfer(number: Int)
  /// It has given what a server asked for (rule I2).
  case answerTransfer(number: Int)
  /// A server asks who wants a transfer (rule I2).
  case transferAsks(number: Int)
  /// A request of a transfer failed; it is to be tried again after so many seconds (rule I1).
  case transferBroke(number: Int, retrySeconds: Double)
  /// A transfer has ended, with the bytes that it carried and the seconds that it took.
  case transferEnded(number: Int, TransferOutcome, bytes: Int, seconds: Double)
  /// Its accessories (section J).
  case accessory(AccessoryEvent)
  /// It asks for a service of its own to be published on the network, at another port, or no longer (rule K6). Nil:
  /// there is nothing that publishes services. Earlier versions wrote that, because they published none.
  case advertise(AdvertisedService?)
  /// Suspended, it was found to listen at a port, by a socket that is not watched (rule K6).
  case listens
}

/// A time at any point of which something may be done: at its beginning where the machine is awake for something else,
/// else at its end.
struct Window: Hashable, Sendable {
  var earliest: EngineInstant
  var latest: EngineInstant

  /// When it is looked at next.
  ///
  /// - Parameter awakeSince: since when the machine is awake for something else; nil where it is not.
  func deadline(awakeSince: EngineInstant?) -> EngineInstant {
    awakeSince.map { min(latest, max(earliest, $0)) } ?? latest
  }

  /// Whether it may be done now.
  func isOpen(at instant: EngineInstant, isAwake: Bool) -> Bool {
    latest <= instant || isAwake && earliest <= instant
  }
}

// MARK: - Deadlines

extension Policy {
  /// Whether a subscriber runs code, and so keeps the machine awake.
  var isAwake: Bool { sessions.contains { $0.state.isRunning } }

  /// Notes that the machine is awake from now on.
  mutating func noteAwake(at instant: EngineInstant) {
    if awakeSince == nil { awakeSince = instant }
  }

  /// When the modes of a subscriber have something due.
  func modeDeadline(_ session: Session) -> EngineInstant? {
    // As in `fireModes`: what is not fired is not due.
    guard session.modes.isUsed else { return nil }
    return ModePart.all.reduce(nil) { EngineInstant.earlier($0, $1.deadline?(self, session)) }
  }

  /// When a window is looked at next.
  func deadline(of window: Window?) -> EngineInstant? { window?.deadline(awakeSince: awakeSince) }

  /// Does what is due of the modes. What wakes the machine takes along what may be done early (rules D3, E2, G1).
  ///
  /// - Parameter isAwake: whether the machine is known to be awake for something else.
  mutating func fireModes(
    isAwake isAwakeAnyway: Bool, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    guard sessions.contains(where: \.modes.isUsed) else { return }
    var isAwake = isAwakeAnyway || self.isAwake
    while true {
      let count = steps.count
      for index in sessions.indices {
        for part in ModePart.all { part.fire?(&self, index, isAwake, instant, &steps) }
      }
      fireFetch(isAwake: isAwake, at: instant, into: &steps)
      guard !isAwake, steps.count > count else { break }
      isAwake = true
    }
    refreshDeadline()
  }
}

// MARK: - What a program says

extension Policy {
  /// Takes what a program says to a mode, or the user does to one.
  mutating func take(
    _ event: ModeEvent, _ index: Int, isKnownRegion: Bool, at instant: EngineInstant,
    into steps: inout [PolicyStep]
  ) {
    switch event {
    case .notify(let notification):
      schedule(notification, index, isKnownRegion: isKnownRegion, at: instant, into: &steps)
    case .cancelNotification(let id): cancelNotification(id, index, at: instant, into: &steps)
    case .cancelNotifications: update(index) { $0.modes.notifications?.cancelAll() }
    case .presented(let event): update(index) { $0.modes.notifications?.notePresented(event) }
    case .openNotification(let id): openNotification(id, index, at: instant, into: &steps)
    case .permitNotifications(let isAllowed): permitNotifications(isAllowed, index)
    case .keepAlive(let seconds): keepAlive(seconds: seconds, index, at: instant, into: &steps)
    case .tag(let tag): tagSocket(tag, index, at: instant, into: &steps)
    case .traffic(let tag, let bytes, let lost):
      noteTraffic(tag, bytes: bytes, lost: lost, index, at: instant, into: &steps)
    case .fetched(let result, let bytes, _):
      answerFetch(result, bytes: bytes, index, at: instant, into: &steps)
    case .audio(let event): take(event, index, at: instant, into: &steps)
    case .push(let push): take(push, index, at: instant, into: &steps)
    case .transfer(let terms): transfer(terms, index, at: instant, into: &steps)
    case .cancelTransfer(let number): cancelTransfer(number, index, at: instant, into: &steps)
    case .answerTransfer(let number): answerTransfer(number, index, at: instant, into: &steps)
    case .transferAsks(let number): askForTransfer(number, index, at: instant, into: &steps)
    case .transferBroke(let number, let seconds):
      waitWithTransfer(number, seconds: seconds, index, at: instant)
    case .transferEnded(let number, let outcome, let bytes, let seconds):
      endTransfer(
        number, outcome, bytes: bytes, seconds: seconds, index, at: instant, into: &steps)
    case .accessory(let event): take(event, index, at: instant, into: &steps)
    case .listens:
      // One that was woken meanwhile answers.
      guard sessions[index].state == .suspended else { return }
      decide(.warn, .advertisedService, .listening, index, at: instant, into: &steps)
    case .advertise(let service): advertise(service, index, at: instant, into: &steps)
    }
  }

  /// A program could not be called after all.
  mutating func abandon(_ call: ModeCall, _ index: Int, at instant: EngineInstant) {
    switch call.kind {
    case .fetch: abandonFetch(index)
    case .keepAlive: concludeKeepAlive(index, at: instant)
    case .traffic, .boot, .restart, .audio, .issue: break
    }
  }

  /// Begins or forgets what a manifest has the modes for, or no longer.
  mutating func alignModes(_ index: Int, at instant: EngineInstant) {
    for part in ModePart.all { part.align?(&self, index, instant) }
  }

  /// Changes a subscriber whose manifest has not the mode.
  mutating func update(_ index: Int, without mode: Subscriber.Modes, _ body: (inout Session) -> Void) {
    if !sessions[index].subscriber.modes.contains(mode) { update(index, body) }
  }

  /// A program is about to be suspended, or its process has ended or is about to: what the modes make of it.
  mutating func endModes(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    for part in ModePart.all { part.end?(&self, index, instant, &steps) }
  }
}
