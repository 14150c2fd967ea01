import LocationCore

/// What the machine tells.
extension DaemonLoop {
  /// Takes something that has happened to the machine.
  mutating func take(_ event: MachineEvent) throws(Failure) {
    try engine.take(.machine(event), at: clock.read())
  }
}
