extension Engine {
  /// Takes what has happened to the machine.
  mutating func take(_ event: MachineEvent, into effects: inout [Effect]) {
    switch event {
    case .reboot: state.policy.reboot(in: &turn)
    case .lock: state.policy.lockScreen(in: &turn)
    case .unlock: state.policy.unlock(in: &turn)
    case .memoryPressure(let level): state.policy.setPressure(level, in: &turn)
    case .lowPower(let isOn):
      guard state.policy.isLowPower != isOn else { return }
      state.policy.setLowPower(isOn, in: &turn)
      reviseSampling(into: &effects)
    case .network(let network): state.policy.network = network
    case .supply(let supply): state.policy.supply = supply
    case .zone(let zone): state.policy.zone = zone
    case .utc(let ahead): state.policy.noteUTC(ahead: ahead)
    case .notifier(let isThere): state.policy.hasNotifier = isThere
    case .audioCommand(let command): state.policy.commandAudio(command, in: &turn)
    // For something that is no business of the engine.
    case .awake: state.policy.fireModes(isAwake: true, in: &turn)
    case .absent(let isAbsent):
      let instant = state.instant
      if isAbsent {
        noteAbsence()
        state.changeBeacons { $0.leave(at: instant) }
        state.policy.leave(at: state.instant)
      } else {
        state.changeBeacons { $0.comeBack(at: instant) }
        state.policy.comeBack(in: &turn)
        recordSteps(into: &effects)
        tellMove(by: state.instant, late: state.instant, into: &effects)
        if state.policy.hasOwnMeasures {
          for name in state.policy.sessions.map(\.subscriber.name) {
            offerFirstMove(to: name, into: &effects)
          }
        }
      }
    case .audience(let isThere):
      guard state.policy.hasAudience != isThere else { return }
      state.policy.hasAudience = isThere
      reviseSampling(into: &effects)
    }
    recordSteps(into: &effects)
  }
}
