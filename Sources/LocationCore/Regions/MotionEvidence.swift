/// Whether a position moves, told from whether its steps go on in one direction.
///
/// The steps of a moving position point the same way as the steps before; those of an error that varies about a place
/// point back as often as on. So the products of consecutive steps add up in motion and cancel at rest, whatever the
/// receiver claims. The sum is taken over steps of 4, 16 and 64 s, because slow motion shows in long steps only. Steps
/// shorter than ``leastSigmas`` of the claimed error are left out: the output of a receiver that smooths its fixes
/// wanders like that at rest.
struct MotionEvidence: Hashable, Sendable, Codable {
  private var short = StepSums()
  private var middle = StepSums()
  private var long = StepSums()
  /// Whether the position moves.
  private(set) var isMoving = false

  /// Seconds from one fix to the next that are compared, at least.
  static let stepSeconds = 4.0
  /// Standard deviations of a sum of products of independent steps that tell of motion: simulated rests of 24 h gave no
  /// false alarm at 4.2 in 60 days, and 0.4 a day at 3.5.
  private static let movingSigmas: Float = 4
  /// The same below which the motion is over.
  private static let stillSigmas: Float = 1.5
  /// Root mean square of the steps, in claimed standard deviations, below which they are not taken for motion: more
  /// than what an error understated 1.5 times does within its correlation time.
  fileprivate static let leastSigmas: Float = 1.5
  /// The length of a step, in claimed standard deviations, beyond which only its direction counts. Else a drive weighs
  /// more than all steps of the rest that follows, for the better part of an hour.
  fileprivate static let mostSigmas: Float = 3
  /// The most that steps which were long count for, as a mean square, so that some short ones outweigh them.
  fileprivate static let mostMeanSquare: Float = 1.5 * leastSigmas * leastSigmas

  /// Takes the place of a fix into account, whose claimed variance along one axis is given in square metres.
  @inline(__always)
  mutating func note(_ point: TangentPlane.Point, at instant: EngineInstant, variance: Double) {
    let sigmas = isMoving ? Self.stillSigmas : Self.movingSigmas
    func note(_ sums: inout StepSums, every steps: Double, memory: Float) -> Float {
      sums.note(
        point, at: instant, variance: variance, every: steps * Self.stepSeconds, memory: memory,
        sigmas: sigmas)
    }
    isMoving =
      max(
        note(&short, every: 1, memory: 0.96), note(&middle, every: 4, memory: 0.92),
        note(&long, every: 16, memory: 0.85)) > 0
  }

  /// The plane has changed: the last places are of no use any more.
  mutating func forgetPlaces() {
    short.forgetPlaces()
    middle.forgetPlaces()
    long.forgetPlaces()
  }
}

/// Sums over consecutive steps of a least length in time. Older ones count less. Seven digits are enough: a tenth of a
/// millimetre within the plane's reach.
private struct StepSums: Hashable, Sendable, Codable {
  /// Metres along the two axes of the plane.
  private struct Offset: Hashable, HasNone, Codable {
    var east: Float
    var north: Float

    static var none: Offset { Offset(east: -.infinity, north: 0) }
    var isNone: Bool { @inline(__always) get { east == -.infinity } }
  }

  @Maybe private var last: Offset?
  @Maybe private var step: Offset?
  private var lastAt = EngineInstant.distantPast
  /// Products of two consecutive steps, square metres.
  private var products: Float = 0
  /// Their variance, were the steps independent.
  private var variances: Float = 0
  /// Squares of the steps, in claimed variances.
  private var squares: Float = 0
  private var count: Float = 0

  /// Takes a place into account, where it is time for the next step; `memory` is what a step is worth at the next.
  ///
  /// - Returns: above 0 where the products add up to more than `sigmas` standard deviations, and the steps are long enough.
  ///   A number, not an answer: at rest the answers are random, and a branch on each would be mispredicted.
  @inline(__always)
  mutating func note(
    _ point: TangentPlane.Point, at instant: EngineInstant, variance: Double, every seconds: Double,
    memory: Float, sigmas: Float
  ) -> Float {
    // Not read back from where they were just stored: one load of several waits for the stores of each.
    var products = products
    var variances = variances
    var squares = squares
    var count = count
    if instant >= lastAt.advanced(bySeconds: seconds) {
      let before = step
      let here = Offset(east: Float(point.east), north: Float(point.north))
      step = nil
      if let last, lastAt.seconds(to: instant) <= 4 * seconds + Self.silenceSeconds {
        let (next, square) = Self.clipped(from: last, to: here, variance: Float(variance))
        if let before {
          products = memory * products + before.east * next.east + before.north * next.north
          variances =
            memory * memory * variances
            + (before.east * before.east + before.north * before.north) * square / 2
          count = memory * count + 1
          squares = min(memory * squares + square / Float(variance), MotionEvidence.mostMeanSquare * count)
          self.products = products
          self.variances = variances
          self.squares = squares
          self.count = count
        }
        step = next
      }
      last = here
      lastAt = instant
    }
    return min(
      products * abs(products) - sigmas * sigmas * variances,
      squares - MotionEvidence.leastSigmas * MotionEvidence.leastSigmas * count)
  }

  /// A step, of which only so many standard deviations count, and its square.
  @inline(__always)
  private static func clipped(
    from start: Offset, to end: Offset, variance: Float
  ) -> (step: Offset, square: Float) {
    let east = end.east - start.east
    let north = end.north - start.north
    let square = east * east + north * north
    let most = MotionEvidence.mostSigmas * MotionEvidence.mostSigmas * variance
    // Which of the two is greater is random: a branch would be mispredicted.
    let scale = (most / max(square, most, .leastNormalMagnitude)).squareRoot()
    return (Offset(east: scale * east, north: scale * north), min(square, most))
  }

  mutating func forgetPlaces() {
    last = nil
    step = nil
  }

  /// Seconds of silence across which steps are not compared, in addition to four of their lengths.
  private static let silenceSeconds = 60.0
}
