// Equal to the files of the same names in Profiles, which a test compares: so that the program needs no file.

extension PowerProfile {
  /// A phone like the iPhone 6 with iOS 12.
  public static let iphoneClass = PowerProfile(
    name: "iphone-class", about: "A phone like the iPhone 6 with iOS 12, not calibrated",
    [
      .base: Parameter(
        53, spread: 1.5, .derived,
        "MobilityNet/mobilitynet-analysis-scripts b2ac9bb: 0.77 %/h of 6.91 Wh without tracking, 11 runs"),
      .battery: Parameter(
        6.91, spread: 1.15, .recalled,
        "1810 mAh at 3.82 V when new"),
      .voltage: Parameter(
        3.82, spread: 1.05, .recalled,
        "nominal cell voltage"),
      .receiverAcquire: Parameter(
        120, spread: 1.6, .assumed,
        "a little above tracking"),
      .receiverTrackWeak: Parameter(
        100, spread: 1.6, .assumed,
        "its share of the 250 mW that a still phone takes at best accuracy; only the sum with awake_mw is measured"
      ),
      .receiverTrackStrong: Parameter(
        100, spread: 1.6, .assumed,
        "its share of the 250 mW that a still phone takes at best accuracy; only the sum with awake_mw is measured"
      ),
      .receiverPowerSave: Parameter(
        100, spread: 1.6, .assumed,
        "no power-save mode is offered: as tracking"),
      .receiverBackup: Parameter(
        0, spread: 1, .assumed,
        "part of the base"),
      .timeToFixCold: Parameter(
        30, spread: 2, .assumed,
        "as data sheets of receivers have it"),
      .timeToFixWarm: Parameter(
        10, spread: 2, .assumed,
        "helped by the network"),
      .timeToFixHot: Parameter(
        3, spread: 2, .assumed,
        "a second of search and the start of the receiver"),
      .timeToFixAided: Parameter(
        5, spread: 2, .assumed,
        "orbits from the network"),
      .hotWindow: Parameter(
        4, spread: 1.5, .verified,
        "SparkFun NEO-M9N hook-up guide: hot start up to 4 h after power-down"),
      .receiverLinger: Parameter(
        5, spread: 2, .assumed,
        "as PowerTutor has it for an Android phone, less a second"),
      .awake: Parameter(
        150, spread: 1.6, .derived,
        "MobilityNet/mobilitynet-analysis-scripts b2ac9bb: 303 mW still at best accuracy (16 runs), less 53 mW base and 100 mW receiver"
      ),
      .core: Parameter(
        1000, spread: 2, .assumed,
        "one core at a medium clock"),
      .deliveryCore: Parameter(
        0.1, spread: 3, .assumed,
        "a small program that appends to a file"),
      .wake: Parameter(
        0.3, spread: 3, .assumed,
        "half a watt for half a second"),
      .wakeTime: Parameter(
        0.3, spread: 2, .assumed,
        "a phone out of suspension"),
      .wifiScan: Parameter(
        0.6, spread: 2, .derived,
        "22 mJ a channel (LineageOS bullhead power_profile: 75.48 mA x 80.1 ms at 3.7 V) x 27 channels"),
      .cellRead: Parameter(
        0, spread: 1, .assumed,
        "the modem is attached anyway"),
      .motion: Parameter(
        1, spread: 2, .assumed,
        "a motion co-processor reads the sensor"),
      .networkLocation: Parameter(
        74, spread: 1.5, .derived,
        "MobilityNet/mobilitynet-analysis-scripts b2ac9bb: 1.84 %/h of 6.91 Wh still at 100 m (12 runs), less 53 mW base"
      ),
      .radioPromotion: Parameter(
        0.3, spread: 2, .recalled,
        "Huang et al., MobiSys 2012, LTE: 1210.7 mW x 0.26 s"),
      .radioPromotionTime: Parameter(
        0.26, spread: 1.5, .recalled,
        "Huang et al., MobiSys 2012, LTE"),
      .radioTail: Parameter(
        570, spread: 2, .recalled,
        "so that an isolated send takes 6 J: Huang et al., MobiSys 2012, have 12.6 J for an early LTE phone, others 3 J"
      ),
      .radioTailTime: Parameter(
        10, spread: 1.5, .recalled,
        "Huang et al., MobiSys 2012, have 11.6 s"),
      .radioKilobyte: Parameter(
        0.0035, spread: 2, .recalled,
        "Huang et al., MobiSys 2012, LTE up: 438.39 mW for each Mbit/s"),
      .relaunch: Parameter(
        1, spread: 3, .assumed,
        "a core second"),
    ])

