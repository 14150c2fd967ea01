import LocationCore
import LocationFormats
import LocationRuntime

/// What became of one track.
struct TrackOutcome: Sendable {
  /// Nil when the track could not even be opened.
  var summary: Summary?
  /// What stopped it, if anything did.
  var failure: Failure?
  /// Whether it is a recording, which brings its own regions.
  var isRecording = false
  /// What a page is made of, where one is wanted.
  var report: TrackReport?
}

/// Encodes records as lines that wait to be printed.
struct RecordLines: RecordSink {
  var encoder: RecordEncoder
  var lines = LineSpool()

  mutating func receive(_ record: Record) {
    if let line = encoder.encode(record) { lines.append(line) }
  }
}

/// One track on its way to lines: batches go in, lines come out. It is finished even when the track breaks off, so
/// that the events of what is whole are told before the error.
struct TrackRun: ~Copyable {
  private var replay: TrackReplay<RecordLines>
  private var pacer: Pacer?
  private var progress: Progress?
  /// What is said of the request, after what is said of the track.
  private let notes: [String]
  private(set) var outcome = TrackOutcome()

  /// - Throws: ``Failure`` of code 65 where a recording's snapshot is of no engine.
  init(_ source: TrackSource, isNamed: Bool, _ request: ReplayRequest) throws(Failure) {
    var encoder = RecordEncoder(format: request.format, track: isNamed ? source.path : nil)
    encoder.style = request.style
    encoder.leavesOutDecisions = request.assumesProgram && source.recorded == nil
    let sink = RecordLines(encoder: encoder)
    replay =
      if let recorded = source.recorded {
        try TrackReplay(request, recorded: recorded.configuration, from: recorded.snapshot, to: sink)
      } else {
        TrackReplay(request, to: sink)
      }
    outcome.isRecording = source.recorded != nil
    notes = source.recorded == nil ? [] : request.notesOnRecording
    pacer = request.speed.map { Pacer(speed: $0) }
    if request.showsProgress { progress = Progress(name: source.name, total: source.byteCount) }
  }

  /// Takes a batch from `place` on: the rest of it, or one step where the replay is paced. After the last one
  /// everything is settled and said.
  mutating func take(_ batch: borrowing TrackBatch, from place: inout Int) {
    let end = pacer == nil ? batch.count : min(place + 1, batch.count)
    if batch.events.isEmpty {
      while place < end {
        replay.take(batch.items[place])
        place += 1
      }
    } else {
      while place < end {
        replay.take(batch.events[place])
        place += 1
      }
    }
    guard place == batch.count else { return }
    progress?.show(batch.bytesRead)
    if batch.isLast { finish(after: batch) }
  }

  /// Hands on every line since the last call.
  mutating func takeLines(_ body: (borrowing Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    try replay.sink.lines.handOn(body)
    replay.sink.lines.removeAll()
  }

  /// Every line since the last call, to keep.
  mutating func takeSpool() -> LineSpool {
    defer { replay.sink.lines.removeAll() }
    return replay.sink.lines
  }

  /// Whether it keeps to a multiple of the speed of time.
  var isPaced: Bool { pacer != nil }

  /// Until when a paced replay has to wait before it tells what its last step led to; nil when it need not.
  mutating func pause() -> ContinuousClock.Instant? { pacer?.pause(at: replay.fix?.instant) }

  private mutating func finish(after batch: borrowing TrackBatch) {
    progress?.clear()
    let summary = replay.finish(notes: batch.notes + notes)
    if let line = replay.sink.encoder.encode(summary) { replay.sink.lines.append(line) }
    outcome.summary = summary
    outcome.report = replay.report
    outcome.failure = batch.failure
  }
}
