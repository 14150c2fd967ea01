@testable import LocationCore

/// What is searched: kinds of subscribers, and actions that bear on each other.
enum ModelPlan {
  static let subscribers = [
    Subscriber(name: "a", services: [.regions, .visits]),
    Subscriber(name: "a", services: [.regions, .standard, .significantChange], modes: [.location]),
    Subscriber(name: "a", services: [.regions, .significantChange], exitsOnSuspend: true),
    Subscriber(name: "a", services: [.regions, .standard], authorization: .whenInUse),
    Subscriber(name: "a", services: [.regions, .standard], modes: [.location], standard: deferring),
    Subscriber(
      name: "a", services: [.regions],
      modes: [
        .audio, .voip, .fetch, .remoteNotification, .newsstandContent, .externalAccessory, .bluetoothCentral,
      ],
      authorization: .whenInUse),
    // The user may end it, and an event of a region starts it all the same.
    Subscriber(name: "a", services: [.regions], modes: [.voip, .remoteNotification, .newsstandContent]),
    oneshot,
  ]

  /// Its time is that of a wake, which the witness knows.
  private static var oneshot: Subscriber {
    var subscriber = Subscriber(name: "a", services: [.regions])
    subscriber.style = .oneshot
    subscriber.maxTimeSeconds = 10
    return subscriber
  }

  private static var deferring: StandardTerms {
    var terms = StandardTerms()
    terms.deferSeconds = 20
    return terms
  }

  /// Of few actions, much longer sequences can be searched.
  static let themes: [[ModelAction]] = [
    // Rights while events wait.
    [.region, .exit, .launch, .deny, .reduced, .always, .full, .tenSeconds],
    // The two clocks.
    [.launch, .background, .beginTask, .endTask, .region, .acknowledgeOldest, .second, .tenSeconds],
    // Memory as a level.
    [.region, .acknowledgeAll, .background, .critical, .relief, .launch, .second, .fiveSeconds],
    // A boot with protection, and force-quit.
    [.reboot, .unlock, .launch, .region, .exit, .quit, .minute],
    // Force-quit and background location.
    [.update, .region, .quit, .acknowledgeAll, .launch, .background, .tenSeconds],
    // The screen and calls while a fix is asked for.
    [.launch, .background, .locate, .lockScreen, .unlock, .interrupt, .resume, .fiveSeconds],
    // Backlogs, and subscribers that hang again and again.
    [.region, .acknowledgeOldest, .acknowledgeAll, .beginTask, .hog, .tenSeconds, .minute],
    // Positions kept back, and what the user may switch off meanwhile.
    [.update, .move, .backgroundDeliveryOff, .backgroundDeliveryOn, .acknowledgeAll, .exit, .tenSeconds],
    // Calls of the background modes, which need no right to know the position.
    [.keepAlive, .remoteControl, .goodMoment, .acknowledgeAll, .exit, .quit, .launch, .deny, .tenSeconds],
    // A connection that is kept, and the starts of a program that has to run.
    [
      .askKeepAlive, .tag, .traffic, .acknowledgeAll, .crash, .launch, .background, .backgroundDeliveryOff,
      .tenMinutes,
    ],
    [.crash, .exit, .register, .reboot, .unlock, .critical, .relief, .acknowledgeAll, .quit, .minute],
    // Audio that is heard, or not.
    [.launch, .background, .beginAudio, .endAudio, .quiet, .loud, .interrupt, .remoteControl, .minute],
    // Notifications, which wake nobody.
    [.notifySoon, .openNotification, .launch, .background, .reboot, .unlock, .exit, .fiveSeconds],
    [.restart, .goodMoment, .reboot, .unlock, .critical, .relief, .acknowledgeOldest, .hog, .second],
    // Transfers, which go on without their program.
    [
      .transfer, .transferEnds, .acknowledgeAll, .exit, .quit, .reboot, .unlock, .launch, .background,
      .minute,
    ],
    // Accessories on a wire, which end with the process, and Bluetooth, which does not.
    [
      .launch, .background, .openMeter, .openBand, .plugIn, .plugOut, .accessoryData, .acknowledgeAll, .exit,
      .tenSeconds,
    ],
    [
      .launch, .openBand, .closeAll, .plugIn, .plugOut, .exit, .quit, .reboot, .unlock, .acknowledgeAll,
      .minute,
    ],
    // Services that are published while the program runs.
    [
      .launch, .background, .advertise, .region, .acknowledgeAll, .exit, .quit, .reboot, .unlock, .critical,
      .tenSeconds,
    ],
    // Acknowledgements by hand.
    [
      .region, .acknowledgeOldest, .dismissOldest, .exit, .crash, .launch, .quit, .reboot, .unlock,
      .tenSeconds,
    ],
    // Issues of a periodical.
    [.issue, .region, .acknowledgeOldest, .exit, .quit, .reboot, .unlock, .launch, .background, .minute],
    // Pushes, of which silent ones have to wait.
    [.push, .silentPush, .acknowledgeAll, .quit, .launch, .background, .backgroundDeliveryOff, .minute],
    // What waits while the machine saves energy or the user has ended the program, and what starts it meanwhile.
    [
      .issue, .push, .silentPush, .region, .saveEnergy, .spendEnergy, .quit, .crash, .launch, .background,
      .acknowledgeOldest, .acknowledgeAll, .tenSeconds, .minute,
    ],
    // What a program says to end early or to go on, visits, and the first signs of short memory.
    [.done, .hold, .visit, .warning, .whenInUse, .acknowledgeAll, .launch, .background, .tenSeconds],
    // Rights while a fix is asked for, and fixes that come meanwhile.
    [.launch, .background, .locate, .poorFix, .deny, .always, .reduced, .full, .exit, .tenSeconds],
  ]
}
