import LocationCore

/// Who is asked what it takes, when, and what waits for the answers.
struct Metering {
  /// When the programs in the background are asked next; nil where there is none.
  private(set) var nextSample: EngineInstant?
  /// What the engine is told once it knows how large everybody is, in order.
  private var held: [MachineEvent] = []
  /// Whose answer is still to come.
  private var awaited: Set<String> = []
  private var meters: [String: ProcessorMeter] = [:]

  /// Keeps something until so many have said how large they are; what need not be kept.
  mutating func hold(_ event: MachineEvent, until asked: [String]) -> [MachineEvent] {
    held.append(event)
    awaited.formUnion(asked)
    return takeHeld()
  }

  /// Whether it is to say how large it is.
  func isAwaited(_ name: String) -> Bool { awaited.contains(name) }

  /// Somebody has answered; what waited for nobody but it.
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

  /// Whether it is time to ask; then the next time is set.
  mutating func isDue(at now: EngineInstant, isNeeded: Bool) -> Bool {
    guard isNeeded else {
      nextSample = nil
      meters = [:]
      return false
    }
    let next = now.advanced(bySeconds: ProcessorMeter.sampleSeconds)
    guard let due = nextSample else {
      nextSample = next
      return true
    }
    guard due <= now else { return false }
    nextSample = next
    return true
  }
}
