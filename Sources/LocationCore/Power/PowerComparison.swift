/// What a policy leaves of a reference's energy, for the services alone and for the whole device, always side by
/// side: a saving of 99 % of the services may be one of 5 % of the device.
public struct PowerComparison: Hashable, Sendable {
  /// The policy's energy as a share of the reference's: 0.01 is a saving of 99 %.
  public var services: PowerBand
  /// The same for the whole device.
  public var device: PowerBand
  /// How far the model may be off for the policy.
  public var form: PowerForm

  /// Compares two uses of one device over the same time, under the same draws.
  ///
  /// The parameters' errors largely cancel; the model's form does not.
  /// - Returns: nil where the reference used nothing.
  public init?(of policy: PowerUse, against reference: PowerUse, seconds: Double, under profile: PowerProfile)
  {
    let policyJoules = policy.joules(under: profile)
    let referenceJoules = reference.joules(under: profile)
    guard referenceJoules > 0 else { return nil }
    form = policy.form(under: profile)
    let logForm = PortableMath.log(form.spread(under: profile))
    var above = PowerSample(of: policy, under: profile).policy
    var below = PowerSample(of: reference, under: profile).policy
    services = Self.band(policyJoules / referenceJoules, above, below, logForm)
    let base = seconds * profile[.base].value * 1e-3
    PowerSample.add(.base, joules: base, profile, to: &above)
    PowerSample.add(.base, joules: base, profile, to: &below)
    let share = policyJoules / max(policyJoules + base, .leastNormalMagnitude)
    device = Self.band((policyJoules + base) / (referenceJoules + base), above, below, share * logForm)
  }

  private static func band(
    _ value: Double, _ above: [Double], _ below: [Double], _ logForm: Double
  ) -> PowerBand {
    let ratios = zip(above, below).map { $1 > 0 ? $0 / $1 : 0 }.sorted()
    return PowerBand(
      value: value, parameterLow: PowerSample.quantile(0.05, of: ratios),
      parameterHigh: PowerSample.quantile(0.95, of: ratios), logForm: logForm)
  }
}
