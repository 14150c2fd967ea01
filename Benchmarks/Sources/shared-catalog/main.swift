import CMalloc
import Glibc
import LocationCore

// Many devices that share one catalog of regions, each with an engine of its own: bytes a device beyond the catalog, and
// fixes a second over all of them on one core, one fix of each device in turn.
//
//   shared-catalog DEVICES REGIONS FIXES walk|drive [lean]
//
// Lean engines give their lists of regions back after each fix, as the devices of a fleet do.
//
// The regions are circles of 50 to 500 m in a square of 2 by 2 degrees, so of 100,000 about twenty are within 1.5 km.

let arguments = CommandLine.arguments
guard arguments.count == 5 || arguments.dropFirst(5) == ["lean"], let deviceCount = Int(arguments[1]), let regionCount = Int(arguments[2]),
  let fixCount = Int(arguments[3]), ["walk", "drive"].contains(arguments[4])
else {
  print("usage: shared-catalog DEVICES REGIONS FIXES walk|drive [lean]")
  exit(64)
}
let isDrive = arguments[4] == "drive"
let isLean = arguments.count > 5

/// SplitMix64.
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

/// An engine can't be copied, so it lies behind a reference.
final class Device {
  var engine: Engine
  let latitude: Double
  let longitude: Double

  init(_ settings: EngineSettings, _ catalog: RegionCatalog, _ random: inout Seeded) {
    engine = Engine(settings: settings, catalog: catalog)
    latitude = 47.2 + 1.6 * random.unit()
    longitude = 10.2 + 1.6 * random.unit()
  }
}

/// Seconds of processor time so far: the machine is shared.
func processorSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// Bytes that are allocated.
func allocatedBytes() -> Int {
  let all = mallinfo2()
  return Int(all.uordblks) + Int(all.hblkhd)
}

func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

var random = Seeded(state: 7)
let regions = (0..<regionCount).compactMap { index -> Region? in
  let radius = 50 + 450 * random.unit() * random.unit()
  return Coordinate(latitude: 47 + 2 * random.unit(), longitude: 10 + 2 * random.unit()).map {
    Region(id: "r\(index)", shape: .circle(center: $0, radiusMeters: radius), initial: .silent)
  }
}
let before = allocatedBytes()
let catalog = try RegionCatalog(regions)
let catalogBytes = allocatedBytes() - before

let settings = EngineSettings(booksPower: false)
var devices: [Device] = []
devices.reserveCapacity(deviceCount)
let empty = allocatedBytes()
for _ in 0..<deviceCount { devices.append(Device(settings, catalog, &random)) }
let newBytes = Double(allocatedBytes() - empty) / Double(deviceCount)

// All devices follow one track, each from a place of its own.
var track: [(north: Double, east: Double)] = []
var (north, east, turn) = (0.0, 0.0, 0.0)
for _ in 0..<Swift.max(1, fixCount / deviceCount) {
  turn += (random.unit() - 0.5) * 0.1
  if isDrive {
    north += 30 * sin(turn) * 9e-6
    east += 30 * cos(turn) * 1.35e-5
  } else {
    north += (random.unit() - 0.5) * 20 * 9e-6
    east += (random.unit() - 0.5) * 20 * 1.35e-5
  }
  track.append((north, east))
}
var effects: [Effect] = []
var records = 0
var taken = 0
var first = 0.0
var seconds = 0.0
for (second, step) in track.enumerated() {
  let began = processorSeconds()
  let time = UTCTime(microseconds: 1_700_000_000_000_000 + Int64(second) * 1_000_000)
  for device in devices {
    let report = FixReport(
      time: time, latitude: device.latitude + step.north, longitude: device.longitude + step.east,
      accuracy: Accuracy(radiusMeters: 7.5, source: .reported), mode: .threeD)
    device.engine.handle(report, at: device.engine.instant(ofReplayed: report), into: &effects)
    if isLean { device.engine.freeMemory() }
    records += effects.count
    effects.removeAll(keepingCapacity: true)
  }
  // The first fix finds the state of every region.
  if second == 0 { first = processorSeconds() - began } else { seconds += processorSeconds() - began }
  taken += second == 0 ? 0 : devices.count
}
let usedBytes = Double(allocatedBytes() - empty) / Double(deviceCount)
print(
  arguments[1...].joined(separator: " "), "| records", records, "| catalog MiB",
  rounded(Double(catalogBytes) / 1_048_576), "| bytes a device: new", Int(newBytes), "after", Int(usedBytes),
  "engine itself", MemoryLayout<Engine>.size, "| first fix us",
  rounded(first / Double(deviceCount) * 1e6), "| Mfix/s", rounded(Double(taken) / seconds / 1e6))
