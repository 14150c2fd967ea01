extension Engine {
  /// Records what happened to the source, and books the receiver's time accordingly.
  mutating func take(_ event: SourceEvent, into effects: inout [Effect]) {
    switch event {
    case .found, .stale(.noFix, _):
      state.policy.lacksSource = false
      if state.sampling.isOn { bookReceiver(.acquiring) }
    case .stale(.noDevice, _), .stale(.lost, _):
      state.policy.lacksSource = true
      noteAbsence()
      if state.sampling.isOn { bookReceiver(.off) }
    case .stale(.silent, _): break
    case .switched:
      state.gate.noteSwitch()
      regions.noteGap()
    case .dropped: state.tally.gaps += 1
    }
    if case .stale = event { state.tally.stale += 1 }
    record(.source(event), at: utc(at: state.instant), into: &effects)
  }

  /// Nobody gives or takes fixes from now on: silence tells nothing of where the position is.
  mutating func noteAbsence() {
    regions.noteAbsence(at: state.instant)
    state.visits.noteAbsence()
  }
}
