import Glibc
import LocationCore
import LocationFormats

/// An MQTT broker that events are published at. The connection stays up while the daemon runs.
struct Broker {
  private var outlet: OwnTracksOutlet
  /// Where commands come; nil where none are taken.
  private let commandTopic: String?
  /// Where pushes come; nil where none are taken.
  private let pushTopic: String?
  private var link: BrokerLink
  /// Events on their way, in order, and which of their messages the broker has not acknowledged.
  private var sending: [(id: Int, waiting: Set<UInt16>)] = []

  /// Messages that may be on their way at once; Mosquitto takes 20 by default (`max_inflight_messages`).
  private static let window = 20

  /// Connects, and tells the broker of the device.
  ///
  /// - Parameter scene: the regions that others are told of.
  init(_ settings: OutletSettings, _ secrets: OutletSecrets, _ scene: OwnTracksOutlet.Scene)
    throws(SendFailure)
  {
    outlet = OwnTracksOutlet(settings, scene)
    commandTopic = settings.takesCommands == true ? outlet.commandTopic : nil
    pushTopic = settings.takesPushes == true ? outlet.pushTopic : nil
    var options = MQTTSession.Options(client: "locwatch-\(settings.instance)-\(settings.name)")
    if settings.isTrial != true {
      options.will = outlet.will(now: Int(SystemCall.microseconds(of: CLOCK_REALTIME) / 1_000_000))
    }
    // The broker keeps pushes while the daemon is down.
    options.isPersistent = pushTopic != nil
    link = try BrokerLink(settings, secrets, options)
    // What was announced before comes back ahead of what is announced now.
    if let topic = outlet.configTopic { link.subscribe([topic], isKept: false, isNeeded: false) }
    // Who sees what is announced now may command at once.
    let topics = [outlet.birthTopic, commandTopic].compactMap { $0 }
    if !topics.isEmpty { link.subscribe(topics, isKept: false) }
    if let pushTopic { link.subscribe([pushTopic]) }
    greet()
    try link.flush()
  }

  private mutating func publish(_ messages: [MQTTSession.Message]) {
    for message in messages { _ = link.publish(message) }
  }

  private mutating func greet() { publish(outlet.greeting()) }

  /// Hands on events until the daemon says no more.
  mutating func serve(_ input: inout EventInput) throws(SendFailure) {
    while true {
      while hasRoom, let line = try input.pending() { send(line) }
      // What it still wanted is the next one's to send.
      if input.isAbandoned || input.isAtEnd { return try link.flush() }
      let (events, hasNews) = try link.wait(withDaemon: hasRoom && !input.isAtEnd)
      for event in events { take(event) }
      settle()
      if hasNews { input.read() }
    }
  }

  private var hasRoom: Bool { link.session.unacknowledgedCount < Self.window }

  private mutating func send(_ line: JSONTree) {
    if let number = line["taken"]?.integer {
      // With QoS 0 nobody waits for it.
      if number > 0 { link.acknowledge(UInt16(clamping: number)) }
      return
    }
    // The regions were changed.
    if line["places"] != nil, let scene = try? ExactDecoder.value(OwnTracksOutlet.Scene.self, of: line) {
      return publish(outlet.take(scene))
    }
    let messages = outlet.messages(for: line)
    // The answer to a command has no id: nobody waits for it.
    guard let id = line["id"]?.integer else { return publish(messages) }
    sending.append((id, Set(messages.compactMap { link.publish($0) })))
    settle()
  }

  private mutating func take(_ event: MQTTSession.Event) {
    switch event {
    case .connected, .alive: break
    case .tooLarge(let topic, let bytes, let number):
      if let number { link.acknowledge(number) }
      Answer.note("a message of \(bytes) bytes at \(topic) was refused").say()
    case .published(let number): for index in sending.indices { sending[index].waiting.remove(number) }
    case .message(let message, let number):
      // The broker keeps a push until the daemon has it.
      if message.topic == pushTopic, take(push: message, number ?? 0) { return }
      if let number { link.acknowledge(number) }
      if message.topic == outlet.birthTopic, message.payload == Array("online".utf8) { greet() }
      if message.topic == outlet.configTopic, message.isRetained, let old = try? JSONTree(message.payload) {
        publish(outlet.cleanUp(after: old))
      }
      if let commandTopic, message.topic == commandTopic { take(command: message) }
    }
  }

  /// Hands a push on to the daemon, or says why not; whether it did.
  private func take(push message: MQTTSession.Message, _ number: UInt16) -> Bool {
    func refuse(_ what: String) -> Bool {
      Answer.note("a push was refused: \(what)").say()
      return false
    }
    if message.isRetained { return refuse("it is retained, and would come again at each connection") }
    guard message.payload.count <= Self.commandBytes else {
      return refuse("it has \(message.payload.count) bytes")
    }
    guard let tree = try? JSONTree(message.payload) else { return refuse("it is no JSON") }
    Answer.push(tree, number: number).say()
    return true
  }

  /// Hands a command on to the daemon, or says why not. One that the broker keeps would come again at each connection.
  private mutating func take(command message: MQTTSession.Message) {
    guard !message.isRetained else { return Answer.note("a retained command was refused").say() }
    guard message.payload.count <= Self.commandBytes else {
      return Answer.note("a command of \(message.payload.count) bytes was refused").say()
    }
    guard let tree = try? JSONTree(message.payload), tree["_type"] == .string("cmd") else {
      return Answer.note("a command that is no OwnTracks cmd was refused").say()
    }
    if tree["action"] == .string("waypoints") {
      guard let waypoints = outlet.waypoints else {
        return Answer.note("waypoints were asked for; with --reduced nobody is told them").say()
      }
      _ = link.publish(waypoints)
      return
    }
    Answer.command(tree).say()
  }

  /// The longest command or push, bytes.
  private static let commandBytes = 65_536

  /// Says which events the broker has, in their order.
  private mutating func settle() {
    var last: Int?
    while let first = sending.first, first.waiting.isEmpty { last = sending.removeFirst().id }
    if let last { Answer.accepted(last).say() }
  }
}
