// Equal to the files of the same names in Profiles, which a test compares: so that the program needs no file.

extension PowerProfile {
  /// A vehicle tracker like the Teltonika FMB110 at 12 V.
  public static let vehicleTracker = PowerProfile(
    name: "vehicle-tracker", about: "A vehicle tracker like the Teltonika FMB110 at 12 V, not calibrated",
    [
      .base: Parameter(
        88, spread: 1.2, .verified,
        "Teltonika wiki, FMB110: deep sleep 7.35 mA at 12 V"),
      .battery: Parameter(
        0, spread: 1, .assumed,
        "fed by the vehicle"),
      .voltage: Parameter(
        12, spread: 1.1, .verified,
        "Teltonika wiki, FMB110: currents at 12 V"),
      .receiverAcquire: Parameter(
        220, spread: 1.4, .assumed,
        "a little above tracking"),
      .receiverTrackWeak: Parameter(
        186, spread: 1.3, .derived,
        "Teltonika wiki, FMB110: nominal 35.23 mA less GNSS sleep 19.72 mA at 12 V"),
      .receiverTrackStrong: Parameter(
        186, spread: 1.3, .derived,
        "Teltonika wiki, FMB110: nominal 35.23 mA less GNSS sleep 19.72 mA at 12 V"),
      .receiverPowerSave: Parameter(
        186, spread: 1.3, .assumed,
        "no power-save mode is offered: as tracking"),
      .receiverBackup: Parameter(
        0, spread: 1, .assumed,
        "part of the base"),
      .timeToFixCold: Parameter(
        30, spread: 2, .assumed,
        "as data sheets of receivers have it"),
      .timeToFixWarm: Parameter(
        25, spread: 2, .assumed,
        "as data sheets of receivers have it"),
      .timeToFixHot: Parameter(
        2, spread: 2, .assumed,
        "as data sheets of receivers have it"),
      .timeToFixAided: Parameter(
        10, spread: 2, .assumed,
        "orbits from the network"),
      .hotWindow: Parameter(
        4, spread: 1.5, .verified,
        "SparkFun NEO-M9N hook-up guide: hot start up to 4 h after power-down"),
      .receiverLinger: Parameter(
        2, spread: 2, .assumed,
        "the module is switched off in order"),
      .awake: Parameter(
        149, spread: 1.4, .derived,
        "Teltonika wiki, FMB110: GNSS sleep 19.72 mA less deep sleep 7.35 mA at 12 V"),
      .core: Parameter(
        100, spread: 3, .assumed,
        "a microcontroller at full clock"),
      .deliveryCore: Parameter(
        0.1, spread: 3, .assumed,
        "a small program that appends to a file"),
      .wake: Parameter(
        0.3, spread: 3, .assumed,
        "0.3 W for a second"),
      .wakeTime: Parameter(
        1, spread: 2, .assumed,
        "out of deep sleep"),
      .wifiScan: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .cellRead: Parameter(
        0, spread: 1, .assumed,
        "the modem is attached anyway"),
      .motion: Parameter(
        1, spread: 2, .assumed,
        "the sensor's own motion interrupt"),
      .networkLocation: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .radioPromotion: Parameter(
        0.1, spread: 2, .assumed,
        "so that an isolated send takes 5 J"),
      .radioPromotionTime: Parameter(
        0.5, spread: 1.5, .assumed,
        "as a phone of its time"),
      .radioTail: Parameter(
        407, spread: 2, .derived,
        "Teltonika wiki, FMB110: GPRS 69.15 mA less nominal 35.23 mA at 12 V"),
      .radioTailTime: Parameter(
        12, spread: 1.5, .assumed,
        "as a phone of its time"),
      .radioKilobyte: Parameter(
        0.036, spread: 2, .recalled,
        "Balasubramanian et al., IMC 2009, GSM"),
      .relaunch: Parameter(
        0.2, spread: 3, .assumed,
        "two core seconds"),
    ])
}
