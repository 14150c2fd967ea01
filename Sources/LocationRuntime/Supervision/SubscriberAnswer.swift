package import LocationCore
import LocationFormats

/// One thing a program says, by the protocol of `Docs/Subscribers.md`.
package enum SubscriberAnswer: Hashable, Sendable {
  /// It is done with an event.
  case acknowledge(event: Int)
  /// It is done with everything it was handed.
  case done
  case beginTask(name: String)
  case endTask(token: Int)
  /// It asks for a text to be kept for its next process (rule A11).
  case preserve(text: String)
  /// It asks for one fix, and waits for it so many seconds.
  case locate(seconds: Double)
  case request(SubscriberRequest)
  /// It passes a socket that is to be watched (rule E4), which comes beside the line.
  case tag(String)
  /// It says something to a background mode.
  case mode(ModeEvent)
  /// It says which subscriber it is: on a socket, and there first.
  case register(Registration)
  /// It says something that has none of the keys; the first that it has.
  case unknown(String)

  /// What a line says. Exactly one of the keys of an answer must be in it; others are passed over. One whose value is
  /// none that this version knows, and a second one, make it ``SubscriberRequest/invalid(_:)``. Nil where the line is no
  /// JSON object, or an empty one.
  package init?(line: [UInt8]) {
    // What is to be refused, as far as it is read.
    var refused: SubscriberAnswer?
    do throws(JSONError) {
      guard let answer = try Self.answer(in: line, refusing: &refused) ?? refused else { return nil }
      self = answer
    } catch {
      guard error.kind == .content, let refused else { return nil }
      self = refused
    }
  }

  /// The answer in a line; nil where it is none.
  private static func answer(
    in line: [UInt8], refusing refused: inout SubscriberAnswer?
  ) throws(JSONError) -> SubscriberAnswer? {
    var reader = JSONReader(line)
    var found: SubscriberAnswer?
    var signal: Registration.Signal?
    var credentials: [Key: String] = [:]
    try reader.openObject()
    while let key = try reader.nextKey() {
      let text = reader.decoded(key)
      guard let word = Key(rawValue: text) else {
        if refused == nil, text.utf8.count <= SupervisorLimits.nameBytes { refused = .unknown(text) }
        try reader.skip()
        continue
      }
      refused = .request(.invalid(text))
      if word == .signal {
        guard let known = Registration.Signal(rawValue: try reader.string()) else { return nil }
        signal = known
        continue
      }
      if word == .user || word == .password {
        credentials[word] = try reader.string()
        continue
      }
      guard found == nil, let answer = try read(word, from: &reader) else { return nil }
      found = answer
    }
    try reader.end()
    if case .register(let registration) = found {
      return .register(Registration(name: registration.name, signal: signal))
    }
    if case .request(.answer(let answer)) = found {
      return .request(
        .answer(
          TransferAnswer(number: answer.number, user: credentials[.user], password: credentials[.password])))
    }
    return found
  }

  /// Whether it asks for a text to be kept, be it too long: its line may be longer than others.
  var isPreservation: Bool {
    switch self {
    case .preserve, .request(.invalid(Key.preserve.rawValue)): true
    case .acknowledge, .done, .beginTask, .endTask, .locate, .request, .tag, .mode, .register, .unknown: false
    }
  }

  /// What a program says a thing by, and is refused it by.
  enum Key: String, CaseIterable {
    case ack
    case done
    case beginTask = "begin_task"
    case endTask = "end_task"
    case locate
    case start
    case stop
    case stateOf = "state_of"
    case remaining
    case register
    case signal
    case preserve
    case notify
    case cancelNotification = "cancel_notification"
    case cancelNotifications = "cancel_notifications"
    case notifications
    case fetched
    case keepAlive = "keep_alive_s"
    case tag
    case beginAudio = "begin_audio"
    case endAudio = "end_audio"
    case pushToken = "push_token"
    case transfer, session, answer, user, password
    case cancelTransfer = "cancel_transfer"
    case openAccessory = "open_accessory"
    case closeAccessory = "close_accessory"
    case accessoryEvents = "accessory_events"
    case setGatt = "set_gatt"
    case answerGatt = "answer_gatt"
    case advertise

    /// That a program says it in a way that is none.
    var invalid: SubscriberAnswer { .request(.invalid(rawValue)) }
  }

  private static func read(_ key: Key, from reader: inout JSONReader) throws(JSONError) -> SubscriberAnswer? {
    switch key {
    case .ack: try wholeNumber(&reader).map { .acknowledge(event: $0) }
    case .done: try reader.boolean() ? .done : nil
    case .beginTask: try name(&reader).map { .beginTask(name: $0) }
    case .endTask: try wholeNumber(&reader).map { .endTask(token: $0) }
    case .locate: try seconds(&reader).map { .locate(seconds: $0) }
    case .start: try service(&reader).map { .request(.start($0)) }
    case .stop: try service(&reader).map { .request(.stop($0)) }
    case .stateOf: try name(&reader).map { .request(.stateOf(region: $0)) }
    case .remaining: try reader.boolean() ? .request(.remaining) : nil
    case .register: try name(&reader).map { .register(Registration(name: $0)) }
    case .preserve:
      try preserved(&reader).map { SubscriberAnswer.preserve(text: $0) } ?? key.invalid
    case .notify:
      try NotificationAnswer.read(from: &reader).map { SubscriberAnswer.mode(.notify($0)) } ?? key.invalid
    case .cancelNotification: try name(&reader).map { .mode(.cancelNotification(id: $0)) }
    case .cancelNotifications: try reader.boolean() ? .mode(.cancelNotifications) : nil
    case .notifications: try reader.boolean() ? .request(.notifications) : nil
    case .fetched:
      FetchResult(rawValue: try reader.string()).map { SubscriberAnswer.mode(.fetched($0, bytes: nil)) }
        ?? key.invalid
    case .tag: try name(&reader).map { .tag($0) }
    case .keepAlive: .mode(.keepAlive(seconds: try reader.number()))
    case .beginAudio:
      try AudioAnswer.read(from: &reader).map { SubscriberAnswer.mode(.audio($0)) } ?? key.invalid
    case .endAudio: try wholeNumber(&reader).map { .mode(.audio(.end(token: $0))) }
    case .transfer:
      try TransferRequest.read(from: &reader).map { SubscriberAnswer.request(.transfer($0)) } ?? key.invalid
    case .session: try name(&reader).map { .request(.session($0)) }
    case .answer: try wholeNumber(&reader).map { .request(.answer(TransferAnswer(number: $0))) }
    case .cancelTransfer: try wholeNumber(&reader).map { .mode(.cancelTransfer(number: $0)) }
    case .openAccessory:
      try AccessoryAnswer.read(from: &reader).map { SubscriberAnswer.mode(.accessory($0)) } ?? key.invalid
    case .closeAccessory: try name(&reader).map { .mode(.accessory(.close(session: $0))) }
    case .accessoryEvents: .mode(.accessory(.want(try reader.boolean())))
    case .setGatt:
      try AccessoryAnswer.value(from: &reader).map { SubscriberAnswer.mode(.accessory($0)) } ?? key.invalid
    case .answerGatt:
      try AccessoryAnswer.answer(from: &reader).map { SubscriberAnswer.request(.gatt($0)) } ?? key.invalid
    case .advertise:
      try advertised(&reader).map { SubscriberAnswer.mode(.advertise($0)) } ?? key.invalid
    case .signal, .user, .password: nil
    case .pushToken: try reader.boolean() ? .request(.pushToken) : nil
    }
  }

  private static func advertised(_ reader: inout JSONReader) throws(JSONError) -> AdvertisedService? {
    let tree = try JSONTree(&reader)
    guard tree.hasOnly(["type", "port"]), let type = tree["type"]?.string, let port = tree["port"]?.integer
    else { return nil }
    return AdvertisedService(type: type, port: port)
  }

  private static func wholeNumber(_ reader: inout JSONReader) throws(JSONError) -> Int? {
    let number = try reader.number()
    guard number >= 0, number <= largestExact else { return nil }
    let whole = Int(number)
    return Double(whole) == number ? whole : nil
  }

  private static func seconds(_ reader: inout JSONReader) throws(JSONError) -> Double? {
    let number = try reader.number()
    return number >= 0 && number <= longestWaitSeconds ? number : nil
  }

  /// Nobody waits longer than an hour for one fix.
  private static let longestWaitSeconds = 3600.0

  /// 2^53: up to here a double is every whole number (RFC 8259, section 6).
  private static let largestExact = 9_007_199_254_740_992.0

  private static func name(_ reader: inout JSONReader) throws(JSONError) -> String? {
    let text = try reader.string()
    return text.utf8.count <= SupervisorLimits.nameBytes && !text.isEmpty ? text : nil
  }

  private static func preserved(_ reader: inout JSONReader) throws(JSONError) -> String? {
    let text = try reader.string()
    return text.utf8.count <= Limits.preservedBytes ? text : nil
  }

  private static func service(_ reader: inout JSONReader) throws(JSONError) -> Subscriber.Services? {
    SubscriberManifest.Service(rawValue: try reader.string())?.services
  }
}

