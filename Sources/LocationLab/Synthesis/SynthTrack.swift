package import LocationCore

/// One fix of a synthetic track, with the truth behind it.
package struct SynthFix: Hashable, Sendable {
  /// When.
  package var time: UTCTime
  /// Where the receiver says it is, rounded to 1e-7 degrees as it is written.
  package var coordinate: Coordinate
  /// Where it truly is.
  package var truth: Coordinate
  /// The 68 % radius the receiver reports, metres.
  package var accuracyMeters: Double
  /// Metres a second over ground as the receiver has it.
  package var speedMetersPerSecond: Double
  /// Degrees from true north, 0 to 360; nil when too slow to tell.
  package var courseDegrees: Double?
  /// Metres; nil where the scenario gives none.
  package var elevationMeters: Double?
  /// Whether it begins a segment other than the first.
  package var startsSegment: Bool
  /// Whether it is one of the planted wrong positions.
  package var isOutlier: Bool
}

/// The fixes of a scenario, made one at a time: a long track takes no more memory than a short one.
package struct SynthTrack: Sequence, IteratorProtocol {
  private let scenario: SynthScenario
  /// Where the receiver truly is.
  package let motion: SynthMotion
  private var receiver: SynthReceiver
  private var phase = 0
  private var segment = 0
  /// Microseconds since the start of the next fix due.
  private var due: Int64 = 0

  /// - Parameter seed: Instead of the scenario's own.
  package init(_ scenario: SynthScenario, seed: UInt64? = nil) {
    self.scenario = scenario
    motion = SynthMotion(scenario)
    receiver = SynthReceiver(seed: seed ?? scenario.seed, outliers: scenario.outliers)
  }

  package mutating func next() -> SynthFix? {
    while true {
      let seconds = Double(due) * 1e-6
      guard seconds <= motion.seconds else { return nil }
      while phase + 1 < motion.phases.count, seconds >= motion.phases[phase].end { phase += 1 }
      let current = motion.phases[phase]
      let step = scenario.steps[current.step]
      let time = scenario.start.advanced(byMicroseconds: due)
      due += step.settings.intervalMicroseconds
      if step.signalLost || isInGap(seconds) { continue }
      let startsSegment = takeSegmentStart(seconds)
      return receiver.fix(
        of: motion.state(at: seconds, in: current), time: time, noise: step.settings.noise,
        startsSegment: startsSegment)
    }
  }

  private func isInGap(_ seconds: Double) -> Bool {
    motion.gaps.contains { $0.contains(seconds) }
  }

  /// Whether a new segment was asked for since the last fix.
  private mutating func takeSegmentStart(_ seconds: Double) -> Bool {
    var starts = false
    while segment < motion.segmentStarts.count, motion.segmentStarts[segment] <= seconds {
      segment += 1
      starts = receiver.hasMadeFixes
    }
    return starts
  }
}

extension UTCTime {
  fileprivate func advanced(byMicroseconds delta: Int64) -> UTCTime {
    UTCTime(microseconds: microseconds.saturatingAdd(delta))
  }
}
