/// An estimate of how much a receiver understates its error, from fixes of a device at rest.
///
/// In motion nothing is learned, because a path and a wandering error look alike; ``MotionEvidence`` tells them apart.
/// At rest the spread of the fixes is taken within blocks of 300 s and between their means, so that slow drift is
/// counted whatever its time constant. Only what is certain is believed: one standard deviation of the
/// estimate is taken off. A block counts when the one after it was at rest too, so setting out adds nothing.
///
/// What was learned at one place does not hold at the next: it fades within half a minute of motion.
///
/// Where nobody said how accurate the fixes are, the scatter of the track about a smooth path tells, in motion too, and
/// both ways: see ``ResidualSpread``. A slow error does not show in that, but in the spread of a rest, so the larger of
/// both holds there.
struct AccuracyInflation: Hashable, Sendable {
  /// Factor on the claimed error: 1 to the limit, or ``ResidualSpread/leastFactor`` to it on an assumed one.
  private(set) var factor = 1.0
  /// When the next fix is looked at.
  private var lookAt = EngineInstant.distantPast
  private var memory = Memory()

  /// All but what each fix needs.
  private struct Memory: Hashable, Sendable, Codable {
    @Maybe var plane: TangentPlane?
    var rest = RestSpread()
    /// When the position was last known to be at rest, or the last fix in motion.
    var restedAt = EngineInstant.distantPast
    /// What the rest says, where ``residuals`` say something too; nil where they do not.
    @Maybe var restFactor: Double?
    /// How the fixes scatter that state no accuracy; nil where they state one.
    @Rare var residuals: ResidualSpread?
    var motion = MotionEvidence()
    var strays: UInt8 = 0

    var hasResiduals: Bool { !_residuals.isNone }

    @inline(__always)
    mutating func changeResiduals(_ body: (inout ResidualSpread) -> Void) { _residuals.change(body) }
  }

  /// Standard deviations, claimed and estimated, from the middle of a rest beyond which a fix is not of it.
  private static let straySigmas = (claimed: 12.0, estimated: 8.0)
  /// Such fixes in a row that end the rest.
  private static let strayCount = 3
  /// Seconds of motion after which a third of the excess of the factor is left.
  private static let fadeSeconds = 30.0
  /// Seconds in which all of it is gone where the position is suddenly elsewhere.
  private static let jumpSeconds = 60.0
  /// The longest silence that counts as motion, seconds.
  private static let silenceSeconds = 60.0

  init() {}

  /// The estimate, and what feeds it.
  var estimate: ErrorEstimate {
    let rest = memory.restFactor ?? factor
    var basis = ErrorEstimate.Basis.claimed
    if memory.restFactor != nil, factor > rest || rest <= 1 {
      basis = factor == restFloor ? .rest : .residuals
    } else if rest > 1 {
      basis = memory.motion.isMoving ? .motion : .rest
    }
    return ErrorEstimate(
      factor: factor, basis: basis, isMoving: memory.motion.isMoving, restBlocks: memory.rest.count)
  }

  /// Takes a fix into account.
  @inline(__always)
  mutating func note(_ fix: Fix, limit: Double) {
    if isDue(at: fix.instant, limit: limit) { look(at: fix, limit: limit) }
  }

  /// Whether a fix is to be looked at that comes at an instant.
  @inline(__always)
  func isDue(at instant: EngineInstant, limit: Double) -> Bool { instant >= lookAt && limit > 1 }

  @inline(never)
  private mutating func look(at fix: Fix, limit: Double) {
    lookAt = fix.instant.advanced(bySeconds: MotionEvidence.stepSeconds)
    if let restFactor = memory.restFactor { factor = restFactor }
    observe(fix, limit: limit)
    let assumed = memory.hasResiduals ? memory.residuals?.factor(limit: limit) : nil
    memory.restFactor = assumed == nil ? nil : factor
    if let assumed { factor = factor > 1 ? Swift.max(factor, assumed) : Swift.max(assumed, restFloor ?? 0) }
  }

