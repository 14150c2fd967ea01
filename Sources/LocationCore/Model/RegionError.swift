/// Why a region was refused.
public enum RegionError: Error, Hashable, Sendable {
  /// The monitor has a region of that id.
  case duplicateID(String)
  /// The monitor has as many regions as it takes.
  case tooMany(limit: Int)
  /// The radius is not a positive number of metres below half the way round the earth.
  case invalidRadius(Double)
  /// GEOS got no memory.
  case outOfMemory
  /// It is one of beacons, which has no outline.
  case isOfBeacons
  /// A time is negative or not a number, seconds.
  case invalidSeconds(Double)
  /// A ring or a line is not what it should be; the reason in the words of GEOS, and where it is known, the place.
  case invalidGeometry(reason: String, place: Coordinate?)
}

extension RegionError: CustomStringConvertible {
  /// In words.
  public var description: String {
    switch self {
    case .duplicateID(let id): "a second region \"\(id)\""
    case .tooMany(let limit): "there are \(limit) already"
    case .invalidRadius(let meters): "\(meters) is no radius"
    case .outOfMemory: "no memory for its outline"
    case .isOfBeacons: "a region of beacons, which has no outline"
    case .invalidSeconds(let seconds): "\(seconds) is no duration"
    case .invalidGeometry(let reason, _): "not a valid outline: \(reason)"
    }
  }
}

extension Region {
  /// Checks what its owner asks for beside the outline.
  func checkTerms() throws(RegionError) {
    guard dwellSeconds >= 0 else { throw .invalidSeconds(dwellSeconds) }
    guard exitDelaySeconds >= 0 else { throw .invalidSeconds(exitDelaySeconds) }
  }
}
