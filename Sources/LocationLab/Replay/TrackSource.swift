import LocationCore
import LocationFormats
import Synchronization

/// A track or a recording that has been opened: batches come out, the last of which says so.
///
/// An actor, so that the next batch can be read on another thread while one is decided on: worth it where the file is
/// packed. To read a plain one takes less than to hand its fixes from one core to another (Docs/Performance.md).
actor TrackSource {
  /// As the user named it, with the number of a segment that is replayed alone; `-` for standard input.
  nonisolated let path: String
  /// The same, for people to read.
  nonisolated let name: String
  /// The size of the file, bytes; nil where it is not a regular file.
  nonisolated let byteCount: Int?
  /// What the engine of a recording decided by, and how it was at the first event; nil for a track.
  nonisolated let recorded: (configuration: EngineConfiguration, snapshot: EngineSnapshot?)?
  /// Whether the file is packed.
  nonisolated let isPacked: Bool
  private var reader: TrackReader?
  private var journal: JournalReader?
  private var segment: TrackPart.Segment?
  /// A batch that is no longer needed, for its memory.
  private let spare = Mutex<TrackBatch?>(nil)

  /// Opens a file, or standard input for `-`.
  ///
  /// - Throws: ``Failure`` as ``TrackReader`` and ``JournalReader`` do.
  static func open(_ part: TrackPart, options: TrackOptions) throws(Failure) -> TrackSource {
    if let segment = part.segment { return TrackSource(part.name, segment) }
    let head = try InputHead(path: part.path, gpsbabel: options.gpsbabel)
    let isPacked = head.input.isGzip
    if head.isRecording { return TrackSource(part.path, isPacked, try JournalReader(head)) }
    return TrackSource(part.path, isPacked, try TrackReader(head, options: options))
  }

  private init(_ path: String, _ isPacked: Bool, _ reader: consuming sending TrackReader) {
    self.path = path
    self.isPacked = isPacked
    name = reader.name
    byteCount = reader.byteCount
    recorded = nil
    self.reader = consume reader
  }

  private init(_ path: String, _ isPacked: Bool, _ journal: consuming sending JournalReader) {
    self.path = path
    self.isPacked = isPacked
    name = journal.name
    byteCount = journal.byteCount
    recorded = (journal.configuration, journal.snapshot)
    self.journal = consume journal
  }

  private init(_ name: String, _ segment: TrackPart.Segment) {
    path = name
    self.name = name
    byteCount = nil
    recorded = nil
    isPacked = false
    self.segment = segment
  }

  /// The next batch. What is whole comes before a failure is told.
  func read() -> TrackBatch {
    var batch = takeSpare()
    if let segment {
      batch.items += segment.items
      batch.notes = segment.notes
      batch.isLast = true
      return batch
    }
    do throws(Failure) {
      _ = try reader?.read(into: &batch.items)
      _ = try journal?.read(into: &batch.events)
    } catch {
      batch.failure = error
    }
    batch.bytesRead = reader?.bytesRead ?? journal?.bytesRead ?? 0
    batch.isLast = batch.count == 0 || batch.failure != nil
    if batch.isLast { batch.notes = reader?.notes ?? journal?.notes ?? [] }
    return batch
  }

  /// Takes back a batch that has been decided on.
  nonisolated func takeBack(_ batch: TrackBatch) { spare.withLock { $0 = batch } }

  private func takeSpare() -> TrackBatch {
    var batch = TrackBatch()
    spare.withLock { spare in
      guard let old = spare else { return }
      batch.items = old.items
      batch.events = old.events
      spare = nil
    }
    batch.items.removeAll(keepingCapacity: true)
    batch.events.removeAll(keepingCapacity: true)
    return batch
  }
}
