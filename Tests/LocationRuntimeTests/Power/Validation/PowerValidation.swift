import LocationCore
import TestSupport

@testable import LocationLab

/// Levels V1 to V3: each day predicted by profiles that were fitted to the other days.
struct PowerValidation {
  /// One run, measured and predicted. Energies in percent of the battery.
  struct Row {
    var run: MobilityNet.Run
    var hours: Double
    var measured: Double
    /// By the profile as it comes.
    var uncalibrated: PowerBand
    /// By one profile for the system, fitted to all settings of the other days.
    var fitted: PowerBand
    /// By that profile, fitted once more to the same setting of the other days.
    var calibrated: PowerBand
    /// By the mean rate of the same setting on the other days; nil where there is none.
    var baseline: Double?
    /// By the mean rate of other phones with the same setting that lay or rode beside it; nil where there was none.
    var twins: Double?
    /// By the mean rate of the same setting on the same trips on other days; nil where there is none.
    var sameTrips: Double?

    /// Points an hour.
    func rate(_ percent: Double) -> Double { percent / hours }
  }

  /// A reading is a whole percent: below this many the reading's own error is above a fifth.
  static let leastPoints = 5.0

  let rows: [Row]

  init(_ data: MobilityNet) throws {
    let model = PhoneModel(data)
    var rows: [Row] = []
    for system in MobilityNet.System.allCases {
      let known = data.runs.compactMap { run -> (run: MobilityNet.Run, window: PowerCalibration.Window)? in
        guard run.system == system, let window = model.window(run), window.seconds >= 3600 else { return nil }
        return (run, window)
      }
      for day in Set(known.map(\.run.day)).sorted() {
        let others = known.filter { $0.run.day != day }
        let fitted = try Self.fit(Self.beginning(system), others.map(\.window))
        for (run, window) in known where run.day == day {
          let same = others.filter { $0.run.regime == run.regime }
          let calibrated = same.isEmpty ? fitted : try Self.refit(fitted, same.map(\.window))
          var row = Self.row(run, window, system, fitted, calibrated)
          func byRate(_ windows: [PowerCalibration.Window]) -> Double? {
            let rates = windows.map { $0.joules / $0.seconds }
            guard !rates.isEmpty else { return nil }
            return rates.reduce(0, +) / Double(rates.count) * window.seconds
              / PhoneModel.percentJoules(system)
          }
          row.baseline = byRate(same.map(\.window))
          row.sameTrips = byRate(same.filter { $0.run.dayType == run.dayType }.map(\.window))
          row.twins = byRate(
            known.filter { other in
              other.run.day == day && other.run.regime == run.regime && other.run.phone != run.phone
                && (other.run.span.overlap(run.span)?.seconds ?? 0) >= 0.9 * run.span.seconds
            }.map(\.window))
          rows.append(row)
        }
      }
    }
    self.rows = rows.sorted { $0.run.id < $1.run.id }
  }

  /// The built-in profile of the phone's kind.
  static func builtIn(_ system: MobilityNet.System) -> PowerProfile {
    switch system {
    case .android: .androidPixel
    case .ios: .iphoneClass
    }
  }

  /// What the fit begins with: the built-in profile; where that is of another phone altogether, with nothing believed.
  private static func beginning(_ system: MobilityNet.System) -> PowerProfile {
    var profile = builtIn(system)
    guard system == .android else { return profile }
    for parameter in PowerParameter.allCases where profile[parameter].spread > 1 {
      profile[parameter].spread = 10
    }
    return profile
  }

  private static func fit(_ before: PowerProfile, _ windows: [PowerCalibration.Window]) throws -> PowerProfile
  {
    let calibration = try PowerCalibration(before, windows: windows)
    return calibration.profile(
      name: before.name, about: before.about, note: note(calibration), meterSpread: phoneSpread)
  }

  /// Another setting's app does other work: what it draws may differ by the factor that research on these phones found.
  private static func refit(_ fitted: PowerProfile, _ windows: [PowerCalibration.Window]) throws
    -> PowerProfile
  {
    var before = fitted
    for parameter in PowerParameter.allCases where before[parameter].spread > 1 {
      before[parameter].spread = parameter == .base ? phoneSpread : PowerForm.calibrated.spread
    }
    return try fit(before, windows)
  }

  /// Four equal phones, and one on two days, differ by this much: 20 % as a standard deviation, x/÷ 1.4 with 90 %.
  private static let phoneSpread = 1.4

  private static func note(_ calibration: PowerCalibration) -> PowerCalibrationNote {
    PowerCalibrationNote(
      device: "phone", meter: "battery percent", log: "mobilitynet", windows: calibration.windows.count,
      conditionNumber: 1, residualSpread: calibration.residualSpread)
  }

  private static func row(
    _ run: MobilityNet.Run, _ window: PowerCalibration.Window, _ system: MobilityNet.System,
    _ fitted: PowerProfile, _ calibrated: PowerProfile
  ) -> Row {
    let unit = PhoneModel.percentJoules(system)
    func predict(_ profile: PowerProfile, _ form: PowerForm?) -> PowerBand {
      var band = window.use.band(under: profile, form: form, deviceSeconds: window.seconds)
      band.value /= unit
      band.low /= unit
      band.high /= unit
      return band
    }
    return Row(
      run: run, hours: window.seconds / 3600, measured: window.joules / unit,
      uncalibrated: predict(builtIn(system), .uncalibrated), fitted: predict(fitted, .uncalibrated),
      calibrated: predict(calibrated, nil))
  }

  /// Whether a band holds what was measured, within the point that its two readings may be off.
  static func holds(_ band: PowerBand, _ measured: Double) -> Bool {
    band.low <= measured + 1 && measured - 1 <= band.high
  }

  /// Runs that the battery tells something about.
  func usable(_ system: MobilityNet.System, _ choose: (MobilityNet.Regime) -> Bool = { _ in true }) -> [Row] {
    rows.filter {
      $0.run.system == system && choose($0.run.regime) && $0.measured >= Self.leastPoints
        && $0.baseline != nil
    }
  }
}
