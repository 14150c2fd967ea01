import Glibc
import LocationCore

// The region monitor alone, or the whole engine, on regions and fixes that `peers/geos_regions.c` makes alike: same seed,
// same arithmetic.
//
//   region-lookup circles|polygons|mixed REGIONS VERTICES walk|drive FIXES plain|confident|engine|add|load

let arguments = CommandLine.arguments
guard arguments.count == 7, let kind = Scene.Kind(rawValue: arguments[1]), let regions = Int(arguments[2]),
  let vertices = Int(arguments[3]), let motion = Scene.Motion(rawValue: arguments[4]),
  let fixes = Int(arguments[5])
else {
  print(
    "usage: region-lookup circles|polygons|mixed REGIONS VERTICES walk|drive FIXES plain|confident|engine|add|load"
  )
  exit(64)
}
let scene = Scene(kind: kind, regions: regions, vertices: vertices, motion: motion, fixes: fixes)
let name = arguments[1...].joined(separator: " ")

/// Seconds of processor time so far: the machine is shared.
func processorSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// Seconds on the wall, quick to ask for.
func wallSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// Three digits after the point.
func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

switch arguments[6] {
case "plain": try runMonitor(.plain)
case "confident": try runMonitor(RegionConfiguration())
case "engine": try runEngine()
case "add": try runAdditions()
case "load": try runLoad()
default: exit(64)
}

/// The monitor alone. With `DUMP` in the environment it prints the events, to compare them with the peer's.
func runMonitor(_ configuration: RegionConfiguration) throws {
  let isDumping = getenv("DUMP") != nil
  let fixes = scene.makeFixes()
  var events: [RegionEvent] = []
  var best = Double.infinity
  var count = 0
  for _ in 0..<(isDumping ? 1 : 3) {
    // One monitor at a time, and none that shares anything with another: a copy would be made while time is taken.
    var monitor = RegionMonitor(configuration: configuration)
    try scene.makeEach { try monitor.add($0) }
    monitor.observe(fixes[0], into: &events)
    events.removeAll(keepingCapacity: true)
    count = 0
    var seconds = 0.0
    inBlocks(fixes) { block in
      let again = processorSeconds()
      for fix in block {
        monitor.observe(fix, into: &events)
        guard !events.isEmpty else { continue }
        count += events.count
        if isDumping { events.forEach(dump) }
        events.removeAll(keepingCapacity: true)
      }
      seconds += processorSeconds() - again
    }
    best = Swift.min(best, seconds)
  }
  print(name, "| events", count, "| Mfix/s", rounded(Double(fixes.count) / best / 1e6))
}

/// Loads one monitor and gives it one fix: how long each takes, and how much memory the process had at most.
func runLoad() throws {
  let start = processorSeconds()
  let made = scene.makeEach { _ in }
  let began = processorSeconds()
  var monitor = RegionMonitor()
  try scene.makeEach { try monitor.add($0) }
  let loading = processorSeconds() - began - (began - start)
  var events: [RegionEvent] = []
  let fixes = scene.makeFixes()
  let again = processorSeconds()
  monitor.observe(fixes[0], into: &events)
  let first = processorSeconds() - again
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  print(
    name, "| regions", made, "| load s", rounded(loading), "| first fix s", rounded(first), "| peak MiB",
    usage.ru_maxrss / 1024)
}

/// Hands out a block at a time, copied just before: a fix comes from the reader and so from the cache, not from a
/// hundred megabytes of fixes (the peer's are a tenth of that).
func inBlocks<Element>(_ all: [Element], _ body: (ArraySlice<Element>) -> Void) {
  var block: [Element] = []
  for start in stride(from: 0, to: all.count, by: 2_048) {
    block.removeAll(keepingCapacity: true)
    block += all[start..<Swift.min(start + 2_048, all.count)]
    body(block[...])
  }
}

func dump(_ event: RegionEvent) {
  print(event.instant.microseconds / 1_000_000, event.kind == .enter ? "in" : "out", event.region)
}

/// The whole engine: gate, significant change, regions, power. The second pass takes the time of each fix.
func runEngine() throws {
  let regions = scene.makeRegions()
  let reports = scene.makeFixes().map { fix in
    FixReport(
      time: fix.time, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
      accuracy: fix.accuracy, mode: .threeD)
  }
  var best = Double.infinity
  var records = 0
  var times: [Double] = []
  for pass in 0..<4 {
    var engine = Engine()
    var effects: [Effect] = []
    let start = EngineInstant(microseconds: 0)
    for region in regions { engine.handle(Stamped(at: start, .addRegion(region)), into: &effects) }
    engine.handle(reports[0], at: start, into: &effects)
    effects.removeAll(keepingCapacity: true)
    records = 0
    var seconds = 0.0
    for start in stride(from: 1, to: reports.count, by: 2_048) {
      let block = Array(reports[start..<Swift.min(start + 2_048, reports.count)])
      let began = processorSeconds()
      var last = pass == 3 ? wallSeconds() : 0
      for report in block {
        engine.handle(report, at: engine.instant(ofReplayed: report), into: &effects)
        if !effects.isEmpty {
          records += effects.count
          effects.removeAll(keepingCapacity: true)
        }
        if pass == 3 {
          let now = wallSeconds()
          times.append(now - last)
          last = now
        }
      }
      seconds += processorSeconds() - began
    }
    if pass < 3 { best = Swift.min(best, seconds) }
  }
  times.sort()
  func microseconds(_ share: Double) -> Double {
    rounded(times[Swift.min(times.count - 1, Int(share * Double(times.count)))] * 1e6)
  }
  print(
    name, "| records", records, "| Mfix/s", rounded(Double(reports.count - 1) / best / 1e6),
    "| one fix, us: p50", microseconds(0.5), "p99", microseconds(0.99), "p99.99", microseconds(0.9999), "max",
    microseconds(1))
}

/// Regions that come and go one by one among the others, each followed by a fix.
func runAdditions() throws {
  var monitor = RegionMonitor()
  let regions = scene.makeRegions()
  let count = regions.count / 10
  for region in regions.dropLast(count) { try monitor.add(region) }
  let fixes = scene.makeFixes()
  var events: [RegionEvent] = []
  monitor.observe(fixes[0], into: &events)
  var times: [Double] = []
  for (index, region) in regions.suffix(count).enumerated() {
    let began = processorSeconds()
    try monitor.add(region)
    monitor.remove(id: regions[index].id)
    monitor.observe(fixes[index % fixes.count], into: &events)
    times.append(processorSeconds() - began)
    events.removeAll(keepingCapacity: true)
  }
  let mean = times.reduce(0, +) / Double(times.count)
  times.sort()
  print(
    name, "| one added, one removed, one fix, us: mean", rounded(mean * 1e6), "p50",
    rounded(times[times.count / 2] * 1e6), "p99", rounded(times[times.count * 99 / 100] * 1e6), "max",
    rounded((times.last ?? 0) * 1e6))
}
