import LocationCore
import TestSupport

@testable import LocationRuntime

/// A session under test, with the clock in the test's hand.
struct SessionRun: ~Copyable {
  var session: GPSDSession
  /// Seconds since the epoch of ``Drive``.
  var now = 0.0
  let clockIsSet: Bool
  var events: [(at: Double, event: Event)] = []
  var sent: [String] = []
  /// When it was asked to connect and to disconnect.
  var connects: [Double] = []
  var disconnects: [Double] = []

  init(
    _ address: String = "localhost", clockIsSet: Bool = true, isSimulated: Bool = false, seed: UInt64 = 1
  ) throws {
    session = try GPSDSession(address: SourceAddress(source: address), seed: seed, isSimulated: isSimulated)
    self.clockIsSet = clockIsSet
  }

  /// A session that gpsd has greeted, with one receiver.
  static func greeted(clockIsSet: Bool = true, isSimulated: Bool = false) throws -> SessionRun {
    var run = try SessionRun(clockIsSet: clockIsSet, isSimulated: isSimulated)
    run.start()
    run.connected()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch)
    return run
  }

  func reading(_ seconds: Double) -> ClockReading {
    ClockReading(
      instant: Drive.instant(seconds),
      utc: clockIsSet ? UTCTime(microseconds: Drive.instant(seconds).microseconds) : nil)
  }

  mutating func start() {
    session.start(at: reading(now))
    collect()
  }

  mutating func connected() {
    session.connected(at: reading(now))
    collect()
  }

  /// Waits until it connects again, and lets it.
  mutating func reconnect() {
    let count = connects.count
    while connects.count == count, let due = session.nextDeadline {
      pass(to: Drive.instant(0).seconds(to: due))
    }
    connected()
  }

  mutating func rest() {
    session.rest()
    collect()
  }

  mutating func wake() {
    session.wake(at: reading(now))
    collect()
  }

  mutating func failed(_ trouble: GPSDTrouble) {
    session.failed(trouble, at: reading(now))
    collect()
  }

  mutating func closed() {
    session.closed(at: reading(now))
    collect()
  }

  /// Lines that come together.
  mutating func say(_ lines: String...) { receive(lines.map { $0 + "\r\n" }.joined()) }

  mutating func receive(_ text: String) {
    let bytes = Array(text.utf8)
    session.received(bytes.span, at: reading(now))
    collect()
  }

  /// Lets time pass; each deadline is met when it is due.
  mutating func pass(to seconds: Double) {
    while let due = session.nextDeadline, due <= Drive.instant(seconds) {
      now = max(now, Drive.instant(0).seconds(to: due))
      session.advance(to: ClockReading(instant: due, utc: reading(now).utc))
      collect()
    }
    now = seconds
  }

  /// One fix a second, from `from` up to and with `to`, each with its own time.
  mutating func fixes(
    from: Int, through to: Int, device: String = "/dev/a", east: Double = 0, eph: Double = 19
  ) {
    for second in stride(from: from, through: to, by: 1) {
      pass(to: Double(second))
      say(GPSDText.tpv(Double(second), device: device, east: east, eph: eph))
    }
  }

  private mutating func collect() {
    for action in session.takeActions() {
      switch action {
      case .connect: connects.append(now)
      case .disconnect: disconnects.append(now)
      case .send(let bytes): sent.append(String(decoding: bytes, as: UTF8.self))
      case .deliver(let event): events.append((now, event))
      }
    }
  }

  /// What was delivered of the source.
  var source: [SourceEvent] {
    events.compactMap { if case .source(let event) = $0.event { event } else { nil } }
  }

  /// What was told of there being no fixes, with the time of telling.
  var staleness: [Told] {
    events.compactMap { at, event in
      if case .source(.stale(let reason, let seconds)) = event { Told(at, reason, seconds) } else { nil }
    }
  }

  /// The fixes that were delivered.
  var reports: [FixReport] {
    events.compactMap { if case .fix(let report) = $0.event { report } else { nil } }
  }

  /// Seconds since the epoch of the fixes that were delivered.
  var fixTimes: [Double] {
    reports.compactMap { $0.time.map { UTCTime(microseconds: Drive.epoch).seconds(to: $0) } }
  }

  struct Told: Equatable, CustomStringConvertible {
    var at: Double
    var reason: SourceEvent.Staleness
    var seconds: Double

    init(_ at: Double, _ reason: SourceEvent.Staleness, _ seconds: Double) {
      self.at = (at * 1000).rounded() / 1000
      self.reason = reason
      self.seconds = (seconds * 1000).rounded() / 1000
    }

    var description: String { "\(reason.rawValue) at \(at) after \(seconds)" }
  }
}

/// Lines as gpsd 3.22 writes them.
enum GPSDText {
  static let version =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
  static let watch =
    #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}"#

  static func devices(_ paths: String..., driver: String = "NMEA0183") -> String {
    let devices = paths.map {
      #"{"class":"DEVICE","path":"\#($0)","driver":"\#(driver)","activated":"2026-05-01T05:59:59.106Z","flags":1}"#
    }
    return #"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"#
  }

  static func device(_ path: String, isActive: Bool) -> String {
    let activated = isActive ? #""2026-05-01T06:00:00.000Z""# : "0"
    return #"{"class":"DEVICE","path":"\#(path)","driver":"NMEA0183","activated":\#(activated)}"#
  }

  static func sky(device: String = "/dev/a") -> String {
    #"{"class":"SKY","device":"\#(device)","hdop":1.00,"satellites":[{"PRN":1,"el":10,"az":20,"ss":30,"used":true}]}"#
  }

  static func error(_ message: String) -> String { #"{"class":"ERROR","message":"\#(message)"}"# }

  /// A report of a time, metres east of the origin of ``Drive``; nil leaves a member out.
  static func tpv(
    _ seconds: Double?, device: String = "/dev/a", mode: Int = 3, east: Double? = 0, eph: Double? = 19,
    speed: Double? = nil, status: Int? = nil
  ) -> String {
    var text = #"{"class":"TPV","device":"\#(device)""#
    if let status { text += #","status":\#(status)"# }
    text += #","mode":\#(mode)"#
    if let seconds {
      text += #","time":"\#(UTCTime(microseconds: Drive.instant(seconds).microseconds).rfc3339)""#
    }
    if let east {
      let report = Drive.report(0, east: east)
      text += #","lat":\#(report.latitude),"lon":\#(report.longitude)"#
    }
    if let speed { text += #","speed":\#(speed)"# }
    if let eph { text += #","eph":\#(eph)"# }
    return text + "}"
  }
}