  /// A phone like the Pixel 3, from its vendor profile.
  public static let androidPixel = PowerProfile(
    name: "android-pixel", about: "A phone like the Pixel 3, from its vendor profile, not calibrated",
    [
      .base: Parameter(
        40, spread: 1.5, .derived,
        "LineageOS crosshatch power_profile, blueline: cpu.suspend 5.6 mA and cpu.idle 5.2 mA at 3.7 V"),
      .battery: Parameter(
        10.8, spread: 1.1, .derived,
        "LineageOS crosshatch power_profile, blueline: 2915 mAh at 3.7 V"),
      .voltage: Parameter(
        3.7, spread: 1.05, .verified,
        "LineageOS crosshatch power_profile, blueline: gps.voltage 3700"),
      .receiverAcquire: Parameter(
        122, spread: 1.4, .verified,
        "LineageOS crosshatch power_profile, blueline: weak signal, 33 mA at 3.7 V"),
      .receiverTrackWeak: Parameter(
        122, spread: 1.8, .verified,
        "LineageOS crosshatch power_profile, blueline: gps.signalqualitybased, first value, 33 mA at 3.7 V"),
      .receiverTrackStrong: Parameter(
        26, spread: 1.8, .verified,
        "LineageOS crosshatch power_profile, blueline: gps.signalqualitybased, second value, 7 mA at 3.7 V"),
      .receiverPowerSave: Parameter(
        26, spread: 1.8, .assumed,
        "no power-save mode is offered: as tracking a strong signal"),
      .receiverBackup: Parameter(
        0, spread: 1, .assumed,
        "part of the base"),
      .timeToFixCold: Parameter(
        30, spread: 2, .assumed,
        "as data sheets of receivers have it"),
      .timeToFixWarm: Parameter(
        10, spread: 2, .assumed,
        "helped by the network"),
      .timeToFixHot: Parameter(
        3, spread: 2, .assumed,
        "a second of search and the start of the receiver"),
      .timeToFixAided: Parameter(
        5, spread: 2, .assumed,
        "orbits from the network"),
      .hotWindow: Parameter(
        4, spread: 1.5, .verified,
        "SparkFun NEO-M9N hook-up guide: hot start up to 4 h after power-down"),
      .receiverLinger: Parameter(
        6, spread: 2, .verified,
        "PowerTutor DreamConstants.java 6ba2d63: 6 s in sleep before off"),
      .awake: Parameter(
        118, spread: 1.5, .derived,
        "LineageOS crosshatch power_profile, blueline: one little core, 21.89 + 1.30 + 8.57 mA at 3.7 V"),
      .core: Parameter(
        80, spread: 2, .derived,
        "LineageOS crosshatch power_profile, blueline: 37 mW (little core, low clock) to 175 mW (big core)"),
      .deliveryCore: Parameter(
        0.1, spread: 3, .assumed,
        "a small program that appends to a file"),
      .wake: Parameter(
        0.3, spread: 3, .assumed,
        "half a watt for half a second"),
      .wakeTime: Parameter(
        0.3, spread: 2, .assumed,
        "a phone out of suspension"),
      .wifiScan: Parameter(
        0.6, spread: 2, .derived,
        "22 mJ a channel (LineageOS bullhead power_profile: 75.48 mA x 80.1 ms at 3.7 V) x 27 channels"),
      .cellRead: Parameter(
        0, spread: 1, .assumed,
        "the modem is attached anyway"),
      .motion: Parameter(
        1, spread: 2, .assumed,
        "a motion co-processor reads the sensor"),
      .networkLocation: Parameter(
        30, spread: 2, .assumed,
        "a scan every 20 s"),
      .radioPromotion: Parameter(
        0.3, spread: 2, .recalled,
        "Huang et al., MobiSys 2012, LTE: 1210.7 mW x 0.26 s"),
      .radioPromotionTime: Parameter(
        0.26, spread: 1.5, .recalled,
        "Huang et al., MobiSys 2012, LTE"),
      .radioTail: Parameter(
        570, spread: 2, .recalled,
        "so that an isolated send takes 6 J: Huang et al., MobiSys 2012, have 12.6 J for an early LTE phone, others 3 J"
      ),
      .radioTailTime: Parameter(
        10, spread: 1.5, .recalled,
        "Huang et al., MobiSys 2012, have 11.6 s"),
      .radioKilobyte: Parameter(
        0.0035, spread: 2, .recalled,
        "Huang et al., MobiSys 2012, LTE up: 438.39 mW for each Mbit/s"),
      .relaunch: Parameter(
        1, spread: 3, .assumed,
        "several core seconds, and what the screen-off machine takes meanwhile"),
    ])
}
