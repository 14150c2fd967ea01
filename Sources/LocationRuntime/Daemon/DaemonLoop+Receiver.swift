import LocationCore
import LocationFormats

/// What becomes of the receiver, where the engine switches it.
extension DaemonLoop {
  /// Carries out what the engine has ordered, and tells it so. That does not wait for the disk, because nobody is told
  /// anything by it, and a receiver that stays off would miss what happens.
  mutating func switchReceiver() throws(Failure) {
    while let order = live.takeReceiverOrder() { try turnReceiver(on: order.isOn) }
  }

  /// Brings the receiver to where the engine wants it, whatever a daemon before has left it at, or settings that no
  /// longer hold.
  mutating func alignReceiver() throws(Failure) {
    let isAdaptive = live.engine.configuration.sampling.isDutyCycled
    guard isAdaptive || !live.engine.receiver.isOn else { return }
    try live.advance(to: clock.read())
    live.dropReceiverOrders()
    try turnReceiver(on: live.engine.receiver.isOn || !isAdaptive)
  }

  /// Tells the hook and the engine that somebody reads from gpsd, where the engine does not order that itself. In a log
  /// that is played no time passes until the next fix, which tells.
  ///
  /// - Parameter isResumed: whether nobody did for a while: else the engine takes the receiver to be on.
  mutating func bookReturn(isResumed: Bool) throws(Failure) {
    guard !live.engine.configuration.sampling.isDutyCycled, !request.isSimulated else { return }
    turnHook(on: true)
    guard isResumed else { return }
    try live.handle(.receiver(.opened), at: clock.read())
  }

  /// Tells the engine that nobody read from gpsd while there was no daemon.
  mutating func bookAbsence() throws(Failure) {
    let last = live.last
    guard last > .distantPast else { return }
    try live.handle(.receiver(.released), at: ClockReading(instant: last, utc: nil))
  }

  private mutating func turnReceiver(on isOn: Bool) throws(Failure) {
    receiver.turn(on: isOn)
    turnHook(on: isOn)
    try live.handle(.receiver(isOn ? .opened : .released), at: clock.read())
  }

  private mutating func turnHook(on isOn: Bool) {
    if let trouble = hook.turn(on: isOn, at: clock.instant) { Self.log(trouble) }
  }
}
