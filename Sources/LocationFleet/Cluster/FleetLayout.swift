package import LocationFormats

/// The streams, key-value stores and subjects of a fleet: all that workers, operators and devices agree on.
///
/// A tenant is an account of the servers, so every tenant has all of this for itself, and the servers keep them apart.
package struct FleetLayout {
  /// Fixes as devices publish them, `fix.<partition>.<user>.<device>`, and new versions of the regions.
  package static let fixes = "fixes"
  /// Events, `event.<partition>.<user>.<device>.<type>`.
  package static let events = "events"
  /// Messages that are no fix, `dead.<partition>.<user>.<device>`.
  package static let deadLetters = "dead"
  /// What each of these streams takes.
  static let fixSubjects = "fix.>"
  static let eventSubjects = "event.>"
  static let deadSubjects = "dead.>"
  /// How many messages a subject's last token names that is no device: a new version of the regions.
  package static let control = "$locwatch"

  /// What the key of a worker's sign of life begins with, among the leases.
  static let signPrefix = "worker."

  /// The key of a partition's lease.
  static func leaseKey(_ partition: Int) -> String { "partition.\(partition)" }

  /// The key of how long leases live, among the leases: whoever reads these learns of a change without asking.
  static let lifeKey = "life"

  /// What its value says, seconds; nil where that is no time.
  static func life(_ value: [UInt8]) -> Double? {
    guard let life = Double(String(decoding: value, as: UTF8.self)), life > 0, life.isFinite else {
      return nil
    }
    return life
  }

  /// The longest name of a device with its user, bytes. nats-server closes a connection that publishes to a subject of
  /// more than 4 KiB (`max_control_line`), but takes one of any length by MQTT.
  static let mostNameBytes = 256

  /// Whether a name is a user and a device, and a subject with it stands for that one alone: `*` and `>` stand for many,
  /// and nats-server writes `/` for an empty level of a topic, where `alice/phone` is how users write `alice.phone`.
  /// It does not answer what is about a subject with an empty part. U+FFFD stands for any bytes that are not UTF-8,
  /// which it takes in a topic.
  static func canName(_ device: String) -> Bool {
    let parts = device.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 2 && !parts.contains { $0.isEmpty } && device.utf8.count <= mostNameBytes
      && !device.unicodeScalars.contains {
        $0 <= " " || $0.properties.generalCategory == .control || "*>/\u{FFFD}".unicodeScalars.contains($0)
      }
  }

  /// The partition of a device, `alice.phone`, as nats-server's `partition(<partitions>,1,2)` tells it: FNV-1a of user and
  /// device, with nothing between them.
  package static func partition(ofDevice device: some Sequence<UInt8>, among partitions: Int) -> Int {
    var hash: UInt32 = 2_166_136_261
    for byte in device where byte != UInt8(ascii: ".") { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return Int(hash % UInt32(partitions))
  }

  /// The device of `fix.<partition>.<device>`; empty where there is none. Text is cut by bytes: to Swift a dot and an
  /// accent after it are one character.
  static func device(ofSubject subject: String) -> String {
    let parts = subject.utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : ""
  }

  /// JetStream, for everything else.
  package let stream: JetStream
  /// What is fixed for the fleet, the checkpoint of each partition and the versions of the regions.
  package let fleet: KeyValueBucket
  /// The leases of partitions and the signs of life of workers; what is not renewed is of no use (``LeaseTable``).
  package let leases: KeyValueBucket
  /// The snapshot of each device, `<partition>.<user>.<device>`.
  package let devices: KeyValueBucket

  /// What is there, or may be made, over a connection.
  package init(_ connection: NATSConnection) throws(Failure) {
    stream = try JetStream(connection)
    fleet = KeyValueBucket("locwatch-fleet", of: stream)
    // Leases are renewed while an answer to something else is waited for.
    leases = KeyValueBucket("locwatch-leases", of: try JetStream(connection))
    devices = KeyValueBucket("locwatch-devices", of: stream)
  }

  /// What is fixed when a fleet is made.
  package struct Settings: Hashable, Sendable, Codable {
    /// How many partitions the servers map subjects to.
    package var partitions = 16
    /// How many servers keep each message.
    package var replicas = 1
    /// Days for which fixes are kept.
    package var fixDays = 7.0
    /// Days for which events are kept.
    package var eventDays = 30.0
    /// Seconds without a sign of life after which a worker's partitions are another's.
    package var leaseSeconds = 10.0

    package init() {}

    /// Requires as many partitions as a fleet has that is there; nil where there is none.
    ///
    /// - Throws: `.config` where it has others: each device would change its place.
    package func requireNumber(of present: Settings?) throws(Failure) {
      guard let present, present.partitions != partitions else { return }
      throw Failure(
        .config, what: "this fleet has \(present.partitions) partitions, not \(partitions)",
        remedy: "the number is fixed when a fleet is made; make another account for another number")
    }
  }

  /// Makes all streams and stores.
  ///
  /// - Throws: `.config` where the fleet is there with another number of partitions: each device would change its place.
  package func ensure(_ settings: Settings) throws(Failure) {
    try fleet.ensure(replicas: settings.replicas)
    try settings.requireNumber(of: try readSettings())
    // The settings come first: if the servers then refuse a stream, the next `init` makes what the settings say.
    try fleet.put("settings", try ExactEncoder.bytes(of: settings, called: "the settings"))
    try leases.ensure(replicas: settings.replicas)
    try devices.ensure(replicas: settings.replicas)
    func stream(_ name: String, _ subject: String, days: Double, windowSeconds: Double) throws(Failure) {
      let age = Int(days * 86_400e9)
      // Servers take no window for doubles that is longer than messages are kept.
      let window = min(age, Int(windowSeconds * 1e9))
      try self.stream.ensureStream(
        name,
        .object([
          "subjects": .strings([subject]), "storage": .string("file"), "discard": .string("old"),
          "num_replicas": .integer(settings.replicas), "max_age": .integer(age),
          "duplicate_window": .integer(window),
        ]))
    }
    try stream(Self.fixes, Self.fixSubjects, days: settings.fixDays, windowSeconds: 120)
    try stream(
      Self.events, Self.eventSubjects, days: settings.eventDays, windowSeconds: Self.eventWindowSeconds)
    try stream(
      Self.deadLetters, Self.deadSubjects, days: settings.eventDays, windowSeconds: Self.eventWindowSeconds)
    try leases.put(Self.lifeKey, Array("\(settings.leaseSeconds)".utf8))
  }

  /// Seconds in which the servers drop an event that they have: longer than a worker can hang without losing its
  /// connection.
  private static let eventWindowSeconds = 600.0

  /// What a fleet was made with before; nil where there was none.
  package func earlierSettings() throws(Failure) -> Settings? { try fleet.exists() ? readSettings() : nil }

  /// What was fixed; nil where there is no fleet.
  package func readSettings() throws(Failure) -> Settings? {
    guard let entry = try fleet.get("settings") else { return nil }
    guard let settings = try? ExactDecoder.value(Settings.self, of: JetStream.tree(entry.value)) else {
      throw Failure(
        .config, what: "the fleet's settings are of another version of locwatch", remedy: "use that version")
    }
    return settings
  }

  /// The same, where there must be a fleet.
  package func settings() throws(Failure) -> Settings {
    guard let settings = try readSettings() else {
      throw Failure(
        .config, what: "there is no fleet in this account", remedy: "make one: locwatch-fleet init")
    }
    return settings
  }

  /// What the servers' configuration needs, so that the subject of a device tells its partition.
  package static func mapping(partitions: Int) -> String {
    """
    mappings {
      "owntracks.*.*": "fix.{{partition(\(partitions),1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}"
    }
    """
  }
}
