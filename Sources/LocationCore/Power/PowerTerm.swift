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
  package var price: [(parameter: PowerParameter, weight: Double)] { Self.rows[rawValue].price }

  /// The parameter whose error is also the quantity's, where that is modelled and not observed.
  package var scale: PowerParameter? { Self.rows[rawValue].scale }

  /// Under what it stands on the bill.
  package var component: PowerLedger.Component { Self.rows[rawValue].component }

  /// Whether the quantity is in seconds; else it is a number of things.
  package var isTime: Bool { Self.rows[rawValue].isTime }

  /// Whether the receiver is on.
  package var isReceiverOn: Bool { Self.rows[rawValue].isReceiverOn }

  private struct Row {
    let price: [(parameter: PowerParameter, weight: Double)]
    let component: PowerLedger.Component
    let scale: PowerParameter?
    let isTime, isReceiverOn: Bool

    /// - Parameter parameters: their mean is the price: milliwatts of a time, else joules.
    init(
      _ parameters: [PowerParameter], _ component: PowerLedger.Component, scale: PowerParameter? = nil,
      isTime: Bool = true, isOn: Bool = false
    ) {
      let weight = (isTime ? PowerTerm.wattsPerMilliwatt : 1) / Double(parameters.count)
      price = parameters.map { ($0, weight) }
      self.component = component
      self.scale = scale
      self.isTime = isTime
      isReceiverOn = isOn
    }
  }

  private static let rows = allCases.map(\.row)

  private var row: Row {
    switch self {
    case .acquiringCold: Row([.receiverAcquire], .receiverAcquiring, scale: .timeToFixCold, isOn: true)
    case .acquiringWarm: Row([.receiverAcquire], .receiverAcquiring, scale: .timeToFixWarm, isOn: true)
    case .acquiringHot: Row([.receiverAcquire], .receiverAcquiring, scale: .timeToFixHot, isOn: true)
    case .acquiringAided: Row([.receiverAcquire], .receiverAcquiring, scale: .timeToFixAided, isOn: true)
    case .trackingWeak: Row([.receiverTrackWeak], .receiverTracking, isOn: true)
    case .trackingStrong: Row([.receiverTrackStrong], .receiverTracking, isOn: true)
    case .trackingUnknown: Row([.receiverTrackWeak, .receiverTrackStrong], .receiverTracking, isOn: true)
    case .powerSaving: Row([.receiverPowerSave], .receiverPowerSave, isOn: true)
    // A receiver that lingers has just had a fix.
    case .lingering: Row([.receiverTrackStrong], .receiverLinger, scale: .receiverLinger, isOn: true)
    case .backup: Row([.receiverBackup], .receiverBackup)
    case .networkLocation: Row([.networkLocation], .networkLocation)
    case .motion: Row([.motion], .motion)
    case .awake: Row([.awake], .machineAwake)
    case .wake: Row([.wake], .wake, isTime: false)
    case .run: Row([.core], .subscriberRun, scale: .deliveryCore)
    case .relaunch: Row([.relaunch], .relaunch, isTime: false)
    case .relaunchRun: Row([.core], .relaunch)
    case .wifiScan: Row([.wifiScan], .wifiScan, isTime: false)
    case .cellRead: Row([.cellRead], .cellRead, isTime: false)
    case .radioPromotion: Row([.radioPromotion], .radioPromotion, isTime: false)
    case .radioActive: Row([.radioTail], .radioActive)
    case .radioKilobytes: Row([.radioKilobyte], .radioActive, isTime: false)
    case .radioTail: Row([.radioTail], .radioTail, scale: .radioTailTime)
    }
  }

  private static let wattsPerMilliwatt = 1e-3
}