  /// The least factor on an assumed error that a rest allows; nil in motion, and before enough of it was seen.
  private var restFloor: Double? { memory.motion.isMoving ? nil : memory.rest.leastFactor }

  @inline(__always)
  private mutating func observe(_ fix: Fix, limit: Double) {
    if fix.accuracy.source != .assumed {
      if memory.hasResiduals { memory.residuals = nil }
    } else if !memory.hasResiduals {
      memory.residuals = ResidualSpread()
    }
    guard let plane = memory.plane else { return start(at: fix) }
    let point = plane.point(of: fix.coordinate)
    guard TangentPlane.reaches(point) else {
      jump(at: fix.instant)
      return start(at: fix)
    }
    let sigma = fix.accuracy.sigmaMeters
    let wasMoving = memory.motion.isMoving
    memory.motion.note(point, at: fix.instant, variance: sigma * sigma)
    memory.changeResiduals { $0.note(point, at: fix.instant, sigma: sigma) }
    if memory.motion.isMoving { return fade(at: fix.instant) }
    let stray = sigma * Swift.max(Self.straySigmas.claimed, Self.straySigmas.estimated * factor)
    let isStray = memory.rest.squareDistance(to: point) > stray * stray
    if wasMoving {
      // Back where it was, or not away at all: what was learned there holds.
      guard !isStray, let known = memory.rest.inflation(limit: limit) else {
        return begin(at: point, fix.instant)
      }
      factor = known
      memory.rest.resume(at: fix.instant)
      memory.restedAt = fix.instant
    }
    if isStray {
      memory.strays += 1
      if memory.strays >= Self.strayCount {
        jump(at: fix.instant)
        begin(at: point, fix.instant)
      }
      return
    }
    memory.strays = 0
    guard memory.rest.add(point, variance: sigma * sigma, at: fix.instant) else { return }
    memory.restedAt = fix.instant
    if let known = memory.rest.inflation(limit: limit) { factor = known }
  }

  @inline(never)
  private mutating func start(at fix: Fix) {
    let plane = TangentPlane(at: fix.coordinate)
    memory.plane = plane
    memory.motion.forgetPlaces()
    memory.changeResiduals { $0.forgetPlaces() }
    begin(at: plane.point(of: fix.coordinate), fix.instant)
  }

  /// Starts a new rest.
  @inline(never)
  private mutating func begin(at point: TangentPlane.Point, _ instant: EngineInstant) {
    memory.rest = RestSpread(around: point, at: instant)
    memory.restedAt = instant
    memory.strays = 0
  }

  /// Forgets the factor as time passes in motion.
  @inline(never)
  private mutating func fade(at instant: EngineInstant) {
    if factor > 1 {
      let seconds = Swift.min(memory.restedAt.seconds(to: instant), Self.silenceSeconds)
      factor = 1 + (factor - 1) * Trig.exp(-seconds / Self.fadeSeconds)
    }
    memory.restedAt = instant
  }

  /// Forgets the factor where the position is elsewhere and no motion was seen.
  @inline(never)
  private mutating func jump(at instant: EngineInstant) {
    let away = memory.restedAt.seconds(to: instant)
    factor -= (factor - 1) * Swift.min(1, Swift.max(0, away) / Self.jumpSeconds)
  }
}

extension AccuracyInflation: Codable {
  private enum CodingKeys: String, CodingKey { case factor, lookAt, memory }

  /// Version 0.1.0 kept other sums; of those only the factor is read.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    factor = try values.decode(Double.self, forKey: .factor)
    lookAt = try values.decodeIfPresent(EngineInstant.self, forKey: .lookAt) ?? .distantPast
    memory = try values.decodeIfPresent(Memory.self, forKey: .memory) ?? Memory()
  }
}
