import LocationCore
package import LocationFormats
import LocationRuntime

/// Replays tracks, one after the other or side by side, and prints what came of them in the order in which they
/// were named.
package enum Replay {
  /// Runs every track; what went wrong with one is reported and does not stop the others.
  ///
  /// - Parameter report: Told of every failure, in the order of the tracks.
  /// - Returns: The code of the first failure; nil when there was none.
  /// - Throws: ``Failure`` when the output takes no more.
  package static func run(
    _ tracks: [String], _ request: ReplayRequest, to output: consuming OutputFile,
    report: (Failure) -> Void
  ) async throws(Failure) -> Failure.Code? {
    var printer = LinePrinter(format: request.format, to: output)
    let tracks =
      request.eachSegment
      ? TrackPart.eachSegment(of: tracks, options: request.track) : tracks.map { TrackPart(path: $0) }
    let isNamed = tracks.count > 1
    var request = request
    // Where the regions can't be shared, each track tells why.
    if isNamed, request.isShareable { try? request.share() }
    var first: Failure.Code?
    var page: TrackReport?
    var total: Summary?
    var hasFixes = false
    var usesRegions = !request.regions.isEmpty
    func finished(_ outcome: TrackOutcome, _ track: TrackPart) {
      if let tally = outcome.summary?.tally, tally.fixes > 0 { hasFixes = true }
      if outcome.summary != nil, !outcome.isRecording { usesRegions = true }
      if let summary = outcome.summary {
        if total == nil { total = summary } else { total?.add(summary) }
      }
      page = outcome.report
      guard let failure = outcome.failure ?? disbelief(in: outcome, track) else { return }
      first = first ?? failure.code
      report(failure)
    }
    let jobs = request.jobs ?? 1
    if jobs == 1 || tracks.count <= 1 {
      for track in tracks {
        finished(try await replay(track, isNamed: isNamed, request, into: &printer), track)
        // Batches are those of several jobs.
        try printer.flush(cutsBatch: false)
      }
    } else {
      try await replay(tracks, jobs: jobs, request, into: &printer, finished: finished)
    }
    if isNamed {
      var encoder = RecordEncoder(format: request.format, track: nil)
      encoder.style = request.style
      if let total, let line = encoder.encode(total) { try printer.print(line.span) }
    }
    try printer.finish()
    if usesRegions { for lack in missingRegions(request) { report(lack) } }
    if first == nil, !hasFixes, request.from != nil || request.to != nil {
      first = .conditionFails
      report(noFix(in: tracks))
    }
    if let page, let path = request.reportPath, let track = tracks.first {
      let page = try ReportPage(page, of: track.path, request)
      try page.write(to: path)
      if let lack = page.lack { report(lack) }
    }
    return first
  }

  /// That of a track nothing was believed; nil where something was, or nothing was asked for.
  static func disbelief(in outcome: TrackOutcome, _ track: TrackPart) -> Failure? {
    outcome.summary?.disbelief(track.name)
  }

  /// What manifests name and no file of regions has: a program with a mistyped region hears nothing.
  private static func missingRegions(_ request: ReplayRequest) -> [Failure] {
    let ids = request.regions.map(\.id)
    let lines = request.subscribers.flatMap {
      $0.missingRegions(among: ids) { _ in "name the file that has it with --regions" }
    }
    return lines.map { Failure(.data, what: "warning: \($0)") }
  }

  /// That of tracks none of which has a report in the part that is asked for.
  static func noFix(in tracks: [TrackPart]) -> Failure {
    Failure(
      .conditionFails, file: tracks.count == 1 ? tracks.first?.name : nil,
      what: "there is no fix between --from and --to",
      remedy: "check both times, and whether they need --utc")
  }

  /// Replays one track and prints as it goes.
  static func replay(
    _ track: TrackPart, isNamed: Bool, _ request: ReplayRequest, into printer: inout LinePrinter
  ) async throws(Failure) -> TrackOutcome {
    let source: TrackSource
    var run: TrackRun
    do throws(Failure) {
      source = try TrackSource.open(track, options: request.track)
      run = try TrackRun(source, isNamed: isNamed, request)
    } catch {
      return TrackOutcome(failure: error)
    }
    var batch = await source.read()
    while !batch.isLast {
      if source.isPacked, request.jobs == nil {
        async let next = source.read()
        try await play(batch, on: &run, into: &printer)
        source.takeBack(batch)
        batch = await next
      } else {
        try await play(batch, on: &run, into: &printer)
        source.takeBack(batch)
        batch = await source.read()
      }
    }
    try await play(batch, on: &run, into: &printer)
    return run.outcome
  }

  private static func play(
    _ batch: TrackBatch, on run: inout TrackRun, into printer: inout LinePrinter
  ) async throws(Failure) {
    var place = 0
    repeat {
      run.take(batch, from: &place)
      // What a fix has led to is told at its time.
      if let pause = run.pause() { try? await ContinuousClock().sleep(until: pause) }
      try run.takeLines { line throws(Failure) in try printer.print(line) }
      if run.isPaced { try printer.flush() }
    } while place < batch.count
  }

  /// Tracks for each job that may be begun and not printed: our choice, so that a long one seldom keeps the others.
  private static let tracksAheadPerJob = 16

  /// Replays up to `jobs` tracks at a time. The lines of each wait in memory until those before it are printed, so none
  /// is begun too far ahead.
  private static func replay(
    _ tracks: [TrackPart], jobs: Int, _ request: ReplayRequest, into printer: inout LinePrinter,
    finished: (TrackOutcome, TrackPart) -> Void
  ) async throws(Failure) {
    let jobs = min(jobs, tracks.count)
    var waiting: [Int: (lines: LineSpool, outcome: TrackOutcome)] = [:]
    var nextToPrint = 0
    var failure: Failure?
    await withTaskGroup(of: (Int, LineSpool, TrackOutcome).self) { group in
      var nextToStart = 0
      func startDue() {
        let end = min(tracks.count, nextToPrint + jobs * Self.tracksAheadPerJob)
        while failure == nil, nextToStart < end, nextToStart - nextToPrint - waiting.count < jobs {
          let index = nextToStart
          nextToStart += 1
          group.addTask { await replayWhole(tracks[index], index, request) }
        }
      }
      startDue()
      while let (index, lines, outcome) = await group.next() {
        waiting[index] = (lines, outcome)
        startDue()
        while let (lines, outcome) = waiting.removeValue(forKey: nextToPrint) {
          let track = tracks[nextToPrint]
          nextToPrint += 1
          do throws(Failure) {
            try lines.handOn { line throws(Failure) in try printer.print(line) }
          } catch {
            failure = failure ?? error
            group.cancelAll()
          }
          finished(outcome, track)
        }
        startDue()
      }
    }
    if let failure { throw failure }
  }

  private static func replayWhole(
    _ track: TrackPart, _ index: Int, _ request: ReplayRequest
  ) async -> (Int, LineSpool, TrackOutcome) {
    do throws(Failure) {
      let source = try TrackSource.open(track, options: request.track)
      var run = try TrackRun(source, isNamed: true, request)
      var isLast = false
      while !isLast, !Task.isCancelled {
        let batch = await source.read()
        var place = 0
        repeat { run.take(batch, from: &place) } while place < batch.count
        isLast = batch.isLast
        source.takeBack(batch)
      }
      return (index, run.takeSpool(), run.outcome)
    } catch {
      return (index, LineSpool(), TrackOutcome(failure: error))
    }
  }
}

