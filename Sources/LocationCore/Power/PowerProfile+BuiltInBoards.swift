// Equal to the files of the same names in Profiles, which a test compares: so that the program needs no file.

extension PowerProfile {
  /// Raspberry Pi 4 B with a u-blox SAM-M8Q.
  public static let rpi4UbloxM8 = PowerProfile(
    name: "rpi4-ublox-m8", about: "Raspberry Pi 4 B with a u-blox SAM-M8Q, not calibrated",
    [
      .base: Parameter(
        1600, spread: 1.3, .verified,
        "geerlingguy/sbc-reviews #4, idle at the wall"),
      .battery: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .voltage: Parameter(
        5, spread: 1.05, .assumed,
        "supplied with 5 V by USB"),
      .receiverAcquire: Parameter(
        96, spread: 1.15, .verified,
        "u-blox UBX-16012619 R04 table 8: 32 mA at 3.0 V, GPS and GLONASS"),
      .receiverTrackWeak: Parameter(
        87, spread: 1.15, .verified,
        "u-blox UBX-16012619 R04 table 8: 29 mA at 3.0 V, GPS and GLONASS"),
      .receiverTrackStrong: Parameter(
        87, spread: 1.15, .verified,
        "u-blox UBX-16012619 R04 table 8: 29 mA at 3.0 V, GPS and GLONASS"),
      .receiverPowerSave: Parameter(
        28.5, spread: 1.15, .verified,
        "u-blox UBX-16012619 R04 table 8: 9.5 mA at 3.0 V, power save mode at 1 Hz"),
      .receiverBackup: Parameter(
        0.045, spread: 1.5, .recalled,
        "u-blox M8 data sheets: 15 uA at 3.0 V, hardware backup"),
      .timeToFixCold: Parameter(
        26, spread: 1.3, .verified,
        "u-blox MAX-M8Q data sheet, GPS and GLONASS"),
      .timeToFixWarm: Parameter(
        25, spread: 1.3, .recalled,
        "u-blox M8 data sheets"),
      .timeToFixHot: Parameter(
        1.5, spread: 1.5, .recalled,
        "u-blox M8 data sheets have 1 s, to which the start of the output comes"),
      .timeToFixAided: Parameter(
        2, spread: 1.5, .recalled,
        "u-blox M8 data sheets"),
      .hotWindow: Parameter(
        4, spread: 1.5, .verified,
        "SparkFun NEO-M9N hook-up guide: hot start up to 4 h after power-down"),
      .receiverLinger: Parameter(
        0, spread: 1, .assumed,
        "the receiver is switched by command; gpsd alone leaves it on"),
      .awake: Parameter(
        0, spread: 1, .verified,
        "no suspension on any model: raspberrypi/linux #1281"),
      .core: Parameter(
        850, spread: 1.3, .derived,
        "geerlingguy/sbc-reviews #4: (5.0 W - 1.6 W) / 4 cores"),
      .deliveryCore: Parameter(
        0.1, spread: 3, .assumed,
        "a small program that appends to a file"),
      .wake: Parameter(
        0, spread: 1, .verified,
        "no suspension on any model: raspberrypi/linux #1281"),
      .wakeTime: Parameter(
        0, spread: 1, .verified,
        "no suspension on any model: raspberrypi/linux #1281"),
      .wifiScan: Parameter(
        0.3, spread: 2.5, .derived,
        "22 mJ a channel (LineageOS bullhead power_profile: 75.48 mA x 80.1 ms at 3.7 V) x 13 channels"),
      .cellRead: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .motion: Parameter(
        5, spread: 3, .assumed,
        "a sensor on the I2C bus, polled"),
      .networkLocation: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .radioPromotion: Parameter(
        0.1, spread: 3, .assumed,
        "Wi-Fi out of its power save"),
      .radioPromotionTime: Parameter(
        0.1, spread: 2, .assumed,
        "Wi-Fi out of its power save"),
      .radioTail: Parameter(
        200, spread: 3, .assumed,
        "so that an isolated send takes 0.3 J"),
      .radioTailTime: Parameter(
        1, spread: 2, .assumed,
        "until Wi-Fi saves power again"),
      .radioKilobyte: Parameter(
        0.007, spread: 2, .recalled,
        "Balasubramanian et al., IMC 2009, Wi-Fi"),
      .relaunch: Parameter(
        0.4, spread: 3, .assumed,
        "half a core second"),
    ])

