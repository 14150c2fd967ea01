import LocationCore

/// What became of one track.
struct TrackOutcome: Sendable {
  /// Nil when the track could not even be opened.
  var summary: Summary?
  /// What stopped it, if anything did.
  var failure: Failure?
  /// What a page is made of, where one is wanted.
  var report: TrackReport?
}

/// One track on its way from file to lines: opened, read a batch at a time, and finished even when it breaks off, so
/// that the events of what is whole are told before the error.
struct TrackRun: ~Copyable {
  private var reader: TrackReader?
  /// The reader of a recording, where it is one.
  private var journal: JournalReader?
  private var replay: TrackReplay
  private var encoder: RecordEncoder
  private var lines = LineSpool()
  private var batch: [TrackItem] = []
  private var events: [Stamped] = []
  private var place = 0
  private var pacer: Pacer?
  private var progress: Progress?
  private(set) var outcome = TrackOutcome()

  init(_ track: String, isNamed: Bool, _ request: ReplayRequest) {
    replay = TrackReplay(request)
    encoder = RecordEncoder(format: request.format, track: isNamed ? track : nil)
    pacer = request.speed.map { Pacer(speed: $0) }
    do throws(Failure) {
      let head = try InputHead(path: track)
      if request.showsProgress { progress = Progress(name: head.input.name, total: head.input.byteCount) }
      if head.format == .recording {
        let opened = try JournalReader(head)
        replay = try TrackReplay(request, recorded: opened.configuration, from: opened.snapshot)
        journal = consume opened
      } else {
        reader = try TrackReader(head, options: request.track)
      }
    } catch {
      outcome.failure = error
    }
  }

  /// Goes on by one batch, or by one fix where the replay is paced; false when that was the last.
  mutating func step() -> Bool {
    let count = max(batch.count, events.count)
    if place == count && !readBatch() { return false }
    let end = pacer == nil ? max(batch.count, events.count) : place + 1
    if journal == nil {
      while place < end {
        replay.take(batch[place]) { record in
          if let line = encoder.encode(record) { lines.append(line) }
        }
        place += 1
      }
    } else {
      while place < end {
        replay.take(events[place]) { record in
          if let line = encoder.encode(record) { lines.append(line) }
        }
        place += 1
      }
    }
    return true
  }

  /// Hands on every line since the last call.
  mutating func takeLines(_ body: (borrowing Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    try lines.handOn(body)
    lines.removeAll()
  }

  /// Every line since the last call, to keep.
  mutating func takeSpool() -> LineSpool {
    defer { lines.removeAll() }
    return lines
  }

  /// Until when a paced replay has to wait before its next step; nil when it need not.
  mutating func pause() -> ContinuousClock.Instant? { pacer?.pause(at: replay.time) }

  /// Reads on; false when there is no more, and then everything has been settled and said.
  private mutating func readBatch() -> Bool {
    guard reader != nil || journal != nil else { return false }
    // What is whole is taken before an error is told.
    guard outcome.failure != nil || !readOn() else { return true }
    progress?.clear()
    let summary = replay.finish(notes: reader?.notes ?? journal?.notes ?? []) { record in
      if let line = encoder.encode(record) { lines.append(line) }
    }
    if let line = encoder.encode(summary) { lines.append(line) }
    outcome.summary = summary
    outcome.report = replay.report
    reader = nil
    journal = nil
    return false
  }

  /// Reads the next batch; false where there is none.
  private mutating func readOn() -> Bool {
    batch.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    place = 0
    do throws(Failure) {
      _ = try reader?.read(into: &batch)
      _ = try journal?.read(into: &events)
    } catch {
      outcome.failure = error
    }
    progress?.show(reader?.bytesRead ?? journal?.bytesRead ?? 0)
    return !batch.isEmpty || !events.isEmpty
  }
}