extension Summary {
  /// Adds another track's figures; its notes are its own.
  fileprivate mutating func add(_ other: Summary) {
    tally.add(other.tally)
    modes.add(other.modes)
    energy.value += other.energy.value
    energy.low += other.energy.low
    energy.high += other.energy.high
    deviceJoules += other.deviceJoules
    receiverOnSeconds += other.receiverOnSeconds
    durationSeconds += other.durationSeconds
    modelledSeconds += other.modelledSeconds
    time = [time, other.time].compactMap(\.self).max()
    id += other.id
    notes = []
  }

  /// Why reports were refused, with how many each.
  var reasons: String { rejected.map { "\($0.count) \($0.reason.rawValue)" }.joined(separator: ", ") }

  /// What is said of a track of which no fix was believed; nil where one was, or there is none.
  func disbelief(_ file: String?) -> Failure? {
    guard tally.fixes > 0, tally.accepted == 0 else { return nil }
    let isOutOfRange = rejected.allSatisfy { $0.reason == .outOfRange }
    return Failure(
      .conditionFails, file: file, what: "nothing of this track was believed: \(reasons)",
      remedy: isOutOfRange
        ? "a latitude is -90 to 90, a longitude -180 to 180; are they swapped?"
        : "locwatch replay --explain shows each report")
  }
}
