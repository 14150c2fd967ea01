/// An estimate of how much a receiver understates its error, from fixes of a device at rest.
///
/// The spread of the fixes is taken within blocks of 300 s and between their means, so that slow drift is
/// counted whatever its time constant. Only what is certain is believed: one standard deviation of the
/// estimate is taken off. A block counts when the one after it was at rest too, so setting out adds nothing.
struct AccuracyInflation: Hashable, Sendable, Codable {
  /// Factor on the claimed error, 1 to the limit.
  private(set) var factor = 1.0

  /// Sums over the fixes of one block, metres from the anchor.
  private struct Block: Hashable, Sendable, Codable {
    var count = 0
    var east = 0.0
    var north = 0.0
    var squares = 0.0
    var variances = 0.0
    var began = EngineInstant.distantPast
  }

  /// Sums over the blocks of one rest, standard deviations from the anchor.
  private struct Rest: Hashable, Sendable, Codable {
    var count = 0
    var within = 0.0
    var east = 0.0
    var north = 0.0
    var squares = 0.0
  }

  private var anchor: Coordinate?
  private var metersPerLatitude = 0.0
  private var metersPerLongitude = 0.0
  private var block = Block()
  private var waiting: Block?
  private var rest = Rest()
  private var strays = 0
  private var setOut = EngineInstant.distantPast

  private static let blockSeconds = 300.0
  private static let blockCount = 10
  /// Blocks from which an estimate is made.
  private static let restCount = 3
  /// Claimed standard deviations from the anchor beyond which a fix is not of this rest.
  private static let straySigmas = 20.0
  /// Such fixes in a row that end the rest.
  private static let strayCount = 3
  /// Seconds of motion in which the excess of the factor fades away.
  private static let fadeSeconds = 600.0

  /// Takes a fix into account.
  @inline(__always)
  mutating func note(_ fix: Fix, limit: Double) {
    guard limit > 1 else { return }
    guard let anchor else { return begin(at: fix) }
    let sigma = fix.accuracy.sigmaMeters
    let variance = sigma * sigma
    let north = (fix.coordinate.latitude - anchor.latitude) * metersPerLatitude
    let east =
      Geodesy.longitudeDifference(from: anchor.longitude, to: fix.coordinate.longitude) * metersPerLongitude
    let square = east * east + north * north
    if square > Self.straySigmas * Self.straySigmas * variance * (factor * factor) {
      strays += 1
      if strays >= Self.strayCount { begin(at: fix) }
      return
    }
    strays = 0
    block.count += 1
    block.east += east
    block.north += north
    block.squares += square
    block.variances += variance
    if block.count >= Self.blockCount, block.began.seconds(to: fix.instant) >= Self.blockSeconds {
      closeBlock(at: fix.instant, limit: limit)
    }
  }

  /// Starts a new rest.
  private mutating func begin(at fix: Fix) {
    if anchor != nil {
      let moving = setOut.seconds(to: fix.instant)
      factor -= (factor - 1) * Swift.min(1, Swift.max(0, moving) / Self.fadeSeconds)
    }
    setOut = fix.instant
    let scale = LocalScale(latitude: fix.coordinate.latitude)
    anchor = fix.coordinate
    metersPerLatitude = scale.metersPerDegreeLatitude
    metersPerLongitude = scale.metersPerDegreeLongitude
    block = Block()
    block.began = fix.instant
    waiting = nil
    rest = Rest()
    strays = 0
  }

  private mutating func closeBlock(at instant: EngineInstant, limit: Double) {
    if let waiting {
      add(waiting)
      estimate(limit: limit)
    }
    waiting = block
    setOut = instant
    block = Block()
    block.began = instant
  }

  private mutating func add(_ block: Block) {
    let count = Double(block.count)
    let variance = block.variances / count
    let east = block.east / count
    let north = block.north / count
    let spread = Swift.max(0, block.squares / count - east * east - north * north)
    rest.count += 1
    rest.within += 0.5 * spread * (count / (count - 1)) / variance
    let sigma = variance.squareRoot()
    rest.east += east / sigma
    rest.north += north / sigma
    rest.squares += (east * east + north * north) / variance
  }

  private mutating func estimate(limit: Double) {
    guard rest.count >= Self.restCount else { return }
    let count = Double(rest.count)
    let within = rest.within / count
    let spread = rest.squares - (rest.east * rest.east + rest.north * rest.north) / count
    let between = 0.5 * Swift.max(0, spread) / (count - 1)
    // Two axes; a block's inner spread is worth about five independent fixes an axis at long time constants.
    let doubt = between / (count - 1).squareRoot() + within * (0.2 / count).squareRoot()
    let variance = within + between - doubt
    factor = Swift.min(limit, Swift.max(1, Swift.max(0, variance).squareRoot()))
  }
}
