import LocationCore

@testable import LocationLab

/// Level V5: what a way of sampling misses, beside what it costs, on the reference days.
struct TrackTradeOff {
  /// When the receiver is asked for a fix.
  enum Sampling: CaseIterable {
    /// Each second.
    case continuous
    case each30
    case each120
    case each600
    /// When the engine wants one.
    case adaptive

    var mode: SamplingConfiguration.Mode {
      switch self {
      case .continuous: .continuous
      case .each30: .fixed(periodSeconds: 30)
      case .each120: .fixed(periodSeconds: 120)
      case .each600: .fixed(periodSeconds: 600)
      case .adaptive: .adaptive
      }
    }

    var name: String {
      switch self {
      case .continuous: "all the time"
      case .each30: "each 30 s"
      case .each120: "each 120 s"
      case .each600: "each 600 s"
      case .adaptive: "adaptive"
      }
    }
  }

  /// A day at 1 Hz while it moves, and at its last place in between.
  struct Day {
    var fixes: [(seconds: Double, coordinate: Coordinate)] = []
    /// The stretches that were recorded.
    var legs: [MobilityNet.Leg] = []
  }

  /// What a way of sampling came to over all days.
  struct Result {
    var days = 0
    var seconds = 0.0
    var visits = 0
    var missed = 0
    /// Those of the visits that last as long as a region's owner accepts to miss, unless said otherwise.
    var longVisits = 0
    var longMissed = 0
    var delays: [Double] = []
    /// From the last fix to the true place, metres, each 5 s of the legs.
    var fixErrors: [Double] = []
    /// From the last significant change to the true place, likewise.
    var changeErrors: [Double] = []
    var changes = 0
    var use = PowerUse()
  }

  /// Metres: where a leg begins and ends is a region.
  private static let radiusMeters = 150.0
  /// A visit shorter than this is none, seconds.
  private static let visitSeconds = 60.0
  /// An enter that comes later than this after the visit's end is none, seconds.
  private static let lateSeconds = 120.0
  /// An enter this much before the visit truly begins is its enter: the edge is not where the fixes say.
  private static let earlySeconds = 60.0
  /// While nothing moves a fix each 10 s tells the engine as much as ten.
  private static let restSeconds = 10.0

  static func days(_ data: MobilityNet) -> [Day] {
    var days: [Day] = []
    for leg in data.legs {
      let last = days.last?.legs.last
      if last == nil || leg.span.from - (last?.span.to ?? 0) > 12 * 3600 { days.append(Day()) }
      var fixes = days[days.count - 1].fixes
      if let rest = fixes.last {
        for seconds in stride(from: rest.seconds + restSeconds, to: leg.span.from - 1, by: restSeconds) {
          fixes.append((seconds, rest.coordinate))
        }
      }
      fixes += leg.fixes.filter { $0.seconds > fixes.last?.seconds ?? 0 }
      days[days.count - 1].fixes = fixes
      days[days.count - 1].legs.append(leg)
    }
    return days
  }

  static func result(_ days: [Day], _ sampling: Sampling, _ profile: PowerProfile) -> Result {
    var result = Result()
    for day in days { add(day, sampling, profile, to: &result) }
    return result
  }

  private static func add(_ day: Day, _ sampling: Sampling, _ profile: PowerProfile, to result: inout Result)
  {
    guard let first = day.fixes.first, let last = day.fixes.last else { return }
    let regions = day.legs.enumerated().flatMap { index, leg in
      zip(["begin", "end"], [leg.fixes.first, leg.fixes.last]).compactMap { name, fix in
        fix.map {
          Region(id: "\(index) \(name)", shape: .circle(center: $0.coordinate, radiusMeters: radiusMeters))
        }
      }
    }
    let run = run(day, sampling, regions, profile)
    let enters = run.enters
    let changes = run.changes
    result.days += 1
    result.seconds += last.seconds - first.seconds
    result.changes += changes.count
    result.use.add(run.use)
    for visit in regions.flatMap({ visits(to: $0, day) }) {
      let isLong = visit.span.to - visit.span.from >= SamplingConfiguration().latencySeconds
      result.visits += 1
      if isLong { result.longVisits += 1 }
      let found = enters.first {
        $0.region == visit.region && $0.seconds >= visit.span.from - earlySeconds
          && $0.seconds <= visit.span.to + lateSeconds
      }
      guard let found else {
        result.missed += 1
        if isLong { result.longMissed += 1 }
        continue
      }
      result.delays.append(max(0, found.seconds - visit.span.from))
    }
    for leg in day.legs {
      result.fixErrors += errors(on: leg, held: run.known)
      result.changeErrors += errors(on: leg, held: changes)
    }
  }

