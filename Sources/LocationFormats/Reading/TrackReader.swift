public import LocationCore

/// Reads a track, whatever its format: JSON lines and ``formats``; each also as gzip.
///
/// The format is told by content. Memory does not grow with the file, but for what is put into the order of time.
///
/// ```swift
/// var reader = try TrackReader(path: "commute.gpx")
/// var batch: [TrackItem] = []
/// while try reader.read(into: &batch) {
///   for item in batch { ... }
/// }
/// ```
public struct TrackReader: ~Copyable {
  private var input: InputBytes
  private var piece: ScanPiece
  /// Whether what was read to tell the format waits to be parsed.
  private var hasHead = true
  private var track: any FormatTrack
  private var timeline: Timeline
  private var postponed: Failure?
  private var isDone = false
  /// Whether the whole track is read before anything is handed out, to put its segments into order.
  private var gathers: Bool
  /// What was read like that and is still to be handed out.
  private var gathered: ArraySlice<TrackItem> = []
  private var order = SegmentOrder.Outcome.kept
  /// Whether a segment stood with the newest point first.
  private var isTurned = false
  private let overlapRemedy: String?
  private let sortsSegments: Bool

  /// The formats beside JSON lines, as messages, help and documents name them; the last is CSV, which needs a header.
  package static let formats = "GPX, KML, KMZ, NMEA 0183, CSV"

  /// A batch is handed out when it has this many items; it may have some thousands more.
  public static let batchItems = 1024

  /// Opens the track and looks at its first bytes; `-` is standard input.
  ///
  /// - Throws: `noInput` where there is no such file, `noPermission`, `io`, and `data` where it is no track.
  public init(path: String, options: TrackOptions = TrackOptions()) throws(Failure) {
    try self.init(InputHead(path: path, gpsbabel: options.gpsbabel), options: options)
  }

  /// Goes on with a file whose first bytes have been looked at.
  package init(_ head: consuming InputHead, options: TrackOptions) throws(Failure) {
    let (file, accuracy) = (head.input.name, options.assumeAccuracyMeters)
    switch head.format {
    case .xml: track = try GPXTrack(file: file, assumeAccuracyMeters: accuracy)
    case .jsonLines: track = LineTrack(file: file, assumeAccuracyMeters: accuracy)
    case .kml: track = try KMLTrack(file: file, assumeAccuracyMeters: accuracy)
    case .sentences: track = NMEATrack(assumeAccuracyMeters: accuracy)
    case .table: track = TableTrack(file: file, assumeAccuracyMeters: accuracy)
    case .recording:
      throw Failure(.data, file: file, line: 1, what: "a recording, not a track", remedy: "replay it")
    case .undecided, .other, .foreign:
      let what = if case .other(let what) = head.format { what } else { "unknown format" }
      let isWide = head.format == .other(TrackFormat.wideText)
      throw Failure(
        .data, file: file, line: 1, what: what,
        remedy: isWide ? Failure.encodingRemedy : TrackFormat.accepted)
    }
    timeline = Timeline(options: options)
    piece = head.piece
    input = head.input
    overlapRemedy = options.overlapRemedy
    sortsSegments = options.order == .segments
    gathers =
      options.order != .asWritten && (input.byteCount.map { $0 <= SegmentOrder.mostBytes } ?? true)
  }

  /// Replaces the contents of `batch` with the next items of the track.
  ///
  /// What is whole is delivered before an error is thrown. From a pipe, what has come is delivered without
  /// waiting for more.
  ///
  /// - Returns: false at the end; the batch is then empty.
  /// - Throws: `data` with the line of the trouble, `io`. Reading on after an error gives false.
  public mutating func read(into batch: inout [TrackItem]) throws(Failure) -> Bool {
    if gathers {
      gathers = false
      // Without parts only what begins backwards is read as a whole.
      if !track.hasParts {
        let isMore = try readOn(into: &batch)
        // What a receiver tells through a pipe must not wait: there it takes a list with the newest first.
        let isBackwards =
          input.byteCount == nil ? SegmentOrder.isNewestFirst(batch[...]) : SegmentOrder.runsBackwards(batch)
        guard isBackwards else { return isMore }
        gather(after: batch)
      } else {
        gather(after: [])
      }
    }
    guard gathered.isEmpty else {
      batch.removeAll(keepingCapacity: true)
      batch += gathered.prefix(Self.batchItems)
      gathered = gathered.dropFirst(Self.batchItems)
      return true
    }
    return try readOn(into: &batch)
  }

