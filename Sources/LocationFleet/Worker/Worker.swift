package import LocationCore
package import LocationFormats

/// A worker of a fleet: takes its share of the partitions, and turns their fixes into events.
///
/// ```
/// stream of fixes ─► device's engine ─► stream of events
///                        │  ▲
///                        ▼  │
///                 snapshots, checkpoints (key-value store)
/// ```
///
/// One thread and one connection. What it knows of a partition is lost with it; the next worker goes on from the
/// checkpoint and comes to the same events under the same ids, of which the cluster keeps one each.
package final class Worker {
  let options: WorkerOptions
  let layout: FleetLayout
  let settings: EngineSettings
  let fleet: FleetLayout.Settings
  let publisher: EventPublisher
  let store: DeviceStore
  let leases: LeaseWatch
  let inbox: String
  let messages: NATSSubscription
  var partitions: [Int: Partition] = [:]
  var report = WorkerReport()
  /// When the leases were last renewed, seconds; before the request.
  var renewedAt = -1e6
  /// The revision under which the last sign of life was kept; 0 before the first.
  var signRevision: UInt64 = 0
  /// Whether it told of another worker of its name. It tells again once it was alone.
  var hasToldOfNamesake = false
  /// Versions of the regions that were read lately.
  var catalogs: [Int: FleetCatalog] = [:]
  /// When a partition was taken that has not come to the end of the stream.
  var recovering: [Int: Double] = [:]
  /// Has the answers to requests for consumers.
  let consumers: RequestPipe
  /// The consumer that is asked for now: one at a time, because making them is what keeps servers busy.
  var asked: ConsumerRequest?
  /// Numbers the consumers that this worker has asked for, from where nobody can guess: what a device writes into its
  /// topic could else look like a message of one.
  var consumerCount = Int.random(in: 1...mostConsumers)
  /// Messages handled, which tells how lately a device was used.
  private var messageCount = 0
  private var effects: [Effect] = []
  private var line = FleetLine()
  /// Messages that have come, and how many of them are handled.
  private var batch: [FixMessage] = []
  private var handledCount = 0
  /// When all that had come was last taken. Since then a word of a consumer of which nothing was heard may have come.
  private(set) var drainedAt = -1e6
  /// How often the connection had been made again by then.
  private(set) var reconnects: UInt64 = 0
  /// Told of what an operator wants to know.
  private let log: (String) -> Void

  /// The highest number with which the consumers of a worker begin.
  private static let mostConsumers = 1 << 52
  /// Messages handled at a time.
  private static let batchCount = 512
  /// Snapshots begun at a time, so that fixes never wait long for them.
  private static let snapshotCount = 64
  /// Snapshots that may be on their way while there is no haste.
  private static let snapshotWindow = 128
  /// The share of the time to the next checkpoint over which the snapshots of one are spread.
  private static let snapshotShare = 0.5

  /// - Throws: where the cluster does not answer or has no fleet.
  package init(
    _ options: WorkerOptions, _ connection: NATSConnection, configuration: EngineConfiguration,
    log: @escaping (String) -> Void
  ) throws(Failure) {
    self.options = options
    self.log = log
    connection.log = log
    layout = try FleetLayout(connection)
    fleet = try layout.settings()
    settings = EngineSettings(configuration, booksPower: false)
    publisher = try EventPublisher(connection)
    consumers = try RequestPipe(connection)
    store = try DeviceStore(layout, settings: settings)
    leases = try LeaseWatch(layout, lifeSeconds: fleet.leaseSeconds)
    inbox = try connection.inbox() + "."
    messages = try connection.subscribe(inbox + "*")
    report.name = options.name
    report.instance = Int.random(in: 1...Self.mostConsumers)
    for pipe in [layout.stream.pipe, publisher.pipe, store.pipe] {
      pipe.whileWaiting = { [weak self] () throws(Failure) in
        if let self, self.isRenewalDue { try self.renewLeases() }
      }
    }
  }

  func say(_ text: String) { log(text) }

  /// Works until it is told to stop, and then hands its partitions back in good order.
  ///
  /// Servers that answer nothing, for however long, do not end it: what it has stays as it is, and is tried again.
  ///
  /// - Throws: where the connection is closed for good.
  package func run(until isStopped: () -> Bool) throws(Failure) {
    say("takes its share of \(fleet.partitions) partitions")
    while !isStopped() {
      do throws(Failure) {
        try turn()
      } catch {
        guard !layout.stream.connection.isClosed else { throw layout.stream.connection.closure }
        guard Self.mayPass(error) else { throw error }
        layout.stream.connection.tell("\(error)")
        FleetClock.pause(milliseconds: Self.pauseMilliseconds)
      }
    }
    if releaseAll() { try? giveSignBack() }
    layout.stream.connection.flush(milliseconds: 2_000)
  }

  /// Whether what failed may succeed later: the cluster did not answer, or the library took nothing.
  private static func mayPass(_ failure: Failure) -> Bool {
    failure.code == .unavailable || failure.code == .tryAgain
  }

  private func turn() throws(Failure) {
    guard !layout.stream.connection.isClosed else { throw layout.stream.connection.closure }
    try keepLeases()
    // A worker that hung, or that nobody answers, may have lost everything meanwhile. Renewing tells.
    guard isLeaseSafe else { return }
    try makeConsumers()
    let mustWait = publisher.isFull || partitions.values.contains { mustKeep($0) }
    if !mustWait {
      if handledCount == batch.count { try receive() }
      try handleBatch()
    }
    let wait = mustWait ? Self.waitMilliseconds : 0
    try publisher.collect(milliseconds: wait)
    try store.collect(milliseconds: wait)
    var isStalled = false
    for partition in partitions.values where !attempt(partition, tend) { isStalled = true }
    dropLost()
    if isStalled { FleetClock.pause(milliseconds: Self.pauseMilliseconds) }
  }

  /// Between two attempts at what the cluster did not answer.
  static let pauseMilliseconds: UInt32 = 500
  /// For what has to be kept before more fixes are handled.
  private static let waitMilliseconds = 100

  // MARK: - Messages

  /// Fills the batch with what is there, after a wait for the first where nothing else is to be done.
  private func receive() throws(Failure) {
    batch.removeAll(keepingCapacity: true)
    handledCount = 0
    let isBusy =
      leases.isLooking || publisher.count > 0 || store.count > 0
      || partitions.values.contains { $0.underway != nil || $0.isIdle }
    var wait = isBusy ? 1 : asked != nil ? Self.answerMilliseconds : waitMilliseconds
    while batch.count < Self.batchCount {
      guard let message = try messages.next(milliseconds: wait) else {
        drainedAt = FleetClock.seconds
        reconnects = layout.stream.connection.reconnects
        return
      }
      wait = 0
      if message.status != 0 {
        note(status: message.status, message.subject)
      } else if let fix = FixMessage(message, among: fleet.partitions) {
        batch.append(fix)
      }
    }
  }

  /// While a consumer is asked for.
  private static let answerMilliseconds = 20

  /// Until the next thing that is due, but no longer than a user waits for the end.
  private var waitMilliseconds: Int {
    var due = min(renewedAt + renewalSeconds, leases.dueAt)
    for partition in partitions.values {
      due = min(due, partition.checkpointedAt + options.checkpointSeconds)
      due = min(due, partition.need == nil ? silenceEnd(partition) : partition.askAt)
    }
    return max(1, min(1_000, Int((due - FleetClock.seconds) * 1_000)))
  }

  /// Handles the batch as far as there is room for events. What the cluster does not give stays in the batch.
  private func handleBatch() throws(Failure) {
    guard handledCount < batch.count else { return }
    try loadCatalogs()
    try loadDevices()
    while handledCount < batch.count, !publisher.isFull {
      let message = batch[handledCount]
      handledCount += 1
      guard let partition = partitions[message.partition] else { continue }
      do throws(Failure) {
        try handle(message, of: partition)
      } catch {
        drop(partition, asUnusable: error)
      }
    }
  }

  private func handle(_ message: FixMessage, of partition: Partition) throws(Failure) {
    let place = message.place
    // Of an earlier consumer.
    guard place.consumer == partition.pull.consumer else { return }
    partition.pull.heardAt = FleetClock.seconds
    partition.pull.outstanding -= 1
    guard place.consumerSequence == partition.pull.next else {
      // Something was lost on the way.
      partition.pull.heardAt = 0
      return
    }
    partition.pull.next += 1
    guard place.sequence > partition.position else { return }
    partition.position = place.sequence
    partition.lag = Int(clamping: place.pending)
    messageCount += 1
    switch message.content {
    case .fix(let report): try handle(report, message, of: partition)
    case .useless(let report, let reason, let payload):
      try bury(payload, reason, message, of: partition)
      try handle(report, message, of: partition)
    case .catalog(let version):
      guard version > partition.catalog.version else { return }
      partition.catalog = try catalog(version)
      say("partition \(partition.number) watches version \(version) of the regions from \(place.sequence) on")
    case .ignored: report.ignored += 1
    case .poison(let reason, let payload): try bury(payload, reason, message, of: partition)
    }
    if place.pending == 0 {
      partition.losses = 0
      noteRecovered(partition.number)
    }
  }

  private func bury(
    _ payload: [UInt8], _ reason: String, _ message: FixMessage, of partition: Partition
  ) throws(Failure) {
    try bury(
      payload, reason, "\(partition.number).\(message.device)", sequence: message.place.sequence,
      era: partition.checkpoint.era, fixTime: Double(message.place.nanoseconds) * 1e-9)
  }

  /// Puts a message among the dead letters.
  ///
  /// - Parameters:
  ///   - name: `<partition>.<user>.<device>`.
  ///   - sequence: where it stands in the stream.
  ///   - era: of the stream (``Checkpoint/era``).
  ///   - fixTime: when the cluster took it, seconds since 1970.
  func bury(
    _ payload: [UInt8], _ reason: String, _ name: String, sequence: UInt64, era: Int?, fixTime: Double
  ) throws(Failure) {
    report.deadLetters += 1
    let letter = DeadLetter(payload, reason, atMost: layout.stream.connection.mostBytes)
    // The servers would drop it for one of a stream that was lost a moment ago.
    let id = era.map { "dead-\($0)-\(sequence)" } ?? "dead-\(sequence)"
    try publisher.publish("dead.\(name)", letter, id: id, fixTime: fixTime)
  }

  private func handle(_ fix: FixReport, _ message: FixMessage, of partition: Partition) throws(Failure) {
    guard let device = partition.devices[ExactName(message.device)] else { return }
    device.usedAt = messageCount
    guard message.place.sequence > device.sequence else {
      report.repeated += 1
      return
    }
    report.fixes += 1
    device.take(fix, sequence: message.place.sequence, catalog: partition.catalog, into: &effects)
    guard !effects.isEmpty else { return }
    defer { effects.removeAll(keepingCapacity: true) }
    let track = FleetLine.track(of: device.name)
    for case .record(let record) in effects {
      let id = EventID.make(device.name, record.id, sequence: message.place.sequence)
      if !partition.known.isEmpty, partition.known.remove(id) != nil {
        report.known += 1
        continue
      }
      try publisher.publish(
        "event.\(partition.number).\(device.name).\(record.type)",
        line.encode(record, of: track, sequence: message.place.sequence), id: id, of: device,
        fixTime: Double(message.place.nanoseconds) * 1e-9)
    }
  }

  /// Reads the versions of the regions that begin within the batch.
  private func loadCatalogs() throws(Failure) {
    for message in batch[handledCount...] {
      guard case .catalog(let version) = message.content, let partition = partitions[message.partition],
        version > partition.catalog.version
      else { continue }
      try load(for: partition) { () throws(Failure) in _ = try catalog(version) }
    }
  }

  /// Brings the devices of the batch into memory.
  private func loadDevices() throws(Failure) {
    var missing: [ExactName: (partition: Partition, name: String)] = [:]
    for message in batch[handledCount...] {
      let device = ExactName(message.device)
      guard message.report != nil, let partition = partitions[message.partition],
        partition.devices[device] == nil
      else { continue }
      if let entry = partition.snapshots.removeValue(forKey: device) {
        try load(for: partition) { () throws(Failure) in try add(message.device, to: partition, as: entry) }
        continue
      }
      missing[ExactName("\(partition.number).\(message.device)")] = (partition, message.device)
    }
    guard !missing.isEmpty else { return }
    try store.load(Array(missing.keys)) { key, entry throws(Failure) in
      guard let (partition, name) = missing[key] else { return }
      try load(for: partition) { () throws(Failure) in try add(name, to: partition, as: entry) }
    }
  }

  /// Loads what a partition needs. It is given up where that can't be used; the others go on.
  ///
  /// - Throws: what may pass.
  private func load(for partition: Partition, _ body: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) {
      try body()
    } catch {
      guard !Self.mayPass(error) else { throw error }
      drop(partition, asUnusable: error)
    }
  }

  /// Brings a device into memory as it is kept, or as one that was never heard of.
  private func add(_ name: String, to partition: Partition, as entry: KeyValueBucket.Entry?) throws(Failure) {
    guard let entry, !entry.isDeleted else {
      let device = FleetDevice(name, settings: settings, catalog: partition.catalog)
      device.revision = entry?.revision ?? 0
      device.goOn(in: partition.checkpoint.era ?? 0, from: partition.streamEnd)
      partition.devices[ExactName(name)] = device
      return
    }
    let device = try FleetDevice(name, restoring: entry.value, settings: settings) {
      (version) throws(Failure) in
      version > partition.catalog.version ? try self.catalog(version) : partition.catalog
    }
    device.revision = entry.revision
    device.goOn(in: partition.checkpoint.era ?? 0, from: partition.streamEnd)
    partition.devices[ExactName(name)] = device
  }

  // MARK: - Checkpoints and what is asked of the stream

  /// Does what is due for a partition.
  private func tend(_ partition: Partition) throws(Failure) {
    try pull(partition)
    let devices = deviceCount
    if partition.underway == nil,
      FleetClock.seconds >= partition.checkpointedAt + options.checkpointSeconds
        || devices > options.deviceLimit
    {
      partition.beginCheckpoint(
        eventNumber: publisher.nextNumber, events: publisher.lastSequence, worker: options.name)
    }
    try advance(partition, inHaste: isLate(partition) || devices > options.deviceLimit)
    if devices > options.deviceLimit { partition.evict(devices - options.deviceLimit * 9 / 10) }
  }

  /// Whether the next checkpoint of a partition is due before the last one is written.
  private func isLate(_ partition: Partition) -> Bool {
    FleetClock.seconds >= partition.checkpointedAt + options.checkpointSeconds
  }

  /// Whether no more fixes are handled before the checkpoint of a partition is written: a device of which always an event
  /// is on its way would be kept never, and devices that are not kept can't leave the memory.
  private func mustKeep(_ partition: Partition) -> Bool {
    guard partition.underway != nil else { return false }
    return FleetClock.seconds >= partition.checkpointedAt + 2 * options.checkpointSeconds
      || deviceCount > options.deviceLimit * 5 / 4
  }

  var deviceCount: Int { partitions.values.reduce(0) { $0 + $1.deviceCount } }

  /// Begins some snapshots of a checkpoint, and writes the checkpoint when all are kept.
  private func advance(_ partition: Partition, inHaste: Bool) throws(Failure) {
    guard partition.underway != nil else { return }
    try storeSome(of: partition, inHaste: inHaste)
    guard let underway = partition.underway, underway.queue.isEmpty, !store.isStoring(partition.number),
      publisher.isSettled(before: underway.eventNumber)
    else { return }
    // Where nobody answers, it is written again as it is: on top of the same revision, of which one write succeeds.
    try commit(underway.next, of: partition)
    partition.underway = nil
  }

  /// - Parameter inHaste: as many as the cluster takes. Else no more than are due, so that an event does not wait for a
  ///   thousand snapshots.
  private func storeSome(of partition: Partition, inHaste: Bool) throws(Failure) {
    guard let due = partition.underway?.due(in: options.checkpointSeconds * Self.snapshotShare) else {
      return
    }
    let most = inHaste ? Self.snapshotCount : min(Self.snapshotCount, due)
    let window = inHaste ? DeviceStore.window : Self.snapshotWindow
    var begun = 0
    while begun < most, store.count < window, let device = partition.underway?.queue.popLast() {
      guard device.isDirty else { continue }
      // A snapshot says that what followed from its fixes is kept.
      guard device.unconfirmedEvents == 0 else {
        partition.underway?.waiting.append(device)
        continue
      }
      try store.store(device, of: partition.number)
      begun += 1
    }
    guard let underway = partition.underway, underway.queue.isEmpty, !underway.waiting.isEmpty else { return }
    partition.underway?.queue = underway.waiting
    partition.underway?.waiting = []
  }

  private func commit(_ next: Checkpoint, of partition: Partition) throws(Failure) {
    guard
      let revision = try layout.fleet.put(
        Checkpoint.key(partition.number), try next.bytes(), over: partition.checkpointRevision)
    else {
      throw Failure(
        .tryAgain, what: "another worker has the partition, or the store of checkpoints was lost")
    }
    partition.checkpoint = next
    partition.checkpointRevision = revision
    report.unusable?.removeAll { $0.number == partition.number }
    report.checkpoints += 1
  }

  /// Writes a whole checkpoint now.
  ///
  /// - Parameter end: when it is given up, by ``FleetClock/seconds``.
  func finish(_ partition: Partition, before end: Double) throws(Failure) {
    if partition.underway == nil {
      partition.beginCheckpoint(
        eventNumber: publisher.nextNumber, events: publisher.lastSequence, worker: options.name)
    }
    while partition.underway != nil, partitions[partition.number] === partition {
      guard FleetClock.seconds < end else {
        let reason = (store.refusal ?? publisher.refusal).map { ": \($0)" } ?? ""
        throw Failure(.unavailable, what: "the cluster does not keep the snapshots\(reason)")
      }
      try publisher.collect(milliseconds: 100)
      try advance(partition, inHaste: true)
      try store.collect(milliseconds: 100)
    }
  }

  /// Does something for a partition, which is given up where it fails: not where the cluster only does not answer.
  ///
  /// - Returns: whether the cluster answered.
  private func attempt(_ partition: Partition, _ body: (Partition) throws(Failure) -> Void) -> Bool {
    do throws(Failure) {
      try body(partition)
    } catch {
      guard error.code == .unavailable else {
        drop(partition, "\(error)")
        return true
      }
      layout.stream.connection.tell("partition \(partition.number) waits: \(error)")
      return false
    }
    return true
  }
}