extension SubscriberEvent {
  /// What a program says it by, where that can be refused.
  var word: String? { key?.rawValue }

  private var key: SubscriberAnswer.Key? {
    switch self {
    case .beginTask: .beginTask
    case .endTask: .endTask
    case .start: .start
    case .locate: .locate
    case .mode(let event): event.key
    case .foreground, .background, .quit, .exited, .orphaned, .begun, .registered, .unregistered,
      .acknowledged, .dismissed,
      .authorization, .accuracy, .backgroundDelivery, .stop, .memory, .lock, .overran, .done, .preserve,
      .interrupted, .finished:
      nil
    }
  }
}

extension ModeEvent {
  fileprivate var key: SubscriberAnswer.Key? {
    switch self {
    case .notify: .notify
    case .cancelNotification: .cancelNotification
    case .fetched: .fetched
    case .keepAlive: .keepAlive
    case .tag: .tag
    case .audio(.begin): .beginAudio
    case .audio(.end): .endAudio
    case .transfer: .transfer
    case .cancelTransfer: .cancelTransfer
    case .answerTransfer: .answer
    case .accessory(.open): .openAccessory
    case .accessory(.close): .closeAccessory
    case .accessory(.want): .accessoryEvents
    case .accessory(.publish): .setGatt
    case .advertise: .advertise
    case .cancelNotifications, .presented, .openNotification, .permitNotifications, .traffic, .audio, .push,
      .transferAsks, .transferBroke, .transferEnded, .accessory, .listens:
      nil
    }
  }
}

