/// A rule of `Docs/Policy.md`, by the id that decisions, records and tests quote.
public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
  /// One state at a time, legal moves only.
  case stateMoves = "A1"
  /// Suspension once nothing holds it off.
  case suspension = "A2"
  /// Suspended subscribers are purged first under memory pressure.
  case memoryPressure = "A4"
  /// A subscriber that opted out of background execution ends with the foreground.
  case exitsOnSuspend = "A5"
  /// Force-quit: only location services relaunch.
  case forceQuit = "A7"
  /// Nothing is relaunched before the first unlock.
  case firstUnlock = "A8"
  case significantChange = "B1"
  case standard = "B2"
  case backgroundLocation = "B3"
  case regions = "B4"
  case visits = "B5"
  case automaticPause = "B6"
  case deferral = "B7"
  case authorization = "B8"
  case availability = "B9"
  case advice = "B10"
  case taskToken = "C1"
  case taskBudget = "C2"
  case taskExpiration = "C3"
  case unknownTask = "C4"
  /// A notification that is due is shown; it never wakes.
  case notificationDue = "D3"
  /// At most 128 notifications are scheduled.
  case notificationLimit = "D4"
  /// The user opens a notification.
  case notificationOpened = "D6"
  /// Regions are watched for a notification.
  case notificationRegion = "D7"
  /// The user lets a program show notifications, or does not.
  case notificationPermission = "D8"
  /// What may be asked of keep-alives.
  case keepAliveTerms = "E1"
  /// The handler of a keep-alive.
  case keepAlive = "E2"
  /// A kept socket has something to read.
  case traffic = "E4"
  /// Relaunched at boot and after a failed exit.
  case restart = "E5"
  /// Audio that sounds holds off suspension.
  case audioSession = "F1"
  /// Audio in the background needs the mode.
  case audioMode = "F2"
  /// Audio that is silent holds nothing off.
  case audioSilence = "F3"
  /// Who may sound, and who is interrupted.
  case audioFocus = "F4"
  /// Remote control of audio.
  case remoteControl = "F5"
  /// Recording needs the microphone.
  case microphone = "F6"
  /// A good moment to fetch.
  case goodMoment = "G1"
  /// A push is shown, and wakes or relaunches.
  case push = "H1"
  /// Few pushes without an alert wake.
  case silentPush = "H2"
  /// A push is taken once.
  case pushOnce = "H4"
  /// Transfers go on without their program.
  case transfer = "I1"
  /// The end of a session wakes or relaunches.
  case transferSession = "I2"
  /// A force-quit ends transfers.
  case transferCancelled = "I3"
  /// Issues of a periodical wake and relaunch.
  case issue = "I5"
  /// Accessories wake.
  case accessory = "J1"
  /// Accessories are switched off and on.
  case accessorySwitch = "J2"
  /// Bluetooth wakes and relaunches.
  case bluetooth = "J3"
  /// Without the mode, accessories are of the foreground.
  case accessoryMode = "J4"
  /// A force-quit closes accessories.
  case accessoryClosed = "J5"
  case wakeBudget = "K1"
  case overrun = "K2"
  case sharedResource = "K3"
  case atLeastOnce = "K5"
  /// Services of a program are published while it runs.
  case advertisedService = "K6"
  /// Receiver time that several need is counted once.
  case sharedReceiver = "L2"
}
