/// What a Bluetooth beacon calls itself, or which beacons a region is made of (rule B11).
///
/// An iBeacon and an AltBeacon have a UUID, a major and a minor number; an Eddystone beacon has a namespace and an
/// instance. Of a region what is nil stands for any.
public struct Beacon: Hashable, Sendable, Codable {
  /// The UUID in lower case with its dashes, or the 20 hexadecimal digits of an Eddystone namespace.
  public var group: String
  /// iBeacon and AltBeacon: which of the group.
  public var major: UInt16?
  /// iBeacon and AltBeacon: which of those.
  public var minor: UInt16?
  /// Eddystone: the 12 hexadecimal digits of the instance.
  public var instance: String?

  /// A beacon with 16 bytes of a UUID.
  public init(uuid bytes: some Collection<UInt8>, major: UInt16? = nil, minor: UInt16? = nil) {
    var text = ""
    for (place, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(place) { text += "-" }
      text += String(hexadecimal: CollectionOfOne(byte))
    }
    group = text
    self.major = major
    self.minor = minor
  }

  /// A beacon with the 10 bytes of a namespace, and the 6 of an instance; nil for any.
  public init(namespace: some Collection<UInt8>, instance: (some Collection<UInt8>)?) {
    group = String(hexadecimal: namespace)
    self.instance = instance.map { String(hexadecimal: $0) }
  }

  /// Reads `UUID`, `UUID:MAJOR`, `UUID:MAJOR:MINOR`, `NAMESPACE` or `NAMESPACE:INSTANCE`; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 3 else { return nil }
    let digits = first.utf8.filter { $0 != UInt8(ascii: "-") }
    guard let bytes = [UInt8](hexadecimal: digits) else { return nil }
    if bytes.count == Self.namespaceByteCount, first.utf8.count == digits.count {
      guard parts.count <= 2 else { return nil }
      let instance = parts.count == 2 ? [UInt8](hexadecimal: Array(parts[1].utf8)) : nil
      guard parts.count == 1 || instance?.count == Self.instanceByteCount else { return nil }
      self.init(namespace: bytes, instance: instance)
      return
    }
    guard bytes.count == Self.uuidByteCount else { return nil }
    self.init(uuid: bytes)
    if parts.count > 1 {
      guard let major = UInt16(parts[1]) else { return nil }
      self.major = major
    }
    if parts.count > 2 {
      guard let minor = UInt16(parts[2]) else { return nil }
      self.minor = minor
    }
  }

  /// As ``init(_:)`` reads it.
  public var text: String {
    group + (major.map { ":\($0)" } ?? "") + (minor.map { ":\($0)" } ?? "")
      + (instance.map { ":" + $0 } ?? "")
  }

  /// Whether a beacon that was seen is one of these.
  public func includes(_ seen: Beacon) -> Bool {
    group == seen.group && (major == nil || major == seen.major) && (minor == nil || minor == seen.minor)
      && (instance == nil || instance == seen.instance)
  }

  /// The bytes of its UUID, or of its namespace.
  public var groupBytes: [UInt8] { [UInt8](hexadecimal: group.utf8.filter { $0 != UInt8(ascii: "-") }) ?? [] }
  /// The bytes of its instance.
  public var instanceBytes: [UInt8]? { instance.flatMap { [UInt8](hexadecimal: Array($0.utf8)) } }

  private static let uuidByteCount = 16
  private static let namespaceByteCount = 10
  private static let instanceByteCount = 6
}

/// What becomes of beacons (rule B11).
public enum BeaconEvent: Hashable, Sendable, Codable {
  /// A beacon was seen; it calls itself everything that it has. It is seen without a break for so many seconds from now
  /// on: 0 for a single sight, nil until it is lost.
  case seen(Beacon, seconds: Double? = 0)
  /// A beacon that was there until now was seen last so many seconds ago; nil for all of them.
  case lost(Beacon?, secondsAgo: Double)
}

extension Limits {
  /// Regions of beacons: what BlueZ watches for is 32 monitors of 16 patterns, and further ones it drops in silence.
  public static let beacons = 512
}