  /// What a replay of a day came to.
  private struct Run: RecordSink {
    /// Fixes that the engine saw.
    var known: [(seconds: Double, coordinate: Coordinate)] = []
    var enters: [(region: String, seconds: Double)] = []
    var changes: [(seconds: Double, coordinate: Coordinate)] = []
    var use = PowerUse()

    mutating func receive(_ record: Record) {
      let seconds = Double(record.time.microseconds) * 1e-6
      switch record.body {
      case .region(let event) where event.kind == .enter: enters.append((event.region, seconds))
      case .significant(let change): changes.append((seconds, change.fix.coordinate))
      default: break
      }
    }
  }

  private static func run(
    _ day: Day, _ sampling: Sampling, _ regions: [Region], _ profile: PowerProfile
  ) -> Run {
    var request = ReplayRequest()
    request.configuration.sampling.mode = sampling.mode
    request.configuration.profile = profile
    request.regions = regions
    request.subscribers = [Subscriber(name: "a", services: [.significantChange, .regions])]
    var replay = TrackReplay(request, to: Run())
    for fix in day.fixes {
      let time = UTCTime(microseconds: Int64(fix.seconds * 1e6))
      let report = FixReport(
        time: time, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
        accuracy: Accuracy(radiusMeters: 8, source: .reported))
      let before = replay.fix?.instant
      replay.take(.fix(report))
      if let known = replay.fix, known.instant != before {
        replay.sink.known.append((fix.seconds, known.coordinate))
      }
    }
    _ = replay.finish(notes: [])
    var run = replay.sink
    run.use = replay.ledger.use
    return run
  }

  /// When the phone truly was in a region, having come from outside.
  private static func visits(to region: Region, _ day: Day) -> [(region: String, span: MobilityNet.Span)] {
    guard case .circle(let center, let radius) = region.shape else { return [] }
    var visits: [(region: String, span: MobilityNet.Span)] = []
    var since: Double?
    var wasOutside = false
    for fix in day.fixes {
      // A degree of latitude is 111 km: farther than a hundredth is outside.
      let isNear =
        abs(fix.coordinate.latitude - center.latitude) < 0.01
        && abs(fix.coordinate.longitude - center.longitude) < 0.01
      let isInside = isNear && Geodesy.distanceMeters(fix.coordinate, center) <= radius
      if isInside {
        if wasOutside, since == nil { since = fix.seconds }
      } else {
        if let start = since, fix.seconds - start >= visitSeconds {
          visits.append((region.id, MobilityNet.Span(from: start, to: fix.seconds)))
        }
        since = nil
        wasOutside = true
      }
    }
    if let start = since, let last = day.fixes.last, last.seconds - start >= visitSeconds {
      visits.append((region.id, MobilityNet.Span(from: start, to: last.seconds)))
    }
    return visits
  }

  /// Metres from what was last known to where the phone truly was, each 5 s.
  private static func errors(
    on leg: MobilityNet.Leg, held: [(seconds: Double, coordinate: Coordinate)]
  ) -> [Double] {
    var errors: [Double] = []
    var index = held.partitioningIndex { $0.seconds > leg.span.from }
    var next = leg.span.from
    for fix in leg.fixes where fix.seconds >= next {
      while index < held.count, held[index].seconds <= fix.seconds { index += 1 }
      if index > 0 { errors.append(Geodesy.distanceMeters(held[index - 1].coordinate, fix.coordinate)) }
      next = fix.seconds + 5
    }
    return errors
  }
}

extension Array {
  /// The first index from which on the predicate holds; it holds for a tail of the array.
  fileprivate func partitioningIndex(where belongsToTail: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if belongsToTail(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
