/// Rule B1: tells when the position has moved significantly since it was last told, and not too often.
///
/// A move is significant from `distanceMeters` on. After each delivery a window of `windowSeconds` is
/// closed to the next; a move inside it is kept and delivered, with the latest fix, when the window is over,
/// if it still holds. The window belongs to its last instant too: a fix that comes exactly then is
/// delivered itself.
///
/// The distance must also mean something. Let s be the standard deviation of the difference of the two
/// positions along one axis. Below ``noiseSigmas`` s a distance is noise, whatever the threshold. Some
/// receivers report their errors. If ``marginSigmas`` s is then more than ``accurateShare`` of the threshold,
/// the threshold grows by that amount, at most by ``largestShare`` of itself. So a shuttle that stays just
/// below the threshold reports nothing. Accurate fixes meet the plain rule, and so do fixes whose error
/// nobody measured.
public struct SignificantChange: Hashable, Sendable, Codable {
  /// The two thresholds of the rule.
  public struct Configuration: Hashable, Sendable, Codable {
    /// Metres; 500 as in Apple's significant-change service.
    public var distanceMeters = 500.0
    /// Seconds from one delivery to the next; 300 as in Apple's significant-change service.
    public var windowSeconds = 300.0

    public init() {}
  }

  /// What is delivered.
  public typealias Change = SignificantChangeEvent
  /// Why a change was delivered now.
  public typealias Reason = SignificantChangeEvent.Reason

  /// Distances below this many standard deviations of the difference are noise: a machine at rest passes it with
  /// a chance of exp(-18), once in two years of independent fixes a second.
  static let noiseSigmas = 6.0
  /// The largest excursion along one line in a day of 43,200 independent fixes: 4.26 standard deviations.
  static let marginSigmas = 4.26
  /// Errors that would shift the threshold by less than this share do not shift it at all.
  static let accurateShare = 0.05
  /// No error shifts the threshold by more than this share: a real move is not to be missed for a poor receiver.
  static let largestShare = 0.1

  @Shared var configuration: Configuration
  private var delivered: Fix?
  private var deliveredAt = EngineInstant.distantPast
  /// What waits for the end of the window, where nobody else keeps the last fix.
  @Rare private var latest: Fix?
  private var suppressed = 0
  private var isPending = false

  /// A filter that has seen no fix.
  public init(configuration: Configuration = Configuration()) {
    self.init(Shared(wrappedValue: configuration))
  }

  init(_ configuration: Shared<Configuration>) { _configuration = configuration }

  /// Decides by a configuration, to which others refer, from now on.
  mutating func share(_ configuration: Shared<Configuration>) { _configuration = configuration }

  /// The end of the window, when something waits for it.
  public var nextDeadline: EngineInstant? {
    @inline(__always) get { isPending ? windowEnd.next : nil }
  }

  /// Takes a fix; returns what is to be delivered for it.
  public mutating func observe(_ fix: Fix) -> Change? {
    note(fix, keeps: true).map { deliver(fix, at: fix.instant, reason: $0) }
  }

  /// Takes a fix, and keeps it while it waits if asked; why it is to be delivered now, or nil.
  ///
  /// Apart from ``deliver(_:at:reason:)``, because a change is large to hand on and most fixes make none.
  @inline(__always) mutating func note(_ fix: Fix, keeps: Bool) -> Reason? {
    guard delivered != nil else { return .initial }
    guard isSignificant(fix) else {
      isPending = false
      return nil
    }
    guard fix.instant >= windowEnd else {
      if keeps { latest = fix } else if !_latest.isNone { latest = nil }
      isPending = true
      suppressed += 1
      return nil
    }
    return .moved
  }

  /// Delivers what waited for a window that is over by `instant`: the fix that was kept, or else the last.
  ///
  /// - Parameter late: when it could be delivered; nil for the end of the window.
  public mutating func advance(
    to instant: EngineInstant, last: Fix? = nil, late: EngineInstant? = nil
  ) -> Change? {
    guard let due = nextDeadline, due <= instant else { return nil }
    isPending = false
    return (latest ?? last).map { deliver($0, at: late ?? windowEnd, reason: .window) }
  }

  /// Judges the last fix at the end of a window in which something waited. Later than that, because nothing could be
  /// delivered meanwhile, it is delivered as a move of its own.
  mutating func judge(_ last: Fix, at instant: EngineInstant) -> Change? {
    guard let due = nextDeadline, due <= instant else { return nil }
    settle()
    guard isSignificant(last) else { return nil }
    return due < instant
      ? deliver(last, at: instant, reason: .moved) : deliver(last, at: windowEnd, reason: .window)
  }

