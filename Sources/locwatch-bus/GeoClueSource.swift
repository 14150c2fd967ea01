import Glibc
import LocationBus
import LocationCore
import LocationFormats

/// GeoClue (2.6.0) as a source of fixes, for machines without a gpsd: says what it finds as the daemon's other helpers do.
///
/// GeoClue answers only if an agent speaks for the user. Desktops have one; elsewhere this process is the agent. No call
/// waits for its answer, because GeoClue calls the agent back meanwhile.
struct GeoClueSource: ~Copyable {
  private let bus: MessageBus
  private var step = Step.gettingClient(0)
  /// The path of our client.
  private var client = ""
  private var isAgent = false

  /// What is awaited, by the number of the call.
  private enum Step: Equatable {
    case gettingClient(UInt64)
    case setting(UInt64)
    case starting(UInt64)
    case running
  }

  private static let service = "org.freedesktop.GeoClue2"
  private static let manager = "/org/freedesktop/GeoClue2/Manager"
  private static let agent = "/org/freedesktop/GeoClue2/Agent"
  /// As exact as there is (`GCLUE_ACCURACY_LEVEL_EXACT`).
  private static let exact: UInt32 = 8
  /// The agent that GeoClue's settings permit where no desktop is (Debian's `geoclue.conf`, `whitelist`).
  private static let agentName = "geoclue-demo-agent"
  /// Seconds after which nobody speaks for the user.
  private static let agentSeconds: Int32 = 3
  /// GeoClue says 0 m of a receiver with an HDOP up to 1, and means that it does not know: no receiver is better.
  private static let leastAccuracyMeters = 5.0

  static func run() {
    guard let bus = try? MessageBus(.system, confidant: Self.service) else {
      return complain("there is no bus of the machine; install dbus and geoclue-2.0, or start dbus")
    }
    do throws(MessageBus.Failure) {
      var source = GeoClueSource(bus)
      try source.begin()
      try source.follow()
    } catch {
      complain("GeoClue: \(error)")
    }
  }

  private init(_ bus: consuming MessageBus) { self.bus = bus }

  private mutating func begin() throws(MessageBus.Failure) {
    try bus.match("type='signal',sender='\(Self.service)'")
    try bus.watchOwners(of: Self.service)
    step = .gettingClient(try bus.send(Self.service, Self.manager, Self.service + ".Manager", "GetClient"))
  }

  /// Until GeoClue or the daemon is gone.
  private mutating func follow() throws(MessageBus.Failure) {
    var polled = PollSet()
    while true {
      while let message = try bus.take() { try take(message) }
      polled.removeAll()
      polled.watch(bus.descriptor, for: Int32(bus.events))
      polled.watch(STDIN_FILENO)
      var isWaiting = false
      if case .gettingClient = step, !isAgent { isWaiting = true }
      let count = polled.wait(atMost: isWaiting ? Self.agentSeconds * 1_000 : -1)
      if count == 0, isWaiting {
        // Its own answer comes once the first call was answered.
        isAgent = true
        _ = try bus.send(
          Self.service, Self.manager, Self.service + ".Manager", "AddAgent", [.text(Self.agentName)])
      }
      if polled.has(STDIN_FILENO), DaemonPipes.read() == nil { return }
    }
  }

  // MARK: - What comes

  private mutating func take(_ message: borrowing BusMessage) throws(MessageBus.Failure) {
    switch message.kind {
    case .call: try answer(message)
    case .answer: try goOn(message)
    case .error:
      // Whoever else may be agent is; then the first call is answered.
      if isAgent, case .gettingClient(let number) = step, message.replyTo != number { return }
      Self.complain("GeoClue: \(message.errorText)")
    case .signal: try note(message)
    case nil: break
    }
  }

  /// Answers as the user's agent: this user's programs may know the position as exactly as there is.
  private func answer(_ call: borrowing BusMessage) throws(MessageBus.Failure) {
    guard isAgent, call.path == Self.agent else {
      return try bus.refuse(call, "org.freedesktop.DBus.Error.UnknownObject", "there is no such object")
    }
    if call.isCall(MessageBus.properties, "Get") {
      return try bus.reply(to: call, [.variant(.uint32(Self.exact))])
    }
    if call.isCall(MessageBus.properties, "GetAll") {
      return try bus.reply(to: call, [.map([BusValue.Entry("MaxAccuracyLevel", .uint32(Self.exact))])])
    }
    if call.isCall(Self.service + ".Agent", "AuthorizeApp") {
      let isOurs = try call.text() == Self.name
      return try bus.reply(to: call, [.flag(isOurs), .uint32(isOurs ? Self.exact : 0)])
    }
    try bus.refuseUnknown(call)
  }

