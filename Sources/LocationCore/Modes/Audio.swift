/// Section F: audio that goes on in the background.
extension BackgroundMode {
  /// Rule F5.
  public static let remoteControl = BackgroundMode(
    name: "remote control of audio", kind: "audio", modes: .audio, trigger: .remoteControl)
}

extension Trigger {
  /// Rule F5.
  public static let remoteControl = Trigger(
    rule: .remoteControl, wakes: true, relaunches: true, afterForceQuit: .never, budgetSeconds: 10,
    waiting: .latest)
}
