import LocationCore
import TestSupport

@testable import LocationLab

/// What a phone of `MobilityNet` used, as the power model has it, from what is known without its battery: how it was
/// set, when its own state machine tracked, and when it was carried.
///
/// The rules were chosen once for both systems and all settings; no number here is fitted.
struct PhoneModel {
  /// Joules of one percent of a new battery. Recalled: iPhone 6 6.91 Wh, Nexus 6 12.2 Wh.
  static func percentJoules(_ system: MobilityNet.System) -> Double {
    switch system {
    case .android: 12.2 * 36
    case .ios: 6.91 * 36
    }
  }

  /// Doze begins half an hour after the last movement (Android's `INACTIVE_TIMEOUT`); applied to both systems to tell
  /// carried from lying.
  private static let inactiveSeconds = 1800.0
  /// Seconds between the fixes of the settings that ask for 30.
  private static let mediumSeconds = 30.0

  /// When the phones were carried, with the half hour after.
  private let carried: [MobilityNet.Span]

  init(_ data: MobilityNet) {
    var carried: [MobilityNet.Span] = []
    for leg in data.legs.map(\.span) {
      let to = leg.to + Self.inactiveSeconds
      if let last = carried.last, leg.from <= last.to {
        carried[carried.count - 1].to = max(last.to, to)
      } else {
        carried.append(MobilityNet.Span(from: leg.from, to: to))
      }
    }
    self.carried = carried
  }

  /// What a run used from its first reading off the plateau to its last; nil where there is none.
  func window(_ run: MobilityNet.Run) -> PowerCalibration.Window? {
    guard let (span, percent) = run.discharge, percent > 0 else { return nil }
    let unit = Self.percentJoules(run.system)
    return PowerCalibration.Window(
      use: use(run, in: span), seconds: span.seconds, joules: percent * unit, stepJoules: unit)
  }

  private func use(_ run: MobilityNet.Run, in span: MobilityNet.Span) -> PowerUse {
    let tracked = run.tracking.compactMap { $0.overlap(span) }
    let moving = tracked.flatMap { part in carried.compactMap { $0.overlap(part) } }
    let total = tracked.reduce(0) { $0 + $1.seconds }
    let active = moving.reduce(0) { $0 + $1.seconds }
    let fixes = moving.reduce(0.0) { sum, part in
      sum + Double(run.fixTimes.count { $0 >= part.from && $0 <= part.to })
    }
    var use = PowerUse()
    switch run.system {
    case .android: Self.addAndroid(run.regime, active: active, still: total - active, to: &use)
    case .ios: Self.addIOS(run.regime, active: active, still: total - active, fixes: fixes, to: &use)
    }
    return use
  }

  /// Awake, with a fix a second, while it moves; asleep but for the network's service (high accuracy, 1 s) once it
  /// lies. At 30 s it wakes for each fix.
  private static func addAndroid(
    _ regime: MobilityNet.Regime, active: Double, still: Double, to use: inout PowerUse
  ) {
    switch regime {
    case .none: break
    case .continuous, .haHF, .maHF:
      use[regime == .maHF ? .networkLocation : .trackingUnknown] = active
      use[.awake] = active
      use[.run] = active * PowerProfile.androidPixel.deliveryCoreSeconds
      if regime != .maHF { use[.networkLocation] = still }
    case .haMF, .maMF:
      let fixes = active / mediumSeconds
      let search = PowerProfile.androidPixel[.timeToFixHot].value
      use[regime == .haMF ? .acquiringHot : .networkLocation] = fixes * search
      use[.awake] = fixes * search
      use[.wake] = fixes
      use[.run] = fixes * PowerProfile.androidPixel.deliveryCoreSeconds
    case .stillBestHF: use[.networkLocation] = still
    case .still10HF, .still100HF, .stillBestMF, .still100MF: break
    }
  }

  /// The receiver and the machine on while it tracks at best accuracy or 10 m, and a delivery for each fix while it
  /// moves; at 100 m the network's service, with a scan and a wake for each fix.
  private static func addIOS(
    _ regime: MobilityNet.Regime, active: Double, still: Double, fixes: Double, to use: inout PowerUse
  ) {
    let delivery = PowerProfile.iphoneClass.deliveryCoreSeconds
    switch regime {
    case .none: break
    case .continuous, .haHF, .haMF, .stillBestHF, .still10HF, .stillBestMF:
      use[.trackingUnknown] = active + still
      use[.awake] = active + still
      use[.run] = (regime == .haMF ? fixes : active) * delivery
    case .maHF, .maMF, .still100HF, .still100MF:
      use[.networkLocation] = active + still
      use[.wifiScan] = fixes
      use[.wake] = fixes
      use[.run] = fixes * delivery
    }
  }
}
