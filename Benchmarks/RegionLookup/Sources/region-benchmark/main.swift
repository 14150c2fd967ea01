import Glibc
import LocationCore

// The region monitor alone, on regions and fixes that `geos_peer.c` makes alike: same seed, same arithmetic.
//
//   region-benchmark circles REGIONS 0 walk|drive FIXES plain|confident
//
// The peer does polygons too; this side does not make them yet.

/// SplitMix64; the peer has the same.
struct Seeded {
  var state: UInt64
  mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) * 0x1p-53
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 7, arguments[1] == "circles", let regionCount = Int(arguments[2]), let vertices = Int(arguments[3]),
  let fixCount = Int(arguments[5])
else {
  print("usage: region-benchmark circles REGIONS 0 walk|drive FIXES plain|confident")
  exit(64)
}

/// A square of 2 by 2 degrees at 48 N 11 E holds all regions; the track bounces off its sides.
let south = 47.0
let west = 10.0
let side = 2.0

/// Regions, one after another from the seed.
func makeRegion(_ index: Int, _ random: inout Seeded) -> Region? {
  guard
    let center = Coordinate(
      latitude: south + side * random.unit(), longitude: west + side * random.unit())
  else { return nil }
  let radius = 50 + 450 * random.unit() * random.unit()
  return Region(
    id: "r\(index)", shape: .circle(center: center, radiusMeters: radius), initial: .silent)
}

/// One fix a second: a walk of up to 10 m a step in any direction, or a drive at 30 m/s with slow turns.
struct Track {
  var random = Seeded(state: 99)
  var latitude = 48.0
  var longitude = 11.0
  var east = 30.0
  var north = 0.0
  let isDrive: Bool

  mutating func next() -> (Double, Double) {
    if isDrive {
      let turn = (random.unit() - 0.5) * 0.1
      (east, north) = (east - turn * north, north + turn * east)
      let scale = 30 / (east * east + north * north).squareRoot()
      east *= scale
      north *= scale
    } else {
      east = (random.unit() - 0.5) * 20
      north = (random.unit() - 0.5) * 20
    }
    latitude += north * 9e-6
    longitude += east * 1.35e-5
    if latitude < south || latitude > south + side {
      latitude -= 2 * north * 9e-6
      north = -north
    }
    if longitude < west || longitude > west + side {
      longitude -= 2 * east * 1.35e-5
      east = -east
    }
    return (latitude, longitude)
  }
}

/// Seconds of processor time so far: the machine is shared.
func processorSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// Prints the events, to compare them with the peer's.
let dump = getenv("DUMP") != nil

func run() throws {
  var random = Seeded(state: 7)
  var loaded = RegionMonitor(configuration: arguments[6] == "plain" ? .plain : RegionConfiguration())
  let regions = (0..<regionCount).compactMap { makeRegion($0, &random) }
  let began = processorSeconds()
  for region in regions { try loaded.add(region) }
  let loading = processorSeconds() - began
  var track = Track(isDrive: arguments[4] == "drive")
  var fixes: [Fix] = []
  fixes.reserveCapacity(fixCount)
  for second in 0..<fixCount {
    let (latitude, longitude) = track.next()
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else { continue }
    let microseconds = Int64(second) * 1_000_000
    fixes.append(
      Fix(
        time: UTCTime(microseconds: microseconds), instant: EngineInstant(microseconds: microseconds),
        coordinate: place, accuracy: Accuracy(radiusMeters: 7.5, source: .reported)))
  }
  var events: [RegionEvent] = []
  var first = 0.0
  var best = Double.infinity
  var counted = 0
  for _ in 0..<3 {
    var monitor = loaded
    let start = processorSeconds()
    monitor.observe(fixes[0], into: &events)
    first = processorSeconds() - start
    events.removeAll(keepingCapacity: true)
    counted = 0
    let again = processorSeconds()
    for fix in fixes {
      monitor.observe(fix, into: &events)
      if !events.isEmpty {
        counted += events.count
        if dump {
          for event in events {
            print(event.instant.microseconds / 1_000_000, event.kind == .enter ? "in" : "out", event.region)
          }
        }
        events.removeAll(keepingCapacity: true)
      }
    }
    best = Swift.min(best, processorSeconds() - again)
  }
  func round(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
  print(
    arguments[1...].joined(separator: " "), "| events", counted, "| Mfix/s",
    round(Double(fixCount) / best / 1e6), "| load s", round(loading), "first fix s", round(first))
}

try run()
if getenv("CHECK") != nil {
  var random = Seeded(state: 7)
  let regions = (0..<regionCount).compactMap { makeRegion($0, &random) }
  var track = Track(isDrive: arguments[4] == "drive")
  for second in 0..<895 {
    let (a, b) = track.next()
    guard second > 885, case .circle(let c, let r) = regions[598451].shape, let p = Coordinate(latitude: a, longitude: b) else { continue }
    print(second, Geodesy.distanceMeters(c, p) - r, r, p, c)
  }
}
