/// What the background modes remember of one subscriber. Each mode's part is a type in the mode's own file; nil until
/// the mode is used, so that a mode nobody uses costs nothing. ``ModePart`` says what is done with a part.
///
/// This file has everything in which the modes are listed.
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
}

extension Subscriber.Modes {
  /// Standard updates also while suspended (rule B3).
  public static let location = Self(rawValue: 1)
  /// Audio that goes on in the background (section F).
  public static let audio = Self(rawValue: 1 << 1)
  /// Keep-alive wakes and held sockets (section E).
  public static let voip = Self(rawValue: 1 << 2)
  /// Good moments to fetch (section G).
  public static let fetch = Self(rawValue: 1 << 3)
  /// Pushes that wake (section H).
  public static let remoteNotification = Self(rawValue: 1 << 4)
  /// Issues of a periodical (rule I5).
  public static let newsstandContent = Self(rawValue: 1 << 5)
  /// Accessories on a wire (rule J1).
  public static let externalAccessory = Self(rawValue: 1 << 6)
  /// Bluetooth in the role of a central (rule J3).
  public static let bluetoothCentral = Self(rawValue: 1 << 7)
  /// Bluetooth in the role of a peripheral (rule J3).
  public static let bluetoothPeripheral = Self(rawValue: 1 << 8)

  /// Every mode by its name in a manifest, in the order of the documents.
  public static let names: [(name: String, mode: Self)] = [
    ("location", .location), ("audio", .audio), ("voip", .voip), ("fetch", .fetch),
    ("remote-notification", .remoteNotification), ("newsstand-content", .newsstandContent),
    ("external-accessory", .externalAccessory), ("bluetooth-central", .bluetoothCentral),
    ("bluetooth-peripheral", .bluetoothPeripheral),
  ]
}

extension BackgroundMode {
  /// Every row there is, in the order of the documents.
  public static let all: [BackgroundMode] = [
    .significantChange, .region, .visit, .standard, .backgroundLocation,
    .notificationDue, .notificationOpened, .keepAlive, .traffic, .restart, .remoteControl, .fetch,
    .push, .transferResult, .transferSession, .issue, .accessory, .bluetooth,
  ]
}

extension ModePart {
  /// Every part, in the order in which they are fired.
  static let all: [ModePart] = [
    .restart, .notifications, .keepAlive, .sockets, .pushes, .transfers, .issues, .accessories, .audio,
    .advertised, .fetch,
  ]
}

extension ModeMember {
  /// Every row there is, in the order in which they are shown.
  package static let all: [ModeMember] = [
    .fetch, .keepAlive, .sockets, .audio, .accessories, .advertised, .transfers, .issue, .denied,
  ]

  /// What the user does not let a subscriber use, of all modes.
  static let denied = ModeMember(
    key: "denied", title: "denied", write: { $2.member($1, $0.denied) },
    sentences: { $0.denied.isEmpty ? [] : ["by the user: \($0.denied.joined(separator: ", "))"] })
}

extension SubscriberView {
  /// What the user does not let it use, by the names of the commands that change it.
  fileprivate var denied: [String] {
    let modes = session.modes
    let answers = [
      ("notifications", modes.notifications?.isAllowed), ("microphone", modes.audio?.mayRecord),
      ("accessory", modes.accessories?.isAllowed),
      ("bluetooth", modes.accessories?.isBluetoothDenied.map { !$0 }),
    ]
    return answers.filter { $0.1 == false }.map(\.0)
  }
}

