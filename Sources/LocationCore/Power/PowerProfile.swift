/// What a device's parts draw, with how well each number is known.
public struct PowerProfile: Hashable, Sendable, Codable {
  /// Where a number comes from.
  public enum Evidence: String, Hashable, Sendable, Codable {
    /// Read in the named source.
    case verified = "V"
    /// Arithmetic on numbers that were read in their source.
    case derived = "D"
    /// Recalled from a paper or sheet whose text was not at hand.
    case recalled = "M"
    /// An assumption.
    case assumed = "A"
  }

  /// One number of the model.
  public struct Parameter: Hashable, Sendable, Codable {
    /// In the unit the parameter's name ends in.
    public var value: Double
    /// 90 % of devices lie between `value / spread` and `value * spread`.
    public var spread: Double
    /// How the value is known.
    public var evidence: Evidence
    /// Where it was read.
    public var source: String

    public init(_ value: Double, spread: Double, _ evidence: Evidence, _ source: String) {
      self.value = value
      self.spread = spread
      self.evidence = evidence
      self.source = source
    }
  }

  /// Unique among the profiles.
  public var name: String
  public var description: String
  /// Milliwatts of the device with no service of ours: added to the whole-device figure only.
  public var baseMilliwatts: Parameter
  /// Milliwatts of the receiver while it searches.
  public var receiverAcquiringMilliwatts: Parameter
  /// Milliwatts of the receiver while it has fixes.
  public var receiverTrackingMilliwatts: Parameter
  /// Milliwatts more while the machine is awake with its screen off.
  public var machineAwakeMilliwatts: Parameter
  /// Joules to bring the machine out of suspension once.
  public var wakeJoules: Parameter
  /// Milliwatts of one busy processor core.
  public var coreMilliwatts: Parameter
  /// Core seconds a modelled subscriber spends on one event.
  public var deliveryCoreSeconds: Parameter
  /// Joules to start a subscriber's process.
  public var relaunchJoules: Parameter
  /// What the model's form may be off by, as a spread, for a receiver that is always on.
  public var formSpread: Double
}

extension PowerProfile {
  /// A Raspberry Pi 4 B with a u-blox SAM-M8Q receiver: the machine never suspends, so only the receiver and
  /// the subscribers' work are on the bill.
  public static let rpi4UbloxM8 = PowerProfile(
    name: "rpi4-ublox-m8",
    description: "Raspberry Pi 4 B with a u-blox SAM-M8Q, not calibrated",
    baseMilliwatts: Parameter(1600, spread: 1.3, .verified, "geerlingguy/sbc-reviews #4, idle at the wall"),
    receiverAcquiringMilliwatts: Parameter(
      96, spread: 1.15, .verified, "u-blox UBX-16012619 R04 table 8: 32 mA at 3.0 V, GPS and GLONASS"),
    receiverTrackingMilliwatts: Parameter(
      87, spread: 1.15, .verified, "u-blox UBX-16012619 R04 table 8: 29 mA at 3.0 V, GPS and GLONASS"),
    machineAwakeMilliwatts: Parameter(
      0, spread: 1, .verified, "no suspension on any model: raspberrypi/linux #1281"),
    wakeJoules: Parameter(0, spread: 1, .verified, "no suspension on any model: raspberrypi/linux #1281"),
    coreMilliwatts: Parameter(
      850, spread: 1.3, .derived, "geerlingguy/sbc-reviews #4: (5.0 W - 1.6 W) / 4 cores"),
    deliveryCoreSeconds: Parameter(0.1, spread: 3, .assumed, "a small program that appends to a file"),
    relaunchJoules: Parameter(0.4, spread: 3, .assumed, "half a core second"),
    formSpread: 1.3)

  /// The profiles that come with the program, by name.
  public static let builtIn: [PowerProfile] = [rpi4UbloxM8]
}