  /// How we are known to GeoClue.
  private static let name = "locwatch"

  private mutating func goOn(_ answer: borrowing BusMessage) throws(MessageBus.Failure) {
    let client = Self.service + ".Client"
    switch step {
    case .gettingClient(let number) where answer.replyTo == number:
      self.client = try answer.text() ?? ""
      _ = try set("DesktopId", .text(Self.name))
      step = .setting(try set("RequestedAccuracyLevel", .uint32(Self.exact)))
    case .setting(let number) where answer.replyTo == number:
      step = .starting(try bus.send(Self.service, self.client, client, "Start"))
    case .starting(let number) where answer.replyTo == number:
      step = .running
      Self.say { line in
        line.member("class", "VERSION")
        line.member("release", "GeoClue")
      }
    case .gettingClient, .setting, .starting: break
    case .running: try report(answer)
    }
  }

  private func set(_ property: String, _ value: BusValue) throws(MessageBus.Failure) -> UInt64 {
    try bus.send(
      Self.service, client, MessageBus.properties, "Set",
      [.text(Self.service + ".Client"), .text(property), .variant(value)])
  }

  private func note(_ signal: borrowing BusMessage) throws(MessageBus.Failure) {
    if let change = try signal.ownerChange() {
      if !change.before.isEmpty { Self.complain("GeoClue has ended") }
      return
    }
    guard signal.path == client, signal.isSignal(Self.service + ".Client", "LocationUpdated") else { return }
    _ = try signal.text()
    guard let place = try signal.text() else { return }
    _ = try bus.send(
      Self.service, place, MessageBus.properties, "GetAll", [.text(Self.service + ".Location")])
  }

  /// Says a location as a fix.
  private func report(_ answer: borrowing BusMessage) throws(MessageBus.Failure) {
    guard case .map(let entries) = try answer.value() else { return }
    func real(_ key: String) -> Double? {
      guard case .real(let number)? = entries.first(where: { $0.key == key })?.value, number.isFinite else {
        return nil
      }
      return number
    }
    guard let latitude = real("Latitude"), let longitude = real("Longitude"), let accuracy = real("Accuracy")
    else { return }
    var time: UTCTime?
    if case .group(let parts)? = entries.first(where: { $0.key == "Timestamp" })?.value, parts.count == 2,
      case .uint64(let seconds) = parts[0], case .uint64(let micros) = parts[1], seconds < 1 << 40
    {
      time = UTCTime(microseconds: Int64(seconds) * 1_000_000 + Int64(micros % 1_000_000))
    }
    // Unknown are an altitude of minus the largest double, a speed and a course of -1. A speed without a course comes
    // and goes from one update to the next.
    let altitude = real("Altitude").flatMap { $0 > -1e6 ? $0 : nil }
    let course = real("Heading").flatMap { $0 >= 0 ? $0 : nil }
    let speed = course == nil ? nil : real("Speed").flatMap { $0 >= 0 ? $0 : nil }
    Self.say { line in
      line.member("time", time?.rfc3339)
      line.member("lat", latitude, decimals: FixedPoint.degrees)
      line.member("lon", longitude, decimals: FixedPoint.degrees)
      line.member("acc_m", max(Self.leastAccuracyMeters, accuracy), decimals: FixedPoint.thousandths)
      line.member("alt_m", altitude, decimals: FixedPoint.thousandths)
      line.member("speed_mps", speed, decimals: FixedPoint.thousandths)
      line.member("course_deg", course, decimals: FixedPoint.thousandths)
    }
  }

  // MARK: - To the daemon

  private static func say(_ members: (inout JSONLine) -> Void) {
    DaemonPipes.write(JSONLine.line(members))
  }

  /// Says why it ends, and ends: the daemon begins anew.
  private static func complain(_ reason: String) {
    say { line in
      line.member("class", "ERROR")
      line.member("message", reason)
    }
    exit(Failure.Code.unavailable.rawValue)
  }
}
