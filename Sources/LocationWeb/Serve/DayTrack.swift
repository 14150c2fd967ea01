import LocationCore
import LocationFormats
import LocationRuntime

/// The accepted fixes between two moments, as the state file's journal gives them: the engine judges each anew.
struct DayTrack {
  private struct Ports: EffectPorts {
    let from: UTCTime
    let to: UTCTime
    var fixes: [Fix] = []

    mutating func receive(_ record: Record) {
      guard case .fixAccepted(let fix, _, _) = record.body, fix.time >= from, fix.time < to else { return }
      fixes.append(fix)
    }
  }

  /// The most that a page is given: more can't be seen.
  static let points = 4_000

  private(set) var fixes: [Fix] = []

  /// None where the journal does not reach that far.
  init(_ database: StateDatabase, from: UTCTime, to: UTCTime) throws(Failure) {
    var past = try database.past(before: from, event: nil)
    if past.snapshots.isEmpty {
      past = try database.past(before: nil, event: nil)
      past.snapshots = past.snapshots.suffix(1)
    }
    guard let number = past.snapshots.first else { return }
    let snapshot = try database.snapshot(number: number)
    var configuration = snapshot.configuration
    configuration.explains = true
    let engine = try snapshot.configured(configuration).restored()
    var host = EngineHost(engine, journal: NoJournal(), ports: Ports(from: from, to: to))
    try database.journal(after: number) { stamped in
      host.handle(stamped)
      host.commit(at: stamped.at)
      return host.engine.tally.last.map { $0.time <= to } ?? true
    }
    let all = host.ports.fixes
    let step = max(1, (all.count + Self.points - 1) / Self.points)
    fixes = all.indices.filter { $0 % step == 0 || $0 == all.count - 1 }.map { all[$0] }
  }

  /// `{"points":[[MILLISECONDS,LAT,LON,ACC],…]}`.
  var json: String {
    let points = fixes.map { fix in
      JSONTree.array([
        .integer(fix.time.microseconds / 1_000), .fixed(fix.coordinate.latitude, FixedPoint.degrees),
        .fixed(fix.coordinate.longitude, FixedPoint.degrees),
        .fixed(fix.accuracy.radiusMeters, FixedPoint.meters),
      ])
    }
    return JSONTree.object(["points": .array(points)]).text
  }
}