  /// Raspberry Pi Zero 2 W with a u-blox MAX-M10S.
  public static let rpiZero2M10 = PowerProfile(
    name: "rpi-zero2-m10", about: "Raspberry Pi Zero 2 W with a u-blox MAX-M10S, not calibrated",
    [
      .base: Parameter(
        600, spread: 1.3, .verified,
        "CNX Software 2021-12-09: 120 mA at 5 V idle with a stock system; below 75 mA tuned"),
      .battery: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .voltage: Parameter(
        5, spread: 1.05, .assumed,
        "supplied with 5 V by USB"),
      .receiverAcquire: Parameter(
        33.9, spread: 1.2, .verified,
        "u-blox UBX-20035208 R01 table 13: 9.0 + 2.3 mA at 3.0 V, GPS, Galileo and GLONASS"),
      .receiverTrackWeak: Parameter(
        27.9, spread: 1.2, .verified,
        "u-blox UBX-20035208 R01 table 13: 7.0 + 2.3 mA at 3.0 V, GPS, Galileo and GLONASS"),
      .receiverTrackStrong: Parameter(
        27.9, spread: 1.2, .verified,
        "u-blox UBX-20035208 R01 table 13: 7.0 + 2.3 mA at 3.0 V, GPS, Galileo and GLONASS"),
      .receiverPowerSave: Parameter(
        9.2, spread: 2, .assumed,
        "no number in UBX-20035208 R01: a third of tracking, as on the M8"),
      .receiverBackup: Parameter(
        0.11, spread: 1.2, .verified,
        "u-blox UBX-20035208 R01 table 14: 32 uA at 3.3 V, hardware backup"),
      .timeToFixCold: Parameter(
        24, spread: 1.3, .verified,
        "u-blox UBX-20035208 R01 table 1"),
      .timeToFixWarm: Parameter(
        23, spread: 1.3, .assumed,
        "a little below cold"),
      .timeToFixHot: Parameter(
        1.5, spread: 1.5, .verified,
        "u-blox UBX-20035208 R01 table 1 has 1 s, to which the start of the output comes"),
      .timeToFixAided: Parameter(
        1, spread: 1.5, .verified,
        "u-blox UBX-20035208 R01 table 1"),
      .hotWindow: Parameter(
        4, spread: 1.5, .verified,
        "SparkFun NEO-M9N hook-up guide: hot start up to 4 h after power-down"),
      .receiverLinger: Parameter(
        0, spread: 1, .assumed,
        "the receiver is switched by command; gpsd alone leaves it on"),
      .awake: Parameter(
        0, spread: 1, .verified,
        "no suspension on any model: raspberrypi/linux #1281"),
      .core: Parameter(
        300, spread: 2, .assumed,
        "a Cortex-A53 at 1 GHz"),
      .deliveryCore: Parameter(
        0.2, spread: 3, .assumed,
        "a small program that appends to a file, on a slow core"),
      .wake: Parameter(
        0, spread: 1, .verified,
        "no suspension on any model: raspberrypi/linux #1281"),
      .wakeTime: Parameter(
        0, spread: 1, .verified,
        "no suspension on any model: raspberrypi/linux #1281"),
      .wifiScan: Parameter(
        0.3, spread: 2.5, .derived,
        "22 mJ a channel (LineageOS bullhead power_profile: 75.48 mA x 80.1 ms at 3.7 V) x 13 channels"),
      .cellRead: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .motion: Parameter(
        5, spread: 3, .assumed,
        "a sensor on the I2C bus, polled"),
      .networkLocation: Parameter(
        0, spread: 1, .assumed,
        "the device has no such part"),
      .radioPromotion: Parameter(
        0.1, spread: 3, .assumed,
        "Wi-Fi out of its power save"),
      .radioPromotionTime: Parameter(
        0.1, spread: 2, .assumed,
        "Wi-Fi out of its power save"),
      .radioTail: Parameter(
        200, spread: 3, .assumed,
        "so that an isolated send takes 0.3 J"),
      .radioTailTime: Parameter(
        1, spread: 2, .assumed,
        "until Wi-Fi saves power again"),
      .radioKilobyte: Parameter(
        0.007, spread: 2, .recalled,
        "Balasubramanian et al., IMC 2009, Wi-Fi"),
      .relaunch: Parameter(
        0.4, spread: 3, .assumed,
        "a core second and more"),
    ])
}