  /// Notes that fixes are not shown to it: whether the position has moved is judged by the last of them, as soon as the
  /// window is over and something may be delivered.
  mutating func skip() {
    guard delivered != nil else { return }
    latest = nil
    isPending = true
  }

  /// Lets nothing wait: the next fix decides.
  mutating func settle() {
    latest = nil
    isPending = false
  }

  /// The filter for somebody who does not keep the last fix.
  func keeping(_ last: Fix?) -> SignificantChange {
    var filter = self
    if isPending, latest == nil { filter.latest = last }
    return filter
  }

  /// Until when nothing is delivered, because something just was. Not kept: the settings may change meanwhile.
  var windowEnd: EngineInstant {
    @inline(__always) get { deliveredAt.advanced(bySeconds: configuration.windowSeconds) }
  }

  /// Whether anything has been delivered.
  var hasDelivered: Bool { delivered != nil }

  /// Metres from a fix to the nearest place that would be a significant change, as the plain rule has it.
  func remainingMeters(from fix: Fix) -> Double {
    guard let delivered else { return 0 }
    return max(0, configuration.distanceMeters - Geodesy.distanceMeters(delivered.coordinate, fix.coordinate))
  }

  /// Delivers a fix.
  mutating func deliver(_ fix: Fix, at instant: EngineInstant, reason: Reason) -> Change {
    let previous = delivered
    let change = Change(
      fix: fix, instant: instant, previous: previous,
      movedMeters: previous.map { Geodesy.distanceMeters($0.coordinate, fix.coordinate) },
      sinceSeconds: previous.map { _ in deliveredAt.seconds(to: instant) },
      suppressed: suppressed, reason: reason)
    delivered = fix
    deliveredAt = instant
    latest = nil
    suppressed = 0
    isPending = false
    return change
  }

  /// Whether a fix has moved far enough from the one delivered last.
  @inline(__always)
  private func isSignificant(_ fix: Fix) -> Bool {
    guard let delivered else { return false }
    // Nearly all fixes are so near, or so far, that it does not take a root to tell.
    if Geodesy.isSurelyWithin(configuration.distanceMeters, of: delivered.coordinate, fix.coordinate) {
      return false
    }
    let most = max(
      configuration.distanceMeters * (1 + Self.largestShare),
      Self.noiseSigmas * (delivered.accuracy.sigmaMeters + fix.accuracy.sigmaMeters))
    if Geodesy.isSurelyBeyond(most, from: delivered.coordinate, fix.coordinate) { return true }
    return Geodesy.isAtLeast(
      requiredMeters(from: delivered, to: fix), from: delivered.coordinate, to: fix.coordinate)
  }

  /// Metres from one fix to another from which on the move is significant.
  @inline(__always)
  private func requiredMeters(from delivered: Fix, to fix: Fix) -> Double {
    let sigmaA = delivered.accuracy.sigmaMeters
    let sigmaB = fix.accuracy.sigmaMeters
    let sigma = (sigmaA * sigmaA + sigmaB * sigmaB).squareRoot()
    var required = configuration.distanceMeters
    if delivered.accuracy.source == .reported || fix.accuracy.source == .reported {
      let margin = Self.marginSigmas * sigma
      if margin > Self.accurateShare * required { required += min(margin, Self.largestShare * required) }
    }
    return max(required, Self.noiseSigmas * sigma)
  }
}

extension SignificantChange {
  /// How far the position is from the next delivery.
  public struct Standing: Hashable, Sendable {
    /// Metres from where the last one was.
    public var movedMeters: Double
    /// Metres that it takes, with these errors.
    public var requiredMeters: Double
    /// Seconds since the last delivery.
    public var sinceSeconds: Double
    /// Seconds until the next may be told; 0 where the window is over.
    public var windowSeconds: Double
  }

  /// How far a fix is from being delivered at an instant, that of the last delivery or later; nil before the first
  /// delivery.
  func standing(of fix: Fix, at instant: EngineInstant) -> Standing? {
    guard let delivered else { return nil }
    let instant = max(instant, deliveredAt)
    return Standing(
      movedMeters: Geodesy.distanceMeters(delivered.coordinate, fix.coordinate),
      requiredMeters: requiredMeters(from: delivered, to: fix),
      sinceSeconds: deliveredAt.seconds(to: instant),
      windowSeconds: max(0, instant.seconds(to: windowEnd)))
  }
}

extension EngineInstant {
  /// The instant after this one.
  var next: EngineInstant { EngineInstant(microseconds: microseconds.saturatingAdd(1)) }
}
