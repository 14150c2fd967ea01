import TestSupport
import Testing

@testable import LocationCore

/// No clock is trusted alone.
@Suite struct SourceClockTests {
  private static let day = 86_400.0

  /// Hands reports dated so many seconds after the epoch to a gate, as a replay does: why each is refused, and the
  /// instants of those that are believed, in seconds.
  private static func play(
    _ reports: [FixReport], gate: FixGate = FixGate()
  ) -> (reasons: [RejectReason?], instants: [Double], moves: [Double]) {
    var gate = gate
    var now = EngineInstant.distantPast
    var reasons: [RejectReason?] = []
    var instants: [Double] = []
    var moves: [Double] = []
    for report in reports {
      let instant = gate.instant(ofReplayed: report)
      if let instant { now = max(now, instant) }
      do throws(RejectReason) {
        try gate.judge(report, at: now)
        guard let fix = gate.last else { continue }
        // A live report's is that of its arrival.
        if report.received == nil { #expect(fix.instant == instant) }
        reasons.append(nil)
        instants.append(Drive.instant(0).seconds(to: fix.instant))
        if let move = gate.takeClockMove() { moves.append(move.seconds) }
      } catch {
        reasons.append(error)
      }
    }
    return (reasons, instants, moves)
  }

  private static func play(_ seconds: [Double]) -> (
    reasons: [RejectReason?], instants: [Double], moves: [Double]
  ) { play(seconds.map { Drive.report($0, east: 0) }) }

  /// A second apart.
  private static func steady(from first: Double, count: Int) -> [Double] {
    (0..<count).map { first + Double($0) }
  }

  @Test(arguments: [600, 3_600, day, 400 * day])
  func `one fix dated ahead changes nothing for the others`(seconds: Double) {
    let (reasons, instants, moves) = Self.play(
      Self.steady(from: 0, count: 100) + [100 + seconds] + Self.steady(from: 101, count: 100))
    #expect(reasons[100] == .future)
    #expect(reasons.compactMap { $0 }.count == 1)
    #expect(instants.last == 200)
    #expect(moves == [])
  }

  @Test func `a wrong first time is left at the third report that agrees, and the axis goes on`() {
    let (reasons, instants, moves) = Self.play([Self.day] + Self.steady(from: 0, count: 20))
    #expect(reasons.prefix(4) == [nil, .late, .late, nil])
    #expect(reasons.dropFirst(4).allSatisfy { $0 == nil })
    // The step that led to them is as long as theirs.
    #expect(instants.prefix(3) == [Self.day, Self.day + 3, Self.day + 4])
    #expect(moves == [-Self.day - 1])
  }

  @Test func `a clock set by 1024 weeks is no silence of twenty years`() {
    let weeks = WeekRollover.seconds
    let (reasons, instants, moves) = Self.play(
      Self.steady(from: 0, count: 10) + Self.steady(from: weeks + 10, count: 10))
    #expect(reasons.compactMap { $0 } == [.future, .future])
    #expect(abs((instants.last ?? 0) - 19) < 1e-3)
    #expect(moves == [weeks])
    #expect(ClockRecord(seconds: moves.first ?? 0).reason == .weekRollover)
    #expect(ClockRecord(seconds: -weeks).reason == .weekRollover)
    #expect(ClockRecord(seconds: weeks / 2).reason == .corrected)
  }

  @Test(
    arguments: [1.0, 5, 10, 30], [-3_600.0, -40 * day, 40 * day, -WeekRollover.seconds, WeekRollover.seconds])
  func `a clock is told to have moved by what it was set, and no time is lost`(step: Double, shift: Double) {
    let before = (0..<40).map { Double($0) * step }
    let (_, instants, moves) = Self.play(before + (40..<80).map { Double($0) * step + shift })
    #expect(moves == [shift])
    #expect(abs((instants.last ?? 0) - 79 * step) < 1e-3)
  }

  @Test func `hours of silence of a source that saves energy are believed at once`() {
    let (reasons, _, _) = Self.play([0, 5, 10, 7_200, 7_205, 14_000])
    #expect(reasons.allSatisfy { $0 == nil })
  }

  @Test func `a silence after steady fixes is believed at once where the position has moved on`() {
    func resumed(after silence: Double, east: Double) -> [RejectReason?] {
      let steady = (0..<100).map { Drive.report(Double($0), east: Double($0) * 10) }
      let after = (0..<5).map { Drive.report(99 + silence + Double($0), east: 990 + east + Double($0) * 10) }
      return Self.play(steady + after).reasons.suffix(5)
    }
    #expect(resumed(after: 1_200, east: 3_000) == [nil, nil, nil, nil, nil])
    #expect(resumed(after: 1_200, east: 10) == [.future, .future, nil, nil, nil])
    #expect(resumed(after: 120, east: 10) == [nil, nil, nil, nil, nil])
    // Nobody drives 3 km in a day and is believed at once.
    #expect(resumed(after: Self.day, east: 3_000) == [.future, .future, nil, nil, nil])
  }

  @Test(arguments: [-1.0, 1])
  func `live dates that are 1024 weeks off are put right, until the receiver does so itself`(way: Double)
    throws
  {
    let off = way * WeekRollover.seconds
    var gate = FixGate()
    var times: [Double] = []
    var moves: [Double] = []
    for second in 0..<20 {
      var report = Drive.report(Double(second) + (second < 10 ? off : 0), east: 0)
      report.received = Drive.report(Double(second) + 0.5, east: 0).time
      guard (try? gate.judge(report, at: Drive.instant(Double(second) + 0.5))) != nil else { continue }
      let fix = try #require(gate.last)
      times.append(try #require(Drive.report(0, east: 0).time).seconds(to: fix.time))
      if let move = gate.takeClockMove() { moves.append(move.seconds) }
    }
    #expect(times == [2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19])
    #expect(moves.map { ClockRecord(seconds: $0).reason } == [.weekRollover, .weekRollover])
    #expect(abs(moves.reduce(0, +)) < 2)
  }

  @Test(arguments: [(days: [-3.0, -2, -1], believed: [] as [Double]), ([-2, -2, -2], [12])])
  func `live dates of days ago are believed if they keep pace with their arrivals`(
    days: [Double], believed: [Double]
  ) throws {
    var gate = FixGate()
    var taken: [Double] = []
    for second in 0..<20 {
      let off = days.indices.contains(second - 10) ? days[second - 10] * Self.day : 0
      var report = Drive.report(Double(second) + off, east: 0)
      report.received = Drive.report(Double(second) + 0.5, east: 0).time
      if (try? gate.judge(report, at: Drive.instant(Double(second) + 0.5))) != nil, off < 0 {
        taken.append(Double(second))
      }
    }
    #expect(taken == believed)
    let end = try #require(Drive.report(19, east: 0).time)
    #expect(gate.last?.time == end)
  }

  @Test func `a night's silence is believed at the third report, and the next one at once`() {
    let night = 9.0 * 3_600
    let (reasons, instants, moves) = Self.play([0, 5, night, night + 5, night + 10, 2 * night])
    #expect(reasons == [nil, nil, .future, .future, nil, nil])
    #expect(instants.last == 2 * night)
    #expect(moves == [])
  }

  @Test func `the first report alone holds nothing up, as phones begin with a place of hours ago`() {
    let night = 9.0 * 3_600
    let (reasons, instants, moves) = Self.play([0, night, night + 5, night + 10])
    #expect(reasons == [nil, nil, nil, nil])
    #expect(instants.last == night + 10)
    #expect(moves == [])
  }

  @Test func `a report whose place is of no use tells the time all the same`() {
    let night = 9.0 * 3_600
    func play(_ poor: [Double], then good: [Double]) -> [RejectReason?] {
      let before = [0.0, 5, 10].map { Drive.report($0, east: 0) }
      let between = poor.map { Drive.report($0, east: 500, accuracy: 2_000) }
      return Self.play(before + between + good.map { Drive.report($0, east: 0) }).reasons.suffix(good.count)
    }
    #expect(play([night, night + 50], then: [2 * night]) == [nil])
    #expect(play([night], then: [night + 50, night + 60]) == [.future, nil])
    // One that agrees with nothing does not undo what two others say.
    let odd = Drive.report(3 * night, east: 0, accuracy: 2_000)
    let reports = [0, 5, night, night + 5].map { Drive.report($0, east: 0) } + [odd]
    let reasons = Self.play(reports + [Drive.report(night + 10, east: 0)]).reasons
    #expect(reasons == [nil, nil, .future, .future, .inaccurate, nil])
  }

  @Test func `reports that were kept and come late do not move what follows`() {
    let (reasons, instants, _) = Self.play(
      Self.steady(from: 10_000, count: 50) + Self.steady(from: 5_000, count: 30)
        + Self.steady(from: 10_051, count: 50))
    #expect(reasons.compactMap { $0 } == [.late, .late])
    #expect(abs((instants.last ?? 0) - 10_130) < 5)
  }

  @Test func `a live report a day off is refused, and a source that is steadily off is believed`() {
    func live(_ seconds: Double, lag: Double) -> FixReport {
      var report = Drive.report(seconds, east: 0)
      report.received = Drive.report(seconds + lag, east: 0).time
      return report
    }
    let steady = Self.play((0..<5).map { live(Double($0), lag: Self.day) })
    #expect(steady.reasons == [.stale, .stale, nil, nil, nil])
    #expect(steady.moves == [-Self.day])
    // Each comes twice, by two ways.
    for later in 0...1 {
      let places = (0..<8).flatMap { [$0, $0 - later] }.filter { $0 >= 0 }
      let twice = Self.play(places.map { live(Double($0), lag: Self.day) })
      #expect(twice.reasons.count { $0 == nil } >= 5 && twice.moves == [-Self.day], "\(twice)")
    }
    // Reports that waited come all at once: their age shrinks with each.
    let waited = Self.play((0..<5).map { live(Double($0), lag: 100 - Double($0)) })
    #expect(waited.reasons.allSatisfy { $0 == .stale })
    let single = Self.play([live(0, lag: 0), live(1 + Self.day, lag: -Self.day), live(2, lag: 0)])
    #expect(single.reasons == [nil, .future, nil])
  }

  /// The records of a drive's reports, and the energy.
  private static func replay(_ seconds: [Double]) -> (records: [Record], joules: Double) {
    var engine = Engine(configuration: .priced)
    var effects: [Effect] = []
    for second in seconds {
      let report = Drive.report(second, east: 0)
      let instant = engine.instant(ofReplayed: report)
      engine.handle(Stamped(at: instant, .fix(report)), into: &effects)
    }
    engine.handle(Stamped(at: .distantPast, .end), into: &effects)
    return (effects.records, engine.ledger.estimate.value)
  }

  @Test func `a wrong date makes no gap, no visit and no energy`() {
    let seconds = Self.steady(from: 0, count: 540)
    var wrong = seconds
    wrong[200] += Self.day
    let right = Self.replay(seconds)
    let odd = Self.replay(wrong)
    #expect(odd.records.map(\.type) == right.records.map(\.type))
    #expect(abs(odd.joules - right.joules) < 0.01 * right.joules)
    let corrected = Self.replay(Self.steady(from: 30 * Self.day, count: 100) + seconds)
    #expect(!corrected.records.contains { $0.type == "gap" })
    #expect(corrected.records.filter { $0.type == "clock" }.count == 1)
    #expect(corrected.joules < 1.3 * right.joules)
  }
}
