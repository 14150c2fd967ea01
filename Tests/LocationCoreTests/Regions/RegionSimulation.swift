import LocationCore

/// Random numbers from a seed: the same on every machine.
struct SeededNoise {
  private var state: UInt64
  private var spare: Double?

  init(seed: Int) {
    // Far apart for near seeds.
    state = UInt64(bitPattern: Int64(seed)) &* 0xD1B5_4A32_D192_ED03
    state = bits() ^ (bits() << 7)
  }

  mutating func bits() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// 0 to 1.
  mutating func unit() -> Double { Double(bits() >> 11) * 0x1p-53 }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  /// A standard normal, by Marsaglia's polar method.
  mutating func normal() -> Double {
    if let value = spare {
      spare = nil
      return value
    }
    while true {
      let u = 2 * unit() - 1
      let v = 2 * unit() - 1
      let square = u * u + v * v
      if square > 0, square < 1 {
        let factor = (-2 * Trig.log(square) / square).squareRoot()
        spare = v * factor
        return u * factor
      }
    }
  }
}

/// A receiver whose error is a first-order autoregressive process, as real ones' nearly is.
struct SimulatedReceiver {
  var noise: SeededNoise
  /// True standard deviation along one axis, metres.
  var sigmaMeters: Double
  /// What it claims, as a standard deviation.
  var claimedSigmaMeters: Double
  private let memory: Double
  private var east = 0.0
  private var north = 0.0

  init(seed: Int, sigmaMeters: Double, correlationSeconds: Double, understates: Double = 1) {
    noise = SeededNoise(seed: seed)
    self.sigmaMeters = sigmaMeters
    claimedSigmaMeters = sigmaMeters / understates
    memory = Trig.exp(-1 / correlationSeconds)
    east = noise.normal()
    north = noise.normal()
  }

  /// The fix of one second later at a true place, metres from `origin`.
  mutating func fix(second: Int, east: Double, north: Double, from origin: Coordinate) -> Fix {
    let fresh = (1 - memory * memory).squareRoot()
    self.east = memory * self.east + fresh * noise.normal()
    self.north = memory * self.north + fresh * noise.normal()
    let place = LocalScale(latitude: origin.latitude).coordinate(
      east: east + self.east * sigmaMeters, north: north + self.north * sigmaMeters, from: origin)
    return makeFix(second: Double(second), place, sigmaMeters: claimedSigmaMeters)
  }
}

/// A fix of one second of a track.
func makeFix(second: Double, _ place: Coordinate, sigmaMeters: Double = 5) -> Fix {
  let microseconds = Int64((second * 1e6).rounded())
  return Fix(
    time: UTCTime(microseconds: microseconds), instant: EngineInstant(microseconds: microseconds),
    coordinate: place,
    accuracy: Accuracy(radiusMeters: sigmaMeters * Accuracy.sigmasIn68Percent, source: .reported))
}

/// The place so many metres from another, on its local plane.
func place(east: Double, north: Double = 0, from origin: Coordinate) -> Coordinate {
  LocalScale(latitude: origin.latitude).coordinate(east: east, north: north, from: origin)
}

let munich = Coordinate(uncheckedLatitude: 48.1371, longitude: 11.5754)

func circle(
  _ id: String, radius: Double = 100, east: Double = 0, north: Double = 0, from origin: Coordinate = munich,
  notify: Region.Notify = [.enter, .exit], dwell: Double = 300, exitDelay: Double = 0,
  initial: Region.Initial = .state
) -> Region {
  Region(
    id: id, shape: .circle(center: place(east: east, north: north, from: origin), radiusMeters: radius),
    notify: notify, dwellSeconds: dwell, exitDelaySeconds: exitDelay, initial: initial)
}

func monitor(
  _ regions: [Region], _ configuration: RegionConfiguration = RegionConfiguration()
) throws -> RegionMonitor {
  var monitor = RegionMonitor(configuration: configuration)
  for region in regions { try monitor.add(region) }
  return monitor
}

extension RegionMonitor {
  /// The events of a whole track.
  mutating func events(of fixes: [Fix]) -> [RegionEvent] {
    var events: [RegionEvent] = []
    for fix in fixes { observe(fix, into: &events) }
    return events
  }
}

extension [RegionEvent] {
  /// Events in one word each, such as `enter home@12`.
  var words: [String] {
    map { event in
      let name =
        switch event.kind {
        case .enter: "enter"
        case .exit: "exit"
        case .dwell: "dwell"
        case .cross: "cross"
        case .state(let state): state.rawValue
        }
      return "\(name) \(event.region)@\(event.instant.microseconds / 1_000_000)"
    }
  }
}