  /// Reads the whole track, and puts points and segments into order; too long a one is left as it is, and one whose first
  /// segment is long and in order is not read as a whole.
  private mutating func gather(after first: [TrackItem]) {
    var items = first
    var batch: [TrackItem] = []
    var isLookedAt = false
    do throws(Failure) {
      while !isTooLong(items), try readOn(into: &batch) {
        items += batch
        guard !isLookedAt, items.count > SegmentOrder.longItems else { continue }
        isLookedAt = true
        if SegmentOrder.isOneInOrder(items) { break }
      }
    } catch {
      postponed = error
    }
    if !isTooLong(items) {
      isTurned = SegmentOrder.turn(&items)
      if sortsSegments { order = SegmentOrder.sort(&items) }
    }
    gathered = items[...]
  }

  /// Whether that is more than is kept in memory for the sake of an order.
  private func isTooLong(_ items: [TrackItem]) -> Bool {
    items.count > SegmentOrder.mostItems || input.bytesRead > SegmentOrder.mostBytes
  }

  /// Reads on in the order of the file.
  private mutating func readOn(into batch: inout [TrackItem]) throws(Failure) -> Bool {
    batch.removeAll(keepingCapacity: true)
    if let failure = postponed {
      postponed = nil
      throw failure
    }
    while !isDone, batch.count < Self.batchItems, batch.isEmpty || input.byteCount != nil {
      let first = batch.count
      var failure: Failure?
      do throws(Failure) { try step(into: &batch) } catch { failure = error }
      timeline.apply(to: &batch, from: first)
      if isDone, failure == nil { failure = verdict() }
      if let failure {
        isDone = true
        if batch.isEmpty { throw failure }
        postponed = failure
      }
    }
    return !batch.isEmpty
  }

  /// As the user named it; `<stdin>` for `-`.
  public var name: String { input.name }

  /// The size of the file; nil where it is not a regular file.
  public var byteCount: Int? { input.byteCount }

  /// How much of the file has been read, for a progress bar.
  public var bytesRead: Int { input.bytesRead }

  /// The line of the (unpacked) file that has been reached, from 1.
  public var line: Int { max(track.line, 1) }

  /// Generous readings, to be said aloud when the track has been read.
  public var notes: [String] {
    var notes: [String] = []
    if input.isGzip { notes.append("gzip") }
    if input.hasTrailingGarbage { notes.append("bytes after the gzip data, ignored") }
    if isTurned { notes.append("points stood with the newest first; put into the order of time") }
    switch order {
    case .kept: break
    case .sorted: notes.append("segments put into the order of time")
    case .overlapping:
      notes.append("segments overlap in time" + (overlapRemedy.map { "; \($0)" } ?? ""))
    }
    return notes + track.notes + timeline.notes
  }

  // MARK: - Steps

  /// Reads one piece of the file.
  private mutating func step(into batch: inout [TrackItem]) throws(Failure) {
    if hasHead {
      hasHead = false
    } else {
      piece.removeAll()
      do throws(Failure) { _ = try input.read(into: &piece) } catch {
        track.flush(into: &batch)
        var failure = error
        if failure.code == .data { failure.line = line }
        throw failure
      }
    }
    isDone = piece.count == 0
    try track.read(piece, into: &batch)
  }

  /// What is wrong with the track as a whole.
  private func verdict() -> Failure? {
    guard timeline.fixes == 0 else {
      return timeline.failure(
        file: name, firstPointLine: track.firstPointLine, timeTrouble: track.timeTrouble)
    }
    return Failure(
      .data, file: name, line: line, what: track.emptiness, remedy: "name a file that holds a track")
  }
}
