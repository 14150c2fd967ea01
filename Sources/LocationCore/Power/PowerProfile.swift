/// What a device's parts draw, with how well each number is known.
public struct PowerProfile: Hashable, Sendable, Codable {
  /// Where a number comes from.
  public enum Evidence: String, Hashable, Sendable, Codable, CaseIterable {
    /// Read in the named source.
    case verified = "V"
    /// Arithmetic on numbers that were read in their source.
    case derived = "D"
    /// Recalled from a paper or sheet whose text was not at hand.
    case recalled = "M"
    /// An assumption.
    case assumed = "A"
    /// Fitted to a meter's readings of the device itself.
    case calibrated = "C"
  }

  /// One number of the model.
  public struct Parameter: Hashable, Sendable, Codable {
    /// In the unit the parameter's name ends in; not negative.
    public var value: Double
    /// 90 % of devices lie between `value / spread` and `value * spread`; at least 1.
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

    /// What stands for a part the device does not have.
    public static let none = Parameter(0, spread: 1, .assumed, "the device has no such part")
  }

  /// Unique among the profiles.
  public var name: String
  /// What the profile describes, in one sentence.
  public var about: String
  /// What it was calibrated against; nil where it was not.
  public var calibration: PowerCalibrationNote?
  /// In the order of ``PowerParameter``'s cases.
  private var parameters: [Parameter]

  /// A profile of the numbers given; a parameter that is not among them is ``Parameter/none``.
  public init(
    name: String, about: String, calibration: PowerCalibrationNote? = nil,
    _ parameters: [PowerParameter: Parameter]
  ) {
    self.name = name
    self.about = about
    self.calibration = calibration
    self.parameters = PowerParameter.allCases.map { parameters[$0] ?? .none }
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    about = try values.decode(String.self, forKey: .about)
    calibration = try values.decodeIfPresent(PowerCalibrationNote.self, forKey: .calibration)
    parameters = try values.list(for: PowerParameter.self, forKey: .parameters)
  }

  /// The profile of a device whose energy nobody asks for: all its numbers are 0.
  public static let unpriced = PowerProfile(name: "none", about: "Nothing is priced", [:])

  /// One number of the model.
  public subscript(_ parameter: PowerParameter) -> Parameter {
    get { parameters[parameter.index] }
    set { parameters[parameter.index] = newValue }
  }

  /// Core seconds a modelled subscriber spends on one event.
  public var deliveryCoreSeconds: Double { self[.deliveryCore].value }

  /// What a full battery holds, joules; nil where the device has none.
  public var batteryJoules: Double? {
    let full = self[.battery].value * 3600 * (calibration?.batteryHealth ?? 1)
    return full > 0 ? full : nil
  }

  /// Joules as a share of a full battery, in percent; nil where the device has none.
  public func batteryPercent(ofJoules joules: Double) -> Double? { batteryJoules.map { 100 * joules / $0 } }
}

/// What a profile was calibrated against (rule L3).
public struct PowerCalibrationNote: Hashable, Sendable, Codable {
  /// The device, as its owner calls it.
  public var device: String
  /// What measured it, and where.
  public var meter: String
  /// When, as the owner wrote it; likewise the next three.
  public var date: String?
  /// The kernel it ran.
  public var kernel: String?
  /// The serial number of the meter.
  public var serial: String?
  /// Temperature of the device, degrees Celsius.
  public var temperatureCelsius: Double?
  /// What the battery still holds of what it held when new, 0 to 1.
  public var batteryHealth: Double?
  /// The log: name, number of readings and a digest of its bytes.
  public var log: String
  /// Windows the fit used.
  public var windows: Int
  /// Of the equations solved, without what the default profile adds.
  public var conditionNumber: Double
  /// 90 % of the windows were within this factor of the fit.
  public var residualSpread: Double

  public init(
    device: String, meter: String, date: String? = nil, kernel: String? = nil, serial: String? = nil,
    temperatureCelsius: Double? = nil, batteryHealth: Double? = nil, log: String, windows: Int,
    conditionNumber: Double, residualSpread: Double
  ) {
    self.device = device
    self.meter = meter
    self.date = date
    self.kernel = kernel
    self.serial = serial
    self.temperatureCelsius = temperatureCelsius
    self.batteryHealth = batteryHealth
    self.log = log
    self.windows = windows
    self.conditionNumber = conditionNumber
    self.residualSpread = residualSpread
  }
}
