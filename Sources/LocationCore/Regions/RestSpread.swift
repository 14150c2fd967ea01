/// The spread of the fixes of a rest, in the errors that the receiver claims.
struct RestSpread: Hashable, Sendable, Codable {
  /// Sums over the fixes of one block, metres from the anchor. Seven digits are enough for the few thousand of them.
  private struct Block: Hashable, Sendable, Codable {
    var count: Float = 0
    var east: Float = 0
    var north: Float = 0
    var squares: Float = 0
    var variances: Float = 0
    var began = EngineInstant.distantPast
  }

  /// Sums over the blocks of the rest, standard deviations from the anchor.
  private struct Blocks: Hashable, Sendable, Codable {
    var count = 0
    var within = 0.0
    var east = 0.0
    var north = 0.0
    var squares = 0.0
  }

  private var anchor = TangentPlane.Point(east: 0, north: 0)
  private var block = Block()
  @Rare private var waiting: Block?
  @Rare private var blocks: Blocks?

  private static let blockSeconds = 300.0
  private static let blockCount: Float = 10
  /// Blocks from which an estimate is made.
  private static let leastCount = 3

  init() {}

  /// A rest that begins at a place.
  init(around anchor: TangentPlane.Point, at instant: EngineInstant) {
    self.anchor = anchor
    block.began = instant
  }

  /// Blocks that count.
  var count: Int { blocks?.count ?? 0 }

  /// Square metres from where the rest began.
  func squareDistance(to point: TangentPlane.Point) -> Double {
    let east = point.east - anchor.east
    let north = point.north - anchor.north
    return east * east + north * north
  }

  /// Goes on after a motion that led back; the block under way is dropped.
  mutating func resume(at instant: EngineInstant) {
    waiting = nil
    block = Block()
    block.began = instant
  }

  /// Adds a fix; tells whether that completed a block.
  @inline(__always)
  mutating func add(_ point: TangentPlane.Point, variance: Double, at instant: EngineInstant) -> Bool {
    let east = Float(point.east - anchor.east)
    let north = Float(point.north - anchor.north)
    block.count += 1
    block.east += east
    block.north += north
    block.squares += east * east + north * north
    block.variances += Float(variance)
    guard block.count >= Self.blockCount, block.began.seconds(to: instant) >= Self.blockSeconds else {
      return false
    }
    complete(at: instant)
    return true
  }

  @inline(never)
  private mutating func complete(at instant: EngineInstant) {
    if let waiting { add(waiting) }
    waiting = block
    block = Block()
    block.began = instant
  }

  private mutating func add(_ block: Block) {
    let count = Double(block.count)
    let variance = Double(block.variances) / count
    let east = Double(block.east) / count
    let north = Double(block.north) / count
    let spread = Swift.max(0, Double(block.squares) / count - east * east - north * north)
    var blocks = blocks ?? Blocks()
    blocks.count += 1
    blocks.within += 0.5 * spread * (count / (count - 1)) / variance
    let sigma = variance.squareRoot()
    blocks.east += east / sigma
    blocks.north += north / sigma
    blocks.squares += (east * east + north * north) / variance
    self.blocks = blocks
  }

  /// The factor by which the error is larger than claimed, 1 to the limit; nil before enough was seen.
  func inflation(limit: Double) -> Double? {
    measured.map { Swift.min(limit, Swift.max(1, Swift.max(0, $0.variance - $0.doubt).squareRoot())) }
  }

  /// The factor below which the error is not, by the spread, at most 1; nil before enough was seen.
  var leastFactor: Double? {
    measured.map { Swift.min(1, ($0.variance + $0.doubt).squareRoot()) }
  }

  /// The variance of the fixes, in claimed variances, and a standard deviation of that.
  private var measured: (variance: Double, doubt: Double)? {
    guard let blocks, blocks.count >= Self.leastCount else { return nil }
    let count = Double(blocks.count)
    let within = blocks.within / count
    let spread = blocks.squares - (blocks.east * blocks.east + blocks.north * blocks.north) / count
    let between = 0.5 * Swift.max(0, spread) / (count - 1)
    // Two axes; a block's inner spread is worth about five independent fixes an axis at long time constants.
    let doubt = between / (count - 1).squareRoot() + within * (0.2 / count).squareRoot()
    return (within + between, doubt)
  }
}
