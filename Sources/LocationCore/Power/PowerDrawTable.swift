/// What multiplies each parameter's value in each draw, made once for many samples under one profile.
package struct PowerDrawTable: Sendable {
  private let profile: PowerProfile
  private let rows: [[Double]]

  /// Makes the draws of every parameter, which takes a millisecond.
  package init(_ profile: PowerProfile) {
    self.profile = profile
    rows = PowerParameter.allCases.map { PowerSample.factors(of: $0, profile) }
  }

  /// The row of a parameter; nil where another profile spreads it in another way.
  func row(of parameter: PowerParameter, _ other: PowerProfile) -> [Double]? {
    profile[parameter].spread == other[parameter].spread ? rows[parameter.index] : nil
  }
}
