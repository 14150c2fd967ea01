/// Something that is counted on the bill: time in a state in seconds, or a number of things done. Its energy is its
/// quantity times a price that the profile states, so a bill can be priced under any profile.
package enum PowerTerm: Int, Hashable, Sendable, Codable, CaseIterable {
  case acquiringCold, acquiringWarm, acquiringHot, acquiringAided
  case trackingWeak, trackingStrong
  /// Fixes, and nobody says how strong the signal is.
  case trackingUnknown
  case powerSaving, lingering, backup
  case networkLocation, motion
  case awake
  /// A number of wakes.
  case wake
  /// Core seconds of subscribers.
  case run
  /// A number of process starts whose work nobody measured.
  case relaunch
  /// Core seconds of process starts that were measured.
  case relaunchRun
  /// A number of scans.
  case wifiScan
  /// A number of readings.
  case cellRead
  /// A number of promotions.
  case radioPromotion
  case radioActive
  case radioKilobytes
  case radioTail

  /// What a unit costs: the sum of these parameters, each with its weight.
  package var price: [(parameter: PowerParameter, weight: Double)] {
    switch self {
    case .acquiringCold, .acquiringWarm, .acquiringHot, .acquiringAided:
      [(.receiverAcquire, Self.wattsPerMilliwatt)]
    case .trackingWeak: [(.receiverTrackWeak, Self.wattsPerMilliwatt)]
    case .trackingStrong: [(.receiverTrackStrong, Self.wattsPerMilliwatt)]
    case .trackingUnknown:
      [
        (.receiverTrackWeak, 0.5 * Self.wattsPerMilliwatt),
        (.receiverTrackStrong, 0.5 * Self.wattsPerMilliwatt),
      ]
    case .powerSaving: [(.receiverPowerSave, Self.wattsPerMilliwatt)]
    // A receiver that lingers has just had a fix.
    case .lingering: [(.receiverTrackStrong, Self.wattsPerMilliwatt)]
    case .backup: [(.receiverBackup, Self.wattsPerMilliwatt)]
    case .networkLocation: [(.networkLocation, Self.wattsPerMilliwatt)]
    case .motion: [(.motion, Self.wattsPerMilliwatt)]
    case .awake: [(.awake, Self.wattsPerMilliwatt)]
    case .wake: [(.wake, 1)]
    case .run, .relaunchRun: [(.core, Self.wattsPerMilliwatt)]
    case .relaunch: [(.relaunch, 1)]
    case .wifiScan: [(.wifiScan, 1)]
    case .cellRead: [(.cellRead, 1)]
    case .radioPromotion: [(.radioPromotion, 1)]
    case .radioActive, .radioTail: [(.radioTail, Self.wattsPerMilliwatt)]
    case .radioKilobytes: [(.radioKilobyte, 1)]
    }
  }

  /// The parameter whose error is also the quantity's, where that is modelled and not observed.
  package var scale: PowerParameter? {
    switch self {
    case .acquiringCold: .timeToFixCold
    case .acquiringWarm: .timeToFixWarm
    case .acquiringHot: .timeToFixHot
    case .acquiringAided: .timeToFixAided
    case .lingering: .receiverLinger
    case .run: .deliveryCore
    case .radioTail: .radioTailTime
    case .trackingWeak, .trackingStrong, .trackingUnknown, .powerSaving, .backup, .networkLocation, .motion,
      .awake, .wake, .relaunch, .relaunchRun, .wifiScan, .cellRead, .radioPromotion, .radioActive,
      .radioKilobytes:
      nil
    }
  }

  /// Under what it stands on the bill.
  package var component: PowerLedger.Component {
    switch self {
    case .acquiringCold, .acquiringWarm, .acquiringHot, .acquiringAided: .receiverAcquiring
    case .trackingWeak, .trackingStrong, .trackingUnknown: .receiverTracking
    case .powerSaving: .receiverPowerSave
    case .lingering: .receiverLinger
    case .backup: .receiverBackup
    case .networkLocation: .networkLocation
    case .motion: .motion
    case .awake: .machineAwake
    case .wake: .wake
    case .run: .subscriberRun
    case .relaunch, .relaunchRun: .relaunch
    case .wifiScan: .wifiScan
    case .cellRead: .cellRead
    case .radioPromotion: .radioPromotion
    case .radioActive, .radioKilobytes: .radioActive
    case .radioTail: .radioTail
    }
  }

  /// Whether the quantity is in seconds; else it is a number of things.
  package var isTime: Bool {
    switch self {
    case .wake, .relaunch, .wifiScan, .cellRead, .radioPromotion, .radioKilobytes: false
    case .acquiringCold, .acquiringWarm, .acquiringHot, .acquiringAided, .trackingWeak, .trackingStrong,
      .trackingUnknown, .powerSaving, .lingering, .backup, .networkLocation, .motion, .awake, .run,
      .relaunchRun, .radioActive, .radioTail:
      true
    }
  }

  /// Whether the receiver is on.
  package var isReceiverOn: Bool {
    switch self {
    case .acquiringCold, .acquiringWarm, .acquiringHot, .acquiringAided, .trackingWeak, .trackingStrong,
      .trackingUnknown, .powerSaving, .lingering:
      true
    case .backup, .networkLocation, .motion, .awake, .wake, .run, .relaunch, .relaunchRun, .wifiScan,
      .cellRead, .radioPromotion, .radioActive, .radioKilobytes, .radioTail:
      false
    }
  }

  private static let wattsPerMilliwatt = 1e-3
}
