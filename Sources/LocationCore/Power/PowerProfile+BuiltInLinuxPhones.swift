// Equal to the files of the same names in Profiles, which a test compares: so that the program needs no file.

extension PowerProfile {
  /// A PinePhone or PinePhone Pro with the EG25-G modem's receiver.
  public static let pinephone = PowerProfile(
    name: "pinephone", about: "A PinePhone or PinePhone Pro with the EG25-G modem's receiver, not calibrated",
    [
      .base: Parameter(
        177, spread: 1.5, .verified,
        "megi, xnux.eu/log/081: PinePhone Pro suspended to RAM, laboratory supply; the A64 model takes 100 to 240 mW"
      ),
      .battery: Parameter(
        11.5, spread: 1.1, .verified,
        "megi, xnux.eu/log/081"),
      .voltage: Parameter(
        3.8, spread: 1.05, .recalled,
        "nominal cell voltage"),
      .receiverAcquire: Parameter(
        205, spread: 1.3, .recalled,
        "EG25-G hardware design: 54 mA at 3.8 V"),
      .receiverTrackWeak: Parameter(
        114, spread: 1.4, .recalled,
        "EG25-G hardware design: about 30 mA at 3.8 V"),
      .receiverTrackStrong: Parameter(
        114, spread: 1.4, .recalled,
        "EG25-G hardware design: about 30 mA at 3.8 V"),
      .receiverPowerSave: Parameter(
        114, spread: 1.4, .assumed,
        "no power-save mode is offered: as tracking"),
      .receiverBackup: Parameter(
        0, spread: 1, .assumed,
        "part of the modem, which the base has"),
      .timeToFixCold: Parameter(
        35, spread: 2, .recalled,
        "EG25-G hardware design"),
      .timeToFixWarm: Parameter(
        20, spread: 2, .recalled,
        "between cold and hot"),
      .timeToFixHot: Parameter(
        5, spread: 2, .recalled,
        "EG25-G hardware design has 2.5 s, to which the modem's answer comes"),
      .timeToFixAided: Parameter(
        10, spread: 2, .assumed,
        "XTRA orbits are faster than a cold start"),
      .hotWindow: Parameter(
        2, spread: 2, .assumed,
        "orbits serve for 2 to 4 h"),
      .receiverLinger: Parameter(
        0, spread: 1, .assumed,
        "the receiver is stopped by command"),
      .awake: Parameter(
        1200, spread: 1.5, .assumed,
        "the Librem 5 takes 1.4 W awake with its screen off (Phoronix), less a base"),
      .core: Parameter(
        700, spread: 2, .assumed,
        "a Cortex-A53 or A72 at full clock"),
      .deliveryCore: Parameter(
        0.1, spread: 3, .assumed,
        "a small program that appends to a file"),
      .wake: Parameter(
        3, spread: 2, .assumed,
        "1.2 W for 2.5 s"),
      .wakeTime: Parameter(
        2.5, spread: 1.5, .assumed,
        "out of suspension to RAM"),
      .wifiScan: Parameter(
        1, spread: 2, .assumed,
        "0.85 J for 38 channels on a phone, and the host awake"),
      .cellRead: Parameter(
        0, spread: 1, .assumed,
        "the modem is attached anyway; its 76 mW are in the base"),
      .motion: Parameter(
        5, spread: 3, .assumed,
        "no co-processor: the machine has to be awake to read it"),
      .networkLocation: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .radioPromotion: Parameter(
        0.5, spread: 2, .assumed,
        "a little above an early LTE phone"),
      .radioPromotionTime: Parameter(
        0.5, spread: 1.5, .assumed,
        "a little above an early LTE phone"),
      .radioTail: Parameter(
        750, spread: 2, .assumed,
        "so that an isolated send takes 8 J"),
      .radioTailTime: Parameter(
        10, spread: 1.5, .recalled,
        "Huang et al., MobiSys 2012, have 11.6 s"),
      .radioKilobyte: Parameter(
        0.0035, spread: 2, .recalled,
        "Huang et al., MobiSys 2012, LTE up: 438.39 mW for each Mbit/s"),
      .relaunch: Parameter(
        1.5, spread: 3, .assumed,
        "two core seconds"),
    ])
}
