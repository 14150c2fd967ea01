/// How far the model itself, apart from its numbers, may be off: a factor that holds with 90 %.
///
/// Measured on four iPhone 6 and four Nexus 6 of MobilityNet/mobilitynet-analysis-scripts (commit b2ac9bb); see
/// `Docs/PowerValidation.md`. It does not cancel when two policies are compared.
public enum PowerForm: String, Hashable, Sendable, Codable, CaseIterable {
  /// The receiver was on all the time: little for the model to get wrong.
  case alwaysOn = "always_on"
  /// The profile was calibrated on the device.
  case calibrated
  case uncalibrated

  /// 90 % of energies lie within the model's value divided and multiplied by this.
  public var spread: Double {
    switch self {
    case .alwaysOn: 1.3
    case .calibrated: 1.6
    case .uncalibrated: 2.5
    }
  }

  /// The same for a profile. One that was calibrated counts how far its own windows were from the fit; what phones
  /// needed counts beside them as a few windows more.
  public func spread(under profile: PowerProfile) -> Double {
    guard self != .uncalibrated, let note = profile.calibration else { return spread }
    let phones = PortableMath.log(spread)
    let own = PortableMath.log(max(1, note.residualSpread))
    let windows = Double(note.windows)
    let variance =
      (windows * own * own + Self.phonesWeighWindows * phones * phones) / (windows + Self.phonesWeighWindows)
    return PortableMath.exp(variance.squareRoot())
  }

  /// Chosen so that both systems' held-back runs lie within their intervals in 80 to 97 % (`Docs/PowerValidation.md`).
  private static let phonesWeighWindows = 4.0
}

/// A value with the interval that holds it with 90 %.
public struct PowerBand: Hashable, Sendable {
  /// The value with every parameter at its own value.
  public var value: Double
  /// The lower end, for the parameters' errors and the model's form.
  public var low: Double
  /// The upper end, likewise.
  public var high: Double

  /// A value with its interval.
  public init(value: Double, low: Double, high: Double) {
    self.value = value
    self.low = low
    self.high = high
  }

  /// Widens an interval that came from the parameters' errors alone by a factor for the model's form, in quadrature
  /// in the logarithm.
  init(value: Double, parameterLow: Double, parameterHigh: Double, logForm: Double) {
    self.value = value
    guard value > 0, parameterLow > 0 else {
      low = parameterLow
      high = parameterHigh
      return
    }
    let down = PortableMath.log(value / parameterLow)
    let up = PortableMath.log(parameterHigh / value)
    low = value * PortableMath.exp(-(down * down + logForm * logForm).squareRoot())
    high = value * PortableMath.exp((up * up + logForm * logForm).squareRoot())
  }
}

extension PowerUse {
  /// How far the model may be off for this use under a profile.
  public func form(under profile: PowerProfile) -> PowerForm {
    let on = receiverOnSeconds
    if on > 0, self[.backup] <= Self.alwaysOnShare * on { return .alwaysOn }
    return profile.calibration == nil ? .uncalibrated : .calibrated
  }

  /// A receiver off for a hundredth of the time is still always on.
  private static let alwaysOnShare = 0.01

  /// The energy with its band, joules; with `seconds` that of the whole device over that time.
  ///
  /// - Parameters:
  ///   - form: how far the model may be off; by default what ``form(under:)`` says.
  ///   - isObserved: whether the use was observed or is stated, and not modelled: then only its prices have an error.
  public func band(
    under profile: PowerProfile, form: PowerForm? = nil, deviceSeconds seconds: Double? = nil,
    isObserved: Bool = false
  ) -> PowerBand {
    band(under: profile, form: form, deviceSeconds: seconds, isObserved: isObserved, draws: nil)
  }

  /// The same, with draws that were made before.
  func band(
    under profile: PowerProfile, form: PowerForm? = nil, deviceSeconds seconds: Double? = nil,
    isObserved: Bool = false, draws table: PowerDrawTable?
  ) -> PowerBand {
    let policy = joules(under: profile)
    let base = (seconds ?? 0) * profile[.base].value * 1e-3
    guard policy + base > 0 else { return PowerBand(value: 0, low: 0, high: 0) }
    var draws = PowerSample(of: self, under: profile, isObserved: isObserved, table).policy
    if let seconds {
      PowerSample.add(.base, joules: seconds * profile[.base].value * 1e-3, profile, to: &draws)
    }
    draws.sort()
    // The model's form concerns the services; the base is a parameter like any other.
    let share = policy / (policy + base)
    return PowerBand(
      value: policy + base, parameterLow: PowerSample.quantile(0.05, of: draws),
      parameterHigh: PowerSample.quantile(0.95, of: draws),
      logForm: share * PortableMath.log((form ?? self.form(under: profile)).spread(under: profile)))
  }
}