/// What a program asks for that has no ``SubscriberEvent``.
package enum SubscriberRequest: Hashable, Sendable {
  /// To be told of a service from now on.
  case start(Subscriber.Services)
  /// No longer to be told of a service.
  case stop(Subscriber.Services)
  /// Whether the machine is inside a region; answered with ``SubscriberReply/state(region:_:)``.
  case stateOf(region: String)
  /// How much time it has left in the background; answered with ``SubscriberReply/remaining(seconds:)``.
  case remaining
  /// What notifications it has scheduled; answered with ``SubscriberReply/notifications(_:)``.
  case notifications
  /// What senders of pushes are to show; answered with ``SubscriberReply/pushToken(_:)``.
  case pushToken
  /// A transfer (rule I1); answered with ``SubscriberReply/transfer(number:)``.
  case transfer(TransferRequest)
  /// Which transfers of a session have not ended; answered with ``SubscriberReply/session(_:_:)``.
  case session(String)
  /// It gives what a server asked for (rule I2).
  case answer(TransferAnswer)
  /// It answers another device (rule J3).
  case gatt(GattAnswer)
  /// Something whose keys or values are none that this version knows; answered with a refusal.
  case invalid(String)
}

/// What a server asked a transfer for.
package struct TransferAnswer: Hashable, Sendable {
  /// The transfer.
  var number: Int
  /// A user's name; nil for none.
  var user: String?
  /// That user's password; nil for none.
  var password: String?
}
