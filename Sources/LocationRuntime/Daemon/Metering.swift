import LocationCore

/// Which programs are asked for their use of memory and processor, when, and which events wait for the answers.
struct Metering {
  /// When the programs in the background are asked next; nil where there is none.
  private(set) var nextSample: EngineInstant?
  /// What the engine is told once it knows how large everybody is, in order.
  private var held: [MachineEvent] = []
  /// Whose answer is still to come.
  private var awaited: Set<String> = []
  private var meters: [String: ProcessorMeter] = [:]

  /// Holds an event until every program in `asked` has reported its memory. Returns the events that are now free.
  mutating func hold(_ event: MachineEvent, until asked: [String]) -> [MachineEvent] {
    held.append(event)
    awaited.formUnion(asked)
    return takeHeld()
  }

  /// Whether a measurement of this program is pending.
  func isAwaited(_ name: String) -> Bool { awaited.contains(name) }

  /// Notes that a program has reported its memory, or is gone. Returns the held events if it was the last one awaited.
  mutating func release(after name: String) -> [MachineEvent] {
    awaited.remove(name)
    return takeHeld()
  }

  private mutating func takeHeld() -> [MachineEvent] {
    guard awaited.isEmpty else { return [] }
    defer { held = [] }
    return held
  }

  /// Whether a program took more of the processor than it may. What it takes in the foreground or while it is suspended
  /// does not count.
  mutating func isOver(_ usage: ProgramUsage?, of name: String, isInBackground: Bool, at seconds: Double)
    -> Bool
  {
    guard let usage, isInBackground else {
      meters[name] = nil
      return false
    }
    let isOver = meters[name, default: ProcessorMeter()].isOver(coreSeconds: usage.coreSeconds, at: seconds)
    if isOver { meters[name] = nil }
    return isOver
  }

  /// Whether the programs are to be asked now; if so, sets when they are asked next.
  mutating func isDue(at now: EngineInstant, isNeeded: Bool) -> Bool {
    guard isNeeded else {
      nextSample = nil
      meters = [:]
      return false
    }
    if let due = nextSample, due > now { return false }
    nextSample = now.advanced(bySeconds: ProcessorMeter.sampleSeconds)
    return true
  }
}
