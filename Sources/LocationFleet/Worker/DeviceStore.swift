import LocationCore
import LocationFormats

/// Loads and keeps the snapshots of devices, many at a time.
///
/// A snapshot is written on top of the revision that was read, so that of two workers that hold a device for the same,
/// one learns of the other. Each says to which message it goes; one that is ahead of the checkpoint is as good as one at
/// it, because what follows from a fix is always the same.
final class DeviceStore {
  private struct Pending {
    var device: FleetDevice
    var partition: Int
    var place: (era: Int, sequence: UInt64)
    var payload: [UInt8]
    var sentAt: Double
  }

  private let layout: FleetLayout
  private let settings: EngineSettings
  let pipe: RequestPipe
  private var pending: [Int: Pending] = [:]
  private var oldest = 0
  private var buffer: [UInt8] = []
  /// Partitions that another worker has meanwhile.
  private(set) var lost: Set<Int> = []
  /// Bytes of the snapshots written.
  private(set) var bytesWritten = 0
  /// Snapshots written.
  private(set) var written = 0
  /// After which time a snapshot that nobody confirms is sent again.
  private var patience = RetryWait(least: 3, most: 30)
  /// Why the cluster last refused one, and what to do; nil since it has kept one.
  private(set) var refusal: String?

  /// The most that may be on their way.
  static let window = 1_024
  /// After which time a snapshot is asked for again, seconds, and how long in all.
  private static let loading = (again: 3.0, longest: 30.0)

  init(_ layout: FleetLayout, settings: EngineSettings) throws(Failure) {
    self.layout = layout
    self.settings = settings
    pipe = try RequestPipe(layout.stream.connection)
  }

  // MARK: Loading

  /// Hands on the snapshots of devices, by `<partition>.<device>`; nil for one that was never heard of.
  ///
  /// - Throws: `.unavailable` where the cluster does not give all, and what `body` throws.
  func load(
    _ keys: [ExactName], _ body: (_ key: ExactName, KeyValueBucket.Entry?) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    while start < keys.count {
      let end = min(keys.count, start + Self.window)
      try load(keys[start..<end], body)
      start = end
    }
  }

  private func load(
    _ keys: ArraySlice<ExactName>, _ body: (_ key: ExactName, KeyValueBucket.Entry?) throws(Failure) -> Void
  ) throws(Failure) {
    var open = Set(keys)
    var asked: [Int: ExactName] = [:]
    let pipe = layout.stream.pipe
    let end = FleetClock.seconds + Self.loading.longest
    while !open.isEmpty {
      guard FleetClock.seconds < end else {
        throw Failure(.unavailable, what: "the cluster does not give the snapshots of devices")
      }
      for key in open {
        let request = KeyValueBucket.request(layout.devices.subject(key.text))
        asked[try pipe.send(layout.devices.getSubject, Array(request.text.utf8))] = key
      }
      let again = FleetClock.seconds + Self.loading.again
      while !open.isEmpty, FleetClock.seconds < again {
        guard let answer = try pipe.receive(milliseconds: 500) else { continue }
        guard let key = asked[answer.number], open.contains(key) else { continue }
        let tree = JetStream.tree(answer.payload)
        let entry = KeyValueBucket.entry(tree)
        // Anything but a word that there is none: ask again.
        guard entry != nil || JetStream.refusal(tree)?.errorCode == JetStream.noMessage else { continue }
        open.remove(key)
        try body(key, entry)
      }
    }
  }

  // MARK: Keeping

  /// Writes the snapshot of a device.
  func store(_ device: FleetDevice, of partition: Int) throws(Failure) {
    try device.snapshot(into: &buffer)
    bytesWritten += buffer.count
    written += 1
    try send(
      Pending(
        device: device, partition: partition, place: device.place, payload: buffer,
        sentAt: FleetClock.seconds))
  }

  private func send(_ snapshot: Pending) throws(Failure) {
    let number = try pipe.send(subject(of: snapshot), snapshot.payload, headers: headers(of: snapshot))
    if pending.isEmpty { oldest = number }
    pending[number] = snapshot
  }

  private func subject(of snapshot: Pending) -> String {
    layout.devices.subject("\(snapshot.partition).\(snapshot.device.name)")
  }

  private func headers(of snapshot: Pending) -> NATSConnection.Headers {
    .init(expected: snapshot.device.revision)
  }

  /// How many are on their way.
  var count: Int { pending.count }

  /// Whether a snapshot of a partition is on its way.
  func isStoring(_ partition: Int) -> Bool { pending.values.contains { $0.partition == partition } }

  /// Takes the confirmations that have come, or waits for the first.
  func collect(milliseconds: Int) throws(Failure) {
    var wait = milliseconds
    while !pending.isEmpty, let answer = try pipe.receive(milliseconds: wait) {
      wait = 0
      try take(answer)
    }
    try repeatOverdue()
  }

  private func take(_ answer: RequestPipe.Answer) throws(Failure) {
    guard let snapshot = pending[answer.number] else { return }
    let tree = JetStream.tree(answer.payload)
    if let refusal = JetStream.refusal(tree) {
      guard refusal.errorCode == JetStream.wrongSequence else {
        self.refusal = refusal.told
        return layout.stream.connection.tell(
          "the cluster keeps no snapshots of devices: \(refusal.told); they are sent again")
      }
      // Where the cluster does not say what is there, the snapshot stays on its way and is sent again.
      try settle(snapshot)
      pending[answer.number] = nil
    } else if let revision = tree["seq"]?.integer {
      pending[answer.number] = nil
      confirm(snapshot, revision: UInt64(revision))
    }
    patience.reset()
  }

  private func confirm(_ snapshot: Pending, revision: UInt64) {
    refusal = nil
    snapshot.device.revision = revision
    snapshot.device.storedSequence = max(snapshot.device.storedSequence, snapshot.place.sequence)
  }

  /// Another snapshot is there than the one that was read: our own, whose confirmation was lost; that of a worker that
  /// had the partition before, and wrote late; or that of one that has it now.
  private func settle(_ snapshot: Pending) throws(Failure) {
    let key = "\(snapshot.partition).\(snapshot.device.name)"
    let there = try layout.devices.get(key)
    let place = there.flatMap { FleetDevice.place(of: $0.value, settings: settings) } ?? (0, 0)
    if place == snapshot.place, let there {
      confirm(snapshot, revision: there.revision)
    } else if place < snapshot.place {
      snapshot.device.revision = there?.revision ?? 0
      var again = snapshot
      again.sentAt = FleetClock.seconds
      try send(again)
    } else {
      lost.insert(snapshot.partition)
    }
  }

  private func repeatOverdue() throws(Failure) {
    guard !pending.isEmpty else { return }
    while pending[oldest] == nil { oldest += 1 }
    let now = FleetClock.seconds
    guard let first = pending[oldest], now - first.sentAt > patience.seconds else { return }
    for number in pending.keys.sorted() {
      guard let snapshot = pending[number], now - snapshot.sentAt > patience.seconds else { continue }
      try pipe.send(subject(of: snapshot), snapshot.payload, headers: headers(of: snapshot), again: number)
      pending[number]?.sentAt = now
    }
    patience.double()
  }

  /// Forgets what is on its way of a partition that this worker no longer has.
  func forget(_ partition: Int) {
    pending = pending.filter { $0.value.partition != partition }
    lost.remove(partition)
  }
}
