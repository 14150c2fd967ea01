import LocationCore

/// How far apart the fixes of a receiver are.
struct FixCycle {
  /// Seconds of the last eight steps between fixes, the latest first.
  private var steps = [Double](repeating: 1, count: 8)
  /// When the last fix was; nil before the first, and after a pause.
  private(set) var last: UTCTime?
  /// Whole seconds from one of the receiver's fixes to the next, at least one: the second longest step, because one may
  /// hold a gap. A receiver that saves power by cycles has some fixes, and then a pause.
  private(set) var seconds = 1.0
  /// Seconds without a fix after which there is none.
  var staleSeconds: Double { GPSDLimits.noFixSeconds * seconds }

  /// The same for `status`; nil where the age of a fix says nothing: the receiver rests between fixes, or the source
  /// speaks when it has something to say.
  func staleSeconds(of traits: SourceTraits, isSampled: Bool) -> Double? {
    isSampled || !traits.silenceIsTrouble ? nil : staleSeconds
  }

  /// Takes the time of a fix.
  mutating func note(_ time: UTCTime) {
    if let last, time > last {
      steps = [last.seconds(to: time)] + steps.dropLast()
      let second = steps.sorted().dropLast().last ?? 1
      seconds = min(max(second.rounded(), 1), GPSDLimits.longestCycleSeconds)
    }
    last = time
  }

  /// The receiver rests: the time until its next fix is no step.
  mutating func pause() { last = nil }
}