extension ModeCall.Kind {
  /// The row of facts by which the policy decides.
  var trigger: Trigger {
    switch self {
    case .keepAlive: .keepAlive
    case .traffic: .traffic
    case .boot, .restart: .restart
    case .audio: .remoteControl
    case .fetch: .goodMoment
    case .issue: .issueWanted
    }
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
  /// A transfer has ended, with the bytes that it carried, where they are known.
  case transferEnded(number: Int, TransferOutcome, bytes: Int?)
  /// Its accessories (section J).
  case accessory(AccessoryEvent)
  /// It asks for a service of its own to be published on the network, at another port, or no longer (rule K6). Nil:
  /// there is nothing that publishes services. Earlier versions wrote that, because they published none.
  case advertise(AdvertisedService?)
  /// Suspended, it was found to listen at a port, by a socket that is not watched (rule K6).
  case listens
}

extension Policy {
  /// Takes what a program says to a mode, or the user does to one.
  ///
  /// - Parameter regionObjection: why a notification can't wait for its region; nil where it can, or waits for none.
  mutating func take(
    _ event: ModeEvent, _ index: Int, regionObjection: Decision.Reason?, in turn: inout PolicyTurn
  ) {
    switch event {
    case .notify(let notification):
      schedule(notification, index, regionObjection: regionObjection, in: &turn)
    case .cancelNotification(let id): cancelNotification(id, index, in: &turn)
    case .cancelNotifications: update(index) { $0.modes.notifications?.cancelAll() }
    case .presented(let event): update(index) { $0.modes.notifications?.notePresented(event) }
    case .openNotification(let id): openNotification(id, index, in: &turn)
    case .permitNotifications(let isAllowed):
      permitNotifications(isAllowed, index, in: &turn)
    case .keepAlive(let seconds): keepAlive(seconds: seconds, index, in: &turn)
    case .tag(let tag): tagSocket(tag, index, in: &turn)
    case .traffic(let tag, let bytes, let lost):
      noteTraffic(tag, bytes: bytes, lost: lost, index, in: &turn)
    case .fetched(let result, let bytes, _):
      answerFetch(result, bytes: bytes, index, in: &turn)
    case .audio(let event): take(event, index, in: &turn)
    case .push(let push): take(push, index, in: &turn)
    case .transfer(let terms): transfer(terms, index, in: &turn)
    case .cancelTransfer(let number): cancelTransfer(number, index, in: &turn)
    case .answerTransfer(let number): answerTransfer(number, index, in: &turn)
    case .transferAsks(let number): askForTransfer(number, index, in: &turn)
    case .transferBroke(let number, let seconds):
      waitWithTransfer(number, seconds: seconds, index, at: turn.instant)
    case .transferEnded(let number, let outcome, let bytes):
      endTransfer(number, outcome, bytes: bytes, index, in: &turn)
    case .accessory(let event): take(event, index, in: &turn)
    case .listens:
      // One that was woken meanwhile answers.
      guard sessions[index].state == .suspended else { return }
      decide(.warn, .advertisedService, .listening, index, in: &turn)
    case .advertise(let service): advertise(service, index, in: &turn)
    }
  }

  /// A program could not be called after all.
  mutating func abandon(_ call: ModeCall, _ index: Int, at instant: EngineInstant) {
    switch call.kind {
    // The moment is as if it had not been.
    case .fetch: update(index) { $0.modes.fetch?.askedAt = nil }
    case .keepAlive: concludeKeepAlive(index, at: instant)
    case .traffic, .boot, .restart, .audio, .issue: break
    }
  }
}

extension Session {
  /// Whether it acknowledges, ends or cancels something by an event.
  func givesBack(by event: ModeEvent) -> Bool {
    switch event {
    case .cancelNotification(let id): modes.notifications?.schedules(id) ?? false
    case .keepAlive(let seconds): seconds == 0 && modes.keepAlive != nil
    case .fetched:
      outbox.contains { $0.isHanded && [.goodMoment, .push].contains($0.trigger.row) }
    case .audio(.end(let token)):
      modes.audio?.sessions.contains { token == nil || $0.token == token } ?? false
    case .cancelTransfer(let number): modes.transfers?.entries.contains { $0.number == number } ?? false
    case .answerTransfer(let number):
      modes.transfers?.entries.contains { $0.number == number && $0.answerBy != nil } ?? false
    case .accessory(.close(let session)): modes.accessories?.place(of: session) != nil
    case .accessory(.want(let isWanted)): !isWanted && modes.accessories?.isOn == true
    case .advertise(let service):
      service?.port == 0 && modes.advertised?.services.contains { $0.type == service?.type } == true
    case .notify, .cancelNotifications, .presented, .openNotification, .permitNotifications, .tag, .traffic,
      .audio, .push, .transfer, .transferAsks, .transferBroke, .transferEnded, .accessory, .listens:
      false
    }
  }
}
