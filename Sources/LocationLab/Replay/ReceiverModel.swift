import LocationCore

/// The receiver of a replay: it obeys the engine's orders, takes its time to a fix, and lets through only those fixes
/// of the track that it was on for.
struct ReceiverModel {
  /// From when on it has fixes; nil while it is off. It begins on, with the track's first fix.
  private var readyAt: EngineInstant? = .distantPast
  private var searchSeconds = 0.0
  /// The last point of the track, seen or not.
  private var lastPoint: EngineInstant?
  /// Seconds from the point before that to it.
  private var lastStep = 0.0
  private var hasFix = true
  /// Seconds after which the engine gives a search up.
  private let patienceSeconds: Double
  /// Steps between points of the track, and those that last at least as long as a search.
  private var steps = (all: 0, long: 0)
  /// Searches that are over, and those in which points of the track came and none was seen.
  private var searches = (all: 0, vain: 0)
  /// Whether a point of the track came in this search and was not seen.
  private var hasMissed = false

  /// A track without a point for so long says that there was no sky.
  private static let skySeconds = 60.0

  /// Whether it has the fix of an instant, if the track has one and there was no silence before it.
  func isReady(at instant: EngineInstant) -> Bool { readyAt.map { $0 <= instant } ?? false }

  init(_ sampling: SamplingConfiguration) { patienceSeconds = sampling.searchSeconds }

  /// Carries out an order that was given at `instant`.
  ///
  /// - Parameter searchSeconds: how long a search takes that begins then, under open sky.
  mutating func perform(
    _ order: ReceiverOrder, at instant: EngineInstant, searchSeconds: @autoclosure () -> Double
  ) {
    if !hasFix, readyAt != nil {
      searches.all += 1
      if hasMissed { searches.vain += 1 }
    }
    hasMissed = false
    switch order {
    case .on:
      self.searchSeconds = searchSeconds()
      readyAt = instant.advanced(bySeconds: self.searchSeconds)
      hasFix = false
    case .off: readyAt = nil
    }
  }

  /// Whether the receiver has the fix of the track at an instant.
  mutating func sees(_ instant: EngineInstant) -> Bool {
    let endsSilence = notePoint(at: instant)
    guard let ready = readyAt else { return false }
    if !hasFix, endsSilence {
      // A search finds nothing where there is no sky: it begins with the first point after that.
      readyAt = Swift.max(ready, instant.advanced(bySeconds: searchSeconds))
    }
    guard instant >= readyAt ?? ready else {
      if !hasFix { hasMissed = true }
      return false
    }
    if !hasFix { searches.all += 1 }
    hasFix = true
    return true
  }

  /// Notes a point of the track. Returns whether there was no sky before it.
  private mutating func notePoint(at instant: EngineInstant) -> Bool {
    guard let before = lastPoint, instant > before else {
      lastPoint = lastPoint ?? instant
      return false
    }
    let step = before.seconds(to: instant)
    // A point that is late after one that was as late tells of no silence: the track has no more points. Where they are
    // farther apart than a search lasts, `lack` tells.
    let isUsual = lastStep > Self.skySeconds && step < patienceSeconds
    lastPoint = instant
    lastStep = step
    steps.all += 1
    if step >= patienceSeconds { steps.long += 1 }
    return step > Self.skySeconds && !isUsual
  }

  /// Why little is found on a track whose points stand for the sky: most searches end before a point that they can see.
  /// Nil where they do not.
  var lack: String? {
    let seconds = Wording.figure(patienceSeconds, 0)
    guard 2 * steps.long > steps.all else {
      guard 2 * searches.vain > searches.all else { return nil }
      return
        "most searches of the receiver are given up after \(seconds) s, before the next fix of the track: it gets "
        + "almost none"
    }
    return
      "most fixes of the track are \(seconds) s or more apart, and a search of the receiver is given up after "
      + "\(seconds) s: it gets almost none"
  }
}
