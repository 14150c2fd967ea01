/// A number of the power model. The raw value is its key in a profile and ends in its unit: `mw` milliwatts,
/// `j` joules, `s` seconds, `h` hours, `wh` watt hours, `v` volts, `core_s` seconds of one busy core.
///
/// All powers of a part are what it draws beyond the part's being off.
public enum PowerParameter: String, Hashable, Sendable, Codable, CaseIterable {
  /// The device with no service of ours: part of the whole-device figure only.
  case base = "base_mw"
  /// What a full battery holds when new; 0 where the device has none.
  case battery = "battery_wh"
  /// Nominal voltage, for milliampere hours.
  case voltage = "supply_v"
  /// The receiver while it searches.
  case receiverAcquire = "receiver_acquire_mw"
  /// The receiver with fixes from a weak signal.
  case receiverTrackWeak = "receiver_track_weak_mw"
  /// The receiver with fixes from a strong signal.
  case receiverTrackStrong = "receiver_track_strong_mw"
  /// The receiver in its own power-save mode, one fix a second.
  case receiverPowerSave = "receiver_power_save_mw"
  /// The receiver off, keeping time and orbits.
  case receiverBackup = "receiver_backup_mw"
  /// To a fix without time, orbits or place.
  case timeToFixCold = "time_to_fix_cold_s"
  /// To a fix with rough orbits and place.
  case timeToFixWarm = "time_to_fix_warm_s"
  /// To a fix with fresh orbits.
  case timeToFixHot = "time_to_fix_hot_s"
  /// To a fix without orbits of its own, handed them by a network.
  case timeToFixAided = "time_to_fix_aided_s"
  /// How long orbits stay fresh.
  case hotWindow = "hot_window_h"
  /// How long the receiver stays on after nobody needs it any more.
  case receiverLinger = "receiver_linger_s"
  /// The machine awake with its screen off, beyond asleep.
  case awake = "awake_mw"
  /// One busy core, beyond awake.
  case core = "core_mw"
  /// What a modelled subscriber computes for one event.
  case deliveryCore = "delivery_core_s"
  /// Out of suspension and back, once.
  case wake = "wake_j"
  /// Until the machine runs again.
  case wakeTime = "wake_s"
  /// One scan for Wi-Fi networks, all channels.
  case wifiScan = "wifi_scan_j"
  /// One reading of the cells in sight.
  case cellRead = "cell_read_j"
  /// The motion sensor.
  case motion = "motion_mw"
  /// The network's own location service, good to some 100 m.
  case networkLocation = "network_location_mw"
  /// The radio from idle to connected, once.
  case radioPromotion = "radio_promotion_j"
  /// How long that takes.
  case radioPromotionTime = "radio_promotion_s"
  /// The radio connected, and after the last byte.
  case radioTail = "radio_tail_mw"
  /// How long it stays connected after the last byte.
  case radioTailTime = "radio_tail_s"
  /// One kilobyte sent or received.
  case radioKilobyte = "radio_kilobyte_j"
  /// The start of a subscriber's process.
  case relaunch = "relaunch_j"

  /// Its place among all.
  package var index: Int { Self.indices[self] ?? 0 }

  /// The parameter whose error it shares: one sheet states the tracking power for both signals.
  package var errorSource: PowerParameter { self == .receiverTrackWeak ? .receiverTrackStrong : self }

  private static let indices = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))
}
