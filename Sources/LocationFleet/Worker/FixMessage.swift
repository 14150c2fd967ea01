import LocationCore
import LocationFormats

/// A message of the stream of fixes, read.
struct FixMessage {
  /// What it holds.
  enum Content {
    case fix(FixReport)
    /// No position that can be true, and why. The engine counts it, as in a replay.
    case useless(FixReport, String, payload: [UInt8])
    /// From here on this version of the regions holds.
    case catalog(Int)
    /// What OwnTracks also says, and nothing follows from.
    case ignored
    /// It can't be used; why.
    case poison(String, payload: [UInt8])
  }

  /// The number in its subject.
  var partition: Int
  /// The rest of its subject, as `alice.phone`.
  var device: String
  /// Where it stands.
  var place: Place
  var content: Content

  /// What the engine is given; nil for nothing.
  var report: FixReport? {
    switch content {
    case .fix(let report), .useless(let report, _, _): report
    case .catalog, .ignored, .poison: nil
    }
  }

  /// Nil where it does not come from a stream.
  ///
  /// - Parameter partitions: how many the fleet has.
  init?(_ message: borrowing NATSMessage, among partitions: Int) {
    guard let place = message.withReply({ Place($0) }) else { return nil }
    self.place = place
    guard let (partition, device) = message.withSubject({ Self.parts(of: $0, among: partitions) }) else {
      // Only a worker of a fleet of one partition is given such: it reads all of the stream.
      partition = 0
      device = ""
      content = .ignored
      return
    }
    self.partition = partition
    self.device = device
    let own = FleetLayout.partition(ofDevice: device.utf8, among: partitions)
    if device == FleetLayout.control {
      content = Self.control(message.payload)
    } else if device.utf8.count > FleetLayout.mostNameBytes {
      content = .poison(
        "a name of \(device.utf8.count) bytes; a device has at most \(FleetLayout.mostNameBytes)",
        payload: message.payload)
      self.device = Self.short(device)
    } else if !FleetLayout.canName(device) {
      content = .poison(
        "a device with *, >, /, a blank, a control character or bytes that are not UTF-8 in its name, or not a user and a device",
        payload: message.payload)
    } else if own != partition {
      content = .poison(
        "published to partition \(partition) of \(partitions); this device is of \(own)",
        payload: message.payload)
    } else {
      content = message.withPayload { Self.content($0) }
    }
  }

  /// The parts of `fix.<partition>.<device>`; nil where it names no partition of the fleet.
  private static func parts(
    of subject: Span<UInt8>, among partitions: Int
  ) -> (partition: Int, device: String)? {
    var partition = 0
    var index = 4
    while index < subject.count, (48..<58).contains(subject[index]) {
      // Written otherwise, as 00, it is another subject, which the workers of several partitions do not read.
      guard index == 4 || partition > 0 else { return nil }
      partition = partition * 10 + Int(subject[index] - 48)
      guard partition < partitions else { return nil }
      index += 1
    }
    guard index > 4, index + 1 < subject.count, subject[index] == UInt8(ascii: ".") else { return nil }
    let device = unsafe subject.extracting((index + 1)...).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    return (partition, device)
  }

  /// The name under which a message is put among the dead letters that no consumer can deliver; nil where one can.
  ///
  /// nats-server takes a blank, a tab or the end of a line in an MQTT topic, and sends it on as it is. There it divides or
  /// ends the line of the protocol, and every client that is given the message breaks its connection.
  static func cleanedName(ofUndeliverable subject: String) -> String? {
    func isBlank(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }
    guard subject.utf8.contains(where: isBlank) else { return nil }
    let name = FleetLayout.device(ofSubject: subject)
    let cleaned = String(decoding: name.utf8.map { isBlank($0) ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    return cleaned.isEmpty ? "_" : short(cleaned)
  }

  /// As much of a name as a subject can have: not up to a dot.
  private static func short(_ device: String) -> String {
    var bytes = Array(device.utf8.prefix(FleetLayout.mostNameBytes))
    while bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func control(_ payload: [UInt8]) -> Content {
    guard let version = announced(payload) else {
      return .poison("not a version of the regions", payload: payload)
    }
    return .catalog(version)
  }

  /// The version of the regions that a message announces; nil where it is none that can be.
  static func announced(_ payload: [UInt8]) -> Int? {
    JetStream.tree(payload)["catalog"]?.integer.flatMap {
      (1...FleetCatalog.mostVersions).contains($0) ? $0 : nil
    }
  }

  private static func content(_ payload: Span<UInt8>) -> Content {
    guard payload.count <= mostBytes else {
      return .poison("\(payload.count) bytes; a fix has at most \(mostBytes)", payload: payload.array)
    }
    switch FixLine(payload, assumeAccuracyMeters: nil) {
    case .fix(let report):
      return useless(report).map { .useless(report, $0, payload: payload.array) } ?? .fix(report)
    case .malformed(let why): return .poison(why, payload: payload.array)
    case .gpsd: return .poison("a report of gpsd's protocol, not OwnTracks JSON", payload: payload.array)
    case .other:
      let type = JetStream.tree(payload.array)["_type"]?.string
      if let type, silentTypes.contains(type) { return .ignored }
      if type == "location" { return .poison(withoutPlace, payload: payload.array) }
      return .poison(
        type.map { "_type \"\($0)\" is not a position" } ?? "an object without a position",
        payload: payload.array)
    }
  }

  /// What a position lacks to be one; nil for nothing.
  private static func useless(_ report: FixReport) -> String? {
    if report.time == nil { return "a position without a time that can be read (tst)" }
    if !report.latitude.isFinite || !report.longitude.isFinite { return withoutPlace }
    let place = Coordinate(latitude: report.latitude, longitude: report.longitude)
    return place == nil ? "lat or lon out of range" : nil
  }

  private static let withoutPlace = "a position without lat and lon"
  /// The longest payload that is read, or kept as a dead letter, bytes: a fix of OwnTracks has about 300.
  static let mostBytes = 65_536
  /// Messages of OwnTracks (https://owntracks.org/booklet/tech/json/) that are no position and no mistake.
  private static let silentTypes: Set = [
    "beacon", "card", "cmd", "configuration", "lwt", "request", "status", "steps", "transition", "waypoint",
    "waypoints",
  ]
}
