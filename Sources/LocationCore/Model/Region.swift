/// A named area and what its owner wants to hear about it.
public struct Region: Hashable, Sendable, Codable {
  /// The outline.
  public enum Shape: Hashable, Sendable, Codable {
    /// Everything within `radiusMeters` of the centre on the WGS 84 ellipsoid; the radius is positive.
    case circle(center: Coordinate, radiusMeters: Double)
    /// An outer ring less its holes.
    case polygon(Polygon)
    /// Several polygons that do not overlap.
    case multiPolygon([Polygon])
    /// Everything within `bufferMeters` of a line of two places or more; the buffer is positive.
    case corridor(line: [Coordinate], bufferMeters: Double)
    /// Wherever a beacon of these is seen; it has no place (rule B11).
    case beacon(Beacon)
  }

  /// Rings of which each ends where it began; their winding does not matter.
  ///
  /// Edges are straight in longitude and latitude (RFC 7946, section 3.1.1). An edge that spans more than
  /// half, but not all, of the longitudes is taken to go the short way, across the antimeridian.
  public struct Polygon: Hashable, Sendable, Codable {
    /// The outer ring: four places or more, the last equal to the first.
    public var shell: [Coordinate]
    /// Rings cut out of it.
    public var holes: [[Coordinate]]

    public init(shell: [Coordinate], holes: [[Coordinate]] = []) {
      self.shell = shell
      self.holes = holes
    }
  }

  /// What can be told of a region.
  public struct Notify: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Coming in.
    public static let enter = Notify(rawValue: 1)
    /// Going out.
    public static let exit = Notify(rawValue: 2)
    /// Having stayed inside for `dwellSeconds`.
    public static let dwell = Notify(rawValue: 4)
    /// Having passed through between two fixes that both lie outside.
    public static let cross = Notify(rawValue: 8)
  }

  /// What is said of the state in which a region is first found.
  public enum Initial: String, Hashable, Sendable, Codable, CaseIterable {
    /// A `region.state` record.
    case state
    /// A `region.enter` when already inside.
    case event
    /// Nothing.
    case silent
  }

  /// How much evidence it takes that the position came in or went out.
  public enum Sensitivity: String, Hashable, Sendable, Codable, CaseIterable {
    /// Less than usual: told earlier, and of briefer and shallower passages; wrong more often.
    case early
    /// The usual.
    case balanced
    /// More than usual: told later, and wrong hardly ever.
    case certain
  }

  /// Unique among the regions of an engine.
  public var id: String
  /// For people; nil where the owner gave none.
  public var name: String?
  /// The outline.
  public var shape: Shape
  /// Default: enter and exit.
  public var notify: Notify
  /// Seconds inside until a dwell event.
  public var dwellSeconds: Double
  /// Seconds by which an exit is held back, and withdrawn when the position comes back meanwhile.
  public var exitDelaySeconds: Double
  /// The longest visit the owner accepts to miss, seconds; nil for the default.
  public var maxLatencySeconds: Double?
  /// What is said of the first state.
  public var initial: Initial
  /// How much evidence a change takes; nil where the owner did not say, which is `balanced`.
  public var sensitivity: Sensitivity?

  /// Seconds inside until a dwell event where the owner says none: a choice of ours, which no document names.
  public static let usualDwellSeconds = 300.0

  public init(
    id: String, name: String? = nil, shape: Shape, notify: Notify = [.enter, .exit],
    dwellSeconds: Double = usualDwellSeconds, exitDelaySeconds: Double = 0, maxLatencySeconds: Double? = nil,
    initial: Initial = .state, sensitivity: Sensitivity? = nil
  ) {
    self.id = id
    self.name = name
    self.shape = shape
    self.notify = notify
    self.dwellSeconds = dwellSeconds
    self.exitDelaySeconds = exitDelaySeconds
    self.maxLatencySeconds = maxLatencySeconds
    self.initial = initial
    self.sensitivity = sensitivity
  }
}

extension Region {
  /// Whether it is where beacons are seen, and has no place of its own (rule B11).
  public var isOfBeacons: Bool { if case .beacon = shape { true } else { false } }
}

/// Where a position is with respect to a region. Not knowing is a state of its own.
public enum RegionState: String, Hashable, Sendable, Codable, CaseIterable {
  case unknown, inside, outside
}
