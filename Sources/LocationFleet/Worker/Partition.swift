import LocationCore
import LocationFormats

/// A partition that this worker has: its devices in memory, and how far it has come in its part of the stream.
final class Partition {
  let number: Int
  /// The revision at which the lease was made: the fence around the checkpoint.
  let epoch: UInt64
  /// The revision of the lease as it was renewed last.
  var leaseRevision: UInt64
  /// The last checkpoint, and its revision.
  var checkpoint: Checkpoint
  var checkpointRevision: UInt64
  /// The last message handled.
  var position: UInt64
  /// The last message of the stream when the partition was taken. A snapshot beyond it is of a stream that was lost.
  let streamEnd: UInt64
  /// The regions at that point.
  var catalog: FleetCatalog
  /// Ids of events beyond the checkpoint that the cluster already has.
  var known: Set<String> = []
  var devices: [ExactName: FleetDevice] = [:]
  /// Snapshots that were read when the partition was taken, of devices that have not spoken since.
  var snapshots: [ExactName: KeyValueBucket.Entry] = [:]
  /// Messages that wait in the stream, as of the last message.
  var lag = 0
  /// Consumers that were lost before the end of the stream was reached.
  var losses = 0
  /// When the last checkpoint was written, seconds.
  var checkpointedAt = FleetClock.seconds
  /// The checkpoint that is being written.
  var underway: Underway?
  var pull = Pull()
  /// The consumer that it needs next; nil where fixes come.
  var need: ConsumerRequest.Purpose? = .eventIDs
  /// How often the servers were asked for that in vain, and when they may be asked again, seconds.
  var attempts = 0
  var askAt = -1e6
  /// When the ids of events were read, seconds; nil once fixes have come.
  var eventIDsAt: Double?

  /// A checkpoint on its way: it is written when every device that was touched before it is kept.
  struct Underway {
    var next: Checkpoint
    /// The events before this number belong to it.
    var eventNumber: Int
    /// Devices to be kept.
    var queue: [FleetDevice]
    /// Devices whose events are not confirmed yet.
    var waiting: [FleetDevice] = []
    /// How many there were in the queue.
    let count: Int
    /// When it began, seconds.
    let beganAt = FleetClock.seconds

    init(_ next: Checkpoint, eventNumber: Int, queue: [FleetDevice]) {
      self.next = next
      self.eventNumber = eventNumber
      self.queue = queue
      count = queue.count
    }

    /// How many devices are to be kept now for all to be kept in so many seconds from the beginning.
    func due(in seconds: Double) -> Int {
      let share = min(1, (FleetClock.seconds - beganAt) / seconds)
      return Int((Double(count) * share).rounded(.up)) - (count - queue.count - waiting.count)
    }
  }

  /// What was asked of the stream and has not come.
  struct Pull {
    /// The number of the consumer among those that the worker has asked for; 0 without one.
    var consumer = 0
    /// Its name.
    var name = ""
    /// The number of the consumer's next message.
    var next: UInt64 = 1
    /// Messages that may still come of what was asked.
    var outstanding = 0
    /// When the server was last heard of.
    var heardAt = FleetClock.seconds
    /// How often the connection had been made again when it was first asked.
    var reconnects: UInt64 = 0
  }

  init(
    _ number: Int, epoch: UInt64, checkpoint: Checkpoint, revision: UInt64, streamEnd: UInt64,
    catalog: FleetCatalog
  ) {
    self.number = number
    self.epoch = epoch
    leaseRevision = epoch
    self.checkpoint = checkpoint
    checkpointRevision = revision
    position = checkpoint.sequence
    self.streamEnd = streamEnd
    self.catalog = catalog
  }

  /// Begins a checkpoint at the present position, if anything has happened since the last one.
  func beginCheckpoint(eventNumber: Int, events: UInt64, worker: String) {
    guard underway == nil else { return }
    checkpointedAt = FleetClock.seconds
    guard position > checkpoint.sequence else { return }
    var next = checkpoint
    next.sequence = position
    known = known.filter { (EventID.sequence(of: $0) ?? 0) > position }
    // Events of later fixes that a worker before has published must be found by the next one too.
    if known.isEmpty { next.events = max(checkpoint.events, events) }
    next.catalog = catalog.version
    next.devices = devices.count
    next.worker = worker
    next.epoch = epoch
    underway = Underway(next, eventNumber: eventNumber, queue: devices.values.filter(\.isDirty))
  }

  /// Whether its fixes may come and none are asked for.
  var isIdle: Bool { need == nil && pull.outstanding == 0 }

  /// Devices in memory, whole or as they are kept.
  var deviceCount: Int { devices.count + snapshots.count }

  /// Lets go of devices that were used least lately and are kept; how many.
  @discardableResult
  func evict(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    guard snapshots.isEmpty else {
      defer { snapshots = [:] }
      return snapshots.count
    }
    let cold = devices.values.filter { !$0.isDirty && $0.unconfirmedEvents == 0 }
      .sorted { $0.usedAt < $1.usedAt }.prefix(count)
    for device in cold { devices[ExactName(device.name)] = nil }
    return cold.count
  }
}

/// The id under which an event is kept once: the same whoever publishes it.
enum EventID {
  /// - Parameters:
  ///   - record: the number of the record among those of its device.
  ///   - sequence: of the fix that led to it.
  static func make(_ device: String, _ record: Int, sequence: UInt64) -> String {
    "\(device)-\(record)-\(sequence)"
  }

  /// The sequence of the fix; nil where it is no such id.
  static func sequence(of id: String) -> UInt64? {
    id.lastIndex(of: "-").flatMap { UInt64(id[id.index(after: $0)...]) }
  }
}
